"""`tacit demo`: the sample reviews from rules to labels."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from .conftest import Run, run_command
from .test_app_command import bare, on_terminal

METHODS = [
    "majority vote, six seed words",
    "majority vote, all rules",
    "label model, six seed words",
    "label model, all rules",
    "DPL, six seed words",
    "DPL, all rules",
]


def test_dpl_beats_the_label_model_which_beats_majority_vote(run: Run) -> None:
    begun = time.perf_counter()
    answer = run("demo", "--json")
    assert time.perf_counter() - begun < 20  # 4 s on an idle machine
    assert answer.code == 0
    assert all(line.startswith("  note: ") for line in answer.err.splitlines())
    assert answer.json.keys() == {"ok", "errors", "scores", "seconds"}
    assert answer.json["ok"] is True
    scores = {score["method"]: score for score in answer.json["scores"]}
    assert list(scores) == METHODS
    for score in scores.values():
        assert score.keys() == {"method", "train", "test", "coverage"}
        assert all(0 < score[key] <= 1 for key in ("train", "test", "coverage"))
    assert scores["label model, all rules"]["test"] > scores["majority vote, all rules"]["test"]
    assert scores["DPL, all rules"]["test"] > scores["label model, all rules"]["test"] + 0.05


def test_the_text_names_every_method(tmp_path: Path) -> None:
    answer = run_command("demo", cwd=tmp_path)
    assert answer.code == 0
    assert all(line.startswith("  note: ") for line in answer.err.splitlines())
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    for method in METHODS:
        (line,) = [line for line in lines if line.startswith(f"  {method}  ")]
        assert line.count(" %") == 3
    assert "What the rules say\n  formula     groundings  reviews touched\n" in answer.out
    assert "2,000 reviews, no label seen" in lines[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("columns", [60, 80])
def test_a_terminal_gets_lines_that_fit(tmp_path: Path, columns: int) -> None:
    lines = bare(on_terminal("demo", cwd=tmp_path, columns=columns))
    assert max(map(len, lines)) <= columns
    assert all(any(method in line for line in lines) for method in METHODS)
