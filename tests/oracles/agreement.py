"""How far two reviewers agree, by definition: loops over questions and choices."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction


def cohen(
    judgements: Mapping[str, Mapping[str, str]], one: str, other: str
) -> tuple[int, Fraction, Fraction | None]:
    """How many questions both judged, the share of equal choices, and Cohen's kappa."""
    pairs = []
    for choices in judgements.values():
        if one in choices and other in choices:
            pairs.append((choices[one], choices[other]))
    n = len(pairs)
    equal = 0
    for first, second in pairs:
        if first == second:
            equal += 1
    by_chance = Fraction(0)
    for choice in {choice for pair in pairs for choice in pair}:
        share_of_one = Fraction(sum(first == choice for first, _ in pairs), n)
        share_of_other = Fraction(sum(second == choice for _, second in pairs), n)
        by_chance += share_of_one * share_of_other
    share = Fraction(equal, n)
    return n, share, None if by_chance == 1 else (share - by_chance) / (1 - by_chance)
