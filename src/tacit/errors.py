"""Errors and warnings: each names the thing, the place and the remedy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file or a text: one line and a stretch of columns in it."""

    source: str  # a path, or "<text>"
    line: int  # counted from 1
    column: int = 0  # counted from 1; 0: the whole line
    width: int = 1  # how many characters the caret underlines
    text: str = ""  # the line itself; empty where it is not known

    def render(self, note: str | None = None) -> str:
        """The line with a caret under the stretch, and the note behind the caret."""
        head = f"  {self.source}:{self.line}"
        if not self.text:
            return f"{head}\n    {note}" if note else head
        line = self.text.rstrip("\n").expandtabs(1)
        shown = line.lstrip()
        margin = f"{head}   "
        if self.column == 0:
            return f"{margin}{shown}" + (f"\n    {note}" if note else "")
        indent = len(margin) + self.column - 1 - (len(line) - len(shown))
        carets = "^" * max(1, self.width)
        return f"{margin}{shown}\n{' ' * indent}{carets}" + (f"  {note}" if note else "")


class TacitError(Exception):
    """Something that the user can mend. Subclasses say what kind of thing it is."""

    def __init__(
        self, message: str, *, place: Place | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{type(self).__name__}: {self.message}"
        if self.place is not None:
            return f"{text}\n{self.place.render(self.remedy)}"
        return f"{text}\n    {self.remedy}" if self.remedy else text

    def as_dict(self) -> dict[str, Any]:
        """The one error shape that every JSON answer uses."""
        place = self.place
        return {
            "error": type(self).__name__,
            "message": self.message,
            "remedy": self.remedy,
            "file": place.source if place else None,
            "line": place.line if place else None,
            "column": place.column if place and place.column else None,
        }


class SeveralErrors(TacitError):
    """More than one error was found in one go; `errors` holds them in the order of their places."""

    def __init__(self, errors: Sequence[TacitError]) -> None:
        super().__init__(f"{len(errors)} problems found")
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)

    def as_dict(self) -> dict[str, Any]:
        """All the errors, in the shape of each."""
        return super().as_dict() | {"errors": [error.as_dict() for error in self.errors]}


class ProgramSyntaxError(TacitError):
    """The program text cannot be read."""


class UnknownPredicate(TacitError):
    """A formula uses a predicate that was not declared."""


class UnknownLabel(TacitError):
    """A label value that is not in its label function's space."""


class UnknownTable(TacitError):
    """A table that the task does not have."""


class UnknownColumn(TacitError):
    """A column that its table does not have."""


class UnknownFunction(TacitError, KeyError):
    """A label function that the graph does not have."""


class ArityMismatch(TacitError):
    """A predicate with too many or too few arguments."""


class TypeMismatch(TacitError):
    """Two uses of one thing that cannot both be right."""


class UnsafeFormula(TacitError):
    """A variable that nothing in the formula's condition binds."""


class BadWeight(TacitError):
    """A weight, prior or expectation that is not a usable number."""


class BadFormula(TacitError):
    """A formula that is well written but says nothing that can be learned from."""


class DuplicateName(TacitError):
    """One name declared or used for two things."""


class EmptyTable(TacitError):
    """A table without rows, or without a single value."""


class DuplicateIds(TacitError):
    """Instance ids that are missing or occur twice."""


class BadFile(TacitError):
    """A file that is absent, of an unknown kind, wrongly encoded or malformed."""


class BadInput(TacitError):
    """An argument of a type or shape that is not accepted."""


class FunctionFailed(TacitError):
    """A labelling function or predicate of the user's raised, or returned what it must not."""


class Contradiction(TacitError):
    """Hard evidence that no assignment of labels can satisfy."""


class TooLarge(TacitError):
    """A join with more rows, inference with more states or a file with more bytes than fit."""


class NotFinite(TacitError):
    """A number that is infinite, or no number at all, where it must be finite."""


class EngineFailed(TacitError):
    """A query that its engine could not finish."""


class MissingExtra(TacitError):
    """A feature whose optional packages are not installed."""


class TacitWarning(UserWarning):
    """Something that still works but deserves a look; the message says what to try."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A remedy naming the nearest known names, or None where nothing is near."""
    by_lower = {str(candidate).lower(): str(candidate) for candidate in known}
    near = get_close_matches(name.lower(), by_lower, n=2, cutoff=0.5)
    if not near:
        return None
    return "did you mean " + " or ".join(f"'{by_lower[key]}'" for key in near) + "?"


def listed(names: Iterable[object], most: int = 8) -> str:
    """Names as people list them: the first few, then how many more."""
    all_names = [str(name) for name in names]
    shown = ", ".join(all_names[:most]) or "none"
    return shown if len(all_names) <= most else f"{shown} and {len(all_names) - most} more"


def raise_all(errors: Sequence[TacitError]) -> None:
    """Raise nothing, the one error, or all of them together in the order of their places."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SeveralErrors(in_order(errors))


def in_order(errors: Iterable[TacitError]) -> list[TacitError]:
    """Errors sorted by file, line and column; those without a place come last."""

    def key(error: TacitError) -> tuple[bool, str, int, int]:
        place = error.place
        if place is None:
            return (True, "", 0, 0)
        return (False, place.source, place.line, place.column)

    return sorted(errors, key=key)
