"""The guard: a round by which the network forgets the seeds is taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.proposals.frequency import Frequency
from tacit.review import Answer, Ledger, Question
from tacit.s4.book import Book
from tests.s4.corpora import (
    LURES,
    NOON,
    OFTEN,
    Asked,
    Knows,
    by_chance,
    drifting,
    grown,
    kinds,
    leaning,
    quick,
    same_model,
    words_spoken_of,
)

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def led_astray(path: Path | None = None, **settings: Any) -> tacit.S4:
    return grown(drifting(), path, **{"batch": 5, "frequency": OFTEN} | settings)


def test_a_round_that_makes_the_network_forget_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    model = led_astray(path)
    (only,) = model.rounds_
    assert only.rolled_back
    assert {f"pos_{word}" for word in LURES} <= set(only.names)
    assert model.program_ == drifting()[1]
    assert model.added_ == ()
    assert np.array_equal(model.posterior_, quick().fit(*drifting()).posterior_)
    start, after = model.health_
    forgotten = start.remembered - after.remembered
    assert forgotten > 0.1
    assert model.reason_ == f"the network has forgotten {forgotten:.1%} of what the seeds say"
    with Ledger(path) as ledger:
        gone = [event for event in ledger.history() if event.kind == "rolled_back"]
        assert {str(event.name) for event in gone} == set(only.names)
        assert {event.payload["why"] for event in gone} == {model.reason_}
        assert {event.payload["round"] for event in gone} == {1}
        assert ledger.history()[-1].payload["settled"] == model.reason_


def test_rounds_before_it_stay() -> None:
    """One word a side at a time: the first are harmless, the network forgets by and by."""
    model = led_astray(batch=1, rounds=9, most_forgotten=0.1)
    *held, last = model.rounds_
    assert held
    assert last.rolled_back
    assert not any(own.rolled_back for own in held)
    assert [own.name for own in model.added_] == [name for own in held for name in own.names]
    assert "forgotten" in model.reason_
    assert model.health_[-1].remembered < model.health_[-2].remembered
    again = quick().fit(drifting()[0], model.program_)
    assert np.array_equal(model.posterior_, again.posterior_)


def test_what_was_taken_back_is_never_proposed_or_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    first = led_astray(path, batch=1, rounds=9)
    gone = {name.split("_")[1] for name in first.rounds_[-1].names}
    reviewer = Asked(Knows())
    model = led_astray(path, batch=1, rounds=20, budget=30, reviewer=reviewer)
    assert reviewer.questions
    assert not gone & set(reviewer.words)
    words = words_spoken_of(path)
    assert len(words) == len(set(words))
    assert model.rounds_[: len(first.rounds_)] == first.rounds_


def test_a_person_may_still_be_asked(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    model = led_astray(path, budget=2, reviewer=Knows())
    assert model.n_asked_ == 2
    settled = kinds(path).index("rolled_back")
    assert "proposed" in kinds(path)[settled:]


def test_what_the_guard_allows_is_kept() -> None:
    patient = led_astray(most_forgotten=1.0, rounds=1)
    assert not patient.rounds_[0].rolled_back
    assert len(patient.added_) == 10


def test_a_network_that_comes_to_prefer_one_label_is_a_symptom() -> None:
    settings = {"batch": 2, "borne_out": 0.0, "settled": 0.0}
    model = grown(leaning(), rounds=4, frequency=Frequency(floor=24, ceiling=0.6), **settings)
    first, second = model.rounds_
    assert second.rolled_back
    assert tuple(own.name for own in model.added_) == first.names
    shifted = model.health_[-1].imbalance - model.health_[0].imbalance
    assert f"prefers some labels to others by {shifted:.1%} more" in model.reason_


def test_seeds_that_are_mere_chance_are_no_yardstick(tmp_path: Path) -> None:
    """Learning would silence one of the labels; what is better than the seeds may outvote them."""
    path = tmp_path / "ledger.sqlite"
    settings: dict[str, Any] = {"dpl": tacit.DPL(rounds=1), "borne_out": 0.0, "frequency": OFTEN}
    model = grown(by_chance(), path, rounds=3, **settings)
    assert model.start_.label_model_.silenced_  # type: ignore[union-attr]
    assert model.health_[-1].remembered < model.health_[1].remembered - 0.03
    assert "forgotten" not in model.reason_
    assert {model.weights_[own.name] for own in by_chance()[1].evidence} == {2.2}
    assert same_model(model, grown(by_chance(), path, rounds=3, **settings))


SAID = {"island": "pos", "fog": "neg", "rain": "neg"}


def misled_by_answers(path: Path, **settings: Any) -> tacit.S4:
    """People say yes to a lure, so that the network no longer says all that the seeds do."""
    own = {"rounds": 3, "budget": 3, "frequency": OFTEN, "borne_out": 0.0, "settled": 0.0}
    led_astray(path, rounds=0)  # so that people are asked first
    return grown(drifting(), path, reviewer=Says(), **own | settings)


class Says:
    """One who has made up their mind."""

    def ask(self, question: Question) -> Answer:
        return Answer(question.id, SAID.get(question.feature, "reject"), "ann", NOON)


def test_a_round_is_not_blamed_for_what_answers_have_changed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    model = misled_by_answers(path)
    start, asked, first, *_ = model.health_
    limit = 0.03
    assert start.remembered - asked.remembered > limit  # told against the seeds, before any round
    assert start.remembered - first.remembered > limit
    held, *others = model.rounds_
    assert not held.rolled_back
    assert [own.rolled_back for own in others] == [True]  # but what follows is looked after
    assert "of what the seeds and the answers say" in model.reason_
    people = [own for own in model.added_ if own.origin.kind == "fal"]
    task, seeds = drifting()
    with Ledger(path) as ledger:
        assert Book(ledger, seeds, task).vouched_for.evidence == (*seeds.evidence, *people)
    assert same_model(model, misled_by_answers(path))


def test_a_round_that_makes_the_network_forget_answers_is_taken_back(tmp_path: Path) -> None:
    model = misled_by_answers(tmp_path / "ledger.sqlite", batch=2)
    (only,) = model.rounds_
    assert only.rolled_back
    assert "of what the seeds and the answers say" in model.reason_


def test_a_run_that_was_taken_back_resumes_as_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    assert same_model(led_astray(path), led_astray(path))
