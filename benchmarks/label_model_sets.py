"""The label matrices of the label model's benchmark whose truth is known; numpy alone.

A function votes on a row with probability `coverage`, for the row's label with a probability of its
own (uniform in 0.55 to 0.9) and else for any other label alike. A copy says what another function
says, abstaining included, with probability 0.8, and else votes by itself. Seeds are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

ACCURACIES = (0.55, 0.9)
COPIED = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Votes to learn from, rows to be asked about, and what their labels are."""

    name: str
    about: str
    votes: Longs  # (rows, functions) index of a label, -1 = abstains
    gold: Longs  # of the rows that are asked about; no model sees it
    n_labels: int
    asked: Longs | None = None  # the rows that are asked about, where they are not those of `votes`
    true_posterior: Floats | None = None  # by the probabilities that the votes were drawn with

    @property
    def is_real(self) -> bool:
        """Whether the votes were not drawn."""
        return self.true_posterior is None

    @property
    def asked_votes(self) -> Longs:
        """The votes on the rows that are asked about."""
        return self.votes if self.asked is None else self.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What to draw."""

    name: str
    about: str
    n_rows: int
    n_functions: int
    n_labels: int = 2
    coverage: float
    n_copies: int = 0  # of the functions, how many copy one of the others
    odds: float = 1.0  # how many rows of label 0 there are for one of any other label
    seed: int = 0


SPECS = (
    Spec(name="1m_x_10", about="many rows", n_rows=1_000_000, n_functions=10, coverage=0.7),
    Spec(
        name="100k_x_50",
        about="10 labels",
        n_rows=100_000,
        n_functions=50,
        n_labels=10,
        coverage=0.1,
    ),
    Spec(
        name="10k_x_1000",
        about="100 labels, 100 votes a row",
        n_rows=10_000,
        n_functions=1000,
        n_labels=100,
        coverage=0.1,
    ),
    Spec(
        name="10k_x_1000_sparse",
        about="100 labels, 3 votes a row",
        n_rows=10_000,
        n_functions=1000,
        n_labels=100,
        coverage=0.003,
    ),
    Spec(
        name="dependent",
        about="20 of 50 functions copy another",
        n_rows=20_000,
        n_functions=50,
        coverage=0.2,
        n_copies=20,
    ),
    Spec(
        name="imbalanced",
        about="labels 20:1",
        n_rows=20_000,
        n_functions=10,
        coverage=1.0,
        odds=20,
    ),
    Spec(
        name="imbalanced_sparse",
        about="labels 20:1",
        n_rows=20_000,
        n_functions=10,
        coverage=0.3,
        odds=20,
    ),
)


def quick(spec: Spec) -> Spec:
    """The same, small."""
    return replace(
        spec,
        n_rows=min(spec.n_rows, 1000),
        n_functions=min(spec.n_functions, 60),
        n_labels=min(spec.n_labels, 10),
        coverage=max(spec.coverage, 0.05),
    )


def draw(spec: Spec) -> LabelledSet:
    """Votes and their truth."""
    random = np.random.default_rng(spec.seed)
    shares = class_shares(spec)
    gold = random.choice(spec.n_labels, spec.n_rows, p=shares).astype(np.int64)
    accuracies = random.uniform(*ACCURACIES, spec.n_functions)
    n_free = spec.n_functions - spec.n_copies
    sources = random.integers(n_free, size=spec.n_functions)
    votes = np.empty((spec.n_rows, spec.n_functions), dtype=np.int64)
    log_posterior = np.tile(np.log(shares), (spec.n_rows, 1))
    for at, accuracy in enumerate(accuracies.tolist()):
        votes[:, at] = own_votes(spec, gold, accuracy, random)
        source = None
        if at >= n_free:
            source = votes[:, sources[at]]
            copied = random.random(spec.n_rows) < COPIED
            votes[copied, at] = source[copied]
        add_evidence(log_posterior, votes[:, at], accuracy, spec, source)
    return LabelledSet(
        name=spec.name,
        about=spec.about,
        votes=votes,
        gold=gold,
        n_labels=spec.n_labels,
        true_posterior=normalised(log_posterior),
    )


def class_shares(spec: Spec) -> Floats:
    """How common each label is."""
    weights = np.ones(spec.n_labels)
    weights[0] = spec.odds
    return np.asarray(weights / weights.sum())


def own_votes(spec: Spec, gold: Longs, accuracy: float, random: np.random.Generator) -> Longs:
    """The votes of one function that copies none."""
    n_rows = len(gold)
    others = (gold + random.integers(1, spec.n_labels, n_rows)) % spec.n_labels
    votes = np.where(random.random(n_rows) < accuracy, gold, others)
    return np.asarray(np.where(random.random(n_rows) < spec.coverage, votes, -1))


def add_evidence(
    log_posterior: Floats, votes: Longs, accuracy: float, spec: Spec, source: Longs | None
) -> None:
    """What a function's votes truly add to the log-probability of the labels voted for.

    A vote that the function casts by itself tells of the label; one that it copied, which it does
    whatever the label is, tells nothing more than its source. Abstaining tells nothing.
    """
    rows = np.flatnonzero(votes >= 0)
    chosen = votes[rows]
    by_copying = np.zeros(len(rows))
    by_itself = spec.coverage
    if source is not None:
        by_copying = COPIED * (chosen == source[rows])
        by_itself *= 1 - COPIED
    if_right = by_copying + by_itself * accuracy
    if_wrong = by_copying + by_itself * (1 - accuracy) / (spec.n_labels - 1)
    log_posterior[rows, chosen] += np.log(if_right / if_wrong)


def normalised(log_posterior: Floats) -> Floats:
    """Probabilities that sum to one in each row."""
    posterior = np.exp(log_posterior - log_posterior.max(axis=1, keepdims=True))
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))
