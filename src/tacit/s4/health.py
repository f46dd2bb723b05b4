"""Health: whether a program still grows in the direction of its seeds. No gold label is needed.

The known failure of self-training is semantic drift: a few wrong words teach the network, which
proposes more of their kind. The seeds are all that an expert has vouched for, so they are the
yardstick: a network that follows the new evidence and forgets what the seeds say is led astray.
Once people have said yes to more, that is vouched for too: a round must not be blamed for what
their answers have changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.learning.views import Views, is_told
from tacit.s4.config import S4Config

LEAST = 1e-9  # a probability below which the logarithm would only tell how far below


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a program after a fit, over all label functions that have a network."""

    coverage: float  # the share of instances with evidence
    agreement: float  # of evidence and network, where the evidence prefers a label
    remembered: float  # the share of what the seeds say that the network still says, label by label
    seed_log_likelihood: float  # that the network gives to what the seeds say, a mean
    imbalance: float  # the share of instances by which the network's labels are not alike common
    changed: float  # the share of labels by evidence alone that are others than a round before
    # Of the texts of the seeds, read without their words, the share that networks recognise that
    # have not learned from them; None where nobody looked.
    recognised: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        """As JSON holds it."""
        return asdict(self)

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> Health:
        """The inverse of `as_dict`."""
        return Health(**given)


@dataclass(frozen=True, slots=True)
class SeedSays:
    """What the seeds alone say: of which instances, and which label."""

    rows: Mapping[str, Any]
    label: Mapping[str, Any]

    @staticmethod
    def of(start: Mapping[str, Views]) -> SeedSays:
        """What the evidence says of each instance before anything was added, where it is clear."""
        rows = {name: np.flatnonzero(_is_told(own)) for name, own in start.items()}
        label = {name: own.evidence[rows[name]].argmax(axis=1) for name, own in start.items()}
        return SeedSays(rows, label)


def measure(
    now: Mapping[str, Views],
    seeds: SeedSays,
    before: Mapping[str, Views] | None,
    recognised: float | None = None,
) -> Health:
    """The health of a program, from what it and its network say now, and said a round before."""
    return Health(
        coverage=_over_all([own.has_evidence for own in now.values()]),
        agreement=_over_all([_agrees(own)[_is_told(own)] for own in now.values()]),
        remembered=float(np.mean([_remembered(own, seeds, name) for name, own in now.items()])),
        seed_log_likelihood=_over_all(
            [_seed_log(own, seeds, name) for name, own in now.items()], of_none=0.0
        ),
        imbalance=float(np.mean([_imbalance(own) for own in now.values()])),
        changed=1.0 if before is None else changed(before, now),
        recognised=recognised,
    )


def changed(before: Mapping[str, Views], now: Mapping[str, Views]) -> float:
    """The chapter's measure of convergence: labels by the evidence alone that are others now."""
    return _over_all(
        [
            before[name].evidence.argmax(axis=1) != own.evidence.argmax(axis=1)
            for name, own in now.items()
        ]
    )


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What people have vouched for, and the health of the program of that alone."""

    says: SeedSays
    start: Health
    shares: Mapping[str, Any]  # of labels by the network, where it was held to how common they are
    whose: str = "the seeds"  # in words: by whom it was said

    @staticmethod
    def of(
        vouched: Mapping[str, Views], held: Collection[str] = (), whose: str = "the seeds"
    ) -> Yardstick:
        """The yardstick by what that program, and its network, say.

        Of the label functions that are `held` to shares of labels, the first network's are near the
        truth, and none should go far from them. Others may start with one label nearly everywhere.
        """
        says = SeedSays.of(vouched)
        shares = {name: vouched[name].by_network.mean(axis=0) for name in held}
        return Yardstick(says, measure(vouched, says, None), shares, whose)

    def symptom(self, now: Mapping[str, Views], config: S4Config) -> str | None:
        """What has become worse than the guard allows, in words; None if nothing has."""
        found = symptom(measure(now, self.says, None), self.start, config, self.whose)
        return found or self._shift(now, config)

    def _shift(self, now: Mapping[str, Views], config: S4Config) -> str | None:
        """How far the network's shares of labels have gone, if that is more than is allowed."""
        for name, start in self.shares.items():
            shifted = 0.5 * float(np.abs(now[name].by_network.mean(axis=0) - start).sum())
            if shifted > config.most_shifted:
                return f"the network's shares of labels have shifted by {shifted:.1%}"
        return None


def symptom(now: Health, start: Health, config: S4Config, whose: str = "the seeds") -> str | None:
    """What has become worse than the guard allows, in words; None if nothing has."""
    forgotten = start.remembered - now.remembered
    if forgotten > float(config.most_forgotten):
        return f"the network has forgotten {forgotten:.1%} of what {whose} say"
    shifted = now.imbalance - start.imbalance
    if shifted > config.most_shifted:
        return f"the network prefers some labels to others by {shifted:.1%} more than at the start"
    return None


def _is_told(views: Views) -> Any:
    return is_told(views.evidence, views.has_evidence)


def _agrees(views: Views) -> Any:
    return views.evidence.argmax(axis=1) == views.network.argmax(axis=1)


def _remembered(views: Views, seeds: SeedSays, name: str) -> float:
    """How often the network says what the seeds say, as a mean over the labels.

    A mean over instances would call a network healthy that gives all the same, common label.
    """
    said, told = views.network[seeds.rows[name]].argmax(axis=1), seeds.label[name]
    each = [(said[told == label] == label).mean() for label in np.unique(told)]
    n_labels = views.network.shape[1]
    return float(np.sum(each) / n_labels) if each else 1.0


def _seed_log(views: Views, seeds: SeedSays, name: str) -> Any:
    rows, told = seeds.rows[name], seeds.label[name]
    return np.log(np.maximum(views.network[rows, told], LEAST))


def _imbalance(views: Views) -> float:
    """The distance in total variation of the network's labels from labels alike common."""
    share = views.by_network.mean(axis=0)
    return 0.5 * float(np.abs(share - 1 / len(share)).sum())


def _over_all(parts: list[Any], of_none: float = 1.0) -> float:
    whole = np.concatenate(parts)
    return float(whole.mean()) if len(whole) else of_none
