"""One module per platform that is listened to over a connection of ours."""
