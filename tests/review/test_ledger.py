"""The ledger only grows, loses nothing, and rebuilds the program."""

import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tacit.errors import BadFile, BadInput, DuplicateName, EngineFailed, NotFinite
from tacit.logic.evidence import Observed
from tacit.logic.program import Program
from tacit.review import Answer, Ledger, QuestionTaken, Stamp, replay
from tests.review.asking import SEED, STAMP, evidence, feature

FINE, DULL = feature("fine"), feature("dull")


@pytest.fixture
def ledger(tmp_path: Path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.review.asking", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def test_a_question_goes_its_way(ledger: Ledger) -> None:
    assert ledger.propose(FINE, STAMP)
    assert not ledger.propose(FINE, STAMP)
    ledger.propose(DULL, STAMP)
    assert ledger.asked_ids() == {FINE.id, DULL.id}
    assert ledger.next_question("ann", now=1) == FINE
    assert ledger.next_question("ann", now=2) == FINE  # a page that was reloaded
    assert ledger.next_question("bob", now=2) == DULL
    assert ledger.next_question("cem", now=2) is None
    answer = Answer(FINE.id, "reject", "ann", 3.0, "too vague")
    assert ledger.answer(answer) == answer
    assert ledger.rejected() == (FINE,)
    assert ledger.pending() == (DULL,)
    assert ledger.answers() == {FINE.id: answer}
    kinds = [event.kind for event in ledger.history()]
    assert kinds == ["proposed", "proposed", "asked", "asked", "answered"]
    assert ledger.history()[0].stamp == STAMP
    assert ledger.history()[-1].as_dict()["payload"]["note"] == "too vague"


def test_leases_exclude_and_end(ledger: Ledger) -> None:
    ledger.propose(FINE, STAMP)
    assert ledger.lease(FINE.id, "ann", now=0, until=10)
    assert not ledger.lease(FINE.id, "bob", now=9, until=20)
    with pytest.raises(QuestionTaken, match="being answered by ann"):
        ledger.answer(Answer(FINE.id, "pos", "bob", 9.0))
    assert ledger.lease(FINE.id, "bob", now=10, until=20)
    ledger.answer(Answer(FINE.id, "pos", "bob", 11.0))
    assert not ledger.lease(FINE.id, "ann", now=99, until=100)


def test_a_lease_is_renewed_when_half_its_time_is_gone(ledger: Ledger) -> None:
    ledger.propose(FINE, STAMP)
    for now in (0, 40, 60):
        assert ledger.next_question("ann", now=now, hold_s=100) == FINE
    assert [e.payload["until"] for e in ledger.history() if e.kind == "asked"] == [100, 160]


def test_answering_twice_is_once(ledger: Ledger) -> None:
    ledger.propose(FINE, STAMP)
    first = ledger.answer(Answer(FINE.id, "pos", "ann", 1.0))
    assert ledger.answer(Answer(FINE.id, "pos", "ann", 2.0)) == first
    for other in (Answer(FINE.id, "neg", "ann", 2.0), Answer(FINE.id, "pos", "bob", 2.0)):
        with pytest.raises(QuestionTaken, match="answered by ann: pos"):
            ledger.answer(other)
    with pytest.raises(BadInput, match="take_back"):
        ledger.answer(Answer(FINE.id, "undo", "ann", 2.0))
    with pytest.raises(BadInput, match="no question"):
        ledger.answer(Answer("nothing", "pos", "ann", 2.0))


def test_an_answer_taken_back_opens_the_question_and_removes_its_evidence(ledger: Ledger) -> None:
    seed = Program.parse(SEED)
    ledger.propose(FINE, STAMP)
    with pytest.raises(BadInput, match="no answer"):
        ledger.take_back(FINE.id, STAMP)
    for choice in ("neg", "pos"):
        ledger.answer(Answer(FINE.id, choice, "ann", 1.0))
        ledger.add(evidence("fine"), STAMP, question=FINE.id)
        assert [e.name for e in replay(ledger, seed).evidence] == ["praise", "fine"]
        assert ledger.last_answered("ann") == FINE.id
        ledger.take_back(FINE.id, STAMP)
        assert replay(ledger, seed) == seed
        assert ledger.pending() == (FINE,)
        assert ledger.last_answered("ann") is None


def test_replay_is_the_program_without_what_was_undone(ledger: Ledger) -> None:
    seed, twin = Program.parse(SEED), evidence("twin", 'ngram(r, "so so") => sentiment(r) = neg')
    ledger.start(seed, STAMP, {"budget": 20})
    for name in ("one", "two", "three", "four"):
        assert ledger.add(evidence(name), STAMP, health={"churn": 0.1})
    assert not ledger.add(evidence("one"), STAMP)
    with pytest.raises(DuplicateName, match="'one'"):
        ledger.add(evidence("one", 'token(r, "dull") => sentiment(r) = neg'), STAMP)
    ledger.add(twin, STAMP, declarations=[Observed("ngram", ("review", "words"))])
    ledger.undo("two", STAMP)
    ledger.roll_back("four", STAMP, {"why": "churn"})
    with pytest.raises(BadInput, match="did you mean 'three'"):
        ledger.undo("tree", STAMP)
    grown = replay(ledger)
    assert grown == replay(ledger, seed)
    assert [e.name for e in grown.evidence] == ["praise", "one", "three", "twin"]
    assert "ngram" in grown.observed
    assert Program.parse(grown.show()) == grown
    assert ledger.add(evidence("two"), STAMP)
    assert replay(ledger).evidence[-1].name == "two"


def test_without_a_start_the_seed_must_be_given(ledger: Ledger) -> None:
    with pytest.raises(BadInput, match="seed"):
        replay(ledger)


def test_nothing_can_be_changed_or_removed(ledger: Ledger) -> None:
    ledger.note("health", STAMP, {"churn": 0.5})
    other = sqlite3.connect(ledger.path)
    for statement in ("UPDATE events SET who = 'eve'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="ledger"):
            other.execute(statement)
    other.close()
    with pytest.raises(NotFinite, match="health"):
        ledger.note("health", STAMP, {"churn": float("nan")})
    with pytest.raises(BadInput, match="method of its own"):
        ledger.note("added", STAMP, {})


def test_the_file_itself_forbids_a_second_answer(ledger: Ledger) -> None:
    ledger.propose(FINE, STAMP)
    ledger.answer(Answer(FINE.id, "pos", "ann", 1.0))
    with pytest.raises(EngineFailed, match="UNIQUE"), ledger._file.writing():
        ledger._file.append("answered", STAMP, {}, question=FINE.id)
    assert len(ledger.answers()) == 1


def test_other_files_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are no events" * 100)
    with pytest.raises(BadFile, match="no ledger"):
        Ledger(text)
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE things (a)")
    other.close()
    with pytest.raises(BadFile, match="another database"):
        Ledger(tmp_path / "other.sqlite")
    with pytest.raises(BadFile, match="folder"):
        Ledger(tmp_path / "absent" / "ledger.sqlite")
    with pytest.raises(BadFile, match="there is no ledger"):
        Ledger(tmp_path / "absent.sqlite", create=False)
    assert not (tmp_path / "absent.sqlite").exists()


def test_a_ledger_from_the_future_is_refused(tmp_path: Path) -> None:
    Ledger(tmp_path / "new.sqlite").close()
    other = sqlite3.connect(tmp_path / "new.sqlite")
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(BadFile, match=r"schema 99[\s\S]*upgrade"):
        Ledger(tmp_path / "new.sqlite")


def test_a_file_that_is_held_for_long_is_told(ledger: Ledger) -> None:
    hasty = Ledger(ledger.path, patience_s=0.05)
    with ledger._file.writing(), pytest.raises(EngineFailed, match="locked"):
        hasty.propose(FINE, STAMP)
    hasty.close()


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    for number in range(12):
        ledger.propose(feature(f"word{number}"), STAMP)
    seen: list[str] = []

    def work(who: str) -> None:
        while question := ledger.next_question(who, now=1.0):
            seen.append(question.id)
            ledger.answer(Answer(question.id, "skip", who, 1.0))

    threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == len(set(seen)) == 12


def test_two_processes_answer_forty_questions_and_none_is_shown_twice(ledger: Ledger) -> None:
    questions = [feature(f"word{number}") for number in range(40)]
    for question in questions:
        ledger.propose(question, STAMP)
    both = [start("answer", ledger.path, who) for who in ("ann", "bob")]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    each = [process.communicate(timeout=60)[0].split() for process in both]
    assert all(each)
    seen = [*each[0], *each[1]]
    assert len(seen) == 40
    assert set(seen) == set(ledger.answers()) == {question.id for question in questions}
    asked = [event.question for event in ledger.history() if event.kind == "asked"]
    assert sorted(asked) == sorted(seen)


def check_kept(path: Path, told: list[str]) -> None:
    """All that was acknowledged is there, and the ledger goes on."""
    with Ledger(path) as ledger:
        kept = {f"{event.kind} {event.question}\n" for event in ledger.history()}
        assert set(told) <= kept
        added = sum(line.startswith("added") for line in kept)
        assert len(replay(ledger, Program.parse(SEED)).evidence) == 1 + added
        assert ledger.propose(feature("later"), Stamp("loop", 5.0))


@pytest.mark.parametrize("lines", [1, 30])
def test_a_killed_writer_loses_nothing_acknowledged(tmp_path: Path, lines: int) -> None:
    process = start("write", tmp_path / "ledger.sqlite")
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(lines)]
    process.send_signal(signal.SIGKILL)
    told += [line for line in process.stdout if line.endswith("\n")]
    process.wait()
    check_kept(tmp_path / "ledger.sqlite", told)


def test_killed_before_any_statement(tmp_path: Path) -> None:
    assert start("kill", tmp_path).wait(timeout=60) == 0
    told = sorted(tmp_path.glob("*.told"))
    assert len(told) > 40  # statements
    for path in told:
        lines = path.read_text().splitlines(keepends=True)
        check_kept(path.with_suffix(".sqlite"), lines)
