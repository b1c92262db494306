"""The embedded backend: items and queues in one SQLite file, for any number of processes."""
