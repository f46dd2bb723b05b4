"""The `tacit` command. `main` is the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import __version__
from tacit.app.choices import Template
from tacit.errors import TacitError

FINE, NO, BAD_INPUT, BUG, INTERRUPTED = 0, 1, 2, 3, 130

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

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


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
    """
    from tacit.app.check import run_check

    raise typer.Exit(run_check(path, as_json=json, strict=strict))


@app.command()
def ground(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A project's folder.")] = Path(),
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
    """
    from tacit.app.ground import GroundOptions, run_ground

    options = GroundOptions(limit, memory_limit, spill_to)
    raise typer.Exit(run_ground(path, options, as_json=json, explain=explain))


@app.command()
def compare(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A project's folder.")] = Path(),
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
    json: Json = False,
) -> None:
    """Compare the label model with majority vote, weighted vote and Dawid-Skene.

    Snorkel is compared too where it is installed. Scores need gold labels; health numbers do not.

    Example: tacit compare reviews --gold review.class
    """
    from tacit.app.compare import run_compare

    raise typer.Exit(run_compare(path, gold=gold, hold_out=hold_out, as_json=json))


@app.command()
def demo(json: Json = False) -> None:
    """Run the library on a sample that comes with it."""
    from tacit.app.console import make_console, print_note, warnings_as_notes
    from tacit.app.demo import run_demo

    with warnings_as_notes() as heard:
        code = run_demo(make_console(), as_json=json)
    for note in heard:
        print_note(make_console(stderr=True), note)
    raise typer.Exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and answer its exit code; no error of the user's gets a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _tolerate_any_locale()
    if not sys.stdout.isatty():
        app.rich_markup_mode = None  # help without boxes
    try:
        command = typer.main.get_command(app)
        code = command.main(given, prog_name="tacit", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        if not _is_interrupt(error):
            return _report(error, given)
        code = INTERRUPTED
    if code == INTERRUPTED:
        sys.stderr.write("interrupted\n")
    return int(code or FINE)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: DuckDB answers it in its own way amid a query."""
    if error is None:
        return False
    said = type(error).__name__, str(error)
    by_duckdb = said == ("RuntimeError", "Query interrupted") or said[0] == "InterruptException"
    return by_duckdb or isinstance(error, KeyboardInterrupt) or _is_interrupt(error.__cause__)


def _report(error: Exception, given: Sequence[str]) -> int:
    """Tell of an error, and answer the exit code for its kind."""
    if isinstance(error, TacitError):
        _report_error(error, as_json="--json" in given)
        return BAD_INPUT
    if _is_usage_error(error):
        return _report_usage(error, as_json="--json" in given)
    return _report_bug(error, given)


def _report_error(error: TacitError, *, as_json: bool) -> None:
    """All that the user has to mend, as text or as JSON."""
    from tacit.app.console import flat, print_errors, print_json

    errors = flat(error)
    if as_json:
        print_json({"ok": False, "errors": [one.as_dict() for one in errors]})
    else:
        print_errors(errors)


def _is_usage_error(error: Exception) -> bool:
    """Whether typer objects to the arguments; its versions differ in where the class lives."""
    return any(cls.__name__ == "ClickException" for cls in type(error).__mro__)


def _report_usage(error: Any, *, as_json: bool) -> int:
    """What is wrong with the arguments, and where to read about them."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "tacit"
    _report_error(UsageError(message, remedy=f"see: {path} --help"), as_json=as_json)
    return BAD_INPUT


class UsageError(TacitError):
    """Arguments that the command line does not understand."""


class Bug(TacitError):
    """An error that no input should cause."""


def _report_bug(error: Exception, given: Sequence[str]) -> int:
    """A short apology with what to report; the traceback only for those who ask for it."""
    if "--debug" in given or os.environ.get("TACIT_DEBUG", "0") not in ("", "0"):
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    message = str(error).split("\n")[0]
    bug = Bug(
        f"{type(error).__name__}: {message} ({Path(frame.filename).name}:{frame.lineno})",
        remedy="this is a mistake in tacit, not in your files; please report it with what "
        f"this prints: tacit --debug {' '.join(a for a in given if a != '--debug')}",
    )
    _report_error(bug, as_json="--json" in given)
    return BUG


def _tolerate_any_locale() -> None:
    """Let a terminal that lacks a character show another instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
