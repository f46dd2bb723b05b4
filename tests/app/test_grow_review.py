"""`tacit grow` asks a person, shows what was added, and takes it out again."""

from __future__ import annotations

import io
import json
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import tacit
from tacit.app.choices import Template
from tacit.app.grow.settings import MEANING, grow_keys
from tacit.s4 import S4Config

from .conftest import Run
from .growing import RULES, write_growing_project
from .test_app_command import bare, on_terminal, process_on_terminal


@pytest.fixture
def growing(project: Path) -> Path:
    """A project whose rules can grow by a word of each label."""
    write_growing_project(project)
    with (project / "tacit.toml").open("a") as settings:
        settings.write("[grow]\nbatch = 1\nrounds = 1\n")
    return project


@pytest.fixture
def grown(run: Run, growing: Path) -> Path:
    """The same, after it has grown."""
    assert run("grow").code == 0
    return growing


def test_a_person_at_the_terminal_answers(run: Run, growing: Path) -> None:
    keys = ["2", "r", "s", "1"]
    shown = process_on_terminal("grow", "--budget", "3", cwd=growing, columns=80, keys=keys)
    assert shown.count("say about sentiment?") == 4
    assert "Questions: 3 of 3 answered" in shown
    firsts = [line.split()[0] for line in bare(shown) if line.strip()]
    assert {"rejected", "skipped"} < set(firsts)
    listed = run("grow", "--list", "--json").json["additions"]
    assert [one["label"] for one in listed if one["origin"] == "fal"] == ["pos", "neg"]
    assert "question" in run("grow", "--list").out


def test_who_quits_is_asked_again_next_time(run: Run, growing: Path) -> None:
    asking = ("grow", "--budget", "3")
    shown = on_terminal(*asking, cwd=growing, columns=80, keys=["2", "q"])
    assert "Questions: 1 of 3 answered" in shown
    assert "questions left: 2 of 3; the same command goes on asking" in " ".join(shown.split())
    again = on_terminal(*asking, cwd=growing, columns=80, keys=["2", "2"])
    assert again.count("say about sentiment?") == 2
    assert "Questions: 3 of 3 answered" in again
    assert "3 answers" in run("grow").out  # and with no questions, nobody is asked


def test_answers_may_come_from_a_file(
    run: Run, growing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("2\nr\n"))
    answer = run("grow", "--budget", 2, "--reviewer", "terminal", "--json")
    assert [one["answer"] for one in answer.json["questions"]] == ["pos", "reject"]
    assert "say about sentiment?" in answer.err


def test_questions_need_somebody_to_answer(
    run: Run, growing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    answer = run("grow", "--budget", 2)
    assert answer.code == 2
    assert "2 questions may be asked, but the input is no terminal" in answer.err
    assert "nobody is there" in run("grow", "--budget", 2, "--reviewer", "none").err
    with (growing / "tacit.toml").open("a") as settings:
        settings.write("budget = 2\n")
    assert run("grow").code == 2
    assert not (growing / "ledger.sqlite").exists()
    assert run("grow", "--reviewer", "none", "--json").json["budget"] == 0


def test_list_shows_name_origin_round_who_when_and_formula(run: Run, grown: Path) -> None:
    lines = run("grow", "--list").out.splitlines()
    assert lines[0] == "2 rules in force, by ledger.sqlite"
    assert lines[1].split() == ["name", "origin", "round", "who", "when", "formula"]
    name, origin, number, who, _day, _time, *formula = lines[2].split()
    assert (origin, number, who) == ("self-training", "1", "tacit")
    program = tacit.Program.parse(Path("grown.tacit").read_text())
    assert (
        program[name].formula
        == tacit.Program.parse(
            f"label sentiment(review) = neg | pos\nobserved token(review, word)\nf: 1.0 "
            f"{' '.join(formula)}"
        )["f"].formula
    )
    twin = run("grow", "--list", "--json").json
    assert [one["name"] for one in twin["additions"]] == [line.split()[0] for line in lines[2:4]]
    assert max(map(len, bare(on_terminal("grow", "--list", cwd=grown, columns=100)))) <= 100


def test_undo_takes_rules_out_and_says_how_to_fit_again(run: Run, grown: Path) -> None:
    first, second = [one["name"] for one in run("grow", "--list", "--json").json["additions"]]
    answer = run("grow", "--undo", first)
    assert answer.code == 0
    assert answer.out.startswith(f"Taken out: {first}: token(r, ")
    assert "grown.tacit has 1 learned rule now." in answer.out
    assert "Next: tacit grow, which fits again" in answer.out
    program = tacit.Program.parse(Path("grown.tacit").read_text())
    assert [one.name for one in program.evidence] == ["praise", "blame", second]
    after = run("grow", "--json").json
    assert [one["state"] for one in after["additions"]][:2] == ["undone", "in force"]
    assert first not in Path("grown.tacit").read_text()
    assert f"Undone {after['additions'][0]['why']}" in run("grow").out


def test_undo_is_all_or_nothing(run: Run, grown: Path) -> None:
    name = run("grow", "--list", "--json").json["additions"][0]["name"]
    before = Path("grown.tacit").read_text()
    answer = run("grow", "--undo", name, "--undo", f"{name}s", "--undo", "praise")
    assert answer.code == 2
    assert f"no evidence '{name}s' in force" in answer.err
    near = run("grow", "--undo", name[:-1], "--json")
    assert f"did you mean '{name}'" in near.json["errors"][0]["remedy"]
    assert Path("grown.tacit").read_text() == before
    both = run("grow", "--undo", name, "--undo", name, "--json").json
    assert ([one["name"] for one in both["undone"]], both["left"]) == ([name], 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--program", "rules.tacit"], "is the program that grows, which stays as you wrote it"),
        (["--program", "tacit.toml"], "was not written by tacit grow"),
        (["--ledger", "data/gold.csv"], "is no ledger"),
        (["--ledger", "no/where.sqlite"], "there is no folder no"),
        (["--ledger", "grown.tacit"], "cannot be both"),
        (["--out", "data"], "is not a saved model"),
        (["--predictor", "linaer"], "did you mean 'linear'?"),
        (["--rounds", "-1"], "--rounds"),
        (["--list"], "run tacit grow first"),
        (["--undo", "pos_luck"], "run tacit grow first"),
        (["--list", "--fresh"], "give one of them at a time"),
        (["rules.tacit"], "a program without data"),
        (["nowhere"], "nowhere is not there"),
    ],
)
def test_what_cannot_be_done_is_bad_input(
    run: Run, growing: Path, arguments: list[str], said: str
) -> None:
    answer = run("grow", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert json.loads(run("grow", "--json", *arguments).out)["ok"] is False
    assert (growing / "rules.tacit").read_text() == RULES
    assert not (growing / "runs").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rouds = 2", "did you mean 'rounds'"),
        ('budget = "two"', "it must be a whole number"),
        ("guard = 1", "it must be true or false"),
        ("borne_out = 7", "borne_out=7 is no share"),
        ('score = "lft"', "use one of ('lift', 'entropy', 'attention')"),
        ('relations = "token"', "it must be a list of texts"),
        ('relations = ["tokn"]', "did you mean 'token'?"),
    ],
)
def test_wrong_settings_are_told_at_their_place(
    run: Run, growing: Path, line: str, said: str
) -> None:
    with (growing / "tacit.toml").open("a") as settings:
        settings.write(f"{line}\n")
    answer = run("grow")
    assert answer.code == 2
    assert said in answer.err
    assert f"tacit.toml:10   {line}" in answer.err


def test_every_setting_can_be_set_and_is_explained() -> None:
    assert set(MEANING) == {field.name for field in fields(S4Config)} - {"frequency"}


@pytest.mark.parametrize("template", list(Template))
def test_a_new_project_explains_every_setting(run: Run, tmp_path: Path, template: Template) -> None:
    run("new", tmp_path / "made", "-t", template)
    settings = tmp_path / "made" / "tacit.toml"
    others, mark, own = settings.read_text().partition("[grow]")
    changed = [line.removeprefix("# ") if " = " in line else line for line in own.splitlines()]
    settings.write_text(others + mark + "\n".join(changed))
    assert tomllib.loads(settings.read_text())["grow"] == grow_keys()
    assert run("check", tmp_path / "made").code == 0
