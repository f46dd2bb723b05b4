"""Slow truths, written from the definitions, that fast code is compared with."""
