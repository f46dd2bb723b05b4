"""Dependencies between sources: who says the same as whom more often than the label explains.

Two sources that are right for reasons of their own agree only as far as the label makes them. Where
they say the same more often, one repeats the other, or both repeat a third. A dependency is
believed if it explains more than it costs: a parameter costs log(n) / 2, and to look for it among
all pairs the log of their number (the extended Bayesian information criterion: a sparsity prior).
It is asked twice:

- against the overall habits of the two sources: is there anything to explain?
- against their habits among instances that are alike in what third sources say, those on which one
  of the two depends: is it not these that explain it?

Sources of which one mostly repeats the other are joined (see `joining`), the weights are learned
again, and all is asked again with the labels that follow; of those that are joined only the second
question. What it refutes is not joined again. Weaker dependencies are found and told, but not
joined: sources of one topic speak together, and are right together. To take away what such sources
have in common, while leaving what sets them apart from others, would do more harm than good.

Before anything is learned, repetition is looked for with the weights as the expert gave them.
Several copies of one poor source would else be taken for the label itself, and then nothing is left
to be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.learning.agreement import Agreement, Counts, gain_given_habits, gain_of_excess
from tacit.learning.fitting import BOLDEST, Fitted, Objective
from tacit.learning.joining import groups, joined
from tacit.learning.votes import Floats, Truths, Votes

LEADING = (
    0.5  # at first only what gains this share of the greatest gain: the rest may follow from it
)

Pair = tuple[int, int]
Fit = Callable[[Sequence[Votes]], tuple[Objective, Fitted]]


@dataclass(frozen=True, slots=True)
class Dependency:
    """Two sources that say the same more often than the label, and third sources, explain."""

    first: int
    second: int
    observed: float  # how often both say the same
    expected: float  # how often they would
    gain: float  # of log-likelihood
    strength: float  # the share of what could be repeated that is: 1 is a copy

    @property
    def pair(self) -> Pair:
        """The two sources, the lower number first."""
        return self.first, self.second


@dataclass(frozen=True, slots=True)
class Learned:
    """Where the search ended: for each label function its dependencies, the greatest gain first."""

    dependencies: tuple[tuple[Dependency, ...], ...]
    objective: Objective  # of the votes with dependent sources joined
    fitted: Fitted


def learn(
    votes: Sequence[Votes],
    start: Floats,
    fit: Fit,
    *,
    silence_tells: bool = False,
    least: float = 0.5,  # more is repeated than not
    most: int = 16,
    max_rounds: int = 8,
) -> Learned:
    """Learn weights and dependencies in turn, until what is joined stays the same.

    `start` are the weights as the expert gave them; `fit` learns those of votes. Sources that
    depend with a strength of `least` are joined, up to `most` together.
    """
    counts = [Counts(own) for own in votes]
    together = [
        _repetitions(own, start, each, least=least, silence_tells=silence_tells)
        for own, each in zip(votes, counts, strict=True)
    ]
    refuted: list[set[Pair]] = [set() for _ in votes]
    for _ in range(max_rounds):
        as_joined = [
            _joined(own, pairs, most=most, silence_tells=silence_tells)
            for own, pairs in zip(votes, together, strict=True)
        ]
        objective, fitted = fit(as_joined)
        point = fitted.point
        posteriors = objective.phases.seen(point.weights, point.biases).labels
        found = [
            find_dependencies(own, posterior, known=pairs, silence_tells=silence_tells, counts=each)
            for own, posterior, pairs, each in zip(votes, posteriors, together, counts, strict=True)
        ]
        before = together
        together = [
            [
                each.pair
                for each in own
                if each.pair in pairs or (each.strength >= least and each.pair not in lost)
            ]
            for own, pairs, lost in zip(found, before, refuted, strict=True)
        ]
        if all(set(now) == set(then) for now, then in zip(together, before, strict=True)):
            break
        for now, then, lost in zip(together, before, refuted, strict=True):
            lost |= set(then) - set(now)
    return Learned(tuple(found), objective, fitted)


def find_dependencies(
    votes: Votes,
    posterior: Floats,
    *,
    known: Collection[Pair] = (),
    silence_tells: bool = False,
    counts: Counts | None = None,
) -> tuple[Dependency, ...]:
    """The dependencies that votes show, the greatest gain first.

    `posterior` (patterns, labels) are the labels as inferred. Pairs that are `known` were joined
    then: of them it is only asked whether they still depend. `counts` spares counting again.
    """
    seen = Agreement(votes, posterior, silence_tells=silence_tells, counts=counts)
    gain = gain_of_excess(seen.observed, seen.expected, seen.n_asked)
    pairs = sorted({*_pairs_where(gain > seen.price), *known})
    partners: dict[int, set[int]] = {}
    for first, second in pairs:
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
    found = []
    for first, second in pairs:
        third = min(partners[first] - {second}, partners[second] - {first}, key=len)
        each = _dependency(seen, first, second, sorted(third))
        if each.gain > seen.price:
            found.append(each)
    return tuple(sorted(found, key=lambda each: -each.gain))


def _dependency(seen: Agreement, first: int, second: int, third: Sequence[int]) -> Dependency:
    """How two sources depend, given what third ones say."""
    expected, variance = seen.among_alike(first, second, third)
    observed = float(seen.observed[first, second])
    gain = gain_given_habits(observed, expected, variance)
    room = float(seen.repeatable[first, second]) - expected
    strength = (observed - expected) / room if room > 0 else 0.0
    return Dependency(first, second, observed, expected, gain, strength)


def _repetitions(
    votes: Votes, weights: Floats, counts: Counts, *, least: float, silence_tells: bool
) -> list[Pair]:
    """The pairs that repeat each other most, by the labels that the expert's weights give."""
    posterior, _ = votes.posterior(np.clip(weights, -BOLDEST, BOLDEST), np.zeros(votes.n_labels))
    seen = Agreement(votes, posterior, silence_tells=silence_tells, counts=counts)
    gain = gain_of_excess(seen.observed, seen.expected, seen.n_asked)
    excess, room = seen.observed - seen.expected, seen.repeatable - seen.expected
    chosen = (gain > seen.price) & (excess >= least * room)
    leads = gain >= LEADING * np.triu(np.where(chosen, gain, 0.0), 1).max(initial=0.0)
    pairs = _pairs_where(chosen & leads)
    return sorted(pairs, key=lambda pair: -gain[pair])


def _pairs_where(chosen: Truths) -> list[Pair]:
    first, second = np.nonzero(np.triu(chosen, 1))
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _joined(votes: Votes, pairs: Sequence[Pair], *, most: int, silence_tells: bool) -> Votes:
    if not pairs:
        return votes
    return joined(votes, groups(pairs, votes.n_sources, most=most), silence_tells=silence_tells)
