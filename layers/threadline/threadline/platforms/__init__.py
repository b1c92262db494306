"""One folder per platform; none knows another."""
