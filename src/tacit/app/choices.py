"""Choices that the command line offers; apart from all else, so that help is quick."""

from __future__ import annotations

from enum import StrEnum


class Template(StrEnum):
    """What a new project starts from."""

    REVIEWS = "reviews"
    ONCOLOGY = "oncology"
    BLANK = "blank"
