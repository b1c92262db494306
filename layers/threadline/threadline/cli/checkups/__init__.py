"""What `threadline doctor` looks at, one module for each place."""
