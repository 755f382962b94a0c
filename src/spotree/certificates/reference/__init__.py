"""Reference checker of certificates, in NumPy."""
