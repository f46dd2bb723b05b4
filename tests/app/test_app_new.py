"""`tacit new`: projects that pass their own check, and folders that are never spoilt."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tacit.app import new
from tacit.app.choices import Template
from tacit.app.cli import app

from .conftest import Run


@pytest.mark.parametrize("template", list(Template))
def test_a_new_project_passes_its_own_check(run: Run, tmp_path: Path, template: Template) -> None:
    folder = tmp_path / "made"
    answer = run("new", folder, "--template", template)
    assert answer.code == 0
    assert f"cd {folder}" in answer.out
    assert "tacit check" in answer.out
    checked = run("check", folder, "--strict", "--json")
    assert checked.code == 0
    assert checked.json["name"] == "made"
    assert checked.json["notes"] == []
    assert all(formula["groundings"] for formula in checked.json["formulas"])


def test_the_default_is_the_reviews_sample(run: Run, tmp_path: Path) -> None:
    run("new", tmp_path / "made")
    settings = tomllib.loads((tmp_path / "made" / "tacit.toml").read_text())
    assert settings["text"] == "review.text"
    assert settings["gold"] == {"sentiment": "data/gold.csv"}
    assert (tmp_path / "made" / "data" / "test.csv").is_file()


def test_the_oncology_sample_brings_its_python_file(run: Run, tmp_path: Path) -> None:
    run("new", tmp_path / "made", "-t", "oncology")
    settings = tomllib.loads((tmp_path / "made" / "tacit.toml").read_text())
    assert settings["python"] == "rules.py"
    assert set(settings["gold"]) == {"treats", "link"}


def test_json_lists_the_files(run: Run, tmp_path: Path) -> None:
    answer = run("new", tmp_path / "made", "-t", "blank", "--json").json
    assert answer["ok"] is True
    assert answer["next"][-1] == "tacit check"
    made = {
        str(path.relative_to(tmp_path / "made"))
        for path in (tmp_path / "made").rglob("*")
        if path.is_file()
    }
    assert made == set(answer["files"])


def test_a_folder_that_holds_something_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    answer = run("new", tmp_path, "-t", "blank")
    assert answer.code == 2
    assert "is not empty; it holds: mine.txt" in answer.err
    assert "--force" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_force_adds_files_and_overwrites_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.txt").write_text("mine")
    assert run("new", tmp_path, "-t", "blank", "--force").code == 0
    assert (tmp_path / "data" / "mine.txt").read_text() == "mine"
    (tmp_path / "rules.tacit").write_text("# my own\n")
    again = run("new", tmp_path, "-t", "blank", "--force")
    assert again.code == 2
    assert "no file is ever overwritten" in again.err
    assert (tmp_path / "rules.tacit").read_text() == "# my own\n"


def test_a_file_in_the_way_and_a_folder_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file" in run("new", tmp_path / "file").err
    inside = run("new", tmp_path / "file" / "inside", "-t", "blank")
    assert inside.code == 2
    assert "cannot be written" in inside.err


def test_an_interrupted_start_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The move of the last file, tacit.toml, is interrupted."""
    usual = Path.rename

    def interrupted(self: Path, target: Path) -> Path:
        if target.name == "tacit.toml":
            raise KeyboardInterrupt
        return usual(self, target)

    monkeypatch.setattr(new.Path, "rename", interrupted)
    assert run("new", tmp_path / "made", "-t", "blank").code == 130
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert run("new", tmp_path / "made", "-t", "blank").code == 0


def test_an_odd_folder_name_is_written_as_valid_toml(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / 'my "own" \\ projet é'
    assert run("new", folder, "-t", "blank").code == 0
    assert run("check", folder, "--json").json["name"] == folder.name


def test_an_unknown_template_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    answer = run("new", tmp_path / "made", "--template", "reviw")
    assert answer.code == 2
    assert "UsageError" in answer.err
    assert "reviews" in answer.err


def test_the_app_itself_runs_under_typers_runner(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["new", str(tmp_path / "made"), "-t", "blank"])
    assert result.exit_code == 0
    assert "rules.tacit" in result.output
