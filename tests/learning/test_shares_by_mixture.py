"""How common labels are, by what networks say of all texts, and of those of each label."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tacit.learning.shares import UNFAIR, by_mixture

FLAT = 20.0


def said_of(random: np.random.Generator, label: int, n_labels: int, n: int, skill: float) -> Any:
    """What a network says of texts of a label: nothing, with a skill of 0."""
    logits = random.normal(0, 1, (n, n_labels))
    logits[:, label] += skill
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def drawn(
    random: np.random.Generator, truth: Any, skill: float, n_each: int = 300, n: int = 2000
) -> tuple[list[Any], Any]:
    """Texts of each label, and some of all, with labels as common as they are in truth."""
    n_labels = len(truth)
    of_label = [said_of(random, at, n_labels, n_each, skill) for at in range(n_labels)]
    counts = random.multinomial(n, truth)
    parts = [said_of(random, at, n_labels, int(k), skill) for at, k in enumerate(counts)]
    return of_label, np.concatenate(parts)


def slow_bounds(of_label: list[Any], of_all: Any, before: list[float], variance: float) -> Any:
    """By the definition, with loops: the most probable shares, and the curvature there."""
    labels = range(len(before))

    def mean(rows: Any, k: int) -> float:
        return sum(float(row[k]) for row in rows) / len(rows)

    def spread(rows: Any) -> float:
        own = [
            sum((float(row[k]) - mean(rows, k)) ** 2 for row in rows) / len(rows) for k in labels
        ]
        return sum(own) / len(own) / len(rows)

    means = [[mean(rows, k) for k in labels] for rows in of_label]
    wanted = [mean(of_all, k) for k in labels]
    error = 2 * UNFAIR**2 + sum(before[at] ** 2 * spread(of_label[at]) for at in labels)
    error += spread(of_all)

    def shares(offset: Any) -> list[float]:
        raised = [before[at] * exp(offset[at]) for at in labels]
        return [own / sum(raised) for own in raised]

    def mixed(offset: Any) -> list[float]:
        share = shares(offset)
        return [sum(share[at] * means[at][k] for at in labels) for k in labels]

    def surprise(offset: Any) -> float:
        off = sum((own - told) ** 2 for own, told in zip(wanted, mixed(offset), strict=True))
        return off / error + sum(own**2 for own in offset) / variance

    found = minimize(surprise, np.zeros(len(before)), method="Nelder-Mead", options=TIGHT).x
    step = 1e-5

    def slope(function: Any, at: int) -> Any:
        up, down = found.copy(), found.copy()
        up[at] += step
        down[at] -= step
        pairs = zip(function(up), function(down), strict=True)
        return np.array([(one - other) / (2 * step) for one, other in pairs])

    moved = np.array([slope(mixed, at) for at in labels])
    covariance = np.linalg.inv(moved @ moved.T / error + np.eye(len(before)) / variance)
    in_logs = np.array([slope(lambda x: [log(own) for own in shares(x)], at) for at in labels]).T
    errors = [sqrt(row @ covariance @ row) for row in in_logs]
    factors = [exp(0.6745 * own) for own in errors]
    best = shares(found)
    least = [own / f for own, f in zip(best, factors, strict=True)]
    return least, [min(own * f, 1.0) for own, f in zip(best, factors, strict=True)]


TIGHT = {"xatol": 1e-7, "fatol": 1e-10, "maxiter": 5000, "maxfev": 5000}


@given(st.integers(0, 99), st.integers(2, 4), st.sampled_from([0.3, 1.0, 3.0]))
@settings(max_examples=25, deadline=None)
def test_bounds_are_those_of_the_definition(seed: int, n_labels: int, skill: float) -> None:
    random = np.random.default_rng(seed)
    truth, before = random.dirichlet(np.full(n_labels, 3.0), size=2)
    of_label, of_all = drawn(random, truth, skill, n_each=20, n=60)
    found = by_mixture(of_label, of_all, before, 0.5)
    least, largest = slow_bounds(of_label, of_all, before.tolist(), 0.5)
    assert found[0] == pytest.approx(least, rel=2e-3)
    assert found[1] == pytest.approx(largest, rel=2e-3)


@given(st.integers(0, 999), st.integers(2, 5))
@settings(max_examples=50, deadline=None)
def test_shares_can_be_met(seed: int, n_labels: int) -> None:
    random = np.random.default_rng(seed)
    of_label, of_all = drawn(random, random.dirichlet(np.full(n_labels, 0.5)), 2.0, 30, 100)
    least, largest = by_mixture(of_label, of_all, np.full(n_labels, 1 / n_labels), FLAT)
    assert ((least > 0) & (least <= largest) & (largest <= 1)).all()
    assert least.sum() <= 1 <= largest.sum()


@pytest.mark.parametrize("truth", [[0.5, 0.5], [0.1, 0.9], [0.97, 0.03], [0.1, 0.2, 0.7]])
def test_the_truth_is_found_whatever_it_is(truth: list[float]) -> None:
    """The texts of each label are a fair sample here, so that it lies within nearly always."""
    even, inside = np.full(len(truth), 1 / len(truth)), []
    for seed in range(40):
        of_label, of_all = drawn(np.random.default_rng(seed), truth, 2.0)
        least, largest = by_mixture(of_label, of_all, even, FLAT)
        assert np.sqrt(least * largest) == pytest.approx(truth, abs=0.05)
        inside.append(((least <= truth) & (truth <= largest)).mean())
    assert np.mean(inside) > 0.5


def test_a_network_that_knows_nothing_tells_nothing() -> None:
    of_label, of_all = drawn(np.random.default_rng(0), [0.1, 0.2, 0.7], 0.0)
    before = np.array([0.5, 0.3, 0.2])
    least, largest = by_mixture(of_label, of_all, before, 0.1)
    assert np.sqrt(least * largest) == pytest.approx(before, abs=0.05)
    of_label, of_all = drawn(np.random.default_rng(0), [0.1, 0.9], 0.0)
    least, largest = by_mixture(of_label, of_all, np.array([0.5, 0.5]), FLAT)
    assert (largest > 0.9).all()
    assert (largest > 2 * least).all()


def test_what_was_known_before_counts_the_less_the_more_networks_know() -> None:
    before, truth = np.array([0.6, 0.2, 0.2]), np.array([0.2, 0.2, 0.6])
    first = [
        float(
            np.sqrt(by_mixture(*drawn(np.random.default_rng(0), truth, skill), before, 0.2)).prod(
                axis=0
            )[0]
        )
        for skill in (0.0, 0.5, 1.0, 3.0)
    ]
    assert first == sorted(first, reverse=True)
    assert first[0] > 0.5
    assert first[-1] < 0.25


@given(st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_labels_in_another_order_have_the_same_shares(seed: int) -> None:
    random = np.random.default_rng(seed)
    of_label, of_all = drawn(random, random.dirichlet(np.ones(4)), 1.0, 50, 200)
    before, order = random.dirichlet(np.full(4, 3.0)), random.permutation(4)
    found = by_mixture(of_label, of_all, before, 0.3)
    turned = by_mixture(
        [of_label[at][:, order] for at in order], of_all[:, order], before[order], 0.3
    )
    assert turned == pytest.approx(found[:, order], rel=1e-3)
