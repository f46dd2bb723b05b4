"""The words of texts as codes: texts are read once, in Python, and arrays do the rest."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.tokens import tokenise
from tacit.errors import BadInput
from tacit.predictors.protocol import Longs


@dataclass(frozen=True, slots=True)
class Words:
    """The words of texts, one after the other; those of text i stand at `first[i]:first[i + 1]`."""

    first: Longs  # (texts + 1)
    code: NDArray[np.int32]  # (words of all texts) which of `words`
    words: tuple[str, ...]  # each distinct word once

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.first) - 1

    @property
    def text(self) -> Longs:
        """For each word, the text it stands in."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @property
    def end(self) -> Longs:
        """For each word, where its text ends."""
        return np.repeat(self.first[1:], np.diff(self.first))

    def take(self, rows: Longs) -> Words:
        """The words of some texts, in this order."""
        lengths = np.diff(self.first)[rows]
        first = np.concatenate([[0], np.cumsum(lengths)])
        place = np.arange(first[-1]) + np.repeat(self.first[:-1][rows] - first[:-1], lengths)
        return replace(self, first=first, code=self.code[place])


def read_words(texts: Any) -> Words:
    """The words of a sequence of texts, by the rules of `tacit.data.tokens.tokenise`."""
    code_of_word: defaultdict[str, int] = defaultdict()
    code_of_word.default_factory = code_of_word.__len__  # an unseen word gets the next code
    codes, lengths = array("i"), array("q", [0])
    for text in each_text(texts):
        found = tokenise(text)
        codes.extend(map(code_of_word.__getitem__, found))
        lengths.append(len(found))
    code = np.array(codes, dtype=np.int32)
    return Words(np.cumsum(np.array(lengths, dtype=np.int64)), code, tuple(code_of_word))


def each_text(texts: Any) -> Iterator[str]:
    """The texts of a list, an array or a column of a table; one that is missing is empty."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise BadInput(
            f"texts were expected, and there is a single {type(texts).__name__}",
            remedy="give a list of texts, even of one: ['a text']",
        )
    values = texts.to_pylist() if hasattr(texts, "to_pylist") else texts
    for row, text in enumerate(values):
        if isinstance(text, str):
            yield text
        elif is_missing(text):
            yield ""
        else:
            raise BadInput(f"input {row} is no text: it is a {type(text).__name__}")


def is_missing(value: Any) -> bool:
    """Whether a value stands for none at all: None, and what tables have in its place."""
    return value is None or type(value).__name__ == "NAType" or (value != value) is True
