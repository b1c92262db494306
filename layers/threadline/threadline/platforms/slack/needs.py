"""What a Slack app must be allowed and be sent: the one place that says so.

https://docs.slack.dev/reference/scopes
https://docs.slack.dev/reference/events
"""

from typing import Final

from threadline.core.setup import Need, Needs

NEEDS: Final = Needs(
    scopes=(
        Need("app_mentions:read", "mentions"),
        Need("channels:history", "public channels it was invited to"),
        Need("groups:history", "private channels it was invited to"),
        Need("im:history", "direct messages to it"),
        Need("mpim:history", "group direct messages with it"),
        Need("chat:write", "answers"),
        Need("reactions:write", "👀 while it works, ✅ or ❌ at the end"),
        Need("files:read", "what people attach"),
        Need("files:write", "what the agent makes"),
        Need("commands", "/ask"),
    ),
    events=(
        Need("app_mention", "mentions"),
        Need("message.channels", "threads, files and edits in public channels"),
        Need("message.groups", "the same in private channels"),
        Need("message.im", "direct messages"),
        Need("message.mpim", "group direct messages"),
    ),
)
"""The scopes of the bot's token, and the events that the bot subscribes to."""

APP_TOKEN_SCOPE: Final = "connections:write"  # noqa: S105 - the scope's name
"""What the app-level token of Socket Mode needs."""

COMMAND: Final = "/ask"
