"""The options of `tacit export`; apart from all else, so that help is quick."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tacit.app.choices import Json, ProjectFolder


class ExportFormat(StrEnum):
    """What is written."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"
    SNORKEL = "snorkel"
    LABEL_STUDIO = "label-studio"
    ARGILLA = "argilla"
    HUGGING_FACE = "huggingface"
    SKLEARN = "sklearn"


def export(
    to: Annotated[Path, typer.Option(metavar="FILE", help="The file, or the folder, to write.")],
    path: ProjectFolder = Path(),
    run: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A run in runs/, or the folder of one.",
            show_default="the newest",
        ),
    ] = None,
    kind: Annotated[
        ExportFormat | None,
        typer.Option(
            "--format",
            help="What to write.",
            show_default="by the ending: .parquet, .csv, .jsonl, .npz (snorkel), "
            ".json (label-studio)",
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The label function, where a run has several."),
    ] = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Only the most probable label, no probabilities.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what an earlier export has written.")
    ] = False,
    json: Json = False,
) -> None:
    """Write what a run has learned, as other programs read it.

    parquet, csv, jsonl: ids, texts, labels and the probability of each label. huggingface: the
    same as a folder for `datasets.load_from_disk`. label-studio, argilla: the labels as
    suggestions, for people to correct. snorkel: the votes of the evidence as a label matrix.
    sklearn: the network, as a scikit-learn classifier.

    Example: tacit export reviews --to labels.parquet

    Then: tacit export reviews --run s4-linear --format argilla --to for_argilla
    """
    from tacit.app.export.run import ExportOptions, run_export

    options = ExportOptions(to=to, run=run, kind=kind, function=function, hard=hard, force=force)
    raise typer.Exit(run_export(path, options, as_json=json))
