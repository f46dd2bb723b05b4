"""The options of `tacit review`; apart from all else, so that help is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.app.choices import Json, PredictorKind, ProjectFolder

_QUESTIONS, _SERVER, _JUDGING = "Questions", "Server", "Judging extractions"


def review(
    path: ProjectFolder = Path(),
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Ask so many questions, in all.",
            show_default="[grow] in tacit.toml, or 20",
            rich_help_panel=_QUESTIONS,
        ),
    ] = None,
    predictor: PredictorKind = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The record of all that was asked and answered.",
            show_default="ledger.sqlite in the project; judgements.sqlite with --judge",
            rich_help_panel=_QUESTIONS,
        ),
    ] = None,
    read_only: Annotated[
        bool,
        typer.Option(
            "--read-only",
            help="Only look: nothing is learned or answered.",
            rich_help_panel=_SERVER,
        ),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=65535,
            help="Listen on this port; 0 is any free one.",
            show_default="8642, or the next free",
            rich_help_panel=_SERVER,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen on this address. Any other than the default can be reached by others.",
            rich_help_panel=_SERVER,
        ),
    ] = "127.0.0.1",
    no_open: Annotated[
        bool,
        typer.Option("--no-open", help="Open no browser.", rich_help_panel=_SERVER),
    ] = False,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Judge what this system extracted: a table, or a saved run; may be repeated.",
            rich_help_panel=_JUDGING,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Draw so many of each system.",
            show_default="50",
            rich_help_panel=_JUDGING,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Of the draw.", rich_help_panel=_JUDGING)
    ] = 0,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Where the texts are.",
            rich_help_panel=_JUDGING,
            show_default="guessed",
        ),
    ] = None,
    tuple_: Annotated[
        str | None,
        typer.Option(
            "--tuple",
            metavar="COLUMN,COLUMN",
            help="What was extracted.",
            rich_help_panel=_JUDGING,
            show_default="guessed",
        ),
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Where the ids are.",
            rich_help_panel=_JUDGING,
            show_default="guessed",
        ),
    ] = None,
    probability: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The system's own probabilities.",
            rich_help_panel=_JUDGING,
            show_default="guessed",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL", help="Of saved runs: the label to judge.", rich_help_panel=_JUDGING
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of saved runs: the label function.", rich_help_panel=_JUDGING
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option(
            "--table", help="Only print how precise the systems are.", rich_help_panel=_JUDGING
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Open a page on which people answer the questions of a growing program.

    The rules grow as with `tacit grow`, in a process of their own; answers go into the ledger at
    once. What is interrupted, or killed, goes on where it stood when it is called again. The page
    is for this machine only, and for whoever has the address that is printed.

    Example: tacit review films --budget 20

    Where no true labels are known, judge what systems extracted, blind to which one did:

    Example: tacit review --judge ours=a.csv --judge theirs=b.csv --sample 50

    Then: tacit review --table
    """
    from tacit.app.judge.judging import JudgingOptions
    from tacit.app.review.run import ReviewOptions, run_review

    judging = JudgingOptions(
        judge=tuple(judge or ()),
        text=text,
        parts=tuple_,
        id=id_,
        probability=probability,
        label=label,
        function=function,
        seed=seed,
        **({} if sample is None else {"sample": sample}),
    )
    options = ReviewOptions(
        budget=budget,
        predictor=predictor,
        host=host,
        port=port,
        opens_browser=not no_open,
        read_only=read_only,
        ledger=ledger,
        judging=judging,
        table=table,
    )
    raise typer.Exit(run_review(path, options, as_json=json))
