"""`tacit check`: what it shows when all is well, and every mistake when not."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def test_shows_what_every_formula_touches(run: Run, project: Path) -> None:
    answer = run("check")
    assert answer.code == 0
    assert answer.err == ""
    assert "small  tacit.toml" in answer.out
    assert "praise  2.2              1  1 of 3   token(r" in answer.out
    assert "words   1.5              2  2 of 3   token(r" in answer.out
    assert "derived: words" in answer.out
    assert "  data/review.csv   id, text (text)\n" in answer.out
    assert "No mistakes in 2 formulas over 3 tables." in answer.out


def test_json_twin_has_the_same_facts(run: Run, project: Path) -> None:
    answer = run("check", "--json").json
    assert answer["ok"] is True
    assert answer["errors"] == answer["notes"] == []
    assert [(t["name"], t["rows"], t["derived"]) for t in answer["tables"]] == [
        ("review", 3, False),
        ("lexicon", 2, False),
        ("token", 8, True),
    ]
    assert answer["tables"][0]["columns"] == {"id": "text", "text": "text"}
    assert answer["labels"] == [
        {"name": "sentiment", "table": "review", "labels": ["neg", "pos"], "instances": 3}
        | {"gold": None}
    ]
    assert answer["formulas"][0] == {
        "name": "praise",
        "weight": "2.2",
        "formula": 'token(r, "superb") => sentiment(r) = pos',
        "groundings": 1,
        "instances": {"sentiment": 1},
    }
    assert answer["predicates"][1]["columns"] == ["word", "class"]


FIVE_MISTAKES = """\
label    sentiment(review) = neg | pos
observed token(review, word)
observed lexicon(word, class)
observed near(review, review)
praise:  2.2   token(r, "superb") => sentiment(r) = postive
words:   1.5   tokn(r, w) & lexicon(w, l) => sentiment(r) = l
arity:   1.0   token(r) => sentiment(r) = pos
syntax:  1.0   token(r, "x" => sentiment(r) = pos
agree:   1.0   near(r, s) => sentiment(r) = sentiment(s)
"""


def test_five_mistakes_are_reported_in_one_run_with_carets(run: Run, project: Path) -> None:
    (project / "rules.tacit").write_text(FIVE_MISTAKES)
    answer = run("check")
    assert answer.code == 2
    assert answer.out == ""
    kinds = [line.partition(":")[0] for line in answer.err.splitlines() if line[:1].isupper()]
    assert kinds == [
        "UnknownTable",
        "UnknownLabel",
        "UnknownPredicate",
        "ArityMismatch",
        "ProgramSyntaxError",
    ]
    for caret in ("^^^^^^^  did you mean 'pos'?", "^^^^  did you mean 'token'?", "^^  expected"):
        assert caret in answer.err
    lines = answer.err.splitlines()
    quoted = [number for number, line in enumerate(lines) if line.startswith("  rules.tacit:")]
    assert len(quoted) == 5
    assert all(lines[number + 1].lstrip().startswith("^") for number in quoted)
    assert "5 problems found." in answer.err
    assert "Traceback" not in answer.err


def test_json_lists_the_same_errors(run: Run, project: Path) -> None:
    (project / "rules.tacit").write_text(FIVE_MISTAKES)
    answer = run("check", "--json")
    assert answer.code == 2
    assert answer.err == ""
    assert answer.json["ok"] is False
    assert [error["line"] for error in answer.json["errors"]] == [4, 5, 6, 7, 8]
    assert set(answer.json["errors"][0]) == {
        "error",
        "message",
        "remedy",
        "file",
        "line",
        "column",
    }


def test_a_formula_that_matches_nothing_is_noted(run: Run, project: Path) -> None:
    rules = (project / "rules.tacit").read_text().replace('"superb"', '"superbb"')
    (project / "rules.tacit").write_text(rules)
    answer = run("check")
    assert answer.code == 0
    assert "'praise' matches nothing: token.word has no 'superbb'" in answer.out
    assert "did you mean 'superb'?" in answer.out
    strict = run("check", "--strict")
    assert strict.code == 1
    assert "--strict: 1 note" in strict.err
    twin = run("check", "--strict", "--json")
    assert twin.code == 1
    assert twin.json["ok"] is False
    assert len(twin.json["notes"]) == 1
    assert twin.err == ""


def test_strict_accepts_a_project_without_notes(run: Run, project: Path) -> None:
    assert run("check", "--strict").code == 0


def test_a_program_file_is_checked_without_data(run: Run, project: Path) -> None:
    for arguments in (["rules.tacit"], ["rules.tacit", "--strict"]):
        answer = run("check", *arguments)
        assert answer.code == 0
        assert "No mistakes in 2 formulas, checked without data." in answer.out
        assert "groundings" not in answer.out
    assert run("check", "rules.tacit", "--json").json["formulas"][0]["groundings"] is None
    (project / "rules.tacit").write_text("label sentiment(review) = neg |\n")
    assert run("check", "rules.tacit").code == 2


def test_an_empty_program_is_noted(run: Run, project: Path) -> None:
    (project / "rules.tacit").write_text("")
    assert "declares no label function" in run("check").out
    (project / "rules.tacit").write_text("label sentiment(review) = neg | pos\n")
    assert "no formulas yet" in run("check").out


def test_the_project_is_found_from_a_folder_inside_it(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "data")
    answer = run("check")
    assert answer.code == 0
    assert str(project / "tacit.toml") in answer.out


def test_predicates_and_labelling_functions_of_a_python_file(run: Run, project: Path) -> None:
    settings = (project / "tacit.toml").read_text()
    (project / "tacit.toml").write_text('python = "rules.py"\n' + settings)
    (project / "rules.tacit").write_text(
        (project / "rules.tacit").read_text()
        + "observed shouts(review)\nloud: 1.0 shouts(r) => sentiment(r) = neg\n"
    )
    (project / "rules.py").write_text(
        "import tacit\n"
        "from tacit.logic.functions import labelling_function\n"
        "print('printed by rules.py')\n"
        "@tacit.predicate(table='review', on_error='abstain')\n"
        "def shouts(text):\n"
        "    return text[13] == '!'\n"
        "@labelling_function\n"
        "def short(text):\n"
        "    return 'neg' if len(text) < 8 else None\n"
    )
    answer = run("check", "--json")
    assert answer.code == 0
    assert "printed by rules.py" in answer.err
    tables = {table["name"]: table for table in answer.json["tables"]}
    assert tables["shouts"]["origin"] == tables["short"]["origin"] == "python"
    touched = {formula["name"]: formula["groundings"] for formula in answer.json["formulas"]}
    assert touched == {"praise": 1, "words": 2, "loud": 0, "short": 1}
    failed, unmatched = answer.json["notes"]
    assert "'shouts' raised IndexError" in failed
    assert "'shouts' holds for no row" in unmatched


def test_gold_labels_are_counted_and_strangers_noted(run: Run, project: Path) -> None:
    with (project / "tacit.toml").open("a") as settings:
        settings.write('[gold]\nsentiment = "data/gold.csv"\n')
    (project / "data" / "gold.csv").write_text("id,label\nr1,pos\nr2,neg\nr9,neg\n")
    answer = run("check", "--json").json
    assert answer["labels"][0]["gold"] == 3
    assert answer["notes"] == ["1 of 3 rows of data/gold.csv name no review"]
