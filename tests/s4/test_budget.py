"""The budget of questions: never exceeded, whatever is skipped, taken back or left behind."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.review import Answer, Ledger, Question, QuestionTaken, QueueReviewer, Stamp, replay
from tests.s4.corpora import NOON, OFTEN, Knows, grown, noon, reviews, words_spoken_of

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
BOB = Stamp("bob", NOON)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def shown(page: Ledger, who: str = "bob") -> Question:
    question = page.next_question(who, now=NOON)
    assert question is not None
    return question


def say(page: Ledger, question: Question, choice: str = "", who: str = "bob") -> None:
    page.answer(Answer(question.id, choice or Knows().says(question), who, NOON))


def asked_by_queue(ledger: Ledger, person: Any, **settings: Any) -> tacit.S4:
    """A run whose questions are answered whenever it sleeps."""
    queue = QueueReviewer(ledger, ahead=2, wait_s=9, clock=noon, sleep=lambda _: person())
    return grown(reviews(), ledger, rounds=0, reviewer=queue, frequency=OFTEN, **settings)


def test_a_skip_that_is_taken_back_when_the_budget_is_full_buys_no_answer(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path, most_answers=3) as page:
        skipped: list[Question] = []

        def skip() -> None:
            skipped.append(shown(page))
            say(page, skipped[0], "skip")

        def regret() -> None:
            assert page.n_answered + page.n_pending == 3
            page.take_back(skipped[0].id, BOB)
            assert page.n_answered + page.n_pending == 4
            assert shown(page) == skipped[0]
            say(page, skipped[0])

        steps = iter([skip, lambda: say(page, shown(page)), regret])

        def person() -> None:
            next(steps, lambda: say(page, shown(page)))()

        model = asked_by_queue(ledger, person, budget=3)
        assert model.n_asked_ == ledger.n_answered == 3
        assert model.program_ == replay(ledger)
        assert ledger.n_pending == 1
        left = ledger.pending()[0]
        assert page.next_question("bob", now=NOON) is None
        assert not page.lease(left.id, "bob", now=NOON, until=NOON + 9)
        with pytest.raises(QuestionTaken, match="all 3 are given"):
            say(page, left)
        # With a larger budget, the question that was left is the next.
        more = asked_by_queue(ledger, lambda: say(ledger, shown(ledger)), budget=4)
        assert more.n_asked_ == 4
        assert ledger.answer_to(left.id) is not None
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


def test_the_last_answer_is_for_whoever_looks_at_its_question(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path, most_answers=1) as page:
        for word in ("slow", "warm"):
            ledger.propose(_about(word), BOB)
        mine = shown(page, "ann")
        assert page.next_question("bob", now=NOON) is None
        assert shown(page, "ann") == mine  # again
        assert page.next_question("bob", now=NOON + 1e6) is not None  # she has left
        say(page, mine, "skip", "bob")
        assert page.n_answered == 0
        assert page.next_question("ann", now=NOON + 1e6) == _about("warm")
        with pytest.raises(QuestionTaken, match="answered by ann"):
            page.answer(Answer(_about("warm").id, "pos", "bob", NOON + 1e6))


def _about(word: str) -> Question:
    from tests.s4.test_races import question

    return question(word)


@pytest.mark.parametrize("seed", range(4))
def test_people_who_do_anything_never_exceed_it(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    budget = 5
    with Ledger(path) as ledger, Ledger(path, most_answers=budget) as page:

        def act() -> None:
            who = rng.choice(["ann", "bob"])
            last = page.last_answered(who)
            if last is not None and rng.random() < 0.4:
                page.take_back(last, Stamp(who, NOON))
            elif (question := page.next_question(who, now=NOON)) is not None:
                say(page, question, rng.choice(["", "", "reject", "skip"]), who)
            assert page.n_answered <= budget

        n_calls = [0]

        def person() -> None:
            n_calls[0] += 1
            if n_calls[0] > 40:  # from now on they only answer
                for who in ("ann", "bob"):
                    if (question := page.next_question(who, now=NOON)) is not None:
                        say(page, question, who=who)
            else:
                act()

        model = asked_by_queue(ledger, person, budget=budget, at_once=2)
        nothing_left = ledger.n_pending == 0 and model.n_asked_ < budget
        assert model.n_asked_ == budget or nothing_left
        assert model.program_ == replay(ledger)
        said = [a.question for a in ledger.answers().values() if a.choice in ("neg", "pos")]
        assert sorted(said) == sorted(str(e.question) for e in ledger.in_force().values())
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


def test_a_question_that_someone_left_on_a_page_can_be_answered_elsewhere(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path) as page:
        queue = QueueReviewer(ledger, ahead=3, clock=noon)
        grown(reviews(), ledger, rounds=0, budget=2, reviewer=queue)
        held = shown(page, "cem")  # who then closes the page
        model = grown(reviews(), ledger, rounds=0, budget=2, reviewer=Knows())
        assert model.n_asked_ == 2
        answer = ledger.answer_to(held.id)
        assert answer is not None
        assert answer.who == "ann"
        # On a page it is theirs for as long as they are waited for.
        page.propose(_about("new"), BOB)
        assert page.lease(_about("new").id, "cem", now=NOON, until=NOON + 9)
        with pytest.raises(QuestionTaken, match="answered by cem"):
            say(page, _about("new"), who="bob")
