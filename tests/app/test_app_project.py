"""Every way in which a project can be wrong: the thing, the place and the remedy, exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.app.project import load_project
from tacit.errors import SeveralErrors, TacitError

from .conftest import SETTINGS, Run


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_no_project(run: Run, tmp_path: Path) -> None:
    answer = run("check", tmp_path)
    assert answer.code == 2
    assert "there is no tacit.toml in" in answer.err
    assert "tacit new" in answer.err


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("dta", ["dta is not there", "did you mean 'data'?"]),
        ("data/review.csv", ["is not a project", "give a project's folder"]),
        ("ruls.tacit", ["ruls.tacit is not there", "did you mean 'rules.tacit'?"]),
    ],
)
def test_a_path_that_is_no_project(run: Run, project: Path, path: str, expected: list[str]) -> None:
    answer = run("check", path)
    assert answer.code == 2
    assert all(part in answer.err for part in expected)


SETTINGS_MISTAKES = [
    ('name = "small"', 'name = "small', ["not valid TOML", "tacit.toml:1   name", "^"]),
    ('name = "small"', "name = small", ["not valid TOML", "tacit.toml:1", "^"]),
    (
        "[tables]",
        "[table]",
        ["unknown key 'table'", "tacit.toml:3", "^^^^^  did you mean 'tab"],
    ),
    ("name =", "nmae =", ["unknown key 'nmae'", "tacit.toml:1", "^^^^  did you mean 'name'"]),
    ('name = "small"', "name = 3", ["'name' is a number", "       ^  it must be a text"]),
    ('"review.text"', "[1, 2]", ["'text' is a number", 'a column such as "review.text"']),
    ('"review.text"', '["review.text", []]', ["'text' is a list", "tacit.toml:2"]),
    ('"review.text"', '"review.txt"', ["no column 'txt'", "tacit.toml:2", "did you mean 'text'"]),
    ('"review.text"', '"revew.text"', ["names table 'revew'", "did you mean 'review'"]),
    ('"data/lexicon.csv"', "1979-05-27", ["'tables.lexicon' is a date", "the path of a file"]),
    ("lexicon.csv", "lexicn.csv", ["tacit.toml:5", "^^^  did you mean 'data/lexicon.csv'?"]),
    ("[tables]", '[tables]\n"my words" = "x.csv"', ["'my words' cannot be a table's", "^^^^^"]),
    ("name =", 'program = "ruls.tacit"\nname =', ["ruls.tacit is not there", "'rules.tacit'?"]),
    ("name =", 'python = "rules.py"\nname =', ["rules.py is not there", "tacit.toml:1"]),
    ("[tables]", '[gold]\nsentimnt = "x.csv"\n[tables]', ["no label function", "'sentiment'?"]),
    ("[tables]", '[gold]\nsentiment = "x.csv"\n[tables]', ["x.csv is not there", "tacit.toml:4"]),
    ("[tables]", "[fit]\nfolds = true\n[tables]", ["is a truth value", "a text or a number"]),
]


@pytest.mark.parametrize(("old", "new", "expected"), SETTINGS_MISTAKES)
def test_mistakes_in_the_settings(
    run: Run, project: Path, old: str, new: str, expected: list[str]
) -> None:
    change(project / "tacit.toml", old, new)
    answer = run("check")
    assert answer.code == 2
    assert answer.out == ""
    for part in expected:
        assert part in answer.err
    assert "Traceback" not in answer.err
    assert "problems found" not in answer.err


def test_an_empty_settings_file_needs_tables(run: Run, project: Path) -> None:
    (project / "tacit.toml").write_text("")
    assert "has no [tables] section" in run("check").err
    (project / "tacit.toml").write_text("[tables]\n")
    assert "names no tables" in run("check").err


@pytest.mark.parametrize("name", ["tacit.toml", "rules.tacit", "data/review.csv"])
def test_files_that_are_not_utf8(run: Run, project: Path, name: str) -> None:
    file = project / name
    file.write_bytes(file.read_bytes() + b"# caf\xe9\n")
    line = file.read_bytes().count(b"\n")
    answer = run("check")
    assert answer.code == 2
    assert f"{name} is not UTF-8: line {line} has the byte 0xe9" in answer.err
    assert f"  {name}:{line}" in answer.err


PYTHON_MISTAKES = [
    ("import nothere\n", ["rules.py cannot be run: ModuleNotFoundError", "rules.py:1   import"]),
    ("\ndef f(:\n", ["rules.py cannot be run: SyntaxError", "rules.py:2   def f(:"]),
    ("x = 1\ny = 1 / 0\n", ["ZeroDivisionError", "rules.py:2   y = 1 / 0"]),
    ("import sys\nsys.exit(7)\n", ["rules.py ends the program", "tacit.toml:1"]),
    (
        "import tacit\n@tacit.predicate(table='reviw')\ndef f(text):\n    return True\n",
        ["predicate 'f' reads table 'reviw'", "rules.py:2", "did you mean 'review'?"],
    ),
    (
        "from tacit.logic.functions import labelling_function\n"
        "@labelling_function(label='sentimnt')\ndef f(text):\n    return 'pos'\n",
        ["votes on 'sentimnt'", "rules.py:2", "did you mean 'sentiment'?"],
    ),
    (
        "from tacit.logic.functions import labelling_function\n"
        "@labelling_function\ndef f(text):\n    raise KeyError(text)\n",
        ["'f' raised KeyError", "id 'r1'", "3 of 3 rows fail", "rules.py:4   raise KeyError(text)"],
    ),
]


@pytest.mark.parametrize(("code", "expected"), PYTHON_MISTAKES)
def test_mistakes_in_the_python_file(
    run: Run, project: Path, code: str, expected: list[str]
) -> None:
    change(project / "tacit.toml", "name =", 'python = "rules.py"\nname =')
    (project / "rules.py").write_text(code)
    answer = run("check")
    assert answer.code == 2
    for part in expected:
        assert part in answer.err
    assert "Traceback" not in answer.err
    assert "problems found" not in answer.err


GOLD_MISTAKES = [
    ("id\nr1\n", "has one column, 'id'"),
    ("id,label\nr1,postive\n", "row 1 has the label 'postive'"),
    ("id,label\n1,pos\n", "has integer ids"),
]


@pytest.mark.parametrize(("content", "expected"), GOLD_MISTAKES)
def test_mistakes_in_gold_files(run: Run, project: Path, content: str, expected: str) -> None:
    change(project / "tacit.toml", "[tables]", '[gold]\nsentiment = "gold.csv"\n[tables]')
    (project / "gold.csv").write_text(content)
    answer = run("check")
    assert answer.code == 2
    assert expected in answer.err
    assert "tacit.toml:4" in answer.err


def test_all_wrong_tables_are_reported_with_the_mistakes_of_the_program(project: Path) -> None:
    change(project / "tacit.toml", "lexicon.csv", "lexicn.csv")
    with (project / "tacit.toml").open("a") as settings:
        settings.write('other = "data/other.xlsx"\nwide = "data/wide.csv"\n')
    (project / "data" / "wide.csv").write_text("a,b\n1,2\n1,2,3\n")
    change(project / "rules.tacit", "= pos", "= postive")
    with pytest.raises(SeveralErrors) as caught:
        load_project(project)
    found = [(type(e).__name__, e.place.source if e.place else "") for e in caught.value.errors]
    assert found == [
        ("BadFile", "data/wide.csv"),
        ("UnknownLabel", "rules.tacit"),
        ("BadFile", "tacit.toml"),
        ("BadFile", "tacit.toml"),
    ]


def test_nobody_is_told_twice_about_a_table_that_cannot_be_read(run: Run, project: Path) -> None:
    change(project / "tacit.toml", "review.csv", "revew.csv")
    answer = run("check")
    assert answer.code == 2
    assert answer.err.count("did you mean") == 1
    assert "problems found" not in answer.err


def test_messages_name_paths_as_the_settings_write_them(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(project / "tacit.toml", "lexicon.csv", "lexicn.csv")
    for folder in (project.parent, project / "data"):
        monkeypatch.chdir(folder)
        assert "did you mean 'data/lexicon.csv'?" in run("check", project).err


def test_a_project_is_loaded_whole(project: Path) -> None:
    loaded = load_project(project / "tacit.toml")
    assert loaded.name == "small"
    assert loaded.task.names[:2] == ("review", "lexicon")
    assert [evidence.name for evidence in loaded.program.evidence] == ["praise", "words"]
    assert loaded.notes == ()
    (project / "tacit.toml").write_text(SETTINGS.replace('name = "small"\n', ""))
    assert load_project().name == project.name


def test_load_project_raises_errors_of_the_library_only(project: Path) -> None:
    (project / "tacit.toml").write_bytes(b"\x00\xff")
    with pytest.raises(TacitError, match="NUL"):
        load_project()
