"""Two labels of one instance against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.errors import BadInput, UnknownLabel, did_you_mean, listed
from tacit.learning.votes import Floats, Truths

UNDERFLOW = 600.0  # log-odds beyond which a probability may be no more than 0 in a float
SMALLEST = 1e-300  # message passing calls 0 what is less


@dataclass(frozen=True, slots=True)
class Versus:
    """A label against another, with the probabilities of all labels."""

    labels: tuple[str, ...]
    probabilities: Floats
    first: int  # the label
    second: int  # the one it is held against

    @staticmethod
    def of(
        labels: tuple[str, ...],
        posterior: Floats,
        log_psi: Floats | None,
        label: str | None,
        against: str | None,
    ) -> Versus:
        """The labels asked for; else the most probable one and the runner-up."""
        probabilities = posterior if log_psi is None else _product(posterior, log_psi)
        asked = [None if one is None else _index(labels, one) for one in (label, against)]
        if len(labels) < 2 or (asked[0] is not None and asked[0] == asked[1]):
            raise BadInput("a label is compared with itself", remedy="name two different labels")
        ranked = [int(at) for at in np.argsort(-probabilities, kind="stable") if at not in asked]
        first = ranked.pop(0) if asked[0] is None else asked[0]
        second = ranked.pop(0) if asked[1] is None else asked[1]
        return Versus(labels, probabilities, first, second)

    @property
    def label(self) -> str:
        """The label that is explained."""
        return self.labels[self.first]

    @property
    def against(self) -> str:
        """The label that it is held against."""
        return self.labels[self.second]

    def between(self, by_label: Floats) -> float:
        """How much more there is for the one label than for the other; nan if neither can be."""
        first, second = float(by_label[self.first]), float(by_label[self.second])
        return math.nan if math.isinf(first) and first == second else first - second

    def log_odds(self, possible: Truths, contributions: Sequence[float]) -> float:
        """The log-odds of the one label against the other; nan if neither is possible.

        Soft evidence can make a probability so small that it is 0 as a float; then the sum of
        the contributions tells what it is.
        """
        first, second = (float(self.probabilities[at]) for at in (self.first, self.second))
        can_be = bool(possible[self.first]), bool(possible[self.second])
        if all(can_be) and min(first, second) > SMALLEST:
            return math.log(first) - math.log(second)
        finite = all(map(math.isfinite, contributions))
        if all(can_be) and finite and abs(math.fsum(contributions)) > UNDERFLOW:
            return math.fsum(contributions)
        if not any(can_be) or (all(can_be) and max(first, second) <= SMALLEST):
            return math.nan
        return math.inf if (first > second if all(can_be) else can_be[0]) else -math.inf

    def note(self, log_odds: float) -> str:
        """What to say where the log-odds is no number."""
        if math.isfinite(log_odds):
            return ""
        if math.isnan(log_odds):
            return f"neither {self.label} nor {self.against} is possible: nothing to compare"
        out = self.against if log_odds > 0 else self.label
        return f"{out} is impossible, so that the log-odds is infinite, whatever soft evidence says"


def _product(posterior: Floats, log_psi: Floats) -> Floats:
    """The posterior times what a predictor says, normalised."""
    with np.errstate(divide="ignore"):
        log_both = np.log(posterior) + log_psi
    if log_both.max() == -np.inf:
        raise BadInput(
            "the predictor rules out every label that the evidence leaves",
            remedy="give log-probabilities that are finite",
        )
    both = np.exp(log_both - log_both.max())
    return np.asarray(both / both.sum())


def _index(labels: tuple[str, ...], label: str) -> int:
    if label not in labels:
        raise UnknownLabel(
            f"no label {label!r}; there are: {listed(labels)}",
            remedy=did_you_mean(str(label), labels),
        )
    return labels.index(label)
