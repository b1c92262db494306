"""AWS with the standard library alone: what ingest calls before its first answer."""
