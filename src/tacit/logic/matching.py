"""Relations between texts and what is found in them: patterns and terms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from tacit.data.canonical import ColumnKind
from tacit.data.table import Table
from tacit.data.tokens import tokenise
from tacit.errors import BadInput


@dataclass(frozen=True, slots=True)
class Matches:
    """The relation of texts and the patterns that they match."""

    name: str
    table: str
    column: str
    patterns: tuple[str, ...]
    flags: int

    def compute(self, source: Table) -> pa.Table:
        """Each (id, pattern) for which the pattern is found in the text."""
        texts = _texts_of(source, self.column)
        rows: list[int] = []
        found: list[str] = []
        for pattern in self.patterns:
            search = compiled(pattern, self.flags).search
            hits = [row for row, text in enumerate(texts) if text is not None and search(text)]
            rows.extend(hits)
            found.extend([pattern] * len(hits))
        return _relation(source, rows, "pattern", found)


@dataclass(frozen=True)
class Mentions:
    """The relation of texts and the terms that they mention."""

    name: str
    table: str
    column: str
    terms: tuple[str, ...]

    @cached_property
    def _spellings(self) -> dict[tuple[str, ...], list[str]]:
        """The terms by their words."""
        spellings: dict[tuple[str, ...], list[str]] = {}
        for term in self.terms:
            spellings.setdefault(tuple(tokenise(term)), []).append(term)
        return spellings

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """How many words the terms have that begin with a word; most words begin none."""
        lengths: dict[str, set[int]] = {}
        for words in self._spellings:
            lengths.setdefault(words[0], set()).add(len(words))
        return {word: sorted(found) for word, found in lengths.items()}

    def compute(self, source: Table) -> pa.Table:
        """Each (id, term) once, in the order of the texts and of the words in them."""
        texts = _texts_of(source, self.column)
        rows: list[int] = []
        found: list[str] = []
        for row, text in enumerate(texts):
            mentioned = self.mentioned(text) if text else ()
            rows.extend([row] * len(mentioned))
            found.extend(mentioned)
        return _relation(source, rows, "term", found)

    def mentioned(self, text: str) -> tuple[str, ...]:
        """The terms that a text mentions; terms inside longer ones count too."""
        words = tokenise(text)
        lengths, spellings = self._lengths, self._spellings
        found: dict[str, None] = {}
        for start, word in enumerate(words):
            for length in lengths.get(word, ()):
                if terms := spellings.get(tuple(words[start : start + length])):
                    found.update(dict.fromkeys(terms))
        return tuple(found)


def _relation(source: Table, rows: list[int], column: str, values: list[str]) -> pa.Table:
    """The relation of some of a table's instances and a text for each."""
    ids = source.column(source.columns[0])
    return pa.table(
        {
            source.name: ids.take(pa.array(rows, pa.int64())),
            column: pa.array(values, pa.large_string()),
        }
    )


def _texts_of(source: Table, column: str) -> list[str | None]:
    """The texts of a column, which must hold text."""
    if source.kinds.get(column, ColumnKind.TEXT) is not ColumnKind.TEXT:
        raise BadInput(
            f"column '{column}' of {source.described} holds {source.kinds[column]}, not text",
            remedy="name a text column, such as column='review.text'",
        )
    texts: list[str | None] = source.column(column).to_pylist()
    return texts


def compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """The pattern ready for searching, or an error that says what is wrong with it and where."""
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}"
        raise BadInput(
            f"the pattern {pattern!r} is no regular expression: {error.msg}{at}",
            remedy="a character that stands for itself is written with a backslash: \\( or \\+",
        ) from None
