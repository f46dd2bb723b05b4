"""Hard EM as the chapter has it: labels by threshold, rare ones up-weighted anew in each round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.learning.predictor_step import Doubtful, lesson
from tacit.predictors.linear import Linear

from .killed_run import problem

HARD = {"labels": "hard", "hard_above": 0.5, "balance": "always", "doubtful": "alike"}
Told = tuple[np.ndarray, np.ndarray]

rows = st.lists(st.integers(0, 8), min_size=1, max_size=30).map(lambda p: np.array(p) / 8)
kinds = st.sampled_from(["alike", "less", "leave_out"])


def told_of(positive: np.ndarray, doubtful: Doubtful = "alike") -> Told:
    posterior = np.stack([1 - positive, positive], axis=1)
    has_evidence = np.arange(len(positive)) % 3 > 0
    told = lesson(posterior, has_evidence, doubtful=doubtful, hard_above=0.5, balanced=True)
    return told.target, told.weight


@given(rows)
def test_labels_are_cut_at_a_half_and_weigh_the_same(positive: np.ndarray) -> None:
    target, weight = told_of(positive)
    yes, no = positive > 0.5, positive < 0.5
    assert np.array_equal(target[yes | no][:, 1], yes[yes | no])
    assert not weight[~(yes | no)].any()  # neither label
    n_yes, n_no = yes.sum(), no.sum()
    if n_yes and n_no:  # not so few of any that they are not blown up any further
        assert np.allclose(weight[yes], (n_yes + n_no) / n_yes / 2)
        assert weight[yes].sum() == pytest.approx(weight[no].sum())


@given(rows, kinds)
def test_it_does_not_matter_which_label_comes_first(positive: np.ndarray, kind: Doubtful) -> None:
    target, weight = told_of(positive, kind)
    turned, turned_weight = told_of(1 - positive, kind)
    np.testing.assert_allclose(weight, turned_weight)
    assert np.array_equal(target[weight > 0], turned[weight > 0][:, ::-1])


def test_a_very_rare_label_is_not_blown_up_beyond_ten_times_its_share() -> None:
    positive = np.where(np.arange(1000) < 10, 0.9, 0.1)
    _, weight = told_of(positive)
    assert weight[0] == pytest.approx(10.0)
    assert weight[-1] == pytest.approx(1000 / 990 / 2)


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_coefficient_is_computed_anew_after_each_e_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[Told] = []
    fit_soft = Linear.fit_soft

    def hear(self: Linear, inputs: Any, target: Any, weight: Any, **more: Any) -> Linear:
        heard.append((target, weight))
        return fit_soft(self, inputs, target, weight, **more)

    monkeypatch.setattr(Linear, "fit_soft", hear)
    task, program = problem("free")
    tacit.DPL(**HARD, rounds=3, settled=0.0, hold_shares=False).fit(task, program.without("blame"))
    assert len(heard) == 3
    shares = set()
    for target, weight in heard:
        assert set(target.ravel()) == {0.0, 1.0}
        share = target.mean(axis=0)
        np.testing.assert_allclose(weight, 1 / np.maximum(2 * target @ share, 0.1))
        shares.add(float(share[1]))
    assert len(shares) > 1  # there were other labels, and the coefficient was another
    assert len(heard[0][0]) < len(heard[1][0])  # at first, nothing is known of some
