"""`threadline serve`: everything in one process on this machine."""
