"""The token table by a plain loop over characters and texts, written from the definition."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def is_mark(character: str) -> bool:
    """Whether a character only modifies the one before it."""
    return unicodedata.category(character) in ("Mn", "Mc") or character in "\u200c\u200d"


def words_of(text: str) -> list[str]:
    """The words of a text, one character at a time."""
    text = text.lower().replace("\u2019", "'")
    words: list[str] = []
    at = 0
    while at < len(text):
        if not text[at].isalnum():
            at += 1
            continue
        start = at
        while at < len(text) and (
            text[at].isalnum()
            or is_mark(text[at])
            or (text[at] in "'_-" and at + 1 < len(text) and text[at + 1].isalnum())
        ):
            at += 1
        words.append(text[start:at])
    return words


def token_rows(
    ids: Sequence[object], texts: Sequence[str | None], ngrams: tuple[int, int] = (1, 1)
) -> list[tuple[object, str]]:
    """Each distinct (id, n-gram) once: by instance, then by length, then by first occurrence."""
    rows: list[tuple[object, str]] = []
    for instance, text in zip(ids, texts, strict=True):
        words = words_of(text or "")
        for length in range(ngrams[0], ngrams[1] + 1):
            for start in range(len(words) - length + 1):
                row = (instance, " ".join(words[start : start + length]))
                if row not in rows:
                    rows.append(row)
    return rows
