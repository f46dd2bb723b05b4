"""People answer and change their minds while a run takes their answers up."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tacit.errors import BadInput
from tacit.logic.evidence import Evidence
from tacit.review import Answer, Ledger, Question, Stamp
from tacit.s4.asking import offered
from tacit.s4.book import Book
from tests.review.asking import feature as question_about
from tests.s4.corpora import NOON, grown, noon, reviews

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
BOB = Stamp("bob", NOON)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def question(word: str) -> Question:
    """A question about a word, in terms of the reviews."""
    plain = question_about(word).as_dict()
    for offer in plain["offers"]:
        offer["formula"] = f'token(d, "{word}") => y(d) = {offer["label"]}'
    return Question.from_dict(plain | {"function": "y"})


def chosen(book: Book, asked: Question, answer: Answer, name: str) -> Evidence:
    found = offered(asked, book.known)[asked.labels.index(answer.choice)]
    return Evidence(name, found.formula, found.weight)


def book_of(ledger: Ledger) -> Book:
    task, program = reviews()
    return Book(ledger, program, task, noon)


def test_an_answer_that_was_taken_back_meanwhile_brings_nothing(path: Path) -> None:
    asked = question("slow")
    with Ledger(path) as ledger, Ledger(path) as page:
        book = book_of(ledger)
        book.put(asked)
        page.answer(Answer(asked.id, "neg", "bob", NOON))
        (event,) = book.not_taken_up
        answer = Answer.from_dict(event.payload)
        page.take_back(asked.id, BOB)  # at the worst moment
        before = ledger.history()
        assert not book.take(answer, chosen(book, asked, answer, "neg_slow"), event.turn)
        assert ledger.history() == before
        assert book.not_taken_up == ()
        assert book.open_questions == (asked,)
        # The same answer again, at the same time, is another one.
        page.answer(answer)
        assert not book.take(answer, chosen(book, asked, answer, "neg_slow"), event.turn)
        (event,) = book.not_taken_up
        assert book.take(answer, chosen(book, asked, answer, "neg_slow"), event.turn)
        assert set(ledger.in_force()) == {"neg_slow"}


def test_an_answer_that_another_one_has_given_meanwhile_is_not_overruled(path: Path) -> None:
    asked = question("slow")
    with Ledger(path) as ledger:
        book = book_of(ledger)
        book.put(asked)
        ledger.answer(Answer(asked.id, "reject", "bob", NOON))
        late = Answer(asked.id, "neg", "ann", NOON)
        assert not book.take(late, chosen(book, asked, late, "neg_slow"), 0)
        assert ledger.in_force() == {}
        assert ledger.answer_to(asked.id) == Answer(asked.id, "reject", "bob", NOON)


def test_evidence_goes_with_its_answer_and_the_question_may_be_answered_otherwise(
    path: Path,
) -> None:
    asked = question("slow")
    with Ledger(path) as ledger, Ledger(path) as page:
        book = book_of(ledger)
        book.put(asked)
        for turn, choice in enumerate(("neg", "pos")):
            answer = Answer(asked.id, choice, "bob", NOON)
            page.answer(answer)
            assert book.take(answer, chosen(book, asked, answer, f"{choice}_slow"), turn)
            assert [own.name for own in book.program.evidence[2:]] == [f"{choice}_slow"]
            page.take_back(asked.id, BOB)
            assert book.program == reviews()[1]
            assert page.pending() == (asked,)
        page.answer(Answer(asked.id, "reject", "bob", NOON))
        assert book.not_taken_up == ()


def test_a_rule_that_a_person_took_out_meanwhile_is_not_rolled_back_too(path: Path) -> None:
    model = grown(reviews(), path, rounds=1, batch=2)
    with Ledger(path) as ledger:
        book = book_of(ledger)
        last = book.last_round
        assert last is not None
        ledger.undo(last.names[0], BOB)
        assert len(book.program_before(last).evidence) == 2
        book.roll_back(last, "it led astray", model.health_[-1])
        assert ledger.in_force() == {}
        with pytest.raises(BadInput):
            ledger.roll_back(last.names[0], BOB)


def test_two_processes_hammer_while_one_takes_up(path: Path) -> None:
    root = Path(__file__).parents[2]
    asked = {own.id: own for own in (question(f"word{k}") for k in range(6))}
    with Ledger(path) as ledger:
        book = book_of(ledger)
        for own in asked.values():
            book.put(own)
        people = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.s4.hammering", str(path), who],
                cwd=root,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for who in ("bob", "cem")
        ]
        taken, is_enough, until = 0, False, time.monotonic() + 60
        while any(person.poll() is None for person in people) or book.not_taken_up:
            for event in book.not_taken_up:
                answer = Answer.from_dict(event.payload)
                name = f"e{event.sequence}"
                brings = chosen(book, asked[answer.question], answer, name)
                time.sleep(0.002)  # as long as it takes to make evidence of a longer formula
                taken += book.take(answer, brings, event.turn)
            both = {event.stamp.who for event in ledger.history()} >= {"bob", "cem"}
            if not is_enough and ((both and taken > 9) or time.monotonic() > until):
                is_enough = True
                for person in people:
                    assert person.stdin is not None
                    person.stdin.write("enough\n")
                    person.stdin.flush()
        given = sum(int(person.communicate()[0]) for person in people)
        assert taken > 9
        assert_evidence_follows_answers(ledger, given)


def assert_evidence_follows_answers(ledger: Ledger, n_given: int) -> None:
    """Evidence was added only while its answer stood, once for each answer, for its label."""
    stands: dict[str | None, str] = {}
    brought: dict[str | None, str] = {}
    n_answers = 0
    for event in ledger.history():
        if event.kind == "answered":
            assert event.question not in stands
            stands[event.question] = event.payload["choice"]
            n_answers += 1
        elif event.kind == "undone":
            del stands[event.question]
            brought.pop(event.question, None)
        elif event.kind == "added":
            assert event.question not in brought
            brought[event.question] = str(event.name)
            assert event.payload["text"].endswith(f"= {stands[event.question]}")
    assert n_answers == n_given  # no answer was recorded that nobody gave
    assert {str(own.name) for own in ledger.in_force().values()} == set(brought.values())
    yes = {key for key, choice in stands.items() if choice != "reject"}
    assert yes == set(brought)
