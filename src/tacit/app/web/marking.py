"""Texts with the words that a question is about set off, whatever else the text contains."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape


def marked(text: str, spans: Iterable[tuple[int, int]] = ()) -> Markup:
    """A text, escaped, with its spans in <mark>; overlapping spans become one."""
    pieces, at = [], 0
    for start, end in _merged(spans, len(text)):
        pieces.append(escape(text[at:start]))
        pieces.append(Markup("<mark>{}</mark>").format(text[start:end]))
        at = end
    return Markup("").join([*pieces, escape(text[at:])])


def _merged(spans: Iterable[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Spans in order, inside the text, none of them overlapping."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(end, length)) for start, end in spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged
