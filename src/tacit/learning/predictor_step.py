"""The predictor step: a network learns the labels, and says what it thinks of each instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import softmax

from tacit.learning.given_predictors import begun_anew
from tacit.learning.votes import Floats, Longs, Truths
from tacit.predictors.protocol import Hiding, Predictor, Prepared, Report, memorises

Doubtful = Literal["less", "alike", "leave_out"]
Folds = int | Literal["auto"]
TIE = 1e-9  # probabilities that differ by less are the same
FOLDS = 2  # of a network that learns by heart: four gain no more
FEWEST = 2_000  # instances that are dealt into folds: half of fewer teach a network too little
FARTHEST = 50.0  # a log-probability below the mean by more says no more
MOST_TIMES = 2.0  # as common, or as rare, as a network says, is what its vote may make of a label
NEAR = 1e-4  # shares that differ by less, as logarithms, are the same
MOST_SHIFTS = 200


def network_vote(log_probs: Floats, sharpness: float | None) -> Floats:
    """What a network adds to each label: its log-probabilities, brought to a given spread.

    The spread is the root mean square of the log-odds between two labels, over all instances. A
    network that has learned soft labels is unsure wherever they were; what counts is whom it
    prefers. Without sharpness its probabilities are taken at their word.

    Where a network knows nothing it still prefers some label a little, the same for all instances.
    Spread out, that would be its vote for nearly all of them, and it would learn it in turn. So the
    network's word holds for how common labels are, within a factor of `MOST_TIMES`.
    """
    centred = np.maximum(log_probs - log_probs.mean(axis=1, keepdims=True), -FARTHEST)
    if sharpness is None or not len(centred):
        return np.asarray(centred)
    n_labels = log_probs.shape[1]
    spread = np.sqrt(2 * n_labels / (n_labels - 1) * np.mean(centred**2))
    vote = centred * (sharpness / spread if spread > 1e-9 else 0.0)
    share = softmax(centred, axis=1).mean(axis=0)
    return within_shares(vote, np.stack([share / MOST_TIMES, np.minimum(share * MOST_TIMES, 1.0)]))


def within_shares(vote: Floats, bounds: Floats) -> Floats:
    """A vote by which no label is rarer or more common than it may be.

    `bounds` are the least and the largest share of each label; (2, labels). What is added to a
    label, or taken from it, is the same for all instances: whom the vote prefers for a label, it
    prefers still.
    """
    share = softmax(vote, axis=1).mean(axis=0)
    wanted = nearest_shares(share, bounds)
    shift = np.zeros_like(wanted)
    for _ in range(MOST_SHIFTS):
        lacking = np.log(wanted) - np.log(np.maximum(share, 1e-300))
        if np.abs(lacking).max() < NEAR:
            break
        shift += lacking
        share = softmax(vote + shift, axis=1).mean(axis=0)
    return np.asarray(vote + shift)


def nearest_shares(share: Floats, bounds: Floats) -> Floats:
    """The shares between least and largest that keep what lies between in proportion; (labels)."""
    least, largest = bounds
    low, high = np.log(least.min()), -np.log(max(share.min(), 1e-300))
    for _ in range(100):  # the factor by which all shares add up to 1, between two logarithms
        middle = (low + high) / 2
        total = np.clip(share * np.exp(middle), least, largest).sum()
        low, high = (middle, high) if total < 1 else (low, middle)
    return np.asarray(np.clip(share * np.exp(high), least, largest))


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a network is to learn: a target for each instance, and how much that counts."""

    target: Floats  # (instances, labels)
    weight: Floats  # (instances)


def lesson(
    posterior: Floats,
    has_evidence: Truths,
    *,
    doubtful: Doubtful,
    hard_above: float | None,
    balanced: bool,
) -> Lesson:
    """The labels as targets, each counting as far as it is known.

    With `hard_above`, targets are the most probable labels, of instances where these are at least
    so probable; where two are as probable, none is the label. When `balanced`, all labels have the
    same weight in total.
    """
    target, weight = posterior, np.ones(len(posterior))
    if hard_above is not None:
        target = np.eye(posterior.shape[1])[posterior.argmax(axis=1)]
        second, first = np.partition(posterior, -2, axis=1)[:, -2:].T
        weight = np.where((first >= hard_above) & (first - second > TIE), 1.0, 0.0)
    if doubtful == "less":
        weight = weight * certainty(posterior)
    elif doubtful == "leave_out":
        weight = weight * has_evidence
    if balanced:
        weight = weight * balance(target, weight)
    return Lesson(target, weight)


def certainty(posterior: Floats) -> Floats:
    """How much better than by guessing a label is known: 1 where surely, 0 where not at all."""
    chance = 1 / posterior.shape[1]
    known = (posterior.max(axis=1) - chance) / (1 - chance)
    return np.where(known < 1e-6, 0.0, known)


def balance(target: Floats, weight: Floats) -> Floats:
    """What to multiply weights with, so that each label has as much weight as any other.

    A label of which there is next to nothing is not blown up beyond ten times its fair share.
    """
    share = weight @ target / max(float(weight.sum()), 1e-300)
    scale = 1 / np.maximum(share * len(share), 0.1)
    return np.asarray(target @ scale)


def folds_for(predictor: object, folds: Folds, n_instances: int) -> int:
    """How many parts a predictor's instances are dealt into; 1: it votes on what it has learned."""
    if folds != "auto":
        return folds
    return FOLDS if memorises(predictor) and n_instances >= FEWEST else 1


class Network:
    """The predictor of one label function, with those that are trained without some instances.

    With several folds, what is said of an instance comes from a predictor that never saw it: else
    a network that learns by heart confirms what it was told. The predictor that is kept has no vote
    then, and learns when the others are done, from labels by what these say (`fit_kept`).

    A network goes on from round to round with `warm_start`, unless it learns by heart: then it
    would keep to labels that are better known by now, and begins anew. So do folds, which are dealt
    anew as well: of the same two, each would learn from what the other has said, never from both.

    With `hidden_words`, a network that can learns to do without these: else it finds the rule by
    which labels were given.
    """

    def __init__(
        self,
        predictor: Predictor,
        inputs: object,
        folds: Folds,
        seed: int,
        hidden_words: Sequence[str] = (),
        *,
        warm_start: bool = True,
    ) -> None:
        self.predictor = self._given = predictor
        self.prepared: Prepared = predictor.prepare(inputs)
        if isinstance(predictor, Hiding):
            self.prepared = predictor.hiding(self.prepared, hidden_words)
        self.seed = seed
        self._deal(folds_for(predictor, folds, len(self.prepared)), seed)
        self.begins_anew = not warm_start or self.n_folds > 0 or memorises(predictor)
        self.learns_last = self.n_folds > 0  # the predictor that is kept; until it has learned

    def _deal(self, n_folds: int, seed: int) -> None:
        """Deal the instances into folds, each with a predictor that will not see it."""
        n, random = len(self.prepared), np.random.default_rng(seed)
        self.n_folds = min(n_folds, n) if n_folds > 1 else 0
        self.fold: Longs = (
            random.permutation(n) % self.n_folds if self.n_folds else np.zeros(n, int)
        )
        self.of_fold = [self._given.fresh(seed + 1 + k) for k in range(self.n_folds)]

    def begin(self, number: int) -> None:
        """Begin a round, of which the first is 1: as the last one has ended, or anew."""
        if not self.begins_anew:
            return
        if self.n_folds:
            self._deal(self.n_folds, self.seed + number - 1)
        else:
            self.predictor = begun_anew(self._given)
        self.learns_last = self.n_folds > 0

    def fit(
        self,
        told: Lesson,
        *,
        number: int,
        goes_on: bool,
        report: Callable[[int], Report | None],
    ) -> None:
        """Train on the labels of a round; `report(k)` is told of the k-th training.

        With `goes_on`, networks have said what they think before: predictors learn as ones that go
        on, also those that begin anew.
        """
        self.begin(number)
        if self.n_folds:
            self._fit_folds(told, goes_on=goes_on, report=report)
        else:
            rows = np.flatnonzero(told.weight)
            self._train(self.predictor, rows, told, goes_on=goes_on, report=report(0))

    def fit_kept(self, told: Lesson, *, report: Report | None = None) -> None:
        """Train the predictor that is kept where folds vote, on all instances.

        Anew each time: what was interrupted must not go on from half of its training.
        """
        self.predictor = begun_anew(self._given)
        rows = np.flatnonzero(told.weight)
        self._train(self.predictor, rows, told, goes_on=True, report=report)
        self.learns_last = False

    def dealt(self, told: Lesson, fold: Longs | None = None) -> Network:
        """A network of folds, each taught this from the start, where there are none as yet.

        `fold` says in which of `FOLDS` each instance is; else that is left to chance.
        """
        found = copy(self)
        found._deal(FOLDS, self.seed)
        found.fold = found.fold if fold is None else fold
        found._fit_folds(told, goes_on=False, report=lambda _: None)
        return found

    def _fit_folds(
        self, told: Lesson, *, goes_on: bool, report: Callable[[int], Report | None]
    ) -> None:
        rows = np.flatnonzero(told.weight)
        for k, predictor in enumerate(self.of_fold):
            own = rows[self.fold[rows] != k]
            own = own if len(own) else rows
            self._train(predictor, own, told, goes_on=goes_on, report=report(1 + k))

    def _train(
        self,
        predictor: Predictor,
        rows: Longs,
        told: Lesson,
        *,
        goes_on: bool,
        report: Report | None,
    ) -> None:
        everything = len(rows) == len(self.prepared)
        inputs = self.prepared if everything else self.prepared.take(rows)
        predictor.fit_soft(
            inputs, told.target[rows], told.weight[rows], warm_start=goes_on, report=report
        )

    def log_probs(self) -> Floats:
        """(instances, labels): what is thought of each instance."""
        if not self.of_fold:
            return self.predictor.log_probs(self.prepared)
        return self._by_fold(self.fold, lambda own, at: own.log_probs(self.prepared.take(at)))

    def log_probs_of(self, altered: Sequence[object | None], rows: Longs) -> Floats:
        """(inputs, labels): what is thought of altered copies of some instances.

        None is an instance as it is, which need not be prepared again. Where there are folds, by
        predictors that have never seen the instance itself.
        """
        as_it_is = np.array([copy is None for copy in altered], dtype=bool)

        def say(own: Predictor, at: Longs) -> Floats:
            known, read = at[as_it_is[at]], at[~as_it_is[at]]
            said = [own.log_probs(self.prepared.take(rows[known]))] if len(known) else []
            said += [own.log_probs([altered[i] for i in read.tolist()])] if len(read) else []
            return in_order(said, [known, read])

        if not self.of_fold:
            return say(self.predictor, np.arange(len(rows)))
        return self._by_fold(self.fold[rows], say)

    def _by_fold(self, fold: Longs, say: Callable[[Predictor, Longs], Floats]) -> Floats:
        """What the predictor of each fold says of its own, put back into order."""
        parts = [np.flatnonzero(fold == k) for k in range(self.n_folds)]
        pairs = zip(self.of_fold, parts, strict=True)
        return in_order([say(own, part) for own, part in pairs if len(part)], parts)


def in_order(said: Sequence[Floats], parts: Sequence[Longs]) -> Floats:
    """What was said of the places of each part, by place; of a part without places, nothing."""
    order = np.argsort(np.concatenate(parts), kind="stable")
    return np.asarray(np.concatenate(said)[order])
