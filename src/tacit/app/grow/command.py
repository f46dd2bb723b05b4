"""The options of `tacit grow`; apart from all else, so that help is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.app.choices import Json, PredictorKind, ProjectFolder, Reviewing


def grow(
    path: ProjectFolder = Path(),
    predictor: PredictorKind = None,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Ask a person so many questions, in all.",
            show_default="[grow] in tacit.toml, or 0",
        ),
    ] = None,
    reviewer: Annotated[
        Reviewing | None,
        typer.Option(
            help="Who answers: you, here, or anyone through the ledger's queue.",
            show_default="terminal, where there are questions",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="At most so many rounds of self-training.",
            show_default="[grow] in tacit.toml, or 10",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to save the model.",
            show_default="runs/s4-KIND in the project",
        ),
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write the grown program.",
            show_default="grown.tacit beside your rules",
        ),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The record of all that was added, asked and answered.",
            show_default="ledger.sqlite in the project",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew; the old ledger is kept beside the new one.")
    ] = False,
    additions: Annotated[
        bool, typer.Option("--list", help="Only show the rules that were added.")
    ] = False,
    undo: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only take this rule out again; may be repeated."),
    ] = None,
    json: Json = False,
) -> None:
    """Let a project's rules grow: learn new ones from the network, and ask a person.

    Your own rules are never changed. Every step is kept in a ledger: a run that is interrupted, or
    killed, goes on where it stood when it is called again.

    Example: tacit grow reviews --budget 10

    Then: tacit grow reviews --list; tacit grow reviews --undo pos_luck; tacit grow reviews
    """
    from tacit.app.grow.run import GrowOptions, run_grow
    from tacit.app.grow.undo import run_list, run_undo
    from tacit.errors import BadInput

    options = GrowOptions(
        predictor=predictor,
        budget=budget,
        reviewer=reviewer,
        rounds=rounds,
        out=out,
        program=program,
        ledger=ledger,
        fresh=fresh,
    )
    if fresh + additions + bool(undo) > 1:
        raise BadInput(
            "--list, --undo and --fresh are three different things to do",
            remedy="give one of them at a time",
        )
    if additions:
        raise typer.Exit(run_list(path, options, as_json=json))
    if undo:
        raise typer.Exit(run_undo(path, undo, options, as_json=json))
    raise typer.Exit(run_grow(path, options, as_json=json))
