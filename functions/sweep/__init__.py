"""Lambda functions: composition only."""
