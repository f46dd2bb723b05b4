"""The options of `tacit report`; apart from all else, so that help is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.app.choices import Json


def report(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A project's folder, or the folder of a run.")
    ] = Path(),
    run: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A run in runs/, or the folder of one.",
            show_default="the newest",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write it: .html, or .md for Markdown.",
            show_default="report.html in the run's folder",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Show it in a browser.")] = False,
    json: Json = False,
) -> None:
    """Write what a run has learned as one file that can be read, mailed and printed.

    The HTML file holds everything: tables, pictures, the program, and how to make the run again. It
    needs no network and runs no script. A report that is there already is replaced.

    Example: tacit report reviews --open

    Then: tacit report reviews --run s4-linear --out reviews.md
    """
    from tacit.app.report.run import ReportOptions, run_report

    options = ReportOptions(run=run, out=out, open=open_)
    raise typer.Exit(run_report(path, options, as_json=json))
