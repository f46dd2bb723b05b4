"""`tacit report`: what was learned, as one file."""
