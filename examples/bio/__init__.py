"""Biomedical machine reading: gene linking, relations, and both."""
