"""Texts laid out for a search by word boundaries: one string, in which each boundary is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Integers = np.ndarray[Any, np.dtype[np.int64]]
Codes = np.ndarray[Any, np.dtype[np.uint32]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]

END, BOUNDARY, PLURAL = "\x00", "\x01", "\x02"  # behind a text; about a word; before a plural s
_MARKS = (END, BOUNDARY, PLURAL)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_SHORTEST_PLURAL = 4  # letters and digits: "ERKs", not "its"


@dataclass(frozen=True, slots=True)
class Marked:
    """Several texts as one string with their boundaries written out, and the way back."""

    string: str
    start_of_text: Integers  # (texts,) where a text begins in all texts laid end to end
    place_of_mark: Integers  # (marks,) where one stands in `string`, ascending
    place_of_plural: Integers  # (plurals,) where an s stands in all texts, ascending

    def spans(self, starts: Integers, ends: Integers) -> tuple[Integers, Integers, Integers]:
        """Spans of `string` as text, start and end in the text; a plural s belongs to its word."""
        starts = starts - np.searchsorted(self.place_of_mark, starts)
        ends = ends - np.searchsorted(self.place_of_mark, ends)
        if len(self.place_of_plural):
            nearest = np.searchsorted(self.place_of_plural, ends)
            nearest = np.minimum(nearest, len(self.place_of_plural) - 1)
            ends = ends + (self.place_of_plural[nearest] == ends)
        text = np.searchsorted(self.start_of_text, starts, side="right") - 1
        origin = self.start_of_text[text]
        return text, starts - origin, ends - origin


def mark(texts: Sequence[str], *, ignore_case: bool = False, variants: bool = False) -> Marked:
    """Lay texts end to end, with a boundary between each word character and each other one.

    A word character is a letter or a digit of any script. A name that is marked in the same way
    occurs in the string exactly where it stands between word boundaries in a text. White space of
    any kind counts as a space. Case is ignored letter by letter (`str.lower`), so that no place
    moves; the few letters that would become two are left as they are.

    With `variants`, all dashes are hyphens, and a word ends before its plural s, too. The s has a
    mark of its own in front of it, so that no name can begin there.
    """
    joined = "".join([f"{text}{END}" for text in texts])
    given = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64) - 1
    shown = _each(given, lambda character: _shown(character, ignore_case, variants))
    shown[ends] = ord(END)
    is_word = _each(given, str.isalnum).astype(bool)
    changes = np.flatnonzero(np.diff(is_word, prepend=False))
    plurals = _plurals(given, shown, is_word, changes) if variants else changes[:0]
    places = np.concatenate([changes, plurals, plurals])
    marks = np.repeat(np.array([1, 1, 2], np.uint32), [len(changes), len(plurals), len(plurals)])
    order = np.argsort(places, kind="stable")
    places, marks = places[order], marks[order]
    string = np.insert(shown, places, marks).tobytes().decode("utf-32-le")
    starts = np.concatenate([np.zeros(1, np.int64), ends + 1])[:-1]
    return Marked(string, starts, places + np.arange(len(places)), plurals)


def _plurals(given: Codes, shown: Codes, is_word: Booleans, changes: Integers) -> Integers:
    """The places of each plural s: the last of a word of some length, behind a letter but s."""
    begins, behinds = changes[::2], changes[1::2]  # each text ends with no word character
    last = behinds[behinds - begins >= _SHORTEST_PLURAL] - 1
    last = last[shown[last] == ord("s")]
    is_letter = _each(given[last - 1], str.isalpha).astype(bool)
    places: Integers = last[is_letter & (shown[last - 1] != ord("s"))]
    return places


def _each(codes: Codes, function: Callable[[str], int | bool]) -> Codes:
    """A function of characters for every character, called once for each distinct one."""
    present = np.flatnonzero(np.bincount(codes, minlength=1))
    table = np.zeros(len(present) and int(present[-1]) + 1, np.uint32)
    table[present] = [function(chr(code)) for code in present.tolist()]
    return table[codes]


def _shown(character: str, ignore_case: bool, variants: bool) -> int:
    """The code that stands for a character in the search."""
    if character.isspace() or character in _MARKS or "\ud800" <= character <= "\udfff":
        return ord(" ")
    if variants and character in _DASHES:
        return ord("-")
    lower = character.lower() if ignore_case else character
    return ord(lower) if len(lower) == 1 else ord(character)
