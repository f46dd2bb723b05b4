"""The likelihood of votes against its definition, and what follows from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tacit.learning.casting import votes_of_counts, votes_of_matrix
from tacit.learning.fitting import Apart, Objective, Point, Priors, climb
from tacit.learning.information import class_share_errors, standard_errors
from tacit.learning.likelihood import VoteLikelihood
from tacit.learning.votes import Floats, Votes
from tests.oracles import votes as slow

SEEDS = st.integers(0, 10_000)


def random_votes(rng: np.random.Generator) -> Votes:
    """Votes of any kind: one- and many-sided, soft, standing, for several labels at once."""
    n, n_labels, n_weights = rng.integers(1, 6), rng.integers(2, 4), rng.integers(1, 5)
    counts = np.zeros((n, n_labels, n_weights))
    for weight in range(n_weights):
        kind = rng.integers(4)
        own = rng.integers(n_labels)
        for i in range(n):
            if rng.random() < 0.4 and kind < 3:
                continue
            if kind == 0 or kind == 3:
                counts[i, own, weight] = 1.0
            elif kind == 1:
                counts[i, rng.integers(n_labels), weight] = 1.0
            else:
                counts[i, :, weight] = rng.integers(-2, 3, n_labels) / 4
    flat = sparse.csr_array(counts.reshape(n * n_labels, n_weights))
    return votes_of_counts(flat, int(n_labels), np.arange(n_weights))


def random_point(rng: np.random.Generator, votes: Votes) -> tuple[Floats, Floats, Floats]:
    weights = rng.normal(1, 1, 6)
    return weights, rng.normal(-1, 0.5, votes.n_events), rng.normal(0, 0.5, votes.n_labels)


def objective_of(votes: Votes, n_weights: int = 6, *, silence_tells: bool = False) -> Objective:
    own = VoteLikelihood(votes, silence_tells=silence_tells)
    start = np.full(n_weights, 1.0)
    is_learned = np.isin(np.arange(n_weights), votes.weights)
    priors = Priors(start, np.full(n_weights, 0.5), 2.0)
    return Objective([own], Apart([own]), start, is_learned, [True], priors)


@given(SEEDS, st.booleans())
@settings(max_examples=60)
def test_it_is_what_the_definition_says(seed: int, silence_tells: bool) -> None:
    rng = np.random.default_rng(seed)
    votes = random_votes(rng)
    weights, log_rate, bias = random_point(rng, votes)
    own = VoteLikelihood(votes, silence_tells=silence_tells)
    _, log_seen = own.seen(weights, bias)
    unseen = own.unseen(weights, log_rate, bias)
    _, log_alone = own.alone(unseen.log_labels + votes.standing_worth(weights))
    found = votes.n_of_pattern @ log_seen - log_alone + votes.n_of_event @ log_rate
    truth = slow.log_likelihood(votes, weights, log_rate, bias, silence_tells=silence_tells)
    assert found == pytest.approx(truth, rel=1e-9, abs=1e-9)


@given(SEEDS, st.booleans())
@settings(max_examples=40)
def test_its_gradient_and_its_curvature_are_its_own(seed: int, silence_tells: bool) -> None:
    rng = np.random.default_rng(seed)
    votes = random_votes(rng)
    objective = objective_of(votes, silence_tells=silence_tells)
    flat = objective.first()
    flat = flat + rng.normal(0, 0.3, len(flat))
    _, slope = objective.value_and_slope(flat)
    step = 1e-5
    ways = np.eye(len(flat)) * step
    both = [
        (objective.value_and_slope(flat + way), objective.value_and_slope(flat - way))
        for way in ways
    ]
    assert np.allclose([(up[0] - down[0]) / (2 * step) for up, down in both], slope, atol=1e-5)
    hessian = -np.array([(up[1] - down[1]) / (2 * step) for up, down in both]).reshape(
        len(flat), len(flat)
    )
    if np.linalg.eigvalsh(hessian).min(initial=1.0) < 0.05:
        return  # no top nearby: Laplace's approximation says nothing
    expected = np.sqrt(np.diag(np.linalg.inv(hessian)))[: len(objective.learned)]
    errors = standard_errors(objective, objective.point(flat))
    assert np.allclose(errors[objective.learned], expected, rtol=1e-3)


@given(SEEDS)
@settings(max_examples=30)
def test_the_likelihood_never_falls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 3, (int(rng.integers(2, 60)), 5))
    matrix[0] = [0, 1, 2, 0, 1]
    objective = objective_of(votes_of_matrix(matrix, 3, per_class=False))
    start, _ = objective.value_and_slope(objective.first())
    fitted = climb(objective, keep_polarity=True, max_steps=100, tolerance=1e-6)
    heights = np.array([start, *fitted.heights])
    assert (np.diff(heights) >= -1e-9 * np.abs(heights[1:])).all()
    assert np.isfinite(heights).all()


@given(SEEDS, st.booleans())
@settings(max_examples=30)
def test_a_matrix_and_its_counts_are_the_same_votes(seed: int, per_class: bool) -> None:
    rng = np.random.default_rng(seed)
    n, m, n_labels = 30, 4, 3
    matrix = rng.integers(-1, n_labels, (n, m))
    counts = np.zeros((n, n_labels, m * n_labels if per_class else m))
    row, function = np.nonzero(matrix >= 0)
    label = matrix[row, function]
    counts[row, label, function * n_labels + label if per_class else function] = 1.0
    source = np.arange(m * n_labels) // n_labels if per_class else np.arange(m)
    flat = sparse.csr_array(counts.reshape(n * n_labels, -1))
    direct = votes_of_matrix(matrix, n_labels, per_class=per_class)
    alike, apart = (
        votes_of_counts(flat, n_labels, source, count_alike=alike) for alike in (True, False)
    )
    weights, bias = rng.normal(1, 1, flat.shape[1]), rng.normal(0, 1, n_labels)
    values = []
    for votes in (direct, alike, apart):
        objective = objective_of(votes, flat.shape[1])
        point = objective.point(objective.first())
        posterior, _ = VoteLikelihood(votes).seen(weights, bias)
        values.append((objective.log_likelihood(point)[0], posterior[votes.pattern_of_instance]))
    for value, posterior in values[1:]:
        assert value == pytest.approx(values[0][0])
        assert np.allclose(posterior, values[0][1])


def log_rates(votes: Votes, rates: Floats) -> tuple[Floats, ...]:
    """The rates (functions, labels) that a label matrix was drawn with, by event."""
    order = np.argsort(votes.parts.event)
    return (np.log(rates[votes.parts.weight[order], votes.parts.label[order]]),)


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("speaks", [1.0, 0.5])
def test_what_was_planted_is_recovered(n_labels: int, speaks: float) -> None:
    rng = np.random.default_rng(n_labels)
    truth = rng.uniform(0.5, 2.5, 8)
    rates = rng.uniform(0.5, 1.5, (8, n_labels))
    bias = rng.normal(0, 0.7, n_labels)
    bias -= bias.mean()
    matrix, labels = slow.drawn(rng, 8000, truth, rates, bias, speaks=speaks)
    votes = votes_of_matrix(matrix, n_labels, per_class=False)
    own = VoteLikelihood(votes)
    start = np.full(8, 1.0)
    priors = Priors(start, np.full(8, 5.0), 5.0)  # hardly any: what is recovered comes from data
    every = np.ones(8, dtype=bool)
    objective = Objective([own], Apart([own]), start, every, [True], priors)
    fitted = climb(objective, keep_polarity=True, max_steps=500, tolerance=1e-6)
    errors = standard_errors(objective, fitted.point)
    assert (np.abs(fitted.point.weights - truth) < 3.5 * errors).all()
    shares = objective.class_shares(fitted.point)[0]
    unsure = class_share_errors(objective, fitted.point)[0]
    expected = objective.class_shares(Point(truth, log_rates(votes, rates), (bias,)))[0]
    assert (np.abs(shares - expected) < 3.5 * unsure).all()
    assert np.abs(expected - np.bincount(labels) / len(labels)).max() < 0.03


def test_standard_errors_are_the_spread_of_what_is_learned() -> None:
    rng = np.random.default_rng(5)
    truth, rates, bias = np.array([0.8, 1.2, 1.6, 2.0]), np.ones((4, 2)), np.zeros(2)
    off = []
    for _ in range(60):
        matrix, _ = slow.drawn(rng, 600, truth, rates, bias, speaks=1.0)
        own = VoteLikelihood(votes_of_matrix(matrix, 2, per_class=False))
        priors = Priors(np.ones(4), np.full(4, 10.0), 5.0)
        objective = Objective([own], Apart([own]), np.ones(4), np.ones(4, bool), [False], priors)
        fitted = climb(objective, keep_polarity=True, max_steps=300, tolerance=1e-6)
        errors = standard_errors(objective, fitted.point)
        off.append((fitted.point.weights - truth) / errors)
    assert 0.75 < np.std(off) < 1.25
    assert np.abs(np.mean(off)) < 0.35
