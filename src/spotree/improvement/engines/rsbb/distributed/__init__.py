"""RSBB on several machines."""
