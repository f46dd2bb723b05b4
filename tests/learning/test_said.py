"""What networks have said already is heard in the first round of a fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadFile, BadInput
from tacit.predictors.linear import Linear

from .killed_run import model, problem

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
NEW = ["superb and warm", "an awful plot", ""]


@pytest.fixture
def goes_on(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each training of a network, whether it was told to go on."""
    told: list[bool] = []
    train = Linear.fit_soft

    def watched(self: Linear, *given: Any, warm_start: bool = False, **others: Any) -> Linear:
        told.append(warm_start)
        return train(self, *given, warm_start=warm_start, **others)

    monkeypatch.setattr(Linear, "fit_soft", watched)
    return told


def fitted(rounds: int, kind: str = "free", **given: Any) -> tacit.DPL:
    """Networks that begin anew in each round: what one says is all that the next one knows."""
    return model(rounds=rounds, warm_start=False, folds=1).fit(*problem(kind), **given)


@pytest.mark.parametrize("kind", ["free", "tied"])
def test_two_fits_are_as_one(kind: str) -> None:
    """After one round: then the weights are still those that a fit begins with."""
    whole = fitted(2, kind)
    going_on = fitted(1, kind, said=fitted(1, kind).said())
    assert [len(own.history_) for own in (whole, going_on)] == [2, 1]
    assert np.array_equal(going_on.posterior_, whole.posterior_)
    assert np.array_equal(going_on.predict_proba(NEW), whole.predict_proba(NEW))
    assert going_on.weights_ == whole.weights_


@pytest.mark.parametrize("warm_start", [True, False])
@pytest.mark.parametrize("rounds", [1, 3])
def test_networks_that_were_heard_go_on(rounds: int, warm_start: bool, goes_on: list[bool]) -> None:
    """From the first round on, also those that begin anew: most labels are known by then."""
    said = fitted(1).said()
    goes_on.clear()
    settings = {"warm_start": warm_start, "folds": 1, "hold_shares": False}
    own = model(rounds=rounds, settled=0.0, **settings)
    own.fit(*problem("free"), said=said)
    assert goes_on == [True] * rounds


@pytest.mark.parametrize("warm_start", [True, False])
def test_a_network_that_was_not_heard_does_not(warm_start: bool, goes_on: list[bool]) -> None:
    settings = {"warm_start": warm_start, "folds": 1, "hold_shares": False}
    model(rounds=3, settled=0.0, **settings).fit(*problem("free"))
    assert goes_on == [False, True, True]


def test_votes_are_what_was_said_spread_and_held_to_shares() -> None:
    given = {"sentiment": np.array([[0.6, 0.2], [0.8, 0.4]])}
    own = model(rounds=2, sharpness=4.0).fit(*problem("free"), shares=given)
    ((name, votes),) = own.votes().items()
    assert np.allclose(np.exp(votes).sum(axis=1), 1)
    least, largest = given[name] + [[-1e-3], [1e-3]]
    assert (least <= np.exp(votes).mean(axis=0)).all()
    assert (np.exp(votes).mean(axis=0) <= largest).all()
    odds, said = (np.diff(each, axis=1) for each in (votes, own.said()[name]))
    assert np.corrcoef(odds.ravel(), said.ravel())[0, 1] == pytest.approx(1)


def test_the_network_is_heard_from_the_first_round_on() -> None:
    task, program = problem("free")
    begun = fitted(1)
    sure = {"sentiment": np.log(np.tile([0.001, 0.999], (80, 1)))}
    told = model(rounds=1, sharpness=None).fit(task, program, said=sure)
    assert told.predict_proba(NEW)[:, 1].min() > 0.5 > begun.predict_proba(NEW)[:, 1].min()


def test_weights_are_learned_from_what_was_said() -> None:
    """A network that says the opposite of a rule takes its weight away."""
    task, program = problem("free")
    against = np.array(
        [["awful" in text or "dull" in text] for text in task.inputs("review").to_pylist()]
    )
    said = {"sentiment": np.log(np.where(np.hstack([~against, against]), 0.9, 0.1))}
    kept, lost = (
        model(rounds=1, learn_weights=own, sharpness=None).fit(task, program, said=said)
        for own in (False, True)
    )
    assert lost.weights_["blame"] < kept.weights_["blame"] - 0.2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"sentiment": np.zeros((3, 2))}, r"said\['sentiment'\] has the shape \(3, 2\)"),
        ({"sentiment": [[0.0, 0.0]]}, r"has the shape \(1, 2\)"),
        ({"sentiment": "pos"}, "no arrays of numbers"),
        ({"mood": np.zeros((80, 2))}, r"said\['mood'\]"),
        ({"sentiment": np.full((80, 2), -np.inf)}, "not finite"),
    ],
)
def test_what_fits_no_label_function_is_refused(said: Any, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        model().fit(*problem("free"), said=said)


def test_a_checkpoint_of_what_was_said_otherwise_is_refused(tmp_path: Path) -> None:
    said = fitted(1).said()
    kept = fitted(1, said=said, checkpoint=tmp_path / "run")
    again = fitted(1, said=said, checkpoint=tmp_path / "run")
    np.testing.assert_array_equal(kept.posterior_, again.posterior_)
    with pytest.raises(BadFile, match="another run: with said"):
        fitted(1, said={"sentiment": said["sentiment"] + 1e-9}, checkpoint=tmp_path / "run")


def test_a_model_that_was_loaded_has_said_nothing(tmp_path: Path) -> None:
    fitted(1).save(tmp_path / "model")
    with pytest.raises(BadInput, match="needs the data"):
        tacit.load(tmp_path / "model").said()
