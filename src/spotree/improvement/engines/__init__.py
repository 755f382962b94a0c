"""Engines of the improvement step."""
