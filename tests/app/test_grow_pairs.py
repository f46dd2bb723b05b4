"""`tacit grow` with similar pairs: in the tables, the ledger, the grown program and the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.predictors.linear import Linear

from .conftest import Run
from .growing import write_growing_project


class Placing(Linear):
    """As if words had been embedded before, and the task had given them weights."""

    def adapted(self, inputs: Any) -> tuple[Any, Any]:
        before = self.prepare(inputs).matrix.toarray().astype(np.float32)
        assert self.coef_ is not None
        return before * np.abs(self.coef_).max(axis=1).astype(np.float32), before


Placing.__module__, Placing.__name__ = Linear.__module__, Linear.__name__  # saved as its kind


@pytest.fixture
def growing(project: Path) -> Path:
    """A project whose rules can grow by a word of each label, and by three pairs."""
    write_growing_project(project)
    with (project / "tacit.toml").open("a") as settings:
        settings.write("[grow]\nbatch = 1\nrounds = 1\npairs = 3\n")
    return project


@pytest.fixture
def pretrained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.predictors.linear.Linear", Placing)


def pairs(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in answer["additions"] if one["name"].startswith("alike_")]


def test_a_linear_network_is_refused_with_what_can(run: Run, growing: Path) -> None:
    answer = run("grow")
    assert answer.code == 2
    assert "pairs=3 needs a predictor that was pretrained; this is: linear" in answer.err
    assert "transformer" in answer.err


@pytest.mark.usefixtures("pretrained")
def test_pairs_are_shown_listed_written_and_recorded(run: Run, growing: Path) -> None:
    shown = run("grow")
    assert shown.code == 0, shown.err
    (line,) = [line for line in shown.out.splitlines() if line.split()[:2] == ["1", "alike"]]
    found = pairs(run("grow", "--list", "--json").json)
    assert len(found) == 3
    for one in found:
        first, second = one["words"].split(" = ")
        assert one["words"] in line
        assert one["name"] == f"alike_{first}_{second}"
        assert one["formula"] == f'sentiment("{first}") = sentiment("{second}")'
        assert (one["function"], one["label"], one["round"]) == ("sentiment", "", 1)
    program = tacit.Program.parse((growing / "grown.tacit").read_text())
    assert program == tacit.load("runs/s4-linear").program_
    assert {one["name"] for one in found} < {one.name for one in program.evidence}
    record = json.loads((growing / "runs/s4-linear/record.json").read_text())
    assert len(pairs(record)) == 3
    assert [one["rules"] for one in record["snapshots"]] == [2, 7]
    assert run("report", "runs/s4-linear", "--out", "report.html").code == 0


@pytest.mark.usefixtures("pretrained")
def test_a_pair_is_undone_and_does_not_come_back(run: Run, growing: Path) -> None:
    before = pairs(run("grow", "--json").json)
    name = before[0]["name"]
    assert run("grow", "--undo", name).code == 0
    assert name not in (growing / "grown.tacit").read_text()
    after = run("grow", "--rounds", 2, "--json").json
    assert [one["state"] for one in pairs(after)].count("undone") == 1
    words = [frozenset(one["words"].split(" = ")) for one in pairs(after)]
    assert len(set(words)) == len(words) > 3
