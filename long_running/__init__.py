"""What must stay up: connections that a platform pushes through, in `serve` and in Fargate."""
