"""`tacit demo`: the sample reviews from rules to labels. It is made once, as it takes a while."""

from __future__ import annotations

import io
from contextlib import chdir

import pytest
from rich.console import Console

from tacit.app import demo as demo_module
from tacit.app.console import warnings_as_notes
from tacit.app.demo import Demo, make_demo, print_demo

from .conftest import Run
from .test_app_command import bare

METHODS = [
    "majority vote, six seed words",
    "majority vote, all rules",
    "label model, six seed words",
    "label model, all rules",
    "DPL, all rules",
    "DPL, six seed words",
    "S4, six seed words",
    "S4, six words, 20 questions",
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo, made in a folder that must stay empty."""
    folder = tmp_path_factory.mktemp("demo")
    with chdir(folder), warnings_as_notes():
        made = make_demo()
    assert [*folder.iterdir()] == []
    return made


@pytest.fixture
def made(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds the demo made already."""
    monkeypatch.setattr(demo_module, "make_demo", lambda: demo)


def test_each_step_beats_the_one_before(demo: Demo) -> None:
    assert demo.seconds < 110  # 20 s on an idle machine
    test = {score.method: score.test for score in demo.scores}
    assert test["label model, all rules"] > test["majority vote, all rules"]
    assert test["DPL, all rules"] > test["label model, all rules"] + 0.05
    assert test["DPL, six seed words"] > test["label model, six seed words"] + 0.1
    assert test["S4, six seed words"] > test["DPL, six seed words"] + 0.02
    assert test["S4, six words, 20 questions"] > test["DPL, six seed words"] + 0.02


def test_json_has_scores_and_what_was_learned(run: Run, made: None) -> None:
    answer = run("demo", "--json")
    assert answer.code == 0
    assert answer.json.keys() == {"ok", "errors", "scores", "learned", "questions", "seconds"}
    assert answer.json["ok"] is True
    scores = {score["method"]: score for score in answer.json["scores"]}
    assert list(scores) == METHODS
    for score in scores.values():
        assert score.keys() == {"method", "train", "test", "coverage"}
        assert all(0 < score[key] <= 1 for key in ("train", "test", "coverage"))
    assert {one["label"] for one in answer.json["learned"]} == {"neg", "pos"}
    assert len(answer.json["questions"]) == 20


def test_the_text_names_every_method(run: Run, made: None, demo: Demo) -> None:
    answer = run("demo")
    assert answer.code == 0
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    for method in METHODS:
        (line,) = [line for line in lines if line.startswith(f"  {method}  ")]
        assert line.count(" %") == 3
    assert "What the rules say\n  formula     groundings  reviews touched\n" in answer.out
    assert "that list was chosen with the gold labels of the training reviews in view" in answer.out
    assert "2,000 reviews, no label learned from" in lines[-1]


def test_words_are_told_in_their_order_and_marked(run: Run, made: None, demo: Demo) -> None:
    out = run("demo").out
    for label in ("neg", "pos"):
        own = [one for one in demo.grown.learned if one.label == label]
        said = [f"*{one.words}" if one.round is None else one.words for one in own]
        marked = [
            f"({w})" if one.state != "in force" else w for w, one in zip(said, own, strict=True)
        ]
        assert f"  {label}    {', '.join(marked)}\n" in out


@pytest.mark.parametrize("columns", [60, 80])
def test_a_terminal_gets_lines_that_fit(demo: Demo, columns: int) -> None:
    shown = io.StringIO()
    print_demo(Console(file=shown, width=columns, force_terminal=True, highlight=False), demo)
    lines = bare(shown.getvalue())
    assert max(map(len, lines)) <= columns
    assert all(any(method in line for line in lines) for method in METHODS)
