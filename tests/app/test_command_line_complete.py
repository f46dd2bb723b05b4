"""Every command has an example, a JSON answer and a page; every setting is told and checked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest
import typer

from tacit.app import failures
from tacit.app.choices import Template
from tacit.app.cli import app
from tacit.app.documented_keys import FIT, PREDICTORS
from tacit.app.fit.settings import fit_keys, predictor_kinds
from tacit.app.grow.settings import MEANING, grow_keys
from tacit.app.settings import Settings, read_settings
from tacit.app.template_files import project_files
from tacit.errors import TacitError
from tacit.predictors.registry import KINDS

from .conftest import SETTINGS, Run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
WITHOUT_JSON: dict[str, str] = {}  # commands that have nothing to answer, with the reason
HEAVY = ["torch", "numba", "duckdb", "pyarrow", "numpy", "scipy", "sklearn", "starlette"]
PROBE = """
import json, sys, time
from tacit.app.cli import main
begun = time.process_time()
for name in sys.argv[1:]:
    assert main([name, "--help"]) == 0
found = {"seconds": time.process_time() - begun, "modules": sorted(sys.modules)}
print(json.dumps(found), file=sys.stderr)
"""


def section_of(name: str) -> str:
    """The part of the page that is about a command."""
    found = re.search(rf"^## tacit {name}\b.*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/command-line.md has no section on `tacit {name}`"
    return found[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example_and_exit_codes(run: Run, name: str) -> None:
    shown = " ".join(run(name, "--help").out.split())
    assert f"Example: tacit {name}" in shown
    assert "Exit codes: 0 all is well" in shown
    assert COMMANDS[name].help.strip().split("\n")[0].endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_in_help(name: str) -> None:
    for parameter in COMMANDS[name].params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), f"{name}: {parameter.name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_answers_takes_json(name: str) -> None:
    options = [option for parameter in COMMANDS[name].params for option in parameter.opts]
    assert ("--json" in options) != (name in WITHOUT_JSON), WITHOUT_JSON.get(name)


def test_help_of_every_command_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *COMMANDS], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stderr.splitlines()[-1])
    assert [name for name in HEAVY if name in found["modules"]] == []
    assert found["seconds"] < 2  # 0.05 s is usual


def test_the_page_has_a_section_for_each_command() -> None:
    told = re.findall(r"^## tacit (\w+)", PAGE, re.MULTILINE)
    assert len(told) == len(set(told))
    assert set(told) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_tells_of_every_option(name: str) -> None:
    section = section_of(name)
    for parameter in COMMANDS[name].params:
        flags = (*parameter.opts, *parameter.secondary_opts)
        told = [flag for flag in flags if flag.startswith("--")]
        if told and not {"--help", "--json"} & set(told):
            assert any(f"`{flag}" in section for flag in told), f"{name}: {told}"


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in WITHOUT_JSON])
def test_the_page_tells_what_json_holds(name: str) -> None:
    assert f"`tacit {name} --json`" in PAGE.replace("\n", " ") or "--json" in section_of(name)


def test_the_page_tells_of_every_exit_code() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert codes == {
        getattr(failures, name) for name in ("FINE", "NO", "BAD_INPUT", "BUG", "INTERRUPTED")
    }


# Settings


KEY = re.compile(r"^(?:# )?(\w+) *= ")


def told_keys(text: str) -> dict[str, list[str]]:
    """The keys in each section of a tacit.toml, also those that are commented out."""
    keys: dict[str, list[str]] = {"": []}
    section = ""
    for line in text.splitlines():
        if header := re.match(r"^(?:# )?\[(\w+)\]", line):
            section = header[1]
            keys[section] = []
        elif key := KEY.match(line):
            keys[section].append(key[1])
    return keys


@pytest.mark.parametrize("template", list(Template))
def test_a_new_project_tells_of_every_key(template: Template) -> None:
    text = project_files(template, "made")["tacit.toml"]
    told = told_keys(text)
    assert {*told[""], *told} - {""} == set(Settings.model_fields)
    assert told["fit"] == list(fit_keys())
    assert told["grow"] == list(grow_keys())
    every = {key for keys in PREDICTORS.values() for key in keys}
    assert set(told["predictor"]) == {"kind"} | every
    assert max(map(len, text.splitlines())) <= 100
    commented = [line for line in text.splitlines() if KEY.match(line)]
    in_sections = [line for line in commented if line.startswith("# ")]
    assert all(" # " in line[2:] for line in in_sections)  # each has its meaning


def taken_up(text: str, wanted: str) -> str:
    """A tacit.toml in which all defaults are set, as a user would do it: for one kind."""
    lines, section, kind = [], "", ""
    for line in text.splitlines():
        if header := re.match(r"^\[(\w+)\]", line):
            section, kind = header[1], ""
        elif told := re.match(r'^# With kind = "(\w+)":', line):
            kind = told[1]
        if line.startswith("# kind = "):
            lines.append(f'kind = "{wanted}"')
        elif section in ("fit", "grow") or (kind == wanted and KEY.match(line)):
            lines.append(line.removeprefix("# "))
        else:
            lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize("kind", list(PREDICTORS))
def test_lines_that_lose_their_first_sign_are_right(tmp_path: Path, kind: str) -> None:
    text = project_files(Template.BLANK, "made")["tacit.toml"]
    (tmp_path / "tacit.toml").write_text(taken_up(text, kind))
    found = read_settings(tmp_path / "tacit.toml").settings
    assert found.fit == fit_keys()
    assert found.grow == grow_keys()
    assert found.predictor == {"kind": kind} | {k: v.value for k, v in PREDICTORS[kind].items()}


def test_defaults_are_those_of_the_predictors() -> None:
    pytest.importorskip("torch", reason="most predictors need torch")
    from tacit.predictors.registry import _class_named

    assert list(PREDICTORS) == predictor_kinds() == [kind for kind in KINDS if kind != "sklearn"]
    for kind, keys in PREDICTORS.items():
        known = signature(_class_named(kind)).parameters
        assert set(keys) == set(known), kind
        for name, key in keys.items():
            default = known[name].default
            assert default is not Parameter.empty
            assert key.unset == (default is None), f"{kind}.{name}"
            if not key.unset:
                told = tuple(key.value) if isinstance(key.value, list) else key.value
                assert told == default, f"{kind}.{name}"
                assert type(told) is type(default), f"{kind}.{name}"


def test_meanings_are_there_for_every_key() -> None:
    assert list(FIT) == list(fit_keys())
    assert list(MEANING) == list(grow_keys())


def problem_with(tmp_path: Path, lines: str, *, above: bool = False) -> str:
    file = tmp_path / "tacit.toml"
    file.write_text(lines + SETTINGS if above else SETTINGS + lines)
    with pytest.raises(TacitError) as caught:
        read_settings(file)
    return str(caught.value)


def in_toml(value: Any) -> str:
    return json.dumps(value)


def misspelt(key: str) -> str:
    """A key with a letter too many, as nobody has one."""
    return f"{key[:2]}x{key[2:]}"


@pytest.mark.parametrize("section", ["fit", "grow", *PREDICTORS])
def test_a_misspelt_key_gets_the_nearest_name(tmp_path: Path, section: str) -> None:
    keys = {"fit": fit_keys, "grow": grow_keys}
    if section in keys:
        known, head = keys[section](), f"[{section}]\n"
    else:
        known = {name: key.value for name, key in PREDICTORS[section].items()}
        head = f'[predictor]\nkind = "{section}"\n'
    for key, value in known.items():
        said = problem_with(tmp_path, f"{head}{misspelt(key)} = {in_toml(value)}\n")
        assert f"unknown key '{misspelt(key)}'" in said
        assert f"'{key}'" in said.partition("did you mean")[2], said
        assert "^" in said


def test_a_misspelt_section_or_key_at_the_top_too(tmp_path: Path) -> None:
    for field in Settings.model_fields:
        is_section = field not in ("name", "program", "python", "text")
        lines = f"[{misspelt(field)}]\n" if is_section else f'{misspelt(field)} = "a"\n'
        said = problem_with(tmp_path, lines, above=not is_section)
        assert f"'{field}'" in said.partition("did you mean")[2], said


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('[predictor]\nngrams = ["one"]\n', "it must be a list of whole numbers"),
        ('[predictor]\nl2 = "high"\n', "'predictor.l2' is a text"),
        ("[predictor]\nencoder = 'x'\n", 'it is a key with kind = "transformer"'),
        ("[predictor]\nkind = 3\n", "there is no predictor 3"),
        ('[predictor]\nkind = "ensemble"\nmembers = "linear"\n', "it must be a list of texts"),
        ('[grow]\nrelations = "token"\n', "it must be a list of texts"),
        ("[fit]\nlearn_weights = 1\n", "it must be true or false"),
    ],
)
def test_wrong_values_are_told_before_anything_is_read(
    tmp_path: Path, lines: str, said: str
) -> None:
    assert said in problem_with(tmp_path, lines)


def test_several_mistakes_are_told_together(tmp_path: Path) -> None:
    said = problem_with(tmp_path, "[predictor]\nl3 = 1\nngram = [1]\n[fit]\nround = 1\n")
    assert [name in said for name in ("'l3'", "'ngram'", "'round'")] == [True] * 3


def test_the_example_of_the_page_is_right(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "tacit.toml").write_text(example)
    settings = read_settings(tmp_path / "tacit.toml").settings
    assert set(tomllib.loads(example)) <= set(Settings.model_fields)
    assert settings.gold == {"sentiment": "data/gold.csv"}
