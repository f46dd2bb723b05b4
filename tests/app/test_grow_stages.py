"""`tacit grow` where another network learns in the end: how far it is, and after a kill."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.app.grow.lines import TerminalLines
from tacit.app.grow.worker import WorkerLines
from tacit.learning.checkpoints import rounds_done
from tacit.predictors.linear import Linear

from .conftest import Run
from .growing import write_growing_project
from .test_app_command import bare, on_terminal

KEPT = Path("runs/.s4-linear.grown.checkpoint")


@pytest.fixture
def growing(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose rules grow by single words, and whose network learns pairs in the end."""
    write_growing_project(project)
    with (project / "tacit.toml").open("a") as settings:
        settings.write("[grow]\nbatch = 1\nrounds = 1\n[fit]\nsettled = 0.0\n")
    first = Linear(ngrams=(1, 1))
    monkeypatch.setattr(Linear, "first_stage", lambda _: first, raising=False)
    return project


def test_a_killed_last_training_goes_on(
    run: Run, growing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learning, told = TerminalLines.learning, list[str]()

    def stopped(self: TerminalLines, done: int, total: int, what: str) -> None:
        learning(self, done, total, what)
        told.append(what)
        if "round 3" in what:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(TerminalLines, "learning", stopped)
        assert run("grow").code == 130
    assert told[0].startswith("round 1 of 3: loss ")
    assert rounds_done(KEPT) == 2
    assert run("grow", "--json").json["resumed"] > 1
    assert not KEPT.exists()
    assert run("grow", "--json", "--ledger", "whole.sqlite", "--out", "whole").code == 0
    one, other = tacit.load("runs/s4-linear"), tacit.load("whole")
    assert np.array_equal(one.posterior_, other.posterior_)


def test_what_was_learned_is_kept_until_it_is_saved_or_all_begins_anew(
    run: Run, growing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[str] = []
    monkeypatch.setattr(TerminalLines, "learning", lambda *given: rounds.append(given[-1][:7]))

    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tacit.app.grow.run.grow_report", stopped)
    for arguments, n_rounds in (((), 3), ((), 0), (("--fresh",), 3)):
        rounds.clear()
        assert run("grow", *arguments).code == 130
        assert rounds_done(KEPT) == 3
        assert len(set(rounds)) == n_rounds


def test_a_terminal_shows_how_far_the_last_training_is(growing: Path) -> None:
    shown = " ".join(bare(on_terminal("grow", cwd=growing, columns=100)))
    assert "learning from all that has grown, " in shown


def test_a_page_is_told_in_hundredths() -> None:
    output = io.StringIO()
    lines = WorkerLines(output)
    for done in (0, 1, 2, 30, 31, 1000):
        lines.learning(done, 1000, "round 1 of 1: loss 0.3")
    told = [json.loads(line) for line in output.getvalue().splitlines()]
    assert {one["state"] for one in told} == {"finishing"}
    assert [one["text"][-4:].strip(", ") for one in told] == ["0%", "3%", "100%"]
