"""PRISM and JANI models, built by Storm."""
