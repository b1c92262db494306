"""The compiler of `threadline.yaml`: text in, settings or every fault out."""
