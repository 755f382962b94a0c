"""Proofs on several machines."""
