"""Several questions wait at a time: for people who answer in whatever order, while it learns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.review import Answer, Ledger, Question, QueueReviewer, ReviewerLeft, Stamp, replay
from tacit.s4.run import Run
from tests.s4.corpora import (
    NOON,
    OFTEN,
    SETTINGS,
    Asked,
    Knows,
    grown,
    kinds,
    noon,
    one_round,
    quick,
    reviews,
    script,
    told,
    words_spoken_of,
)

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
BOB = Stamp("bob", NOON)
SAYS = Knows().says


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


class Ahead:
    """People who see some questions at a time, and answer the last of them first."""

    def __init__(self, ahead: int, says: Callable[[Question], str] = SAYS) -> None:
        self.ahead, self.says = ahead, says
        self.seen: list[list[str]] = []
        self.asked: dict[str, Question] = {}

    def ask(self, question: Question) -> Answer:
        return self.ask_any([question])

    def ask_any(self, questions: Any) -> Answer:
        self.seen.append([own.feature for own in questions])
        self.asked |= {own.feature: own for own in questions}
        last = questions[-1]
        return Answer(last.id, self.says(last), "ann", NOON)


def asked_of(reviewer: Any, path: Path | None = None, **settings: Any) -> tacit.S4:
    return grown(reviews(), path, **{"rounds": 1, "budget": 5, "reviewer": reviewer} | settings)


@pytest.mark.parametrize("ahead", [1, 2, 3, 9])
def test_so_many_questions_wait_and_never_more_than_may_be_answered(ahead: int, path: Path) -> None:
    people = Ahead(ahead)
    model = asked_of(people, path, frequency=OFTEN)
    assert [len(own) for own in people.seen] == [min(ahead, left) for left in (5, 4, 3, 2, 1)]
    assert model.n_asked_ == 5
    assert len(words_spoken_of(path)) == len(set(words_spoken_of(path)))
    with Ledger(path) as ledger:
        assert ledger.pending() == ()
        assert replay(ledger) == model.program_


def test_one_at_a_time_is_as_ever(tmp_path: Path) -> None:
    """The same questions in the same order, and the same ledger, whatever can be asked ahead."""
    paths = [tmp_path / f"{n}.sqlite" for n in range(2)]
    asked = Asked(Knows())
    one, other = asked_of(asked, paths[0]), asked_of(Ahead(1), paths[1])
    assert told(paths[0]) == told(paths[1])
    assert np.array_equal(one.posterior_, other.posterior_)


def test_labels_come_in_turn_before_any_answer_is_given() -> None:
    people = Ahead(4)
    asked_of(people, budget=4)
    guesses = [people.asked[word].guess for word in people.seen[0]]
    assert guesses in (["neg", "pos"] * 2, ["pos", "neg"] * 2)


def test_what_is_skipped_makes_room_for_another(path: Path) -> None:
    people = Ahead(3, lambda question: "skip")
    model = asked_of(people, path, budget=3, frequency=OFTEN)
    assert model.n_asked_ == 0
    assert {len(own) for own in people.seen[:-2]} == {3}
    assert [len(own) for own in people.seen[-2:]] == [2, 1]  # there is nothing else to ask about
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_answers_are_learned_from_every_few_questions(path: Path, at_once: int) -> None:
    found, put = list[int](), Run.question

    def noted(self: Run, model: tacit.DPL, *chosen: Any) -> Question:
        found.append(sum(own.origin.kind == "fal" for own in model.program_.evidence))
        return put(self, model, *chosen)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "question", noted)
        asked_of(Ahead(2), path, budget=6, at_once=at_once)
    # The first two were chosen before any answer, and then one after each answer.
    known = [0, 0, *range(1, 5)]
    assert found == [n // at_once * at_once for n in known]


def test_a_run_goes_on_with_the_questions_that_wait(path: Path) -> None:
    class Leaves(Ahead):
        def ask_any(self, questions: Any) -> Answer:
            if len(self.seen) == 2:
                raise ReviewerLeft("not now")
            return super().ask_any(questions)

    first = Leaves(3)
    asked_of(first, path)
    with Ledger(path) as ledger:
        waiting = [own.feature for own in ledger.pending()]
    assert len(waiting) == 3
    later = Ahead(3)
    model = asked_of(later, path)
    assert later.seen[0] == waiting
    assert model.n_asked_ == 5
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


def test_a_script_after_a_queue_takes_the_oldest_that_waits(path: Path) -> None:
    with Ledger(path) as ledger:
        asked_of(QueueReviewer(ledger, ahead=3, clock=noon), path, budget=3)
        waiting = [own.feature for own in ledger.pending()]
    asked = Asked(script("reject", "reject", "reject"))
    asked_of(asked, path, budget=3)
    assert asked.words == waiting


# Others answer, and change their minds, while it learns.


def answered(page: Ledger, who: str = "bob") -> Question | None:
    question = page.next_question(who, now=NOON)
    if question is not None:
        page.answer(Answer(question.id, Knows().says(question), who, NOON))
    return question


def test_people_answer_while_a_fit_runs(path: Path) -> None:
    """All that wait are answered when learning has just begun: nothing is lost or asked again."""
    with Ledger(path) as ledger, Ledger(path) as page:
        n_during: list[int] = []

        def before_fit(program: tacit.Program) -> None:
            n_during.append(sum(answered(page) is not None for _ in range(9)))

        queue = QueueReviewer(ledger, ahead=3, wait_s=9, clock=noon)
        queue.sleep = lambda _: answered(page) and None
        model = tacit.S4(**settings(budget=8, at_once=2, reviewer=queue, frequency=OFTEN))
        model.fit(*reviews(), ledger=ledger, clock=noon, before_fit=before_fit)
        assert max(n_during) >= 2
        assert model.n_asked_ == ledger.n_answered == 8
        said_yes = [a.question for a in ledger.answers().values() if a.choice != "reject"]
        brought = [event.question for event in ledger.in_force().values() if event.question]
        assert sorted(brought) == sorted(said_yes)
        assert {own.name for own in model.added_} == set(ledger.in_force())
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


def settings(**more: Any) -> dict[str, Any]:
    return {"dpl": quick()} | SETTINGS | {"rounds": 1} | more


def test_an_answer_taken_back_on_the_page_takes_its_evidence_out(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path) as page:
        steps = iter(["answer", "undo", "answer otherwise", "answer"])
        first: list[Question] = []

        def person(_: float) -> None:
            step = next(steps)
            if step == "undo":
                page.take_back(first[0].id, BOB)
                assert page.in_force().keys() == before.keys()
            elif step == "answer otherwise":
                assert page.next_question("bob", now=NOON) == first[0]  # open again, the oldest
                page.answer(Answer(first[0].id, "reject", "bob", NOON))
            else:
                question = answered(page)
                assert question is not None
                first.append(question)

        before = {name: None for own in one_round().rounds_ for name in own.names}
        queue = QueueReviewer(ledger, ahead=2, wait_s=9, clock=noon, sleep=person)
        model = asked_of(queue, path, budget=2)
        assert model.n_asked_ == 2
        assert ledger.answer_to(first[0].id) == Answer(first[0].id, "reject", "bob", NOON)
        by_people = [own for own in model.added_ if own.origin.kind == "fal"]
        assert [dict(own.origin.facts)["question"] for own in by_people] == [first[1].id]


def test_an_answer_taken_back_while_it_learns_for_the_last_time_is_asked_for_again(
    path: Path,
) -> None:
    with Ledger(path) as ledger, Ledger(path) as page:
        done: list[str] = []

        def before_fit(program: tacit.Program) -> None:
            if not done and page.n_answered == 2:  # the budget is spent
                last = page.last_answered("bob")
                assert last is not None
                page.take_back(last, BOB)
                done.append(last)

        queue = QueueReviewer(ledger, ahead=2, wait_s=9, clock=noon)
        queue.sleep = lambda _: answered(page) and None
        model = tacit.S4(**settings(budget=2, reviewer=queue))
        model.fit(*reviews(), ledger=ledger, clock=noon, before_fit=before_fit)
        assert done
        assert kinds(path).count("undone") == 1
        assert model.n_asked_ == 2
        questions = [dict(own.origin.facts).get("question") for own in model.added_]
        assert done[0] in questions
        assert len([own for own in questions if own]) == 2


def test_those_who_stop_leave_what_waits(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path) as page:
        n_answered: list[object] = []
        queue = QueueReviewer(
            ledger, wait_s=float("inf"), stop=lambda: len(n_answered) == 2, clock=noon
        )
        queue.sleep = lambda _: n_answered.append(answered(page))
        model = asked_of(queue, path, budget=5)
        assert model.n_asked_ == 2
        assert ledger.n_pending == 3
        assert model.program_ == replay(ledger)
