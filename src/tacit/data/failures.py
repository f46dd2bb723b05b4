"""What is said when a user's function fails: which one, at which rows, where it is written."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

from tacit.data.table import Table
from tacit.errors import FunctionFailed, Place, TacitWarning

if TYPE_CHECKING:
    from tacit.data.predicates import Predicate


@dataclass(slots=True)
class Failures:
    """What went wrong over the rows so far: the first failure in full, the others counted."""

    count: int = 0
    row: int = 0  # counted from 0; -1: the function was called once for all rows
    what: str = ""
    error: Exception | None = field(default=None)

    def add(self, row: int, what: str, error: Exception | None = None) -> None:
        """Note one failing row."""
        if self.count == 0:
            self.row, self.what, self.error = row, what, error
        self.count += 1


def report(predicate: Predicate, table: Table, failures: Failures) -> None:
    """Raise if there are failures, or warn where the predicate abstains on errors."""
    if not failures.count:
        return
    message = f"{predicate.described} {failures.what}"
    if failures.row >= 0:
        message += f"; first at {row_named(predicate, table, failures.row)}"
        message += f"; {failures.count} of {table.n_rows} rows fail"
    if predicate.on_error == "abstain":
        warnings.warn(f"{message}; they are left out", TacitWarning, stacklevel=2)
        return
    raise FunctionFailed(
        message,
        place=_raised_at(predicate, failures.error),
        remedy='mend the function, or declare it with on_error="abstain" to leave such rows out',
    ) from failures.error


def row_named(predicate: Predicate, table: Table, row: int) -> str:
    """A row, counted from 0, as messages call it: its keys, its number and its table."""
    keys = predicate.keys or table.columns[:1]
    values = ", ".join(f"{key} {table.column(key)[row].as_py()!r}" for key in keys)
    return f"{values} (row {row + 1} of {table.described})"


def declared_at(predicate: Predicate) -> Place | None:
    """Where the function is written, if that is known."""
    code = getattr(inspect.unwrap(predicate.function), "__code__", None)
    return Place(code.co_filename, code.co_firstlineno) if code else None


def _raised_at(predicate: Predicate, error: Exception | None) -> Place | None:
    """The line of the function's own file in which it raised, else where it is declared."""
    declared = declared_at(predicate)
    trace: TracebackType | None = error.__traceback__ if error else None
    place = declared
    while trace is not None and declared is not None:
        if trace.tb_frame.f_code.co_filename == declared.source:
            place = Place(declared.source, trace.tb_lineno)
        trace = trace.tb_next
    return place
