"""PRISM export of a policy."""
