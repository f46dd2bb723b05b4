"""The options of `tacit explain`; apart from all else, so that help is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.app.choices import Json, ProjectFolder


def explain(
    path: ProjectFolder = Path(),
    instance: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="The instance.", show_default="list those in doubt"),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="A run in runs/, or the folder of one.", show_default="the newest"
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The label function, where there are several."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Explain this label.", show_default="the most probable"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Against this one.", show_default="the runner-up"),
    ] = None,
    doubtful: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="List the N instances that are most in doubt instead."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say why an instance has its label: what each rule, each neighbour and the network add.

    Nothing is learned again: a saved run is put back onto the data of its project.

    Example: tacit explain reviews r0017

    Then: tacit explain reviews --doubtful 20
    """
    from tacit.app.explain.run import ExplainOptions, run_explain

    options = ExplainOptions(
        instance=instance,
        run=run,
        function=function,
        label=label,
        against=against,
        doubtful=doubtful,
    )
    raise typer.Exit(run_explain(path, options, as_json=json))
