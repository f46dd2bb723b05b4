"""The `tacit` command. `main` is the one place where errors become messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tacit import __version__
from tacit.app.bench.command import bench
from tacit.app.choices import Json, PredictorKind, ProjectFolder, Template
from tacit.app.explain.command import explain
from tacit.app.export.command import export
from tacit.app.failures import (
    BAD_INPUT,
    BUG,
    FINE,
    INTERRUPTED,
    NO,
    is_interrupt,
    report,
    tolerate_any_locale,
)
from tacit.app.grow.command import grow
from tacit.app.report.command import report as write_report
from tacit.app.review.command import review

__all__ = ["BAD_INPUT", "BUG", "FINE", "INTERRUPTED", "NO", "app", "main"]

_EPILOG = (
    "Exit codes: 0 all is well; 1 the command ran and the answer is no; 2 bad input or usage; "
    "3 a bug in tacit; 130 interrupted."
)

app = typer.Typer(
    name="tacit",
    help="From what an expert knows to a trained model, without labelled examples.",
    epilog=_EPILOG,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    """Print the version and stop."""
    if asked:
        typer.echo(f"tacit {__version__}")
        raise typer.Exit


@app.callback()
def tacit(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where a bug happened (or set TACIT_DEBUG=1).")
    ] = False,
) -> None:
    """Show the help where no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    template: Annotated[
        Template, typer.Option("--template", "-t", help="What to start from.")
    ] = Template.REVIEWS,
    force: Annotated[
        bool, typer.Option("--force", help="Add files to a folder that is not empty.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a project: tacit.toml, rules.tacit and data/.

    No existing file is ever overwritten, not even with --force.

    Example: tacit new films --template reviews
    """
    from tacit.app.new import new_project, print_new_project

    print_new_project(new_project(folder, template, force=force), as_json=json)


@app.command()
def check(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A project's folder or a .tacit file.")
    ] = Path(),
    strict: Annotated[
        bool, typer.Option("--strict", help="Answer no (exit code 1) where there are notes.")
    ] = False,
    json: Json = False,
) -> None:
    """Find every mistake in a project, or show what each rule touches.

    PATH and the folders above it are searched; a .tacit file is checked without data.

    Example: tacit check films --strict
    """
    from tacit.app.check import run_check

    raise typer.Exit(run_check(path, as_json=json, strict=strict))


@app.command()
def ground(
    path: ProjectFolder = Path(),
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the SQL, the rows expected and the rows found.")
    ] = False,
    limit: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Refuse a formula with more groundings than this.",
            show_default="1e8",
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="What joins may keep in memory, such as 4GB; the rest goes to disk.",
            show_default="most of the machine's",
        ),
    ] = None,
    spill_to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder for what does not fit into memory.",
            show_default="the system's temporary folder",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Ground a project: what each formula becomes, and what that costs.

    Nothing is kept: this shows what learning will work on, and what makes it slow.

    Example: tacit ground films --explain
    """
    from tacit.app.ground.run import GroundOptions, run_ground

    options = GroundOptions(limit, memory_limit, spill_to)
    raise typer.Exit(run_ground(path, options, as_json=json, explain=explain))


@app.command()
def compare(
    path: ProjectFolder = Path(),
    gold: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE.COLUMN",
            help="Where the true labels are, for scoring only.",
            show_default="[gold] in tacit.toml",
        ),
    ] = None,
    hold_out: Annotated[
        bool, typer.Option(help="Fit again on parts of the data, and score the votes left out.")
    ] = True,
    predictor: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Also teach this predictor by each method, and by gold labels.",
            show_default="none",
        ),
    ] = None,
    gold_labels: Annotated[
        int, typer.Option(metavar="N", min=1, help="From how many self-training begins.")
    ] = 50,
    json: Json = False,
) -> None:
    """Compare the label model with majority vote, weighted vote and Dawid-Skene.

    Snorkel is compared too where it is installed. Scores need gold labels; health numbers do not.
    With a predictor, DPL and what gold labels would be worth stand beside them.

    Example: tacit compare reviews --gold review.class --predictor linear
    """
    from tacit.app.compare import CompareOptions, run_compare

    options = CompareOptions(
        gold=gold, hold_out=hold_out, predictor=predictor, gold_labels=gold_labels
    )
    raise typer.Exit(run_compare(path, options, as_json=json))


@app.command()
def fit(
    path: ProjectFolder = Path(),
    predictor: PredictorKind = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to save what was learned.",
            show_default="runs/KIND in the project",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="At most so many rounds.", show_default="[fit] in tacit.toml"
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Go on with an interrupted run, or begin anew.")
    ] = True,
    json: Json = False,
) -> None:
    """Learn weights and a network from a project's rules and data, without labels.

    A run that is interrupted, or killed, goes on behind its last round when it is called again.

    Example: tacit fit reviews --predictor linear --out runs/first
    """
    from tacit.app.fit.run import FitOptions, run_fit

    options = FitOptions(predictor, out, rounds, resume)
    raise typer.Exit(run_fit(path, options, as_json=json))


app.command()(grow)
app.command()(review)


@app.command()
def predict(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="What `tacit fit` has saved.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="New texts: .csv, .tsv, .jsonl or .parquet.")
    ],
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The column to read.", show_default="the one it was trained on"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the labels go: .csv, .tsv, .jsonl or .parquet.",
            show_default="FILE.labels.csv beside FILE.csv",
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The label function, where a run has several."),
    ] = None,
    json: Json = False,
) -> None:
    """Label new texts with a trained network, file by file, whatever their size.

    Example: tacit predict runs/linear new.csv --column text --out labels.csv
    """
    from tacit.app.predict import PredictOptions, run_predict

    options = PredictOptions(column, out, function)
    raise typer.Exit(run_predict(run, file, options, as_json=json))


app.command("report")(write_report)
app.command()(explain)
app.command()(export)
app.command()(bench)


@app.command()
def demo(json: Json = False) -> None:
    """Run the library on a sample that comes with it.

    Example: tacit demo
    """
    from tacit.app.console import make_console, print_note, warnings_as_notes
    from tacit.app.demo import run_demo

    with warnings_as_notes() as heard:
        code = run_demo(make_console(), as_json=json)
    for note in heard:
        print_note(make_console(stderr=True), note)
    raise typer.Exit(code)


for _command in app.registered_commands:
    _command.epilog = _EPILOG


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and answer its exit code; no error of the user's gets a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    tolerate_any_locale()
    if not sys.stdout.isatty():
        app.rich_markup_mode = None  # help without boxes
    try:
        command = typer.main.get_command(app)
        code = command.main(given, prog_name="tacit", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        if not is_interrupt(error):
            return report(error, given)
        code = INTERRUPTED
    if code == INTERRUPTED:
        sys.stderr.write("interrupted\n")
    return int(code or FINE)
