"""Where the network of a program is heard when the next, larger one begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.learning.predictor_step import Network
from tacit.predictors.linear import Linear
from tacit.review import Ledger, Stamp
from tacit.s4 import S4
from tacit.s4.book import Book
from tests.s4.corpora import (
    NOON,
    OFTEN,
    GoesBy,
    Knows,
    by_chance,
    grown,
    noon,
    quick,
    reviews,
    same_model,
)
from tests.s4.killed_growth import CHOICES

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
ALWAYS: dict[str, Any] = {"warm_start": "always", "settled": 0.0}


class ByHeart(Linear):
    """A network that repeats what it was told, by its own account."""

    memorises = True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def chain(own: S4, dpl: tacit.DPL, *, warm: bool) -> tacit.DPL:
    """The fits of a run without answers, from the seeds on, by the definition."""
    task, program = reviews()
    evidence = {one.name: one for one in own.program_.evidence}
    model = dpl.clone().fit(task, program)
    for each in own.rounds_:
        new = [evidence[name] for name in each.names]
        declared = own.program_.declarations
        program = tacit.Program(declared, (*program.evidence, *new))
        said = model.said() if warm else None
        model = dpl.clone().fit(task, program, said=said)
    return model


@pytest.mark.parametrize("warm", [True, False])
def test_each_round_begins_with_what_the_last_one_has_learned(warm: bool) -> None:
    settings = ALWAYS if warm else {"warm_start": "never", "settled": 0.0}
    own = grown(reviews(), rounds=3, **settings)
    assert len(own.rounds_) == 3
    by_hand = chain(own, quick(), warm=warm)
    assert np.array_equal(own.posterior_, by_hand.posterior_)
    assert not np.array_equal(own.posterior_, chain(own, quick(), warm=not warm).posterior_)


@pytest.mark.parametrize(
    ("predictor", "folds", "is_heard"),
    [
        (Linear(), "auto", False),
        (Linear(), 2, False),  # it hardly learns by heart: all that it would do is repeat itself
        (ByHeart(), "auto", True),
        (ByHeart(), 1, False),  # it would repeat what it was told
    ],
)
def test_those_are_heard_who_know_more_than_they_were_told(
    predictor: Linear, folds: Any, is_heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.learning.predictor_step.FEWEST", 60)
    given = {"predictor": predictor, "dpl": quick(folds=folds), "rounds": 2, "guard": False}
    as_it_comes, asked = (
        grown(reviews(), **given, warm_start=own)
        for own in ("auto", "always" if is_heard else "never")
    )
    assert len(asked.rounds_) == 2
    assert same_model(as_it_comes, asked)


def test_only_what_is_kept_in_the_end_learns_beside_those_that_vote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taught: list[Network] = []
    train = Network.fit_kept

    def watched(self: Network, *given: Any, **others: Any) -> None:
        taught.append(self)
        train(self, *given, **others)

    monkeypatch.setattr(Network, "fit_kept", watched)
    own = grown(reviews(), rounds=2, dpl=quick(folds=2), guard=False, **ALWAYS)
    assert len(own.rounds_) == 2
    ends = [model._trained for model in (own.start_, own.model_)]
    assert taught == [*(own for end in ends if end for own in end.networks.values())]


def test_seeds_that_say_little_are_not_heard_through_their_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tacit.learning.predictor_step.FEWEST", 300)
    given = {
        "predictor": ByHeart(),
        "dpl": tacit.DPL(rounds=1),
        "borne_out": 0.0,
        "frequency": OFTEN,
    }
    as_it_comes, never = (grown(by_chance(), **given, warm_start=own) for own in ("auto", "never"))
    assert as_it_comes.start_.label_model_.silenced_  # type: ignore[union-attr]
    assert same_model(as_it_comes, never)


def test_undoing_restores_what_was_before_exactly(path: Path) -> None:
    one = grown(reviews(), rounds=1, **ALWAYS)
    two = grown(reviews(), path, rounds=2, **ALWAYS)
    assert not np.array_equal(one.posterior_, two.posterior_)
    with Ledger(path) as ledger:
        for name in two.rounds_[-1].names:
            ledger.undo(name, Stamp("bob", NOON))
    again = grown(reviews(), path, rounds=0, **ALWAYS)
    assert again.program_ == one.program_
    assert np.array_equal(again.posterior_, one.posterior_)
    assert again.weights_ == one.weights_


def test_a_run_that_resumes_has_the_same_fits(path: Path) -> None:
    settings = {"rounds": 3, "settled": 0.3, "budget": 4, "at_once": 2, "warm_start": "always"}
    whole = grown(reviews(), path, reviewer=GoesBy(path, *CHOICES), **settings)
    assert len(whole.rounds_) == 2  # one before the questions, one after
    again = grown(reviews(), path, reviewer=Knows(), **settings)
    assert same_model(whole, again)


def test_a_step_is_a_round_or_the_answers_since(path: Path) -> None:
    settings = {"rounds": 2, "budget": 3, "at_once": 2, "borne_out": 0.0}
    whole = grown(reviews(), path, reviewer=Knows(), **ALWAYS, **settings)
    task, program = reviews()
    with Ledger(path) as ledger:
        book = Book(ledger, program, task, noon)
        steps = [book.program]
        while steps[-1] != program:
            steps.append(book.less_last_step(steps[-1]))
        by_people = {name for name, event in ledger.in_force().items() if event.question}
    sizes = [len(own.evidence) - len(program.evidence) for own in steps]
    assert sizes == [4 + len(by_people), 4, 2, 0]
    assert len(by_people) > 1
    assert steps[0] == whole.program_
