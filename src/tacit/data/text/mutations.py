"""Mutations in texts: changes of proteins and of DNA, under their normal forms."""

from __future__ import annotations

from typing import NamedTuple

from tacit.data.text.mutation_grammar import rules


class Mutation(NamedTuple):
    """A change found in a text; `name` is its normal form: V600E, c.1799T>A, rs1234."""

    start: int
    end: int
    text: str
    name: str


def mutations(text: str, *, ignore_case: bool = False) -> list[Mutation]:
    """The mutations of a text, from left to right; of those that overlap the first and longest."""
    lowered = text.lower()
    found = [
        (match.end("gene") if "gene" in match.re.groupindex else match.start(), -match.end(), names)
        for rule in rules(ignore_case)
        if rule.clue.search(lowered)
        for match in rule.pattern.finditer(text)
        if (names := tuple(rule.names(match)))
    ]
    kept: list[Mutation] = []
    free_from = 0
    for start, minus_end, names in sorted(found):
        if start >= free_from:
            free_from = -minus_end
            part = text[start:free_from]
            kept += [Mutation(start, free_from, part, name) for name in names]
    return kept
