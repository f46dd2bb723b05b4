"""What to add next by itself (SST), and what to ask a person (FAL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.errors import BadInput
from tacit.logic.evidence import EXPERT, Evidence, LabelFunction, Origin, Weight
from tacit.logic.words import WORD_WEIGHT
from tacit.predictors.protocol import Floats
from tacit.proposals.candidates import Candidates
from tacit.proposals.features import Feature
from tacit.proposals.scores import Scores

EXAMPLES = 5  # enough to judge a word by, and to read in half a minute


@dataclass(frozen=True, slots=True)
class Proposal:
    """A feature that may become evidence: for one label, or for a person to choose the label."""

    feature: Feature
    label: str | None  # None: any of the `offered`
    score: float
    rule: Literal["sst", "fal"]
    examples: tuple[int, ...]  # rows of a few instances that have the feature
    offered: tuple[str, ...]  # the labels to choose from

    def evidence(
        self,
        function: LabelFunction,
        value: str | None = None,
        *,
        weight: float | Weight = WORD_WEIGHT,
        origin: Origin = EXPERT,
        name: str | None = None,
    ) -> Evidence:
        """The evidence for the proposed label, or for the one that was chosen."""
        chosen = self.label if value is None else value
        if chosen is None:
            raise BadInput(
                f"'{self.feature.words}' was proposed without a label", remedy="give the one chosen"
            )
        return self.feature.evidence(
            chosen, label=function, weight=weight, origin=origin, name=name
        )


def propose_sst(
    scores: Scores,
    candidates: Candidates,
    n: int = 1,
    *,
    balanced: bool = False,
    examples: int = EXAMPLES,
) -> tuple[Proposal, ...]:
    """The `n` best candidates, each for the label that it speaks for most.

    With `balanced`, the `n` best for every label, and where a label has fewer, those; they come in
    turns, the best of each label first. Equal scores are in the order of the features' text.
    """
    _check(n, len(candidates), scores.of_label.shape, len(candidates.label.labels))
    label = scores.of_label.argmax(axis=1)
    best = np.take_along_axis(scores.of_label, label[:, None], axis=1)[:, 0]
    order = [f for f in _by_score(best, candidates) if np.isfinite(best[f])]
    chosen = _in_turns(order, label.tolist(), n) if balanced else order[:n]
    names = candidates.label.labels
    return tuple(
        Proposal(
            candidates.features[f],
            names[label[f]],
            float(best[f]),
            "sst",
            tuple(candidates.instances(f, examples).tolist()),
            (names[label[f]],),
        )
        for f in chosen
    )


def propose_fal(
    entropy: Floats, candidates: Candidates, n: int = 1, *, examples: int = EXAMPLES
) -> tuple[Proposal, ...]:
    """The `n` candidates of the highest entropy, to be asked about with all labels offered."""
    _check(n, len(candidates), (*entropy.shape, 1), 1)
    order = [f for f in _by_score(entropy, candidates) if candidates.n_of_feature[f]]
    return tuple(
        Proposal(
            candidates.features[f],
            None,
            float(entropy[f]),
            "fal",
            tuple(candidates.instances(f, examples).tolist()),
            candidates.label.labels,
        )
        for f in order[:n]
    )


def _by_score(score: Floats, candidates: Candidates) -> list[int]:
    """The candidates, the highest score first, equal ones by their text."""
    keys = candidates.keys
    return sorted(range(len(candidates)), key=lambda f: (-score[f], keys[f]))


def _in_turns(order: list[int], label: list[int], n: int) -> list[int]:
    """The first `n` of each label: the first of every label, then the second, and so on."""
    ranked: list[tuple[int, int]] = []  # the rank within its label, and the place in the order
    seen: dict[int, int] = {}
    for place, feature in enumerate(order):
        rank = seen[label[feature]] = seen.get(label[feature], -1) + 1
        if rank < n:
            ranked.append((rank, place))
    return [order[place] for _, place in sorted(ranked)]


def _check(n: int, n_features: int, shape: tuple[int, ...], n_labels: int) -> None:
    """Refuse scores that are of other candidates, and a number that asks for nothing."""
    if n < 1:
        raise BadInput(f"n={n} proposes nothing", remedy="at least 1")
    if shape != (n_features, n_labels):
        raise BadInput(
            f"the scores have the shape {shape}; there are {n_features} candidates",
            remedy="score the candidates that are given",
        )
