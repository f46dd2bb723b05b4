"""`tacit explain`: why an instance has its label, from a saved run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.app.explain.explained_run import explained_run
from tacit.app.explain.instances import LabelledInstances, Search, cut_around, texts_of
from tacit.errors import BadInput, UnknownLabel

from .conftest import Run
from .explained import N, kept_project

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept_project(tmp_path_factory)


@pytest.fixture
def small(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project that may be changed, beside the working folder."""
    shutil.copytree(kept, tmp_path / "small")
    monkeypatch.chdir(tmp_path)
    return Path("small")


def test_an_explanation_is_printed(run: Run, small: Path) -> None:
    answer = run("explain", small, "r0")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "small  small/runs/linear"
    assert lines[2:4] == ["sentiment(r0)", "  superb, I <b>loved</b> it 0"]
    (labels,) = [line for line in lines if line.startswith("  pos ") and "gold" in line]
    assert labels.endswith(("#" * 19, "#" * 20))
    (words,) = [line for line in lines if " words " in line]
    assert "w=loved, l=pos" in words
    assert words.endswith("token(r, w) & lexicon(w, l) => sentiment(r) = l")
    assert "+++" in words
    assert "Log-odds of pos against neg: +" in answer.out


def test_the_numbers_are_those_of_the_model(run: Run, small: Path) -> None:
    answer = run("explain", small, "r3", "--json").json
    model = tacit.load("small/runs/linear").on(explained_run(small).project.task)
    assert answer["explanation"] == model.explain("r3", "sentiment").as_dict()
    assert (answer["run"], answer["project"]) == ("small/runs/linear", "small")
    assert answer["text"] == "superb but dull 3"
    assert answer["gold"] is None
    posterior = dict(zip(("neg", "pos"), model.posterior_["sentiment"][3].tolist(), strict=True))
    assert answer["posterior"] == posterior
    network = np.array(list(answer["network"].values()))
    np.testing.assert_allclose(network, model.views("sentiment").network[3], atol=1e-12)
    assert run("explain", small, "r0", "--json").json["gold"] == "pos"


def test_labels_can_be_chosen(run: Run, small: Path) -> None:
    chosen = run("explain", small, "r0", "--label", "neg", "--json").json["explanation"]
    plain = run("explain", small, "r0", "--json").json["explanation"]
    assert (chosen["label"], chosen["against"]) == ("neg", "pos")
    assert chosen["log_odds"] == pytest.approx(-plain["log_odds"])
    wrong = run("explain", small, "r0", "--label", "poss")
    assert (wrong.code, "did you mean 'pos'" in wrong.err) == (2, True)


def test_the_function_is_the_one_that_has_the_instance(run: Run, small: Path) -> None:
    answer = run("explain", small, "1", "--json").json  # an item: its ids are numbers
    assert (answer["function"], answer["instance"]) == ("good", 1)
    assert answer["text"] == "maker: Maker 1"
    assert answer["network"] is None
    tied = [part for part in answer["explanation"]["parts"] if part["kind"] == "neighbours"]
    assert {one["function"] for part in tied for one in part["neighbours"]} == {"sentiment"}
    wrong = run("explain", small, "1", "--function", "goods")
    assert "no labels of 'goods'" in wrong.err
    assert "did you mean 'good'" in wrong.err


def test_those_in_doubt_are_listed(run: Run, small: Path) -> None:
    answer = run("explain", small, "--function", "sentiment", "--doubtful", "4", "--json").json
    model = tacit.load("small/runs/linear")
    surest = model.posterior_["sentiment"].max(axis=1)
    assert [row["probability"] for row in answer["rows"]] == sorted(surest)[:4]
    assert answer["total"] == N
    printed = run("explain", small, "--function", "sentiment")
    assert printed.out.count("\n  r") == 10
    first = answer["rows"][0]["id"]
    assert printed.out.splitlines()[-1] == (
        f"Next: tacit explain small {first} --function sentiment"
    )
    only = run("explain", small, "--function", "sentiment", "--label", "neg", "--json").json
    assert {row["label"] for row in only["rows"]} == {"neg"}


def test_a_run_can_be_named(run: Run, small: Path) -> None:
    shutil.copytree(small / "runs" / "linear", small / "runs" / "second")
    later = (small / "runs" / "linear" / "run.json").stat().st_mtime + 10
    os.utime(small / "runs" / "second" / "run.json", (later, later))
    assert run("explain", small, "r0", "--json").json["run"] == "small/runs/second"
    named = run("explain", small, "r0", "--run", "linear", "--json").json
    assert named["run"] == "small/runs/linear"
    assert "did you mean 'second'" in run("explain", small, "r0", "--run", "secnd").err


def test_mistakes_name_the_remedy(run: Run, small: Path) -> None:
    for arguments, said in [
        (("r300",), "no instance 'r300' of sentiment, good"),
        (("r300",), "did you mean 'r"),
        (("r300", "--function", "sentiment"), "no instance 'r300' of sentiment"),
        (("r3", "--doubtful", "3"), "one of them at a time"),
        (("--doubtful", "0"), "--doubtful"),
        ((), "which are meant?"),
        (("--function", "good", "--against", "no"), "name an instance"),
    ]:
        answer = run("explain", small, *arguments)
        assert answer.code == 2, arguments
        assert said in answer.err
    assert "give the folder of its project" in run("explain", small / "rules.tacit", "r0").err


def test_rules_that_changed_are_refused_at_their_place(run: Run, small: Path) -> None:
    rules = small / "rules.tacit"
    text = rules.read_text()
    rules.write_text(text.replace("awful:   2.2 ", "awful:   1.2 "))
    answer = run("explain", small, "r0")
    assert answer.code == 2
    assert "small/rules.tacit has changed since small/runs/linear was learned" in answer.err
    assert "'awful' was changed" in answer.err
    assert "small/rules.tacit:8" in answer.err
    assert "tacit fit small" in answer.err
    for changed, said in [
        (text + 'w: 1.0 token(r, "so") => sentiment(r) = neg\n', "'w' is new"),
        ("\n".join(text.splitlines()[:-1]), "'tie' is gone"),
        (text.replace("observed about(", "observed token2(review, word)\nobserved about("), ""),
    ]:
        rules.write_text(changed)
        answer = run("explain", small, "r0")
        assert answer.code == 2
        assert said in answer.err


def test_a_run_of_another_program_in_the_folder_is_told_so(run: Run, small: Path) -> None:
    rules = (small / "rules.tacit").read_text()
    (small / "other.tacit").write_text(rules + 'w: 1.0 token(r, "so") => sentiment(r) = neg\n')
    settings = (small / "tacit.toml").read_text()
    (small / "other.toml").write_text(f'program = "other.tacit"\n{settings}')
    answer = run("explain", small / "other.toml", "r0")
    assert answer.code == 2
    assert "learn it again: tacit fit small/other.toml; or is it a run of tacit.toml?" in answer.err


def test_data_that_changed_are_refused(run: Run, small: Path) -> None:
    with (small / "data" / "lexicon.csv").open("a") as file:
        file.write("fine,pos\n")
    answer = run("explain", small, "r0", "--json")
    (error,) = answer.json["errors"]
    assert "the data of small, or its Python code, have changed" in error["message"]
    assert error["remedy"] == "learn it again: tacit fit small"


def test_there_must_be_a_run(run: Run, small: Path) -> None:
    shutil.rmtree(small / "runs")
    assert "tacit fit small" in run("explain", small, "r0").err


def test_a_run_that_has_grown_stands_on_the_seeds(run: Run, small: Path) -> None:
    project = explained_run(small).project
    grown = tacit.Program.parse(
        project.program.show()
        + 'pos_it: 1.0 token(r, "it") => sentiment(r) = pos  @ sst round=1 score=0.9\n'
    )
    network = {"sentiment": "linear"}
    tacit.DPL(network, rounds=1).fit(project.task, grown).save(small / "runs" / "s4-linear")
    answer = run("explain", small, "r4", "--run", "s4-linear", "--json").json
    assert "pos_it" in [part["name"] for part in answer["explanation"]["parts"]]
    (small / "rules.tacit").write_text((small / "rules.tacit").read_text().replace("2.2", "2.0"))
    error = run("explain", small, "r4", "--run", "s4-linear").err
    assert "'superb' was changed, 'awful' was changed" in error
    assert "tacit grow small" in error


IDS = pa.array(["b1", "a2", "c3", "a10"])
PROBS = np.array([[0.9, 0.1], [0.45, 0.55], [0.2, 0.8], [0.7, 0.3]])


def shelf() -> LabelledInstances:
    texts = pa.array(["An Awful film", "superb", "AWFUL", "Über fünf"], pa.large_string())
    return LabelledInstances("y", ("neg", "pos"), IDS, texts, PROBS, {"c3": "pos"})


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        (Search(), ["a2", "a10", "c3", "b1"]),
        (Search(order="sure"), ["b1", "c3", "a10", "a2"]),
        (Search(order="id"), ["a10", "a2", "b1", "c3"]),
        (Search(order="row"), ["b1", "a2", "c3", "a10"]),
        (Search(find="awful"), ["c3", "b1"]),
        (Search(find="A1"), ["a10"]),
        (Search(find="über"), ["a10"]),
        (Search(find=".*"), []),
        (Search(label="neg"), ["a10", "b1"]),
        (Search(offset=1, most=2), ["a10", "c3"]),
        (Search(offset=9), []),
    ],
)
def test_instances_are_found(asked: Search, ids: list[str]) -> None:
    rows, total = shelf().search(asked)
    assert [row["id"] for row in rows] == ids
    assert total == (4 if asked.offset else len(ids))


def test_a_row_tells_all_that_a_list_shows() -> None:
    (row,), _ = shelf().search(Search(find="c3"))
    assert row == {
        "id": "c3",
        "text": "AWFUL",
        "label": "pos",
        "probability": 0.8,
        "posterior": [0.2, 0.8],
        "gold": "pos",
    }


def test_wrong_searches_are_refused() -> None:
    with pytest.raises(UnknownLabel, match="no label 'pso'"):
        shelf().search(Search(label="pso"))
    with pytest.raises(BadInput, match="no order 'doubts'") as error:
        Search(order="doubts")  # type: ignore[arg-type]
    assert error.value.remedy == "did you mean 'doubt'?"
    for wrong in ({"offset": -1}, {"most": 2.5}, {"most": True}):
        with pytest.raises(BadInput, match="whole number"):
            Search(**wrong)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="no instance 'a11' of y"):
        shelf().row_of("a11")


def test_long_texts_are_cut_around_what_was_found() -> None:
    text = "word " * 200 + "needle " + "word " * 200
    found = cut_around(text, "Needle")
    assert "needle" in found
    assert len(found) <= 282
    assert (found[0], found[-1]) == ("…", "…")
    assert cut_around("short\n text", "x") == "short text"
    assert cut_around(text).startswith("word word")
    assert cut_around(text, "nowhere").startswith("word word")


def test_what_people_read_of_instances_without_text() -> None:
    task = tacit.Task(
        {
            "item": {"id": ["a", "b"], "size": [1, None], "words": [["x", "y"], []]},
            "bare": ["c"],
        }
    )
    assert texts_of(task, "item").to_pylist()[0] == "size: 1; words: ['x', 'y']"
    assert texts_of(task, "bare").to_pylist() == [""]


def test_several_functions_must_be_told_apart(small: Path) -> None:
    found = explained_run(small)
    with pytest.raises(BadInput, match="which are meant"):
        found.function(None)
    assert found.function(None, "r1") == "sentiment"
    assert found.function(None, 2) == "good"
