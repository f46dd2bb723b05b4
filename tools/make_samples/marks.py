"""Marked-up text: ``<drug>velotradib</drug>`` and back to plain text with offsets."""

import re
from collections.abc import Callable
from dataclasses import dataclass

MARK = re.compile(r"<(drug|gene|variant)>(.*?)</\1>")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a document: where it stands, as written and normalised."""

    kind: str
    name: str
    sentence: int
    start: int
    end: int


def plain(marked: str) -> str:
    """The text without any mark."""
    return MARK.sub(r"\2", marked)


def normalised(kind: str, surface: str) -> str:
    """The name behind a surface form: "Velotradib" -> velotradib, "p.T31Q" -> T31Q."""
    if kind == "drug":
        return surface.lower()
    return surface.removeprefix("p.").upper()


def kept(marked: str, keep: Callable[[str, str], bool]) -> str:
    """The text with only those marks for whose kind and name `keep` is true."""

    def mark_or_text(mark: re.Match[str]) -> str:
        kind, surface = mark.groups()
        return mark[0] if keep(kind, normalised(kind, surface)) else surface

    return MARK.sub(mark_or_text, marked)


def mentions(sentences: list[str]) -> list[Mention]:
    """All mentions of a document whose plain sentences are joined by single spaces."""
    found: list[Mention] = []
    offset = 0
    for number, marked in enumerate(sentences):
        hidden = 0  # characters of marks before the current place
        for mark in MARK.finditer(marked):
            kind, surface = mark.groups()
            start = offset + mark.start() - hidden
            name = normalised(kind, surface)
            found.append(Mention(kind, name, number, start, start + len(surface)))
            hidden += len(mark[0]) - len(surface)
        offset += len(plain(marked)) + 1
    return found
