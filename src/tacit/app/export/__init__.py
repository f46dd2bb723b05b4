"""`tacit export`: what was learned, as other programs read it."""
