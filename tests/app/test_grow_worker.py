"""The worker of `tacit review` learns while people answer, and tells what it does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.app.one_at_a_time import holder, only_one
from tacit.review import Answer, Ledger, Stamp

from .conftest import Run
from .growing import RULES, WORDS, write_growing_project

ADDRESS = "http://127.0.0.1:8642/?token=abc"
NUMBERS = {"answered", "waiting", "budget", "rules", "learned", "round"}


@pytest.fixture
def growing(project: Path) -> Path:
    """A project whose rules can grow by a word of each label."""
    write_growing_project(project)
    with (project / "tacit.toml").open("a") as settings:
        settings.write("[grow]\nbatch = 1\nrounds = 1\n")
    return project


class Worker:
    """A worker in a process of its own, and what it has told so far."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tacit.app.grow.worker", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.told: list[dict[str, Any]] = []

    def lines(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(json.loads(line))
            yield self.told[-1]

    def until(self, state: str) -> dict[str, Any]:
        return next(line for line in self.lines() if line["state"] == state)

    def end(self) -> int:
        list(self.lines())
        return self.process.wait(timeout=60)


@pytest.fixture
def worker() -> Iterator[Any]:
    """Starts workers, and ends those that are left."""
    started: list[Worker] = []

    def start(*arguments: object) -> Worker:
        started.append(Worker(*arguments))
        return started[-1]

    yield start
    for own in started:
        own.process.kill()
        own.process.wait()
        for stream in (own.process.stdin, own.process.stdout, own.process.stderr):
            assert stream is not None
            stream.close()


def answer(page: Ledger, who: str = "ann") -> str:
    """Answer one question as an expert does."""
    question = page.next_question(who, now=time.time())
    assert question is not None
    known = {word: label for label, words in WORDS.items() for word in words}
    choice = known.get(question.feature, "reject")
    page.answer(Answer(question.id, choice, who, time.time()))
    return question.id


def test_people_answer_and_it_learns(run: Run, growing: Path, worker: Any) -> None:
    with only_one(growing / "ledger.sqlite", "review", what="tacit review", address=ADDRESS):
        own = worker(growing, "--budget", 4)
        first = own.until("asking")
        assert (first["answered"], first["waiting"], first["budget"]) == (0, 4, 4)
        with Ledger("ledger.sqlite") as page:
            assert len(page.pending()) == 4
            refused = run("grow", "--json")
            assert refused.code == 2
            told = refused.json["errors"][0]["message"]
            assert f"ledger.sqlite is being reviewed at {ADDRESS} by tacit review" in told
            undone = [answer(page) for _ in range(2)][-1]
            page.take_back(undone, Stamp("ann", time.time()))
            for who in ("ann", "bob", "ann"):
                answer(page, who)
            assert own.end() == 0
            assert page.n_answered == 4
            assert page.pending() == ()
            evidence = {str(event.question) for event in page.in_force().values()} - {"None"}
            assert evidence == {a.question for a in page.answers().values() if a.choice != "reject"}
    states = [line["state"] for line in own.told]
    assert list(dict.fromkeys(states)) == ["reading", "fitting", "asking", "finishing", "done"]
    assert all(line.keys() >= NUMBERS | {"state", "text", "time"} for line in own.told)
    done = own.told[-1]
    assert (done["answered"], done["waiting"], done["round"]) == (4, 0, 1)
    assert done["learned"] == len(run("grow", "--list", "--json").json["additions"])
    assert done["rules"] == done["learned"] + 2
    assert json.loads(Path("runs/s4-linear/record.json").read_text())["made"]["command"] == (
        f"tacit grow {growing} --reviewer queue --budget 4"
    )
    report = done["report"]
    assert (report["asked"], report["budget"], report["rounds"]) == (4, 4, 1)
    assert {one["who"] for one in report["questions"]} == {"ann", "bob"}
    program = tacit.Program.parse(Path("grown.tacit").read_text())
    assert program == tacit.load("runs/s4-linear").program_
    assert len(program.evidence) == done["rules"]
    assert holder(growing / "ledger.sqlite", "grow") is None
    assert (growing / "rules.tacit").read_text() == RULES


def test_it_ends_with_whoever_started_it_and_another_goes_on(growing: Path, worker: Any) -> None:
    own = worker(growing, "--budget", 2, "--ledger", "book.sqlite")
    own.until("asking")
    with Ledger("book.sqlite") as page:
        waiting = page.pending()
        answer(page)
        begun = time.perf_counter()
        assert own.process.stdin is not None
        own.process.stdin.close()
        assert own.process.wait(timeout=20) == 130
        assert time.perf_counter() - begun < 5
        assert holder(growing / "book.sqlite", "grow") is None
        next_one = worker(growing, "--budget", 2, "--ledger", "book.sqlite")
        line = next_one.until("asking")
        assert (line["answered"], line["waiting"]) == (1, 1)
        assert page.pending() == waiting[1:]
        next_one.process.send_signal(signal.SIGINT)  # Ctrl-C reaches all that a terminal has begun
        assert next_one.end() == 130
        assert next_one.process.stderr.read() == ""
    assert not Path("grown.tacit").exists()


def test_it_finishes_early_when_it_is_told_to_and_only_its_lines_are_on_its_output(
    growing: Path, worker: Any
) -> None:
    settings = (growing / "tacit.toml").read_text()
    (growing / "tacit.toml").write_text('python = "rules.py"\n' + settings)
    (growing / "rules.py").write_text(
        "import os, tacit\nprint('hello')\nos.system('echo from afar')\n"
        "@tacit.labelling_function()\ndef shouts(text):\n"
        '    return "neg" if "dull" in text else None\n'
    )
    own = worker(growing, "--budget", 5)
    own.until("asking")
    with Ledger("ledger.sqlite") as page:
        answer(page)
        own.process.stdin.write("finish\n")
        own.process.stdin.flush()
        assert own.end() == 0
        assert page.n_pending == 4
    assert own.told[-1]["state"] == "done"
    assert own.told[-1]["report"]["asked"] == 1
    assert "finishing" in [line["state"] for line in own.told]
    assert Path("grown.tacit").exists()
    assert {"hello", "from afar"} <= set(own.process.stderr.read().splitlines())


def test_what_goes_wrong_is_told_in_its_lines(growing: Path, worker: Any) -> None:
    (growing / "rules.tacit").write_text(RULES + "oops: 1.0 tokn(r, 3) => sentiment(r) = pos\n")
    own = worker(growing, "--budget", 2)
    assert own.end() == 2
    last = own.told[-1]
    assert last["state"] == "failed"
    assert "tokn" in last["text"]
    assert "did you mean 'token'" in last["remedy"]
    assert last["errors"][0]["line"] == 6
    assert own.process.stderr.read() == ""
