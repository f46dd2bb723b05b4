"""Slow twin of grouping rows that are alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def groups(rows: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """The rows that are alike, by what they are."""
    found: dict[Hashable, list[int]] = {}
    for at, row in enumerate(rows):
        found.setdefault(row, []).append(at)
    return found
