"""Errors of commands as messages and exit codes; no error of the user's gets a traceback."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit.errors import BadFile, TacitError

FINE, NO, BAD_INPUT, BUG, INTERRUPTED = 0, 1, 2, 3, 130
_OF_THE_MACHINE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)


def is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: DuckDB answers it in its own way amid a query."""
    if error is None:
        return False
    said = type(error).__name__, str(error)
    by_duckdb = said == ("RuntimeError", "Query interrupted") or said[0] == "InterruptException"
    return by_duckdb or isinstance(error, KeyboardInterrupt) or is_interrupt(error.__cause__)


def report(error: Exception, given: Sequence[str]) -> int:
    """Tell of an error, and answer the exit code for its kind."""
    if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
        where = error.filename or "a file"
        error = BadFile(
            f"{where} cannot be used: {error.strerror}",
            remedy="is there room on the disk, and may you read and write there?",
        )
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


def tolerate_any_locale() -> None:
    """Let a terminal that lacks a character show another instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
