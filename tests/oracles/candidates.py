"""Candidate tuples by plain loops over mentions, written from the definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

Row = dict[str, Any]


def candidates(
    mentions: Sequence[Row], entities: Sequence[Row], kinds: Sequence[str], window: int
) -> list[tuple[str, int, int, tuple[str, ...], list[tuple[str, ...]]]]:
    """Document, first and last sentence, mentions and minimal entity tuples of each candidate."""
    found = []
    for chosen in product(*([m for m in mentions if m["kind"] == kind] for kind in kinds)):
        sentences = [mention["sentence"] for mention in chosen]
        if len({mention["document"] for mention in chosen}) > 1:
            continue
        if max(sentences) - min(sentences) + 1 > window:
            continue
        meant = [
            [row["entity"] for row in entities if row["mention"] == mention["mention"]]
            for mention in chosen
        ]
        tuples = sorted(set(product(*meant)))
        ids = tuple(mention["mention"] for mention in chosen)
        found.append((chosen[0]["document"], min(sentences), max(sentences), ids, tuples))
    kept = []
    for document, first, last, ids, tuples in found:
        minimal = []
        for entity_tuple in tuples:
            smaller = [
                other
                for other in found
                if other[0] == document
                and entity_tuple in other[4]
                and other[2] - other[1] < last - first
                and set(range(other[1], other[2] + 1)) & set(range(first, last + 1))
            ]
            if not smaller:
                minimal.append(entity_tuple)
        if minimal:
            kept.append((document, first, last, ids, minimal))
    return kept
