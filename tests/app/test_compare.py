"""`tacit compare`: the label model of a project beside its baselines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.small_sample import keep_reviews

from .conftest import RULES, Run
from .test_app_command import bare, on_terminal

METHODS = ["majority vote", "weighted vote", "Dawid-Skene", "label model"]
REVIEWS = [
    ("r1", "superb, I loved it", "pos"),
    ("r2", "an awful film", "neg"),
    ("r3", "so so", "neg"),
    ("r4", "superb but awful", "pos"),
]


@pytest.fixture
def scored(project: Path) -> Path:
    """A project with gold labels in a file and in a column, in the working folder."""
    rows = "".join(f'{key},"{text}",{label}\n' for key, text, label in REVIEWS)
    (project / "data" / "review.csv").write_text(f"id,text,class\n{rows}")
    (project / "data" / "gold.csv").write_text("id,class\nr1,pos\nr2,neg\n")
    with (project / "tacit.toml").open("a") as settings:
        settings.write('[gold]\nsentiment = "data/gold.csv"\n')
    return project


def rows_of(run: Run, *arguments: object) -> dict[str, dict[str, object]]:
    answer = run("compare", "--json", *arguments)
    assert answer.code == 0, answer.err
    return {row["method"]: row for row in answer.json["rows"]}


def test_shows_every_method_and_the_health_numbers(run: Run, scored: Path) -> None:
    answer = run("compare")
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.startswith("small  tacit.toml\n\nsentiment: scores on 2 gold labels\n")
    lines = answer.out.splitlines()
    for method in METHODS:
        assert len([line for line in lines if line.startswith(f"  {method}  ")]) == 2
    for number in ("coverage", "overlap", "conflict", "disagreement", "entropy", "difference"):
        assert any(line.startswith(f"  {number}  ") for line in lines)
    assert "too few instances" in answer.out
    assert lines[-1].startswith("4 methods on 4 instances: ")


def test_json_twin_has_the_same_facts(run: Run, scored: Path) -> None:
    answer = run("compare", "--json").json
    keys = {"ok", "errors", "name", "file", "program", "rows", "health", "notes"}
    assert answer.keys() == keys
    assert answer["ok"] is True
    assert (answer["name"], answer["file"]) == ("small", "tacit.toml")
    rows = {row["method"]: row for row in answer["rows"]}
    assert list(rows) == METHODS
    assert rows["majority vote"]["accuracy"] == 1.0
    assert rows["majority vote"]["n_gold"] == 2
    assert answer["health"]["sentiment"]["coverage"] == 0.75
    assert answer["health"]["sentiment"]["class_shares"].keys() == {"neg", "pos"}
    assert any("Dawid-Skene" in note for note in answer["notes"])


def test_gold_may_be_a_column(run: Run, scored: Path) -> None:
    row = rows_of(run, "--gold", "review.class")["majority vote"]
    assert row["n_gold"] == 4
    assert row["accuracy"] == pytest.approx((1 + 1 + 0.5 + 0.5) / 4)


def test_ids_may_be_numbers(run: Run, scored: Path) -> None:
    for name in ("review", "gold"):
        file = scored / "data" / f"{name}.csv"
        file.write_text(file.read_text().replace("\nr", "\n"))
    assert rows_of(run)["majority vote"]["n_gold"] == 2
    assert rows_of(run, "--gold", "review.class")["majority vote"]["n_gold"] == 4


def test_without_gold_a_note_says_where_to_put_it(run: Run, project: Path) -> None:
    answer = run("compare", "--json").json
    assert answer["rows"][0]["accuracy"] is None
    assert "name a file of them under [gold]" in answer["notes"][-1]
    assert "scores on" not in run("compare").out


@pytest.mark.parametrize(
    ("gold", "kind", "said"),
    [
        ("review.clas", "UnknownColumn", "did you mean 'class'?"),
        ("reviews.class", "UnknownTable", "did you mean 'review'?"),
        ("lexicon.class", "UnknownTable", "labelled are: review"),
        ("review.text", "UnknownLabel", "the labels are: neg, pos"),
    ],
)
def test_a_wrong_column_is_bad_input(
    run: Run, scored: Path, gold: str, kind: str, said: str
) -> None:
    answer = run("compare", "--gold", gold)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith(f"{kind}: ")
    assert said in answer.err
    assert run("compare", "--gold", gold, "--json").json["errors"][0]["error"] == kind


def test_two_label_functions_over_one_table_need_files(run: Run, scored: Path) -> None:
    (scored / "rules.tacit").write_text(f"{RULES}label topic(review) = film | book\n")
    answer = run("compare", "--gold", "review.class")
    assert answer.code == 2
    assert "sentiment, topic all label the table 'review'" in answer.err


def test_all_mistakes_are_reported_at_once(run: Run, project: Path) -> None:
    (project / "rules.tacit").write_text(
        RULES.replace("= pos", "= postive").replace("lexicon(w, l) =>", "lexicn(w, l) =>")
    )
    answer = run("compare")
    assert answer.code == 2
    assert answer.out == ""
    assert "2 problems found." in answer.err


def test_what_cannot_be_compared_is_bad_input(run: Run, project: Path) -> None:
    answer = run("compare", "rules.tacit")
    assert answer.code == 2
    assert "a program without data" in answer.err
    (project / "rules.tacit").write_text("observed token(review, word)\n")
    answer = run("compare")
    assert answer.code == 2
    assert "declares no label function" in answer.err


def test_holding_out_can_be_left_out(run: Run, scored: Path) -> None:
    answer = run("compare", "--no-hold-out", "--json").json
    assert answer["health"]["sentiment"]["held_out_missing"] == "not asked for"


def test_warnings_become_notes(run: Run, scored: Path) -> None:
    (scored / "rules.tacit").write_text(
        "label sentiment(review) = neg | pos\nobserved token(review, word)\n"
        'praise: 2.2 token(r, "superb") => sentiment(r) = pos\n'
    )
    answer = run("compare", "--json")
    assert answer.code == 0
    assert answer.err == ""
    assert "evidence from two sources" in answer.json["notes"][0]


def test_a_terminal_gets_lines_that_fit(run: Run, scored: Path) -> None:
    shown = on_terminal("compare", cwd=scored, columns=80)
    lines = [line for line in bare(shown) if "comparing" not in line]  # the bar of slow machines
    assert max(map(len, lines)) <= 80
    assert all(any(method in line for line in lines) for method in METHODS)
    piped = run("compare")
    assert "\x1b" not in piped.out + piped.err


def test_a_predictor_is_taught_by_each_method(run: Run, tmp_path: Path) -> None:
    films = tmp_path / "films"
    run("new", films)
    keep_reviews(films, {f"r{number:04}" for number in range(1, 601)})
    settings = (films / "tacit.toml").read_text()
    (films / "tacit.toml").write_text(settings.replace("# rounds = 3 ", "rounds = 2 "))
    options = ("--predictor", "linear", "--gold-labels", 100, "--no-hold-out")
    rows = rows_of(run, films, *options)
    assert set(rows) >= {*METHODS, "majority vote + linear", "label model + linear", "DPL"}
    assert rows["self-training from 100"]["n_gold"] == 500
    assert rows["supervised linear"]["accuracy"] > rows["DPL"]["accuracy"]  # type: ignore[operator]
    assert "DPL, linear alone" in run("compare", films, *options).out


def test_settings_of_the_predictor_come_from_the_project(run: Run, scored: Path) -> None:
    answer = run("compare", "--predictor", "linaer")
    assert (answer.code, answer.out) == (2, "")
    assert "did you mean 'linear'?" in answer.err
    settings = (scored / "tacit.toml").read_text()
    (scored / "tacit.toml").write_text(f"{settings}[predictor]\nl2 = -1\n")
    assert run("compare", "--no-hold-out").code == 0
    answer = run("compare", "--predictor", "linear")
    assert answer.code == 2
    assert "l2" in answer.err


def test_help_has_an_example(run: Run) -> None:
    answer = run("compare", "--help")
    assert answer.code == 0
    assert "tacit compare reviews --gold review.class" in " ".join(answer.out.split())
