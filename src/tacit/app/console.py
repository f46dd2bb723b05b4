"""How things are printed: for a terminal, as plain text in a pipe, or as JSON."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

from tacit.errors import Place, SeveralErrors, TacitError, TacitWarning

if TYPE_CHECKING:
    from rich.console import Console

NAME = "cyan"  # the style of names in tables
NUMBER = "green"
_UNLIMITED = 10_000  # columns of a pipe: a reader of files wants whole lines
_INDENT = "  "
_CARETS = re.compile(r"^\s*(\^+)", re.MULTILINE)
_FILE_AND_LINE = re.compile(r"^  \S.*?:\d+(?=\s|$)", re.MULTILINE)
_LEAST_ROOM = 24  # columns; with less for the last cell of a row, that cell gets its own lines
_ROOM_BEFORE_CARET = 12  # characters kept before the caret where a line must be cut


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a printed table."""

    header: str
    right: bool = False  # numbers stand on the right
    style: str = ""


def make_console(*, stderr: bool = False) -> Console:
    """A console that is as wide as the terminal, and unlimited in a pipe."""
    from rich.console import Console

    class Patient(Console):
        """A console for which a reader who leaves early is no error."""

        def on_broken_pipe(self) -> None:
            _forget_reader()

    console = Patient(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _UNLIMITED
    return console


def _write(file: IO[str], text: str) -> None:
    """Write plain text; a reader who leaves early (`| head`) is no error."""
    try:
        file.write(text)
        file.flush()
    except BrokenPipeError:
        _forget_reader()


def _forget_reader() -> None:
    """Send all further output nowhere, so that the exit code stays that of the command."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(answer: Mapping[str, Any]) -> None:
    """One JSON object, in ASCII, so that no locale can spoil it."""
    _write(sys.stdout, json.dumps(answer, indent=2, allow_nan=False) + "\n")


def print_title(console: Console, name: str, file: str) -> None:
    """What the output is about: a project and its file."""
    from rich.text import Text

    title = Text(name, style="bold magenta")
    if file != name:
        title.append(f"  {file}", style="dim")
    console.print(title, soft_wrap=True)
    console.print()


def print_table(
    console: Console,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    marked: Container[int] = (),
) -> None:
    """A titled table: fitted to a terminal, or aligned text of any width in a pipe.

    `marked` are the rows, counted from 0, that deserve a look.
    """
    from rich.text import Text

    console.print(Text(title, style="bold"))
    lines = _aligned([[column.header for column in columns], *rows], columns)
    if console.is_terminal:
        _print_fitted(console, columns, lines, marked)
    else:
        _write(console.file, "".join(_INDENT.join(["", *line]).rstrip() + "\n" for line in lines))
    console.print()


def _aligned(lines: Sequence[Sequence[str]], columns: Sequence[Column]) -> list[list[str]]:
    """The cells of each line, filled with blanks to the width of their columns."""
    from rich.cells import cell_len  # characters of some scripts are two columns wide

    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(columns))]
    aligned = []
    for line in lines:
        blanks = [" " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)]
        aligned.append(
            [
                blank + cell if column.right else cell + blank
                for cell, blank, column in zip(line, blanks, columns, strict=True)
            ]
        )
    return aligned


def _print_fitted(
    console: Console,
    columns: Sequence[Column],
    lines: Sequence[Sequence[str]],
    marked: Container[int],
) -> None:
    """A table with colours, whose last column is wrapped to the room that the others leave.

    Where that is little, the last column gets lines of its own instead.
    """
    from rich.cells import cell_len
    from rich.text import Text

    *others, last = columns
    begin = cell_len(_INDENT.join(["", *lines[0][:-1], ""]))
    stacked = console.width - begin < min(cell_len(lines[0][-1]), _LEAST_ROOM)
    begin = 3 * len(_INDENT) if stacked else begin
    for number, line in enumerate(lines, start=-1):  # the header is line -1
        style = "dim" if number < 0 else "yellow" if number in marked else None
        text = Text()
        for cell, column in zip(line, others, strict=False):
            text.append(_INDENT + cell, style=style or column.style)
        pieces = Text(line[-1].rstrip(), style=style or last.style).wrap(
            console, max(console.width - begin, _LEAST_ROOM // 2)
        )
        for piece in pieces:
            piece.rstrip()
            if stacked or piece is not pieces[0]:
                text.append("\n" + " " * begin)
            else:
                text.append(_INDENT)
            text.append_text(piece)
        console.print(text, soft_wrap=True)


def flat(error: TacitError) -> tuple[TacitError, ...]:
    """The single errors of which an error consists."""
    return error.errors if isinstance(error, SeveralErrors) else (error,)


def print_errors(errors: Sequence[TacitError]) -> None:
    """Every error with its place and remedy on the error stream, then how many there are."""
    console = make_console(stderr=True)
    for error in errors:
        _print_error(console, error)
        if len(errors) > 1:
            console.print()
    if len(errors) > 1:
        console.print(f"{len(errors)} problems found.", style="bold")


def _print_error(console: Console, error: TacitError) -> None:
    """One error: the message wrapped by words, then the quoted line with its caret."""
    from rich.text import Text

    console.print(Text.assemble((type(error).__name__, "bold red"), ": ", error.message))
    if error.place is not None:
        body = Text(_rendered(error.place, error.remedy, console.width))
    elif error.remedy:
        body = Text(f"    {error.remedy}")
    else:
        return
    for pattern, style in ((_CARETS, "bold yellow"), (_FILE_AND_LINE, "cyan")):
        body.highlight_regex(pattern, style=style)
    console.print(body, soft_wrap=True)


def _rendered(place: Place, remedy: str | None, width: int) -> str:
    """The place with caret and remedy, in lines that fit; long lines would part caret and text."""
    whole = place.render(remedy)
    if all(len(line) <= width for line in whole.split("\n")):
        return whole
    shown = place.render()
    if any(len(line) > width for line in shown.split("\n")):
        shown = _cut(place, width).render()
    return f"{shown}\n    {remedy}" if remedy else shown


def _cut(place: Place, width: int) -> Place:
    """The place with a part of its line that holds the caret and fits."""
    text = place.text.rstrip("\n").expandtabs(1)
    room = max(20, width - len(f"  {place.source}:{place.line}   ") - 6)  # 6: dots on both sides
    start = max(0, place.column - 1 - _ROOM_BEFORE_CARET)
    start = 0 if place.column - 1 + place.width <= room else start
    before, after = "..." * (start > 0), "..." * (len(text) > start + room)
    part = text[start : start + room]
    lost = len(part) - len(part.lstrip()) if start else 0
    return replace(
        place,
        text=f"{before}{part.lstrip() if start else part}{after}",
        column=place.column - start - lost + len(before) if place.column else 0,
        width=max(1, min(place.width, room)),
    )


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """All that deserves a look, under a heading; nothing where there is nothing."""
    from rich.text import Text

    if notes:
        console.print(Text("Notes", style="bold"))
        for note in notes:
            print_note(console, note)
        console.print()


def print_note(console: Console, note: str) -> None:
    """One thing that deserves a look."""
    from rich.text import Text

    text = Text.assemble(("note: ", "yellow"), note)
    for piece in text.wrap(console, console.width - len(_INDENT)):
        console.print(Text(_INDENT).append_text(piece), soft_wrap=True)


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Collect the library's warnings, each once; other warnings go where they always go."""
    heard: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", TacitWarning)
        usual = warnings.showwarning

        def hear(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, TacitWarning):
                usual(message, category, *where, **more)
            elif str(message) not in heard:
                heard.append(str(message))

        warnings.showwarning = hear
        yield heard


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 note", "2,000 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """A share as tables show it: "68.0 %"."""
    return f"{100 * share:.1f} %"
