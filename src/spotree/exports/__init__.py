"""The tree elsewhere: one file per format."""
