"""How far reviewers agree: over the questions that both of two have judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from tacit.review.ledger_reading import LedgerReading
from tacit.review.questions import SKIP

Judgements = Mapping[str, Mapping[str, str]]  # by question and reviewer: the choice


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two reviewers chose the same, and how much more often than by chance."""

    one: str
    other: str
    n: int  # questions that both judged
    share: float  # of them, those with equal choices
    # Cohen's: 0 by chance, 1 if always. None where both always choose one and the same.
    kappa: float | None

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def agreements(judgements: Judgements) -> tuple[Agreement, ...]:
    """The agreement of every two reviewers who have judged a question in common, by name."""
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for choices in judgements.values():
        for one, other in combinations(sorted(choices), 2):
            pairs.setdefault((one, other), []).append((choices[one], choices[other]))
    return tuple(_agreement(*names, pairs[names]) for names in sorted(pairs))


def judgements(ledger: LedgerReading) -> dict[str, dict[str, str]]:
    """What each reviewer has said to each question, as an answer or as a second opinion.

    To skip a question is no judgement.
    """
    opinions = ledger.opinions()
    found: dict[str, dict[str, str]] = {}
    for question, answer in ledger.answers().items():
        said = [*opinions.get(question, {}).values(), answer]  # whoever answers has the last word
        found[question] = {own.who: own.choice for own in said if own.choice != SKIP}
    return found


def _agreement(one: str, other: str, choices: Iterable[tuple[str, str]]) -> Agreement:
    """Cohen's kappa: (share - chance) / (1 - chance), all times n squared, in whole numbers."""
    both = Counter(choices)
    n = both.total()
    same = sum(count for (first, second), count in both.items() if first == second)
    firsts, seconds = Counter[str](), Counter[str]()
    for (first, second), count in both.items():
        firsts[first] += count
        seconds[second] += count
    chance = sum(count * seconds[choice] for choice, count in firsts.items())
    kappa = (n * same - chance) / (n * n - chance) if chance < n * n else None
    return Agreement(one, other, n, same / n, kappa)
