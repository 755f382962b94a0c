"""DRN models."""
