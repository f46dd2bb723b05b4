"""Examples that run: see the README of each."""
