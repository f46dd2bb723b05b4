"""Slow twins of learning from votes, written from the definition of the model."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from tacit.learning.votes import Votes

Floats = NDArray[np.float64]
MANY = 170  # a Poisson count beyond this has no weight to speak of


def score(votes: Votes, weights: Floats, events: list[int], label: int) -> float:
    """What the events that happened add to a label, with what is always added."""
    total = 0.0
    for part in range(len(votes.parts.event)):
        if votes.parts.label[part] == label:
            happened = events.count(int(votes.parts.event[part]))
            total += happened * weights[votes.parts.weight[part]] * votes.parts.add[part]
    for part in range(len(votes.standing.label)):
        if votes.standing.label[part] == label:
            total += weights[votes.standing.weight[part]] * votes.standing.add[part]
    return float(total)


def events_of(votes: Votes, source: int) -> list[int]:
    """The events of a source."""
    return [e for e in range(votes.n_events) if votes.source_of_event[e] == source]


def says_different_things(votes: Votes, source: int) -> bool:
    """Whether a source speaks for different labels at different times."""
    supports = set()
    for event in events_of(votes, source):
        parts = range(len(votes.parts.event))
        own = [p for p in parts if votes.parts.event[p] == event and votes.parts.add[p] > 0]
        supports.add(frozenset(int(votes.parts.label[p]) for p in own))
    return len(supports) > 1


def log_likelihood(
    votes: Votes, weights: Floats, log_rate: Floats, bias: Floats, *, silence_tells: bool = False
) -> float:
    """The log of the probability of all votes: potentials of what was, over those of what could be.

    What could have been is listed: every choice of the sources that choose, every count of events
    of those that do not (up to many), every label.
    """
    total = 0.0
    for instance in range(votes.n_instances):
        pattern = int(votes.pattern_of_instance[instance])
        row = votes.cast[[pattern]].toarray()[0]
        events = [e for e in range(votes.n_events) if row[e]]
        was = 0.0
        for label in range(votes.n_labels):
            was += math.exp(bias[label] + score(votes, weights, events, label))
        rates = sum(log_rate[e] for e in events)
        could_be = 0.0
        for label in range(votes.n_labels):
            mass = math.exp(bias[label] + score(votes, weights, [], label))
            for source in range(votes.n_sources):
                mass *= mass_of_source(
                    votes, weights, log_rate, source, label, events, silence_tells
                )
            could_be += mass
        total += math.log(was) + rates - math.log(could_be)
    return total


def mass_of_source(
    votes: Votes,
    weights: Floats,
    log_rate: Floats,
    source: int,
    label: int,
    happened: list[int],
    silence_tells: bool,
) -> float:
    """The sum, over all that a source could have said, of its potential given the label."""
    base = score(votes, weights, [], label)
    own = events_of(votes, source)
    potential = [math.exp(log_rate[e] + score(votes, weights, [e], label) - base) for e in own]
    if silence_tells:
        return 1.0 + sum(potential)
    if says_different_things(votes, source):
        return sum(potential) if set(own) & set(happened) else 1.0
    mass = 1.0
    for rate in potential:
        mass *= sum(rate**k / math.factorial(k) for k in range(MANY))
    return mass


def drawn(
    rng: np.random.Generator,
    n: int,
    weights: Floats,
    rates: Floats,
    bias: Floats,
    *,
    speaks: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A label matrix drawn from the model, and the labels: functions that choose among all labels.

    `rates` is (functions, labels); who speaks of an instance is drawn first, then its label by the
    network alone, then each vote.
    """
    n_functions, n_labels = rates.shape
    matrix = np.full((n, n_functions), -1)
    truth = np.zeros(n, dtype=np.int64)
    choice = np.repeat(rates[:, None, :], n_labels, axis=1)  # (functions, label, vote)
    for label in range(n_labels):
        choice[:, label, label] *= np.exp(weights)
    log_mass = np.log(choice.sum(axis=2))  # (functions, label)
    for i in range(n):
        speaking = rng.random(n_functions) < speaks
        odds = np.exp(bias + log_mass[speaking].sum(axis=0))
        truth[i] = rng.choice(n_labels, p=odds / odds.sum())
        for j in np.flatnonzero(speaking):
            odds = choice[j, truth[i]]
            matrix[i, j] = rng.choice(n_labels, p=odds / odds.sum())
    return matrix, truth


def all_matrices(n_functions: int, n_labels: int) -> list[list[int]]:
    """Every row that a label matrix can have."""
    return [list(row) for row in itertools.product(range(-1, n_labels), repeat=n_functions)]
