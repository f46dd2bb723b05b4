"""Scores against gold labels."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.report import accuracy, brier, log_loss, macro_f1

POSTERIOR = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [1.0, 0.0]])
UNLABELLED = np.full(4, -1)


def test_accuracy_splits_ties_and_skips_the_unlabelled() -> None:
    assert accuracy(POSTERIOR, np.array([0, 0, 0, -1])) == 0.5
    assert np.isnan(accuracy(POSTERIOR, UNLABELLED))


def test_macro_f1_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(0)
    posterior, gold = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    expected = f1_score(gold, posterior.argmax(axis=1), average="macro")
    assert macro_f1(posterior, gold) == pytest.approx(expected)
    half = np.where(np.arange(200) < 100, gold, -1)
    assert macro_f1(posterior, half) == pytest.approx(macro_f1(posterior[:100], gold[:100]))
    assert np.isnan(macro_f1(POSTERIOR, UNLABELLED))


def test_a_tie_is_half_a_label_each() -> None:
    even = np.full((4, 2), 0.5)
    assert macro_f1(even, np.array([0, 0, 1, 1])) == pytest.approx(0.5)


def test_log_loss_and_brier_by_hand() -> None:
    gold = np.array([0, 0, 1, -1])
    assert log_loss(POSTERIOR, gold) == pytest.approx(-np.log([0.5, 0.9, 0.8]).mean())
    assert brier(POSTERIOR, gold) == pytest.approx(np.mean([0.5, 0.02, 0.08]))
    assert np.isnan(log_loss(POSTERIOR, UNLABELLED))
    assert np.isnan(brier(POSTERIOR, UNLABELLED))


def test_a_vote_that_is_sure_and_wrong_has_a_finite_loss() -> None:
    assert log_loss(POSTERIOR, np.array([-1, -1, -1, 1])) == pytest.approx(-np.log(1e-6))
    assert brier(POSTERIOR, np.array([-1, -1, -1, 1])) == 2.0
