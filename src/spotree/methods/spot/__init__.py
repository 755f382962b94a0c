"""SPOT, the paper's Algorithm 1, and its settings."""
