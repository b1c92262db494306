"""The ports made real; nothing else in the package opens a file, a socket or a database."""
