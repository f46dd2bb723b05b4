"""The options of `tacit bench`; apart from all else, so that help is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.app.choices import Json


def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A benchmark of a checkout; see --list.",
            show_default="a quick one that is always there",
        ),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGS", help="Its own arguments, behind --."),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Only list the benchmarks of a checkout.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure how fast this machine reads, grounds, infers and learns.

    Without a name: the sample reviews, and 20,000 texts that are made up, in half a minute at most.
    With one: a benchmark of a checkout of the project, `python -m benchmarks.NAME`.

    Example: tacit bench

    Then: tacit bench --list; tacit bench grounding -- --quick
    """
    from tacit.app.bench.run import run_bench

    raise typer.Exit(run_bench(name, arguments or [], as_json=json, listing=listing))
