"""Texts, and mentions in texts, as the words that a network reads.

An input is one of

- a `str`: a text, of which the first words are read;
- a `Mention`, or a tuple (text, start, end), or a dict with these three keys, or that dict as JSON
  in a `str` (so that a column of a table can hold it): the words around the mention are read, and
  the mention itself as one marker.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.tokens import token_spans, tokenise
from tacit.errors import BadInput
from tacit.predictors.protocol import Longs
from tacit.predictors.recurrent.ragged import Ragged
from tacit.predictors.recurrent.vocabulary import Vocabulary

NOTHING, MENTION = 0, 1  # the numbers of two reserved words; the third stands for unknown words
RESERVED = ("<nothing>", "<mention>", "<unknown>")
KEYS = ("text", "start", "end")


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a text: its characters from `start` up to, not including, `end`."""

    text: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise BadInput(f"the text of a mention is a str, not {type(self.text).__name__}")
        if not 0 <= self.start <= self.end <= len(self.text):
            raise BadInput(
                f"a mention stands at {self.start}:{self.end} of a text of "
                f"{len(self.text)} characters",
                remedy="start and end count characters from 0; end is the first one behind it",
            )

    def to_json(self) -> str:
        """One line of JSON that is accepted as an input."""
        return json.dumps({"text": self.text, "start": self.start, "end": self.end})


@dataclass(frozen=True, slots=True)
class Reading:
    """Inputs as words: all of them, and those that the network reads."""

    vocabulary: Vocabulary
    words: tuple[str, ...]  # each distinct word once
    text: Ragged  # all words of each input, each as one of `words`
    read: Ragged  # what is read of each input: numbers of the vocabulary
    stands: Ragged  # which word of the text each of these is; -1 for the marker
    mention: Longs  # (inputs, 2) the words that the marker stands for: from, and up to

    def __len__(self) -> int:
        return len(self.text)

    @property
    def lengths(self) -> Longs:
        """(inputs) how many words are read of each."""
        return self.read.lengths

    def take(self, rows: Longs) -> Reading:
        """Some of the inputs, in this order."""
        rows = np.asarray(rows, np.int64)
        text, read, stands = (each.take(rows) for each in (self.text, self.read, self.stands))
        return Reading(self.vocabulary, self.words, text, read, stands, self.mention[rows])


@dataclass(frozen=True, slots=True)
class Passage:
    """The words of one input, and where in them the mention is."""

    words: list[str]
    mention: tuple[int, int] | None  # the first of its words, and the first one behind them


def passages(inputs: Iterable[Any]) -> list[Passage]:
    """The words of each input."""
    found = []
    for row, given in enumerate(inputs):
        try:
            found.append(passage(given))
        except BadInput as error:
            raise BadInput(f"input {row}: {error.message}", remedy=error.remedy) from error
    return found


def passage(given: Any) -> Passage:
    """The words of one input in any of its forms."""
    given = as_input(given)
    if isinstance(given, str):
        return Passage(tokenise(given), None)
    words, starts, ends = token_spans(given.text)
    first = int(np.searchsorted(ends, given.start, side="right"))
    behind = int(np.searchsorted(starts, given.end, side="left"))
    return Passage(words, (first, max(first, behind)))


def as_input(given: Any) -> str | Mention:
    """One input, from any of its forms. No text (None) is an empty one."""
    if isinstance(given, str):
        return _mention_in_json(given) or given
    if given is None:
        return ""
    if isinstance(given, Mention):
        return given
    if isinstance(given, Mapping) and set(given) == set(KEYS):
        return _mention(*(given[key] for key in KEYS))
    if isinstance(given, (tuple, list)) and len(given) == 3:
        return _mention(*given)
    raise BadInput(
        f"a {type(given).__name__} is neither a text nor a mention in one",
        remedy="a str, a Mention(text, start, end), or a dict with the keys text, start and end",
    )


def _mention(text: Any, start: Any, end: Any) -> Mention:
    for offset in (start, end):
        if isinstance(offset, bool) or not isinstance(offset, (int, np.integer)):
            raise BadInput(f"a mention begins or ends at {offset!r}, which is no whole number")
    return Mention(text, int(start), int(end))


def _mention_in_json(text: str) -> Mention | None:
    """The mention that a text is the JSON of, where it is one."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if set(value) != set(KEYS):
        return None
    return _mention(*(value[key] for key in KEYS))


def reading(
    found: list[Passage], vocabulary: Vocabulary, *, window: int, max_words: int
) -> Reading:
    """What is read of each passage, by number."""
    code_of: dict[str, int] = {}
    texts = [
        np.array([code_of.setdefault(word, len(code_of)) for word in each.words], np.int64)
        for each in found
    ]
    number_of = vocabulary.numbers(code_of)
    stands = [_stands(len(each.words), each.mention, window, max_words) for each in found]
    # The marker, and the nothing that an empty text is, stand at -1: behind the last word.
    ends = [MENTION if each.mention else NOTHING for each in found]
    reads = [
        np.append(number_of[codes], end)[places]
        for codes, end, places in zip(texts, ends, stands, strict=True)
    ]
    mention = np.array([each.mention or (0, 0) for each in found], np.int64).reshape(-1, 2)
    text, read, stood = (Ragged.of(each, np.zeros(0, np.int64)) for each in (texts, reads, stands))
    return Reading(vocabulary, tuple(code_of), text, read, stood, mention)


def _stands(n_words: int, mention: tuple[int, int] | None, window: int, max_words: int) -> Longs:
    """The words of a text that are read, in order; -1 for the marker, or where there is nothing."""
    if mention is not None:
        first, behind = mention
        before = np.arange(max(first - window, 0), first)
        after = np.arange(behind, min(behind + window, n_words))
        return np.concatenate([before, [-1], after])
    return np.arange(min(n_words, max_words)) if n_words else np.array([-1])


def shares_of_words(reading: Reading, shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much each word of each text counted, from how much each entry that was read did.

    The marker's share goes to the words of the mention in equal parts. Where it has none, the other
    words have all.
    """
    read, text, place = reading.read, reading.text, reading.stands.value
    of_word = np.zeros(len(text.value), np.float32)
    plain = place >= 0
    of_word[text.first[read.row[plain]] + place[plain]] = shares[plain]
    of_marker = np.bincount(read.row[~plain], shares[~plain], len(text))
    length = reading.mention[:, 1] - reading.mention[:, 0]
    inside = (text.place >= reading.mention[text.row, 0]) & (
        text.place < reading.mention[text.row, 1]
    )
    of_word[inside] += (of_marker / np.maximum(length, 1))[text.row[inside]]
    total = np.bincount(text.row, of_word, len(text))
    fair: NDArray[np.float32] = (of_word / np.where(total, total, 1)[text.row]).astype(np.float32)
    return fair
