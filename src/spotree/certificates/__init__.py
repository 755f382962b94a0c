"""Certificates of proofs: format, header, records, verification."""
