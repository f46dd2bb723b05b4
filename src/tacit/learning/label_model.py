"""The label model: what the evidence alone says about each label, its weights learned."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from tacit.data import Task
from tacit.errors import BadInput, TacitWarning, listed
from tacit.grounding import GroundFactors, ground_factors
from tacit.learning.unary import UnaryConfig, UnaryEvidence, fit_unary
from tacit.logic.check import check
from tacit.logic.evidence import Expect
from tacit.logic.program import Program

Floats = NDArray[np.float64]
HARD_WEIGHT = 30.0  # stands for infinity: odds of ten to the thirteenth


class LabelModel:
    """Learns how far each piece of evidence can be trusted, and what the labels then are.

    Evidence on single labels and expected class shares are used; joint evidence (pairs, groups) is
    grounded but not used yet, and named in `unused_`.

    After `fit`: `posterior_` is (instances, labels), or a dict of such arrays when the program has
    several label functions; `weights_` maps each weight's name to its value.
    """

    def __init__(self, *, config: UnaryConfig | None = None) -> None:
        self.config = config

    def fit(self, task: Task, program: Program) -> LabelModel:
        """Learn the weights of a program from a task's data, without labels."""
        check(program, task)
        factors = ground_factors(program, task)
        self.program_ = program
        self.unused_ = unused_evidence(factors)
        if self.unused_:
            warnings.warn(
                f"the label model does not use joint evidence yet: {listed(self.unused_)}",
                TacitWarning,
                stacklevel=2,
            )
        self.rounds_ = {}
        weights = finite_start(factors)
        for name, columns, evidence in unary_evidence(factors):
            learned = factors.weights.is_learned[columns]
            config = self.config or UnaryConfig()
            fitted, rounds = fit_unary(evidence, weights[columns], learned, config)
            weights[columns] = fitted
            self.rounds_[name] = rounds
        names = map(factors.weights.name_of, range(factors.weights.n_weights))
        self.weights_: dict[str, float] = dict(zip(names, weights.tolist(), strict=True))
        self._posteriors = posteriors(factors, weights)
        return self

    @property
    def posterior_(self) -> Floats | dict[str, Floats]:
        """The probability of each label, in instance order."""
        return _single(self._posteriors)

    def predict_proba(self, task: Task) -> Floats | dict[str, Floats]:
        """The probability of each label on another task, with the weights as they were learned."""
        if not hasattr(self, "weights_"):
            raise BadInput("the label model is not fitted", remedy="call fit(task, program) first")
        present = self.program_.without(
            *(e.name for e in self.program_.evidence if e.name in self.unused_)
        )
        factors = ground_factors(present, task)
        weights = finite_start(factors)
        for index in range(len(weights)):
            weights[index] = self.weights_.get(factors.weights.name_of(index), weights[index])
        return _single(posteriors(factors, weights))


def _single(by_function: dict[str, Floats]) -> Floats | dict[str, Floats]:
    return next(iter(by_function.values())) if len(by_function) == 1 else by_function


def finite_start(factors: GroundFactors) -> Floats:
    """Where the weights start, hard ones at a large number."""
    return np.where(np.isinf(factors.weights.start), HARD_WEIGHT, factors.weights.start)


def unused_evidence(factors: GroundFactors) -> tuple[str, ...]:
    """The names of the formulas that have joint groundings."""
    weights = [block.weight for block in factors.tables]
    weights += [block.weight for block in factors.groups]
    indices = {int(i) for w in weights for i in np.unique(factors.weights.block_of_weight[w])}
    return tuple(factors.weights.blocks[i].evidence.name for i in sorted(indices))


def unary_evidence(factors: GroundFactors) -> list[tuple[str, NDArray[np.int64], UnaryEvidence]]:
    """For each label function its name, the weights that it uses, and its evidence."""
    result = []
    variables = factors.variables
    for function, instances in zip(variables.functions, variables.instances, strict=True):
        first = variables.first_state[function.name]
        size = len(instances) * len(function.labels)
        counts = factors.counts[first : first + size]
        columns = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]))
        shares = _expected_shares(factors, first, size, len(function.labels))
        evidence = UnaryEvidence(counts[:, columns], len(function.labels), shares)
        result.append((function.name, columns, evidence))
    return result


def _expected_shares(factors: GroundFactors, first: int, size: int, n_labels: int) -> Floats | None:
    """The class shares that expectations on all instances of a label function spell out."""
    shares = np.full(n_labels, np.nan)
    for block in factors.expectations:
        for weight in block.constrained:
            state = block.state[block.weight == weight]
            inside = (state >= first) & (state < first + size)
            labels = np.unique((state - first) % n_labels)
            if inside.all() and len(labels) == 1 and len(state) == size // n_labels:
                at = factors.weights.block_of_weight[weight]
                expected = factors.weights.blocks[int(at)].evidence.weight
                assert isinstance(expected, Expect)
                shares[labels[0]] = expected.share
    unsaid = np.isnan(shares)
    if unsaid.all():
        return None
    shares[unsaid] = max(0.0, 1.0 - np.nansum(shares)) / max(1, unsaid.sum())
    return np.asarray(shares / shares.sum())


def posteriors(factors: GroundFactors, weights: Floats) -> dict[str, Floats]:
    """The probability of each label under the evidence, by label function."""
    return {
        name: np.exp(evidence.log_posterior(weights[columns]))
        for name, columns, evidence in unary_evidence(factors)
    }
