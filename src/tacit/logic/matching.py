"""Relations between texts and what is found in them: patterns and terms."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.data.predicates import Predicate
from tacit.data.tokens import tokenise
from tacit.errors import BadInput

_BATCH = 10_000  # texts that are Python objects at one time


def matches(name: str, table: str, column: str, patterns: tuple[str, ...], flags: int) -> Predicate:
    """The relation of texts and the patterns that are found in them, as a predicate."""
    return _relation(name, table, column, "pattern", Patterns(patterns, flags))


def mentions(name: str, table: str, column: str, terms: tuple[str, ...]) -> Predicate:
    """The relation of texts and the terms that they mention, as a predicate."""
    return _relation(name, table, column, "term", Terms(terms))


def _relation(
    name: str, table: str, column: str, value: str, function: Callable[..., Any]
) -> Predicate:
    """A predicate that lists what it finds in each text of a column."""
    return Predicate(
        name=name,
        function=function,
        table=table,
        keys=(),
        parameters=(column,),
        vectorised=True,
        values=(value,),
        what="relation",
        only_text=True,
    )


@dataclass(frozen=True, slots=True)
class Patterns:
    """Finds the patterns that texts match; its fields are what a fingerprint covers."""

    patterns: tuple[str, ...]
    flags: int

    def __call__(self, /, **columns: Any) -> pa.Array:
        """The patterns found in each text of the one column, in the order of the patterns."""
        searches = [compiled(pattern, self.flags).search for pattern in self.patterns]
        found = (
            [code for code, search in enumerate(searches) if text is not None and search(text)]
            for text in _only(columns)
        )
        return _lists(found, self.patterns)


@dataclass(frozen=True)
class Terms:
    """Finds the terms that texts mention; its fields are what a fingerprint covers."""

    terms: tuple[str, ...]

    @cached_property
    def _codes(self) -> dict[tuple[str, ...], list[int]]:
        """The positions of the terms by their words."""
        codes: dict[tuple[str, ...], list[int]] = {}
        for code, term in enumerate(self.terms):
            codes.setdefault(tuple(tokenise(term)), []).append(code)
        return codes

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """How many words the terms have that begin with a word; most words begin none."""
        lengths: dict[str, set[int]] = {}
        for words in self._codes:
            lengths.setdefault(words[0], set()).add(len(words))
        return {word: sorted(found) for word, found in lengths.items()}

    def __call__(self, /, **columns: Any) -> pa.Array:
        """The terms that each text of the one column mentions."""
        return _lists(map(self._mentioned, _only(columns)), self.terms)

    def _mentioned(self, text: str | None) -> Iterable[int]:
        """The terms of a text in the order of its words; terms inside longer ones count too."""
        words = tokenise(text or "")
        lengths, codes = self._lengths, self._codes
        found: dict[int, None] = {}
        for start, word in enumerate(words):
            for length in lengths.get(word, ()):
                if terms := codes.get(tuple(words[start : start + length])):
                    found.update(dict.fromkeys(terms))
        return found


def _only(columns: dict[str, Any]) -> Iterator[str | None]:
    """The texts of the one column that was given, a batch of them at a time."""
    (column,) = columns.values()
    for start in range(0, len(column), _BATCH):
        yield from column.slice(start, _BATCH).to_pylist()


def _lists(found: Iterable[Iterable[int]], names: tuple[str, ...]) -> pa.Array:
    """Lists of positions as an Arrow column of lists of names."""
    codes, offsets = array("q"), array("q", [0])
    for some in found:
        codes.extend(some)
        offsets.append(len(codes))
    taken = pa.array(names, pa.large_string()).take(pa.array(np.array(codes, dtype=np.int64)))
    return pa.LargeListArray.from_arrays(pa.array(np.array(offsets, dtype=np.int64)), taken)


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
