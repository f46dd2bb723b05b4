"""Benchmarks: run as `python -m benchmarks.<name>`; no part of the package, and no test."""
