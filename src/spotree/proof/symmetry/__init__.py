"""Symmetries of a model."""
