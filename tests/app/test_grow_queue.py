"""`tacit grow --reviewer queue`: the questions are answered elsewhere."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tacit.app.one_at_a_time import only_one
from tacit.review import Ledger

from .conftest import Run, command
from .growing import write_growing_project
from .test_grow_worker import answer


@pytest.fixture
def growing(project: Path) -> Path:
    """A project whose rules can grow by a word of each label."""
    write_growing_project(project)
    with (project / "tacit.toml").open("a") as settings:
        settings.write("[grow]\nbatch = 1\nrounds = 1\n")
    return project


def questions(path: Path, n: int) -> None:
    """Wait until so many questions are in the queue."""
    for _ in range(600):
        if path.exists():
            with Ledger(path) as ledger:
                if ledger.n_pending == n:
                    return
        time.sleep(0.05)
    pytest.fail("nothing was asked")


def test_answers_come_by_the_ledger(growing: Path) -> None:
    process = command("grow", "--reviewer", "queue", "--budget", 3, "--json", cwd=growing)
    questions(growing / "ledger.sqlite", 3)
    with Ledger(growing / "ledger.sqlite") as page:
        for who in ("ann", "bob", "ann"):
            answer(page, who)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert [one["who"] for one in json.loads(out)["questions"]] == ["ann", "bob", "ann"]
    assert json.loads(out)["asked"] == 3


def test_ctrl_c_ends_the_wait(run: Run, growing: Path) -> None:
    book = "book.sqlite"
    process = command("grow", "--reviewer", "queue", "--budget", 2, "--ledger", book, cwd=growing)
    questions(growing / book, 2)
    with Ledger(growing / book) as page:
        answer(page)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    lines = err.splitlines()
    told = f"2 questions in the queue; answer them with tacit review --ledger {book}"
    assert f"  note: {told}" in lines
    assert lines[-1] == "interrupted"
    assert f"all rounds and answers so far are in {book}" in lines[-2]
    after = run("grow", "--ledger", book, "--json").json  # nobody is asked, and nothing was lost
    assert (after["asked"], after["waiting"]) == (1, True)
    assert not list(growing.glob(".*"))


def test_two_do_not_learn_into_one_ledger(run: Run, growing: Path) -> None:
    with only_one(growing / "ledger.sqlite", "grow", what="tacit grow"):
        for arguments in ([], ["--fresh"], ["--ledger", growing / "ledger.sqlite"]):
            refused = run("grow", *arguments)
            assert refused.code == 2
            assert "ledger.sqlite is in use by tacit grow (process" in refused.err
        assert run("grow", "--ledger", "other.sqlite", "--rounds", 0).code == 0
    assert not (growing / "ledger.sqlite").exists()
    assert run("grow", "--rounds", 0).code == 0
