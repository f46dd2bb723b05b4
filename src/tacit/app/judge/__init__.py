"""Judging what systems extracted: their files, the sample, the table."""
