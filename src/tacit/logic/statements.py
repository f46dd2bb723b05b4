"""Cutting program text into statements, so that each can be read, or found wrong, by itself.

A statement is one line. It goes on to the next line while a bracket is open, after an operator at
the end of a line, or before an operator at the start of the next; a line that begins like a
declaration or like `name:` always starts anew, so that an unclosed bracket spoils one statement
only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tacit.errors import Place

MAX_NESTING = 40  # deeper formulas are nobody's knowledge, and recursion stays shallow

_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*')
_STARTS_ANEW = re.compile(r"\s*(?:(?:label|observed)\s+[^\W\d]|(?!exists\b)[^\W\d]\w*\s*:)")
_OPERATOR_AT_END = re.compile(r"(?:[&|,*~@:=<>]|\+-|=>)\s*\Z")
_OPERATOR_AT_START = re.compile(r"\s*(?:[&|,)@]|=>|<=>|\+-)")
_DECLARED = re.compile(r"\s*(?:label|observed)\s+([^\W\d]\w*)")
# What makes a formula deep: brackets within brackets, and operators that nest to the right.
_NESTING = re.compile(r"=>|\b(?:exists|atleast|atmost|exactly)\b|!\s*(?=[!(])")


@dataclass(frozen=True, slots=True)
class Statement:
    """The text of one statement and where it stands."""

    text: str
    source: str
    first_line: int  # of the file, counted from 1

    def place(self, line: int, column: int, width: int = 1) -> Place:
        """A place in this statement as a place in its file; `line` counts from 1 within it."""
        lines = self.text.split("\n")
        text = lines[min(line, len(lines)) - 1]
        width = max(1, min(width, len(text) - column + 1))
        return Place(self.source, self.first_line + line - 1, column, width, text)

    @property
    def start(self) -> Place:
        """The first word of the statement."""
        line = self.text.split("\n")[0]
        indent = len(line) - len(line.lstrip())
        return self.place(1, indent + 1, len(line.strip()))

    @property
    def declared_name(self) -> str | None:
        """The name that this statement means to declare, even if it is malformed."""
        match = _DECLARED.match(self.text)
        return match[1] if match else None

    @property
    def is_too_deep(self) -> bool:
        """Whether the formula nests deeper than any reader, or the parser, should follow."""
        bare = _without_strings(self.text)
        depth = deepest = 0
        for character in bare:
            depth += (character == "(") - (character == ")")
            deepest = max(deepest, depth)
        return max(deepest, len(_NESTING.findall(bare))) > MAX_NESTING


def statements(text: str, source: str) -> Iterator[Statement]:
    """The statements of a program text in order; blank lines and comments belong to none."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    current: list[str] = []
    first = 0
    for number, line in enumerate(lines, start=1):
        if current and not _continues(current, line):
            yield Statement("\n".join(current), source, first)
            current = []
        if current:
            current.append(line)
        elif _without_strings(line).strip():
            current, first = [line], number
    if current:
        yield Statement("\n".join(current).rstrip(), source, first)


def _continues(current: list[str], line: str) -> bool:
    """Whether a line belongs to the statement before it."""
    if _STARTS_ANEW.match(line):
        return False
    so_far = _without_strings("\n".join(current))
    if so_far.count("(") > so_far.count(")"):
        return True
    bare = _without_strings(line)
    if not bare.strip():
        return False
    return bool(_OPERATOR_AT_END.search(so_far) or _OPERATOR_AT_START.match(bare))


def _without_strings(text: str) -> str:
    """The text with comments gone and quoted strings blanked, for looking at its structure."""
    return _STRING_OR_COMMENT.sub(lambda m: "" if m[0][0] == "#" else "_" * len(m[0]), text)
