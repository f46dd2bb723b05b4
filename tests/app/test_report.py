"""`tacit report`: from a run to one file."""

from __future__ import annotations

import json
import os
import webbrowser
from dataclasses import replace
from pathlib import Path

import pytest

from tacit.learning.saving import RUN, check_target
from tacit.report.record import RECORD, RunRecord, record_text
from tests.report.records_for_tests import bare_record, example_record

from .conftest import Run
from .test_fit import TEXTS


@pytest.fixture
def runs(project: Path) -> Path:
    """A project with two runs, of which the second is newer, and what a killed one has left."""
    write(project / "runs" / "linear", bare_record(), age=100)
    write(project / "runs" / "s4-linear", example_record(), age=50)
    write(project / "runs" / ".linear.partial", bare_record(), age=0)
    return project


def write(folder: Path, record: RunRecord, *, age: int) -> None:
    folder.mkdir(parents=True)
    now = 1_800_000_000
    for name, text in ((RECORD, record_text(record)), (RUN, "{}")):
        (folder / name).write_text(text, encoding="utf-8")
        os.utime(folder / name, (now - age, now - age))


def test_the_newest_run_is_told_of_in_its_folder(run: Run, runs: Path) -> None:
    answer = run("report")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "reviews  runs/s4-linear"
    assert lines[-1].startswith("Report of tacit grow in runs/s4-linear/report.html: ")
    text = Path("runs/s4-linear/report.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "An expert wrote 4 rules" in text
    assert sorted(path.name for path in Path("runs/s4-linear").iterdir()) == [
        RECORD,
        "report.html",
        RUN,
    ]
    assert run("report").code == 0  # a report is replaced


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        (("--run", "linear"), "runs/linear/report.html"),
        (("--run", "runs/linear"), "runs/linear/report.html"),
        (("runs/linear",), "runs/linear/report.html"),
        (("runs/linear/record.json",), "runs/linear/report.html"),
        (("runs/linear", "--out", "made/bare.md"), "made/bare.md"),
        ((".", "--run", "linear", "--out", "bare.HTML"), "bare.HTML"),
    ],
)
def test_a_run_can_be_chosen(run: Run, runs: Path, arguments: tuple[str, ...], out: str) -> None:
    answer = run("report", *arguments, "--json")
    assert answer.code == 0, answer.out
    found = answer.json
    assert found["ok"] is True
    assert (found["name"], found["kind"], found["run"]) == ("bare", "fit", "runs/linear")
    assert (found["out"], found["opened"]) == (out, False)
    assert found["bytes"] == Path(out).stat().st_size
    text = Path(out).read_text(encoding="utf-8")
    assert text.startswith("<!-- tacit report -->" if out.endswith("md") else "<!DOCTYPE html>")


def test_open_shows_it_in_a_browser(
    run: Run, runs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A real browser of its own kind: it writes down what it was asked to show."""
    seen = tmp_path / "seen"
    monkeypatch.setenv("BROWSER", f"sh -c 'echo %s > {seen}'")
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    assert run("report", "--open", "--json").json["opened"] is True
    assert seen.read_text().strip() == Path("runs/s4-linear/report.html").absolute().as_uri()
    monkeypatch.setenv("BROWSER", str(tmp_path / "none"))
    monkeypatch.setattr(webbrowser, "_tryorder", [])
    answer = run("report", "--open")
    assert answer.code == 0
    assert "open it yourself" in answer.err


def test_without_a_run_it_says_what_to_do(run: Run, project: Path) -> None:
    answer = run("report")
    assert answer.code == 2
    assert "there is no run in runs yet" in answer.err
    assert "tacit fit" in answer.err
    (project / "runs" / "linear").mkdir(parents=True)
    (project / "runs" / "linear" / "run.json").write_text("{}")
    answer = run("report")
    assert answer.code == 2
    assert "runs/linear/record.json is not there: the run has no record" in answer.err
    assert run("report", "runs/linear").err == answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--run", "linar"), "did you mean 'linear'"),
        (("--out", "runs"), "runs is a folder"),
        (("--out", "report.pdf"), "end its name in .html or .md"),
        (("--out", "rules.tacit"), "end its name in .html or .md"),
        (("--out", "README.md"), "was not written by tacit report"),
        (("--out", "tacit.toml/report.html"), "tacit.toml is a file, not a folder"),
        (("nowhere",), "nowhere is not there"),
        (("rules.tacit",), "rules.tacit is a program without data"),
        (("data/review.csv",), "is not a project"),
        (("broken",), "cannot be read"),
        (("other",), "no record that this version of tacit can read"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(
    run: Run, runs: Path, arguments: tuple[str, ...], said: str
) -> None:
    Path("README.md").write_text("mine\n")
    for name, text in (("broken", "{"), ("other", json.dumps({"format": 99}))):
        (runs / name).mkdir()
        (runs / name / RECORD).write_text(text)
    before = sorted(runs.rglob("*"))
    answer = run("report", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert sorted(runs.rglob("*")) == before
    assert Path("README.md").read_text() == "mine\n"


def test_the_record_of_another_folder(run: Run, runs: Path) -> None:
    """A run need not lie in a project."""
    elsewhere = runs.parent / f"{runs.name}-elsewhere"
    write(elsewhere, replace(bare_record(), name="moved"), age=1)
    assert run("report", elsewhere).out.startswith("moved  ")
    assert (elsewhere / "report.html").exists()


def test_a_fitted_project_has_a_report(run: Run, project: Path) -> None:
    rows = [f'r{i},"{TEXTS[i % len(TEXTS)]}, as number {i % 7} was"' for i in range(60)]
    (project / "data" / "review.csv").write_text("id,text\n" + "\n".join(rows) + "\n")
    assert run("fit").code == 0
    answer = run("report", "--json")
    assert answer.code == 0, answer.out
    text = Path("runs/linear/report.html").read_text(encoding="utf-8")
    assert "60 reviews got a label of sentiment" in text
    assert run("report", "--out", "report.md").code == 0
    assert "60 reviews got a label of sentiment" in Path("report.md").read_text(encoding="utf-8")
    check_target(Path("runs/linear"))  # it can still be replaced by another run


def test_help_has_an_example(run: Run) -> None:
    answer = run("report", "--help")
    assert answer.code == 0
    assert "tacit report reviews --open" in " ".join(answer.out.split())
