"""The `threadline` command, one module for each of its words."""
