"""Shares of labels by compiled loops are those of the definition, for two labels and for more."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn
from scipy.special import logsumexp, softmax

from tacit.learning.kernels import label_odds, label_shares

log_shares = st.tuples(st.integers(1, 300), st.integers(2, 4)).flatmap(
    lambda shape: drawn.arrays(np.float64, shape, elements=st.floats(-600, 600))
)


@given(log_shares)
@settings(max_examples=200)
def test_shares_sum_to_one_and_their_logarithm_is_told(rows: np.ndarray) -> None:
    shares, log_total = np.empty_like(rows), np.empty(len(rows))
    label_shares(rows, shares, log_total)
    np.testing.assert_allclose(shares, softmax(rows, axis=1), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(log_total, logsumexp(rows, axis=1), rtol=1e-13, atol=1e-13)


@given(log_shares, st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_parts_add_up(rows: np.ndarray, seed: int) -> None:
    """The same rows, each as the sum of a base and of parts that add to one label."""
    n_rows, n_labels = rows.shape
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n_labels)
    label_of_part = np.tile(np.arange(n_labels, dtype=np.int32), n_rows)
    first = np.arange(0, n_rows * n_labels + 1, n_labels, dtype=np.int64)
    part = np.arange(n_rows * n_labels, dtype=np.int32)
    shares, log_total = np.empty_like(rows), np.empty(n_rows)
    label_odds(first, part, label_of_part, rows.ravel(), base, shares, log_total)
    np.testing.assert_allclose(shares, softmax(rows + base, axis=1), rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(log_total, logsumexp(rows + base, axis=1), rtol=1e-13, atol=1e-12)


def test_a_label_that_cannot_be_has_no_share() -> None:
    rows = np.array([[-np.inf, 1.0], [2.0, -np.inf], [3.0, 3.0]])
    shares, log_total = np.empty_like(rows), np.empty(3)
    label_shares(rows, shares, log_total)
    np.testing.assert_allclose(shares, [[0, 1], [1, 0], [0.5, 0.5]], atol=1e-300)
    np.testing.assert_allclose(log_total, [1, 2, 3 + np.log(2)])
