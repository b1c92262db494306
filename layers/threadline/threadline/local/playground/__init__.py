"""The playground page as `threadline serve` shows it: routes, list of chats, journeys."""
