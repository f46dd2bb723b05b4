"""Exponentials and logarithms of the kernels against the standard library's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from tacit.inference.kernels import maths
from tacit.inference.kernels.sums import log_total

EPS = np.finfo(np.float64).eps


@njit
def _exp(x):
    return np.array([maths.exp_negative(v) for v in x])


@njit
def _log(x):
    return np.array([maths.log_positive(v) for v in x])


@njit
def _log_ratio(x, y):
    return np.array([maths.log_ratio(x[i], y[i]) for i in range(len(x))])


@njit
def _log1p(x):
    return np.array([maths.log1p_positive(v) for v in x])


@njit
def _softplus(x):
    return np.array([maths.softplus(v) for v in x])


@njit
def _log_add(x, y):
    return np.array([maths.log_add(x[i], y[i]) for i in range(len(x))])


def relative(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest error, relative to the result."""
    return float(np.max(np.abs(found - exact) / np.maximum(np.abs(exact), np.finfo(float).tiny)))


def wide(low: float, high: float, n: int = 200_000) -> np.ndarray:
    """Numbers spread evenly over magnitudes."""
    rng = np.random.default_rng(0)
    return np.exp(rng.uniform(np.log(low), np.log(high), n))


def test_exponential_over_its_whole_range() -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([-rng.uniform(0, 700, 200_000), -wide(1e-300, 700), -np.arange(701.0)])
    assert relative(_exp(x), np.exp(x)) < 4 * EPS


def test_exponential_near_the_edges_of_its_pieces() -> None:
    steps = -np.arange(1, 2000) * 0.5 * math.log(2)
    steps = steps[steps > -700]
    for x in (steps, np.nextafter(steps, 0), np.nextafter(steps, -np.inf)):
        assert relative(_exp(x), np.exp(x)) < 4 * EPS


def test_exponential_of_extremes() -> None:
    assert maths.exp_negative(0.0) == 1.0
    assert maths.exp_negative(-0.0) == 1.0
    assert math.isclose(maths.exp_negative(-1e300), math.exp(-700), rel_tol=1e-14)
    assert math.isclose(maths.exp_negative(-math.inf), math.exp(-700), rel_tol=1e-14)
    assert maths.exp_negative(-5e-324) == 1.0
    assert math.isnan(maths.exp_negative(math.nan))


def test_logarithm_over_its_whole_range() -> None:
    x = np.concatenate([wide(1e-307, 1e308), 2.0 ** np.arange(-1022, 1024)])
    exact = np.log(x)
    assert np.max(np.abs(_log(x) - exact) / np.maximum(np.abs(exact), 1)) < 4 * EPS


def test_logarithm_near_one_is_exact_relative_to_itself() -> None:
    away = wide(1e-15, 0.4)
    for x in (1 + away, 1 - away):
        assert relative(_log(x), np.log(x)) < 8 * EPS


def test_logarithm_near_the_edges_of_its_pieces() -> None:
    edge = math.sqrt(0.5) * 2.0 ** np.arange(-40, 41)
    for x in (edge, np.nextafter(edge, 0), np.nextafter(edge, np.inf)):
        exact = np.log(x)
        assert np.max(np.abs(_log(x) - exact) / np.maximum(np.abs(exact), 1)) < 4 * EPS


def test_logarithm_of_extremes() -> None:
    assert maths.log_positive(1.0) == 0.0
    assert math.isclose(maths.log_positive(2.0), math.log(2), rel_tol=1e-15)
    smallest = np.finfo(float).tiny
    assert math.isclose(maths.log_positive(smallest), math.log(smallest), rel_tol=1e-15)
    largest = np.finfo(float).max
    assert math.isclose(maths.log_positive(largest), math.log(largest), rel_tol=1e-15)


def test_logarithm_of_a_ratio() -> None:
    rng = np.random.default_rng(2)
    x, y = wide(1e-150, 1e150), rng.permutation(wide(1e-150, 1e150))
    exact = np.log(x) - np.log(y)
    assert np.max(np.abs(_log_ratio(x, y) - exact) / np.maximum(np.abs(exact), 1)) < 1e-13
    near = x * (1 + rng.choice([-1, 1], len(x)) * wide(1e-15, 0.9))
    exact = np.log1p((x - near) / near)
    assert relative(_log_ratio(x, near), exact) < 1e-15 / 1e-2


def test_logarithm_of_the_ratios_that_messages_have() -> None:
    rng = np.random.default_rng(3)
    e, c = np.exp(-rng.uniform(0, 700, 100_000)), np.exp(-rng.uniform(0, 600, 100_000))
    x, y = 1 + e * c, e + c
    exact = np.log(x) - np.log(y)
    np.testing.assert_allclose(_log_ratio(x, y), exact, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(_log_ratio(x, x), 0.0)


def test_log1p_of_small_and_large() -> None:
    x = np.concatenate([wide(1e-307, 1e300), [0.0, 1.0]])
    assert relative(_log1p(x), np.log1p(x)) < 8 * EPS
    assert maths.log1p_positive(0.0) == 0.0
    assert maths.log1p_positive(1e-300) == 1e-300


def test_softplus_on_both_sides() -> None:
    size = np.concatenate([wide(1e-300, 690), [0.0]])
    for x in (size, -size):
        assert relative(_softplus(x), np.logaddexp(0, x)) < 1e-14
    assert maths.softplus(1e8) == 1e8
    assert 0.0 < maths.softplus(-1e8) < 1e-300
    assert maths.softplus(math.inf) == math.inf


def test_softplus_and_its_mirror_differ_by_x() -> None:
    x = wide(1e-3, 1e4)
    np.testing.assert_allclose(_softplus(x) - _softplus(-x), x, rtol=1e-14, atol=2e-16)


numbers = st.floats(-1e8, 1e8) | st.just(-math.inf) | st.floats(-5, 5)


@given(numbers, numbers)
@example(-math.inf, -math.inf)
@example(0.0, -math.inf)
@example(-math.inf, -3.0)
@example(2.0, 2.0)
def test_log_add(x: float, y: float) -> None:
    found = maths.log_add(x, y)
    exact = float(np.logaddexp(x, y))
    assert found == exact or abs(found - exact) <= 1e-14 * max(1.0, abs(exact))
    assert found == maths.log_add(y, x)


def test_log_add_of_many() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(0, 50, 100_000), rng.normal(0, 50, 100_000)
    exact = np.logaddexp(x, y)
    assert np.max(np.abs(_log_add(x, y) - exact) / np.maximum(np.abs(exact), 1)) < 1e-14


@pytest.mark.parametrize("function", [maths.softplus, lambda x: maths.log_add(x, 0.0)])
def test_what_is_no_number_stays_none(function: Callable[[float], float]) -> None:
    assert math.isnan(function(math.nan))


@given(st.floats(allow_nan=False))
def test_clamped(x: float) -> None:
    assert maths.clamped(x) == min(max(x, -maths.HARD), maths.HARD)


@given(st.floats(-1e12, 0), st.floats(-1e3, 1e3))
def test_below(distance: float, high: float) -> None:
    x = high + distance
    assert maths.below(x, high) == max(x - high, -maths.HARD)
    assert maths.below(-math.inf, high) == -maths.HARD
    assert maths.below(-math.inf, -math.inf) == 0.0


@given(st.lists(st.floats(-12, 3), min_size=1, max_size=6))
def test_log_some(odds: list[float]) -> None:
    from tacit.inference.kernels.any_of import log_some

    log_none = -sum(math.log1p(math.exp(y)) for y in odds)
    exact = math.log(-math.expm1(log_none))
    assert math.isclose(log_some(log_none, max(odds)), exact, rel_tol=1e-9, abs_tol=1e-9)


@given(st.lists(st.floats(-1e8, 1e8), max_size=6))
def test_log_total(log_odds: list[float]) -> None:
    padded = np.array([7.0, *log_odds, 9.0])
    truth = np.logaddexp.reduce([0.0, *log_odds])
    assert log_total(padded, 1, len(log_odds)) == pytest.approx(truth, rel=1e-13, abs=1e-13)
