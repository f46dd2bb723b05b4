"""Choices that the command line offers; apart from all else, so that help is quick."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

ProjectFolder = Annotated[Path, typer.Argument(metavar="PATH", help="A project's folder.")]
PredictorKind = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="linear, transformer, bilstm_attention, graph_lstm or ensemble.",
        show_default="[predictor] in tacit.toml, or linear",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


class Template(StrEnum):
    """What a new project starts from."""

    REVIEWS = "reviews"
    ONCOLOGY = "oncology"
    BLANK = "blank"


class Reviewing(StrEnum):
    """Who answers questions."""

    TERMINAL = "terminal"
    QUEUE = "queue"
    NONE = "none"
