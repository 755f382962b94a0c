"""UMB models."""
