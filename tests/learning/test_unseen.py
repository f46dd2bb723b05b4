"""What networks say of altered copies of instances that they have not learned from."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from tacit.errors import BadInput
from tacit.learning.em import lesson_of
from tacit.learning.predictor_step import FOLDS

from .killed_run import model, problem

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def inputs() -> list[str]:
    found: list[str] = problem("free")[0].inputs("review").to_pylist()
    return found


def test_with_folds_they_are_those_that_vote() -> None:
    own = model(rounds=2, folds=3).fit(*problem("free"))
    every = np.arange(len(inputs()))
    said = own.log_probs_unseen(inputs(), every)
    np.testing.assert_allclose(said, own.said()["sentiment"], atol=1e-9)
    some = np.array([5, 2, 2])
    again = own.log_probs_unseen([inputs()[at] for at in some], some)
    np.testing.assert_allclose(again, said[some], atol=1e-9)


def test_without_folds_two_are_trained_each_on_one_half() -> None:
    """Against a loop that trains them by hand."""
    own = model(rounds=2, folds=1).fit(*problem("free"))
    before, network = own.said()["sentiment"], own._trained.networks["sentiment"]  # type: ignore[union-attr]
    every = np.arange(len(inputs()))
    said = own.log_probs_unseen(inputs(), every)
    supervision, state = own._trained.supervision, own._trained.state  # type: ignore[union-attr]
    believed = supervision.posterior(state.votes(own.sharpness))
    told = lesson_of(supervision, believed, "sentiment", own.config())
    fold = np.random.default_rng(own.random_state).permutation(len(every)) % FOLDS
    for k in range(FOLDS):
        rows = np.flatnonzero((fold != k) & (told.weight > 0))
        predictor = network.predictor.fresh(own.random_state + 1 + k)
        predictor.fit_soft(network.prepared.take(rows), told.target[rows], told.weight[rows])
        theirs = np.flatnonzero(fold == k)
        wanted = predictor.log_probs([inputs()[at] for at in theirs])
        np.testing.assert_allclose(said[theirs], wanted, atol=1e-9)
    assert np.array_equal(own.said()["sentiment"], before)  # nothing else has changed
    assert not own.votes_unseen()


def test_a_model_that_was_loaded_needs_its_data(tmp_path: object) -> None:
    own = model(rounds=1).fit(*problem("free"))
    own.save(f"{tmp_path}/model")
    with pytest.raises(BadInput, match=r"log_probs_unseen\(\) needs the data"):
        tacit.load(f"{tmp_path}/model").log_probs_unseen(["superb"], np.array([0]))


def test_no_copies_are_no_labels_and_each_has_a_row() -> None:
    own = model(rounds=1).fit(*problem("free"))
    assert own.log_probs_unseen([], np.zeros(0, int)).shape == (0, 2)
    with pytest.raises(BadInput, match="there are 2 copies, but rows for 1"):
        own.log_probs_unseen(["superb", "awful"], np.array([0]))
