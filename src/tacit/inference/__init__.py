"""Inference: marginals, expected counts and the log-partition of a factor graph."""
