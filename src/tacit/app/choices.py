"""Choices that the command line offers; apart from all else, so that help is quick."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


class Template(StrEnum):
    """What a new project starts from."""

    REVIEWS = "reviews"
    ONCOLOGY = "oncology"
    BLANK = "blank"


class Reviewing(StrEnum):
    """Who answers questions."""

    TERMINAL = "terminal"
    NONE = "none"
