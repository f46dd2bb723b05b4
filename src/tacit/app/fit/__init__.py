"""`tacit fit`: learn from a project, and its settings."""
