"""The book of a run: replayed, undone, and refused where it is of another run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadInput
from tacit.learning.identity import program_fingerprint
from tacit.logic.evidence import EXPERT
from tacit.review import Event, Ledger, Stamp, replay
from tacit.s4.book import Book
from tacit.s4.programs import Programs
from tests.s4.corpora import (
    NOON,
    OFTEN,
    POS,
    Asked,
    GoesBy,
    Knows,
    drifting,
    grown,
    noon,
    one_round,
    quick,
    reviews,
    same_model,
    script,
    texts,
    told,
    words_spoken_of,
)
from tests.s4.killed_growth import CHOICES, TWO, grow, two_functions

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
BOB = Stamp("bob", NOON)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def book(path: Path, problem: Any = None) -> Book:
    task, program = problem or reviews()
    return Book(Ledger(path), program, task, noon)


def undo(path: Path, *names: str) -> tacit.Program:
    """Take evidence out, as a person does; what is left."""
    own = book(path)
    with own.ledger as ledger:
        for name in names:
            ledger.undo(name, BOB)
        return own.program


def test_the_program_is_replayed_from_the_ledger_alone(path: Path) -> None:
    settings = {"rounds": 3, "settled": 0.3, "budget": 4}
    model = grown(reviews(), path, reviewer=GoesBy(path, *CHOICES), **settings)
    with Ledger(path) as ledger:
        assert replay(ledger) == model.program_
        assert replay(ledger, reviews()[1]).show() == model.program_.show()
    assert tacit.Program.parse(model.program_.show()) == model.program_


@pytest.mark.parametrize("score", ["lift", "entropy"])
def test_every_line_that_was_added_tells_where_it_comes_from(score: str, path: Path) -> None:
    model = grown(reviews(), path, score=score, borne_out=0.0, budget=2, reviewer=Knows(), rounds=2)
    n_seeds = len(reviews()[1].evidence)
    assert all(own.origin == EXPERT for own in model.program_.evidence[:n_seeds])
    lines = model.program_.show().splitlines()
    rounds = {name: own.number for own in model.rounds_ for name in own.names}
    assert len(model.added_) == len(model.program_.evidence) - n_seeds >= 4
    for own in model.added_:
        facts = dict(own.origin.facts)
        (line,) = [line for line in lines if line.startswith(f"{own.name}:")]
        assert f"@ {own.origin.kind} score=" in line
        assert facts["proposed"] == "2001-09-09T01:46:40Z"
        assert isinstance(facts["score"], float)
        if own.origin.kind == "sst":
            assert facts["round"] == rounds[own.name]
        else:
            assert own.origin.kind == "fal"
            assert facts["by"] == "ann"
            assert facts["accepted"] == "2001-09-09T01:46:40Z"
            with Ledger(path) as ledger:
                assert ledger.answers()[str(facts["question"])].choice in own.name


def test_what_was_not_declared_is_declared_with_what_needs_it(path: Path) -> None:
    task, _ = two_functions()
    seed = tacit.Program.parse(TWO.replace("token(r, ", "kind(r, ").replace("superb", "clay"))
    assert "token" not in seed.observed
    model = grown((task, seed), path, rounds=1, borne_out=0.0, relations=("token",))
    assert "token" in model.program_.observed
    assert tacit.Program.parse(model.program_.show()) == model.program_
    own = book(path, (task, seed))
    with own.ledger as ledger:
        assert replay(ledger) == model.program_ == own.program
        for name in list(ledger.in_force()):
            ledger.undo(name, BOB)
        assert own.program == seed


def test_undoing_the_last_round_restores_what_was_before_exactly(path: Path) -> None:
    one, two = one_round(), grown(reviews(), path, rounds=2)
    assert not np.array_equal(one.posterior_, two.posterior_)
    left = undo(path, *two.rounds_[-1].names)
    assert left == one.program_
    assert left.show() == one.program_.show()
    again = quick().fit(reviews()[0], left)
    assert np.array_equal(again.posterior_, one.posterior_)
    new = ["gentle", "a slow film"]
    assert np.array_equal(again.predict_proba(new), one.predict_proba(new))


def test_undoing_an_answers_evidence_restores_what_was_before_exactly(path: Path) -> None:
    never = one_round()
    model = grown(reviews(), path, rounds=1, budget=1, reviewer=Knows())
    left = undo(path, model.added_[-1].name)
    assert left == never.program_
    assert np.array_equal(quick().fit(reviews()[0], left).posterior_, never.posterior_)


def test_undoing_all_restores_the_seeds(path: Path) -> None:
    model = grown(reviews(), path)
    assert undo(path, *(own.name for own in model.added_)) == reviews()[1]
    with Ledger(path) as ledger:
        assert ledger.in_force() == {}


def test_what_was_undone_is_never_proposed_again(path: Path) -> None:
    """Not though it is the best, and though self-training and a person go on to the very end."""
    first = grown(reviews(), path, rounds=1)
    undo(path, *first.rounds_[0].names)
    reviewer = Asked(script(*["skip"] * 99))
    after = grown(reviews(), path, rounds=9, budget=9, borne_out=0.0, reviewer=reviewer)
    gone = {name.split("_")[1] for name in first.rounds_[0].names}
    assert not gone & set(reviewer.words)
    assert not set(first.rounds_[0].names) & {own.name for own in after.added_}
    assert not any(f'"{word}"' in after.program_.show() for word in gone)
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


def test_after_an_undo_self_training_goes_on_without_a_guard_on_what_was_undone(path: Path) -> None:
    first = grown(reviews(), path, rounds=2)
    undo(path, first.rounds_[1].names[0])
    own = book(path)
    with own.ledger:
        assert own.last_round is None
        assert not own.is_settled
        assert len(own.rounds) == 2
    after = grown(reviews(), path, rounds=3)
    assert after.rounds_[:2] == first.rounds_
    assert first.rounds_[1].names[0] not in {one.name for one in after.added_}
    assert first.rounds_[1].names[1] in {one.name for one in after.added_}


def test_nothing_is_ever_spoken_of_twice(path: Path) -> None:
    """Rounds, a person of every kind, rounds that were taken back, undone evidence, all in one."""
    settings = {"batch": 1, "most_forgotten": 0.1, "frequency": OFTEN}
    first = grown(drifting(), path, rounds=9, **settings)
    assert first.rounds_[-1].rolled_back
    grown(drifting(), path, rounds=12, budget=4, reviewer=GoesBy(path, *CHOICES), **settings)
    own = book(path, drifting())
    with own.ledger as ledger:
        ledger.undo(list(ledger.in_force())[-1], BOB)
    grown(drifting(), path, rounds=30, budget=9, reviewer=script(*["skip"] * 99), **settings)
    words = words_spoken_of(path)
    assert len(words) == len(set(words)) > 8
    with Ledger(path) as ledger:
        names = [event.name for event in ledger.history() if event.kind == "added"]
    assert len(names) == len(set(names))


def test_a_ledger_of_another_program_is_refused(path: Path) -> None:
    task, program = reviews()
    grown((task, program), path, rounds=1)
    before = told(path)
    others = [
        program.without("neg_awful"),
        tacit.Program.parse(program.show().replace("2.2", "2.3")),
        one_round().program_,
    ]
    for other in others:
        with pytest.raises(BadInput, match="is of a run on another program") as refused:
            grown((task, other), path)
        assert str(path) in str(refused.value)
        assert "name another ledger" in str(refused.value)
    assert told(path) == before


def test_a_ledger_of_other_data_is_refused(path: Path) -> None:
    task, program = reviews()
    grown((task, program), path, rounds=1)
    before = told(path)
    changed = [*texts()[:-1], f"{texts()[-1]} again"]
    seeds = {"pos": [POS[0]], "neg": ["awful"]}
    other, same = tacit.text_classification(changed, labels=["neg", "pos"], keywords=seeds)
    assert same == program
    with pytest.raises(BadInput, match="is of a run on another data"):
        grown((other, program), path)
    assert told(path) == before
    twin, _ = tacit.text_classification(texts(), labels=["neg", "pos"], keywords=seeds)
    assert same_model(
        grown((task, program), path, rounds=1), grown((twin, program), path, rounds=1)
    )


def test_the_order_of_texts_makes_other_data(path: Path) -> None:
    grown(reviews(), path, rounds=0)
    seeds = {"pos": [POS[0]], "neg": ["awful"]}
    turned = tacit.text_classification(texts()[::-1], labels=["neg", "pos"], keywords=seeds)
    with pytest.raises(BadInput, match="another data"):
        grown(turned, path)


def test_a_book_tells_where_a_run_stands(path: Path) -> None:
    fresh = book(path)
    with fresh.ledger:
        assert fresh.program == reviews()[1]
        assert fresh.rounds == ()
        assert fresh.last_round is None
        assert fresh.health == ()
        assert fresh.reason == ""
        assert fresh.n_asked == 0
        assert fresh.open_questions == ()
        assert not fresh.is_settled
        assert not fresh.is_asking
        assert not fresh.not_taken_up
        assert not fresh.take_back("ann")
        assert [event.kind for event in fresh.ledger.history()] == ["started"]
    model = grown(reviews(), path, budget=1, reviewer=Knows())
    own = book(path)
    with own.ledger:
        assert own.program == model.program_
        assert own.rounds == model.rounds_
        assert own.n_asked == 1
        assert own.is_settled
        assert own.is_asking
        assert own.reason == model.reason_
        assert own.program_before(own.rounds[-1]) == own.program.without(*own.rounds[-1].names)


def test_programs_are_made_once_and_known_by_their_text(path: Path) -> None:
    """After every event: the program of `replay`, and its fingerprint without making it."""
    task, seeds = two_functions()
    grow(path, "two")
    with Ledger(path) as ledger:
        programs, n_different = Programs(seeds), set[str]()
        added: list[Event] = []
        for event in ledger.history():
            if event.kind == "added":
                added.append(event)
            told = programs.fingerprint(added)
            made = programs.of(added)
            assert told == program_fingerprint(made)
            assert programs.of(added) is made
            assert [own.name for own in made.evidence[len(seeds.evidence) :]] == [
                str(own.name) for own in added
            ]
            n_different.add(told)
        assert len(n_different) == len(added) + 1 > 3
        own = Book(ledger, seeds, task, noon)
        assert own.program == replay(ledger)
        assert own.program is own.program
