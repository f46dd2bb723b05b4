"""Climbing: the top of smooth functions within bounds, as another method finds it."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.learning.climbing import Bounds, Function, climbed

Floats = NDArray[np.float64]
SEEDS = st.integers(0, 2**32 - 1)
NO_BOUNDS = Bounds(np.array(-np.inf), np.array(np.inf))


def hill(seed: int, n: int, stretch: float) -> Function:
    """A smooth hill with one top: a sum of rounded slopes and a bowl turned over."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    curvature = (turn * stretch ** rng.random(n)) @ turn.T
    top, ways = rng.normal(0, 3, n), rng.normal(size=(4, n))

    def function(at: Floats) -> tuple[float, Floats]:
        off = at - top
        pulled = ways @ at
        value = -0.5 * off @ curvature @ off - np.logaddexp(0, pulled).sum()
        return float(value), -curvature @ off - ways.T @ (1 / (1 + np.exp(-pulled)))

    return function


@given(SEEDS, st.integers(1, 12), st.sampled_from([1.0, 30.0, 1000.0]))
@settings(max_examples=60)
def test_the_top_within_bounds_is_found(seed: int, n: int, stretch: float) -> None:
    function, rng = hill(seed, n, stretch), np.random.default_rng(seed)
    low = np.where(rng.random(n) < 0.5, rng.normal(size=n), -np.inf)
    high = np.where(rng.random(n) < 0.5, np.maximum(low, -1) + 2 * rng.random(n), np.inf)
    found = climbed(function, rng.normal(0, 5, n), Bounds(low, high), max_steps=500, tolerance=1e-9)
    best = minimize(
        lambda at: tuple(-part for part in function(at)),
        np.clip(np.zeros(n), low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([low, high], axis=1),
        options={"ftol": 1e-14, "gtol": 1e-9, "maxiter": 5000},
    )
    assert found.settled
    # Nothing within the bounds is higher than the top; SciPy may give up below it.
    assert found.top.height >= -best.fun - 1e-5
    assert (found.top.at >= low).all()
    assert (found.top.at <= high).all()
    assert (np.diff(found.heights) >= 0).all()


def test_a_climb_ends_by_its_steps_or_its_tolerance() -> None:
    function, start = hill(1, 8, 1000.0), np.full(8, 4.0)
    assert not climbed(function, start, NO_BOUNDS, max_steps=3, tolerance=1e-9).settled
    few = climbed(function, start, NO_BOUNDS, max_steps=500, tolerance=1.0)
    many = climbed(function, start, NO_BOUNDS, max_steps=500, tolerance=1e-9)
    assert few.settled
    assert many.settled
    assert len(few.heights) < len(many.heights)
    assert few.top.height <= many.top.height < few.top.height + 10.0


def test_a_flat_place_is_where_a_climb_ends() -> None:
    found = climbed(
        lambda at: (1.0, np.zeros(2)), np.zeros(2), NO_BOUNDS, max_steps=9, tolerance=0.01
    )
    assert found.settled
    assert not found.heights


def test_where_the_function_is_no_number_a_step_is_cut() -> None:
    def cliff(at: Floats) -> tuple[float, Floats]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(np.log(2 - at).sum() + 3 * at.sum()), 3 - 1 / (2 - at)

    found = climbed(cliff, np.zeros(3), NO_BOUNDS, max_steps=99, tolerance=1e-10)
    assert found.settled
    assert np.allclose(found.top.at, 5 / 3, atol=1e-4)


def test_the_same_climb_has_the_same_bits() -> None:
    one, other = (
        climbed(hill(3, 9, 30.0), np.ones(9), NO_BOUNDS, max_steps=99, tolerance=0.01)
        for _ in range(2)
    )
    assert one.heights == other.heights
    assert (one.top.at == other.top.at).all()
