"""Which run of a project is meant: one answer, and one set of messages, for all commands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.app.saved_runs import columns_read, find_project, find_run, meant_function, project_table
from tacit.errors import BadFile, BadInput, UnknownFunction, UnknownTable
from tacit.learning.saving import RUN

from .conftest import Run


@pytest.fixture
def runs(project: Path) -> Path:
    """A project with two runs, of which the second is newer, and one that is half written."""
    for name, when in (("linear", 100), ("s4-linear", 200), (".linear.partial", 300)):
        make_run(project / "runs" / name)
        os.utime(project / "runs" / name / RUN, (when, when))
    return project


def make_run(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / RUN).write_text("{}")


def test_the_newest_unless_one_is_named(runs: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "elsewhere")
    folder = runs / "runs"
    assert find_run(runs).samefile(folder / "s4-linear")
    assert find_run(runs / "tacit.toml").samefile(folder / "s4-linear")
    assert find_run(runs, "linear").samefile(folder / "linear")
    assert find_run(folder / "linear").samefile(folder / "linear")
    assert find_run(folder / "linear", "s4-linear").samefile(folder / "s4-linear")
    assert find_run(runs, str(tmp_path / "elsewhere")) == tmp_path / "elsewhere"


def test_a_run_that_is_not_there(runs: Path) -> None:
    with pytest.raises(BadInput, match="there are: linear, s4-linear") as raised:
        find_run(runs, "linar")
    assert "did you mean 'linear'" in str(raised.value.remedy)


def test_a_project_without_runs(project: Path) -> None:
    for asked in (None, "linear"):
        with pytest.raises(BadFile, match="no run in runs yet") as raised:
            find_run(project, asked)
        assert "tacit fit" in str(raised.value.remedy)


@pytest.mark.parametrize("command", [("export", "--to", "labels.csv"), ("explain",)])
def test_a_run_outside_of_any_project(
    run: Run, tmp_path_factory: pytest.TempPathFactory, command: tuple[str, ...]
) -> None:
    moved = tmp_path_factory.mktemp("other") / "moved"
    make_run(moved)
    name, *more = command
    answer = run(name, moved, *more)
    assert answer.code == 2
    assert "lies in no project" in answer.err
    assert f"--run {moved}" in answer.err


def test_the_label_function_that_is_meant() -> None:
    folder = Path("runs/linear")
    assert meant_function(folder, ["kind"], None) == "kind"
    assert meant_function(folder, ["kind", "good"], "good") == "good"
    with pytest.raises(BadInput, match="has labels of kind, good: which are meant") as raised:
        meant_function(folder, ["kind", "good"], None)
    assert raised.value.remedy == "such as --function kind"
    with pytest.raises(UnknownFunction, match="has no labels of 'goood'") as unknown:
        meant_function(folder, ["kind", "good"], "goood")
    assert "'good'" in str(unknown.value.remedy)


def test_tables_and_texts_of_a_project(project: Path) -> None:
    file = find_project(project)
    table = project_table(file, "review")
    assert columns_read(file, table) == ["text"]
    with pytest.raises(UnknownTable, match="no table 'reviews'") as raised:
        project_table(file, "reviews")
    assert "'review'" in str(raised.value.remedy)
    assert raised.value.place is not None
