"""The use cases, one per file; they see platforms and agents only through the contracts in core."""
