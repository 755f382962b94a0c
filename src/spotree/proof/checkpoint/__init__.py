"""Checkpoints of proofs."""
