"""Where folds vote on what was said before, the predictor that is kept learns when it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.learning.em import lesson_of
from tacit.predictors.linear import Linear

from .killed_run import model, problem

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
NEW = ["superb and warm", "an awful plot", ""]
Told = list[int]  # of each training, how many instances it had


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    found: Told = []
    train = Linear.fit_soft

    def watched(self: Linear, inputs: Any, *given: Any, **others: Any) -> Linear:
        found.append(len(inputs))
        return train(self, inputs, *given, **others)

    monkeypatch.setattr(Linear, "fit_soft", watched)
    return found


def heard(folds: int = 2, **given: Any) -> tacit.DPL:
    """A model that begins with what another has said."""
    said = model(rounds=1, folds=2).fit(*problem("free")).said()
    return model(folds=folds).fit(*problem("free"), said=said, **given)


@pytest.mark.parametrize(
    "ask",
    [
        lambda own: own.predict(NEW),
        lambda own: own.predictor_,
        lambda own: own.attention(),
        lambda own: own.posterior_on(problem("free")[0]),
    ],
)
def test_it_learns_once_and_when_it_is_asked(told: Told, ask: Callable[[tacit.DPL], Any]) -> None:
    own = heard()
    own.views()
    own.said()
    own.explain("r1")
    assert list(own.predictors_) == ["sentiment"]
    assert "sentiment" in own.predictors_
    assert len(own.predictors_) == 1
    before = len(told)
    for _ in range(2):
        ask(own)
        assert told[before:] == [80]


def test_it_learns_from_labels_by_what_the_others_say() -> None:
    """Against a predictor that is taught by hand."""
    own = heard()
    trained = own._trained
    assert trained is not None
    believed = trained.supervision.posterior(trained.state.votes(own.sharpness))
    lesson = lesson_of(trained.supervision, believed, "sentiment", own.config())
    wanted = Linear(random_state=0).fit_soft(
        trained.networks["sentiment"].prepared, lesson.target, lesson.weight
    )
    np.testing.assert_allclose(own.predict_proba(NEW), np.exp(wanted.log_probs(NEW)), atol=1e-9)


def test_folds_are_dealt_anew() -> None:
    """Else two networks would each learn from what the other one has said, and never from both."""
    first = model(rounds=1, folds=2).fit(*problem("free"))
    own = heard()
    assert first._trained is not None
    assert own._trained is not None
    before = first._trained.networks["sentiment"].fold
    now = own._trained.networks["sentiment"].fold
    assert sorted(before) == sorted(now)
    both = [(now[before == k] == 0).mean() for k in range(2)]
    assert np.allclose(both, 0.5, atol=0.25)


def test_without_folds_it_votes_and_cannot_wait(told: Told) -> None:
    own = heard(folds=1)
    before = len(told)
    own.predict(NEW)
    assert len(told) == before


def test_a_model_that_is_saved_has_learned_all(tmp_path: Path) -> None:
    own = heard()
    own.save(tmp_path / "model")
    np.testing.assert_array_equal(
        tacit.load(tmp_path / "model").predict_proba(NEW), own.predict_proba(NEW)
    )


def test_what_was_interrupted_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, own = heard().predict_proba(NEW), heard()
    train = Linear.fit_soft

    def interrupted(self: Linear, *_: Any, **__: Any) -> Linear:
        train(self, ["an awful film", "superb"], np.eye(2)[::-1])  # some of its steps
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Linear, "fit_soft", interrupted)
        with pytest.raises(KeyboardInterrupt):
            own.predict(NEW)
    np.testing.assert_array_equal(own.predict_proba(NEW), wanted)


def test_a_checkpoint_does_not_ask(tmp_path: Path, told: Told) -> None:
    own = heard(checkpoint=tmp_path / "run")
    wanted, before = own.predict_proba(NEW), len(told)
    again = heard(checkpoint=tmp_path / "run")
    assert len(told) == before + 3  # those of the model that has said something, and none of this
    np.testing.assert_array_equal(again.predict_proba(NEW), wanted)


def test_where_nothing_was_said_it_learns_before_the_fit_is_over(told: Told) -> None:
    """The folds in each round, those that have evidence in the first; then what is kept."""
    own = model(rounds=2, folds=2, settled=0.0).fit(*problem("free"))
    assert told == [*told[:2], 40, 40, 80]
    own.predict(NEW)
    assert len(told) == 5


def test_a_checkpoint_has_it_as_well(tmp_path: Path, told: Told) -> None:
    def fit(rounds: int) -> tacit.DPL:
        own = model(rounds=rounds, folds=2, settled=0.0)
        return own.fit(*problem("free"), checkpoint=tmp_path / "run")

    wanted = fit(2).predict_proba(NEW)
    told.clear()
    np.testing.assert_array_equal(fit(2).predict_proba(NEW), wanted)
    assert told == []
    on = fit(3)
    assert told == [40] * 2 + [80]  # it goes on for a round, from which what is kept learns anew
    whole = model(rounds=3, folds=2, settled=0.0).fit(*problem("free"))
    np.testing.assert_array_equal(on.predict_proba(NEW), whole.predict_proba(NEW))
