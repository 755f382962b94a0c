"""Shared small parts: arrays, signals, files, lookup, JSON, validation of untrusted input."""
