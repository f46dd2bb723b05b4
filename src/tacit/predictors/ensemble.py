"""Predictors of different kind that vote together.

A member's log-odds are its log-probabilities less their mean over labels. How they differ from
input to input is divided by its standard deviation, so that no member speaks louder than another,
and averaged over members. This vote is scaled to be as sure as the targets bear out: one number, of
the highest likelihood. What members say of all inputs alike, their mean, is averaged as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar

from tacit.errors import BadInput
from tacit.predictors.protocol import (
    Floats,
    Hiding,
    Longs,
    Predictor,
    Prepared,
    Report,
    checked_target,
    first_stage_of,
    memorises,
)
from tacit.predictors.registry import as_predictor, load_predictor, save_predictor
from tacit.predictors.regression.softmax_regression import log_softmax
from tacit.predictors.saved_json import read_json, write_json

FORMAT = 1  # raised when what is written changes
SETTINGS = "ensemble.json"
ENOUGH = 50  # with fewer inputs kept aside, the scale would be chance
AT_MOST = 5_000  # inputs that spread and scale are measured on; more change little
STEPS = 1_000  # in which progress is told
LEAST = 1e-6  # a member of no opinion stays without one
SUREST = 100.0  # times the spread of one vote: as good as certain


@dataclass(frozen=True, slots=True)
class PreparedByEach:
    """Inputs as each member has prepared them."""

    members: tuple[Prepared, ...]

    def __len__(self) -> int:
        """How many inputs there are."""
        return len(self.members[0])

    def take(self, rows: Longs) -> PreparedByEach:
        """Some of the inputs, in this order."""
        return PreparedByEach(tuple(member.take(rows) for member in self.members))


class Ensemble:
    """A vote of predictors, each of equal loudness.

    How loud members are and how sure the vote may be is measured on inputs that are kept from the
    members, as they are too sure of what they have seen. Where too few could be kept aside, it is
    measured on what they have seen, and the vote is, on the whole, no surer than its surest member.

    Where a member can tell attention, embeddings, or both before and after training, so can the
    ensemble: as its first such member.
    """

    def __init__(
        self,
        members: Sequence[Any] = ("linear", "transformer"),  # words as such, and in their context
        *,
        held_out: float = 0.1,  # costs members little and keeps the scale honest; 0: nothing
        random_state: int = 0,
    ) -> None:
        if isinstance(members, str) or not len(members):
            raise BadInput("an ensemble needs members", remedy='["linear", "transformer"]')
        if not 0 <= held_out < 1:
            raise BadInput(f"held_out must be a share from 0 to 1; it is {held_out!r}")
        self.members = tuple(
            as_predictor(member, random_state + at) for at, member in enumerate(members)
        )
        self.held_out = held_out
        self.random_state = random_state
        self.mean_: Floats | None = None  # (members, labels) of log-odds
        self.spread_: Floats | None = None  # (members) their standard deviation
        self.scale_ = 1.0
        for ability in ("attention", "embeddings", "adapted"):
            able = [at for at, member in enumerate(self.members) if hasattr(member, ability)]
            if able:
                setattr(self, ability, partial(self._told_by, able[0], ability))

    @property
    def memorises(self) -> bool:
        """Whether any member does."""
        return any(map(memorises, self.members))

    def _told_by(self, member: int, ability: str, inputs: Any) -> Any:
        return getattr(self.members[member], ability)(self.prepare(inputs).members[member])

    def prepare(self, inputs: Any) -> PreparedByEach:
        """Inputs as each member prepares them."""
        if isinstance(inputs, PreparedByEach):
            given: Sequence[Any] = inputs.members
        else:
            inputs = list(inputs) if isinstance(inputs, Iterator) else inputs
            given = [inputs] * len(self.members)
        pairs = zip(self.members, given, strict=True)
        return PreparedByEach(tuple(member.prepare(own) for member, own in pairs))

    def hiding(self, inputs: Any, words: Sequence[str]) -> PreparedByEach:
        """Inputs from which members that can learn without these words do so."""
        pairs = zip(self.members, self.prepare(inputs).members, strict=True)
        return PreparedByEach(
            tuple(
                member.hiding(own, words) if isinstance(member, Hiding) else own
                for member, own in pairs
            )
        )

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Train the members, then measure how far they spread and how sure the vote may be."""
        prepared = self.prepare(inputs)
        target, weight = checked_target(len(prepared), target, sample_weight)
        trained, measured = self._split(weight)
        for at, member in enumerate(self.members):
            member.fit_soft(
                prepared.members[at],
                target,
                trained,
                warm_start=warm_start,
                report=None if report is None else self._part_of(report, at),
            )
        odds, own_weight = self._odds(prepared.take(measured)), weight[measured]
        self.mean_, self.spread_ = _moments(odds, own_weight)
        limit = float(self.spread_.max()) if trained[measured].any() else SUREST
        vote = _vote(odds, self.mean_, self.spread_)
        common = self.mean_.mean(axis=0)
        self.scale_ = _best_scale(vote, common, target[measured], own_weight, limit)
        return self

    def _split(self, weight: Floats) -> tuple[Floats, Longs]:
        """The weights that members are trained with, and the inputs that are measured on."""
        rows = np.random.default_rng(self.random_state).permutation(np.flatnonzero(weight))
        n_kept = int(self.held_out * len(rows))
        if n_kept < ENOUGH:
            return weight, np.sort(rows[:AT_MOST])
        trained = weight.copy()
        trained[rows[:n_kept]] = 0.0
        return trained, np.sort(rows[: min(n_kept, AT_MOST)])

    def _part_of(self, report: Report, member: int) -> Report:
        """What one member is to tell of its own progress."""
        share = STEPS / len(self.members)
        return lambda done, steps, loss: report(
            round(share * (member + done / max(steps, 1))), STEPS, loss
        )

    def _odds(self, prepared: PreparedByEach) -> Floats:
        """(members, inputs, labels): log-probabilities less their mean over labels."""
        pairs = zip(self.members, prepared.members, strict=True)
        odds = np.stack([member.log_probs(own) for member, own in pairs])
        return np.asarray(odds - odds.mean(axis=2, keepdims=True))

    def log_probs(self, inputs: Any) -> Floats:
        """(inputs, labels): the log-probability of each label by the vote."""
        if self.mean_ is None or self.spread_ is None:
            raise BadInput("this predictor has learned nothing yet", remedy="call fit_soft first")
        vote = _vote(self._odds(self.prepare(inputs)), self.mean_, self.spread_)
        return log_softmax(self.mean_.mean(axis=0) + self.scale_ * vote)

    def first_stage(self) -> Self | None:
        """The same with the first stage of each member that has one, if any has."""
        first = [first_stage_of(member) for member in self.members]
        if not any(first):
            return None
        members = [own or member for own, member in zip(first, self.members, strict=True)]
        return self._of(members, self.random_state).fresh(self.random_state)

    def fresh(self, random_state: int) -> Self:
        """The same members and settings, and nothing learned yet."""
        members = [member.fresh(random_state + at) for at, member in enumerate(self.members)]
        return self._of(members, random_state)

    def _of(self, members: Sequence[Predictor], random_state: int) -> Self:
        return type(self)(members, held_out=self.held_out, random_state=random_state)

    def save(self, folder: Path) -> None:
        """Write settings and scale as JSON, and each member into a folder of its own."""
        for at, member in enumerate(self.members):
            save_predictor(member, folder / f"member_{at}")
        content = {
            "members": len(self.members),
            "held_out": self.held_out,
            "random_state": self.random_state,
            "mean": None if self.mean_ is None else self.mean_.tolist(),
            "spread": None if self.spread_ is None else self.spread_.tolist(),
            "scale": self.scale_,
        }
        write_json(folder / SETTINGS, FORMAT, content)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` has written."""
        content = read_json(folder / SETTINGS, FORMAT)
        members = [load_predictor(folder / f"member_{at}") for at in range(content["members"])]
        found = cls(members, held_out=content["held_out"], random_state=content["random_state"])
        if content["spread"] is not None:
            found.mean_, found.spread_ = np.array(content["mean"]), np.array(content["spread"])
        found.scale_ = content["scale"]
        return found


def _moments(odds: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Each member's mean log-odds of each label, and how far they spread around it."""
    share = weight / weight.sum()
    mean = np.einsum("miy,i->my", odds, share)
    variance = np.einsum("miy,i->m", (odds - mean[:, None]) ** 2, share) / odds.shape[2]
    return mean, np.maximum(np.sqrt(variance), LEAST)


def _vote(odds: Floats, mean: Floats, spread: Floats) -> Floats:
    """(inputs, labels): the mean of what members say of each input, each at the same loudness."""
    return np.asarray(((odds - mean[:, None]) / spread[:, None, None]).mean(axis=0))


def _best_scale(
    vote: Floats, common: Floats, target: Floats, weight: Floats, limit: float
) -> float:
    """The scale, up to a limit, at which the vote makes the targets likeliest."""

    def loss(scale: float) -> float:
        each: Floats = (target * log_softmax(common + scale * vote)).sum(axis=1)
        return float(-(weight * each).sum())

    return float(minimize_scalar(loss, bounds=(0.0, limit), method="bounded").x)
