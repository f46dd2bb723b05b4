"""`tacit export`: labels, votes and networks, read back by those they are written for."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.app.cli import main
from tacit.app.export.command import ExportFormat

from .conftest import Run

TEXTS = [
    'superb, "I loved it"',
    "an awful film",
    "so\nso, <b>really</b>",
    "größtenteils superb; awful end",
    "loved & hated",
]
RULES = """\
label    sentiment(review) = pos | neg
observed token(review, word)
observed lexicon(word, class)
observed near(review, review)
praise:  2.2   token(r, "superb") => sentiment(r) = pos
words:   1.5   token(r, +w) & lexicon(w, +l) => sentiment(r) = +l
agree:   1.0   near(r, s) => sentiment(r) = sentiment(s)
never:   1.0   token(r, "unheard") => sentiment(r) = neg
"""
PYTHON = """\
import tacit

@tacit.labelling_function
def begins(text):
    return {"s": "pos", "a": "neg"}.get(text[0])
"""
SETTINGS = """\
name = "small"
text = "review.text"
python = "rules.py"
[tables]
review = "data/review.csv"
lexicon = "data/lexicon.csv"
near = "data/near.csv"
"""
N = 40


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one run, made once."""
    folder = tmp_path_factory.mktemp("fitted")
    (folder / "data").mkdir()
    rows = [[f"r{i}", TEXTS[i % len(TEXTS)]] for i in range(N)]
    with (folder / "data" / "review.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "text"], *rows])
    (folder / "data" / "lexicon.csv").write_text("word,class\nloved,pos\nawful,neg\nhated,neg\n")
    (folder / "data" / "near.csv").write_text("one,other\nr1,r6\nr2,r7\n")
    (folder / "rules.tacit").write_text(RULES)
    (folder / "rules.py").write_text(PYTHON)
    (folder / "tacit.toml").write_text(SETTINGS)
    assert main(["fit", str(folder), "--rounds", "1", "--json"]) == 0
    return folder


@pytest.fixture
def small(fitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project, in the working folder."""
    shutil.copytree(fitted, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def posterior(run: str = "runs/linear") -> np.ndarray:
    found = tacit.load(run).posterior_
    assert isinstance(found, np.ndarray)
    return found


def test_every_format_has_a_test_that_reads_it_back() -> None:
    tested = {"parquet", "csv", "jsonl", "snorkel", "label-studio", "argilla"}
    assert tested | {"huggingface", "sklearn"} == set(ExportFormat)


@pytest.mark.parametrize("name", ["labels.parquet", "labels.csv", "labels.tsv", "labels.jsonl"])
def test_tables_hold_ids_texts_labels_and_probabilities(run: Run, small: Path, name: str) -> None:
    answer = run("export", "--to", name)
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[-1].startswith(f"{N} instances as ")
    if name.endswith("parquet"):
        rows = pq.read_table(name).to_pylist()
    elif name.endswith("jsonl"):
        rows = [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]
    else:
        with Path(name).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t" if name.endswith("tsv") else ","))
    assert list(rows[0]) == ["id", "text", "label", "p_pos", "p_neg"]
    assert [row["id"] for row in rows] == [f"r{i}" for i in range(N)]
    assert [row["text"] for row in rows] == [TEXTS[i % len(TEXTS)] for i in range(N)]
    probs = np.array([[float(row["p_pos"]), float(row["p_neg"])] for row in rows])
    tolerance = 0 if name.endswith("parquet") else 1e-6
    np.testing.assert_allclose(probs, posterior(), rtol=0, atol=tolerance)
    chosen = [("pos", "neg")[at] for at in posterior().argmax(axis=1)]
    assert [row["label"] for row in rows] == chosen


def test_a_parquet_file_says_where_it_comes_from(run: Run, small: Path) -> None:
    run("export", "--to", "labels.parquet")
    about = json.loads(pq.read_schema("labels.parquet").metadata[b"tacit"])
    written = json.loads(Path("runs/linear/run.json").read_text())
    assert (about["project"], about["run"], about["function"]) == ("small", "linear", "sentiment")
    assert (about["data"], about["program"]) == (written["task"], written["program"])


@pytest.mark.parametrize("name", ["labels.parquet", "labels.csv", "labels.jsonl"])
def test_hard_labels_have_no_probabilities(run: Run, small: Path, name: str) -> None:
    assert run("export", "--to", name, "--hard").code == 0
    text = Path(name).read_bytes()
    assert b"p_pos" not in text
    assert b"label" in text


def test_hugging_face_opens_the_folder(run: Run, small: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    assert run("export", "--format", "huggingface", "--to", "made/set").code == 0
    found = datasets.load_from_disk("made/set")
    assert found.features["label"].names == ["pos", "neg"]
    assert found["id"][:2] == ["r0", "r1"]
    assert found["text"][3] == TEXTS[3]
    probs = np.stack([found["p_pos"][:], found["p_neg"][:]], axis=1)
    assert np.array_equal(probs, posterior())
    assert found["label"][:] == posterior().argmax(axis=1).tolist()
    assert found.filter(lambda row: row["label"] == 1).num_rows == sum(found["label"][:])
    run("export", "--format", "huggingface", "--to", "hard", "--hard")
    assert datasets.load_from_disk("hard").column_names == ["id", "text", "label"]


def test_label_studio_gets_tasks_and_the_configuration(run: Run, small: Path) -> None:
    assert run("export", "--to", "tasks.json").code == 0
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    assert len(tasks) == N
    first = tasks[0]
    assert first["data"]["text"] == TEXTS[0]
    (prediction,) = first["predictions"]
    assert prediction["score"] == pytest.approx(posterior()[0].max(), abs=1e-6)
    assert prediction["model_version"].startswith("tacit-")
    (result,) = prediction["result"]
    view = ElementTree.parse("tasks.xml").getroot()
    choices = view.find("Choices")
    assert choices is not None
    assert (result["from_name"], result["to_name"]) == (choices.get("name"), choices.get("toName"))
    named = {text.get("name"): text.get("value") for text in view.iter("Text")}
    assert named == {"text": "$text"}
    assert [own.get("value") for own in choices] == ["pos", "neg"]
    assert result["value"]["choices"][0] in ("pos", "neg")


def test_label_studio_takes_what_it_gets(run: Run, small: Path) -> None:
    interface = pytest.importorskip("label_studio_sdk.label_interface")
    run("export", "--to", "tasks.json")
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    read = interface.LabelInterface(Path("tasks.xml").read_text())
    read.validate()
    assert all(read.validate_prediction(p) for task in tasks for p in task["predictions"])


def test_argilla_gets_records_and_settings(run: Run, small: Path) -> None:
    assert run("export", "--format", "argilla", "--to", "made").code == 0
    records = json.loads(Path("made/records.json").read_text("ascii"))
    settings = json.loads(Path("made/.argilla/settings.json").read_text())
    assert json.loads(Path("made/.argilla/dataset.json").read_text())["name"] == "sentiment"
    assert [record["id"] for record in records] == [f"r{i}" for i in range(N)]
    (question,) = settings["questions"]
    assert question["settings"]["type"] == "label_selection"
    assert question["settings"]["visible_options"] is None  # at least 3, where there is a number
    assert [option["value"] for option in question["settings"]["options"]] == ["pos", "neg"]
    first = records[0]
    assert set(first["fields"]) == {field["name"] for field in settings["fields"]} == {"text"}
    assert set(first["metadata"]) == {own["name"] for own in settings["metadata"]}
    suggestion = first["suggestions"][question["name"]]
    assert suggestion["score"] == pytest.approx(posterior()[0].max(), abs=1e-6)
    assert suggestion["value"] == "pos"
    run("export", "--format", "argilla", "--to", "hard", "--hard")
    hard = json.loads(Path("hard/records.json").read_text())[0]
    assert (hard["metadata"], hard["suggestions"]["sentiment"]["score"]) == ({}, None)


def words_of(text: str) -> set[str]:
    return {word.strip('",;<>&').lower() for word in text.split()}


def test_the_label_matrix_is_what_the_evidence_says(run: Run, small: Path) -> None:
    answer = run("export", "--to", "votes.npz", "--json").json
    held = np.load("votes.npz", allow_pickle=False)
    sources = held["sources"].tolist()
    assert held["labels"].tolist() == ["pos", "neg"]
    assert held["ids"].tolist() == [f"r{i}" for i in range(N)]
    assert answer["sources"] == len(sources) == held["matrix"].shape[1]
    column = {name: held["matrix"][:, at].tolist() for at, name in enumerate(sources)}
    said = {
        "praise": lambda text: 0 if "superb" in words_of(text) else -1,
        "words[loved, pos]": lambda text: 0 if "loved" in words_of(text) else -1,
        "words[awful, neg]": lambda text: 1 if "awful" in words_of(text) else -1,
        "words[hated, neg]": lambda text: 1 if "hated" in words_of(text) else -1,
        "begins": lambda text: {"s": 0, "a": 1}.get(text[0], -1),
    }
    assert set(sources) == set(said)
    for name, says in said.items():
        assert column[name] == [says(TEXTS[i % len(TEXTS)]) for i in range(N)], name
    assert answer["notes"][0].endswith("is no vote on a single label: agree, never")


FIT_SNORKEL = """
import numpy as np
from snorkel.labeling.model import LabelModel
held = np.load("votes.npz")
model = LabelModel(cardinality=len(held["labels"]), verbose=False)
model.fit(held["matrix"], n_epochs=20, progress_bar=False)
assert model.predict_proba(held["matrix"]).shape == (len(held["ids"]), 2)
print("fitted")
"""


def test_snorkel_takes_the_matrix_as_it_is(run: Run, small: Path) -> None:
    """In this Python where Snorkel is installed, else in that of the peers."""
    peers = os.environ.get("TACIT_PEERS")
    python = sys.executable if find_spec("snorkel") else f"{peers}/bin/python"
    if not Path(python).is_file():
        pytest.skip("snorkel is not installed, and TACIT_PEERS names no Python that has it")
    run("export", "--to", "votes.npz")
    done = subprocess.run(
        [python, "-c", FIT_SNORKEL], capture_output=True, text=True, check=False, cwd=small
    )
    assert done.stdout.endswith("fitted\n"), done.stderr


def test_a_grown_run_brings_the_words_that_it_has_added(run: Run, small: Path) -> None:
    from .growing import write_growing_project

    write_growing_project(small)
    shutil.rmtree("runs")
    assert run("grow", "--rounds", 1).code == 0
    answer = run("export", "--to", "votes.npz", "--json").json
    assert answer["run"] == "runs/s4-linear"
    sources = np.load("votes.npz")["sources"].tolist()
    assert {"praise", "blame", "pos_witty"} <= set(sources)


def test_a_classifier_predicts_what_the_run_does(run: Run, small: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from tacit.learning.classifier import TacitClassifier

    answer = run("export", "--format", "sklearn", "--to", "classifier", "--json").json
    assert (answer["rows"], answer["out"]) == (None, ["classifier"])
    read = TacitClassifier.load("classifier")
    model = tacit.load("runs/linear")
    assert read.predict(TEXTS).tolist() == model.predict(TEXTS)
    assert read.classes_.tolist() == ["neg", "pos"]  # sorted, as scikit-learn has them
    assert np.array_equal(read.predict_proba(TEXTS)[:, ::-1], model.predict_proba(TEXTS))
    endings = {path.suffix for path in Path("classifier").rglob("*") if path.is_file()}
    assert endings <= {".json", ".parquet", ".safetensors"}


def test_the_newest_run_is_taken_unless_one_is_named(run: Run, small: Path) -> None:
    shutil.copytree("runs/linear", "runs/other")
    now = time.time()
    os.utime("runs/linear/run.json", (now, now + 60))
    assert run("export", "--to", "a.csv", "--json").json["run"] == "runs/linear"
    os.utime("runs/other/run.json", (now, now + 120))
    assert run("export", "--to", "b.csv", "--json").json["run"] == "runs/other"
    assert run("export", "--to", "c.csv", "--run", "linear", "--json").json["run"] == "runs/linear"
    named = run("export", "runs/linear", "--to", "d.csv", "--json").json
    assert named["run"] == "runs/linear"
    assert run("export", "--to", "e.csv", "--run", str(small / "runs" / "other")).code == 0


def test_nothing_is_overwritten_unasked(run: Run, small: Path) -> None:
    Path("labels.csv").write_text("mine")
    refused = run("export", "--to", "labels.csv")
    assert refused.code == 2
    assert "labels.csv is there already" in refused.err
    assert Path("labels.csv").read_text() == "mine"
    assert run("export", "--to", "labels.csv", "--force").code == 0
    Path("tasks.xml").write_text("mine")
    assert "tasks.xml is there already" in run("export", "--to", "tasks.json").err
    assert not Path("tasks.json").exists()


def test_a_folder_that_is_no_export_is_never_replaced(run: Run, small: Path) -> None:
    options = ("export", "--format", "huggingface", "--force", "--to")
    assert "is no export of tacit's" in run(*options, "data").err
    assert Path("data/review.csv").is_file()
    Path("empty").mkdir()
    assert run(*options, "empty").code == 0
    (Path("empty") / "old").write_text("")
    assert run(*options, "empty").code == 0
    assert not (Path("empty") / "old").exists()
    assert "is there already" in run("export", "--format", "huggingface", "--to", "empty").err
    assert "is a folder" in run("export", "--format", "csv", "--to", "data").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "labels.xlsx"], "does not say what to write"),
        (["--to", "folder"], "--format argilla|huggingface|sklearn"),
        (["--to", "labels.csv", "--format", "parquet"], "is called like csv"),
        (["--to", "tasks.xml", "--format", "label-studio"], "such as tasks.json"),
        (["--to", "votes.npz", "--hard"], "has no probabilities to leave out"),
        (["--to", "a.csv", "--run", "lineer"], "did you mean 'linear'?"),
        (["--to", "a.csv", "--function", "sentimnt"], "did you mean 'sentiment'?"),
        (["rules.tacit", "--to", "a.csv"], "a program without data"),
        (["nowhere", "--to", "a.csv"], "nowhere is not there"),
        ([], "--to"),
    ],
)
def test_mistakes(run: Run, small: Path, arguments: list[str], said: str) -> None:
    before = sorted(small.rglob("*"))
    answer = run("export", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert sorted(small.rglob("*")) == before


def test_without_a_run_the_remedy_is_to_fit(run: Run, small: Path) -> None:
    shutil.rmtree("runs")
    answer = run("export", "--to", "a.csv")
    assert answer.code == 2
    assert "there is no run in runs yet" in answer.err
    assert "tacit fit ." in answer.err


def test_data_that_have_changed_since(run: Run, small: Path) -> None:
    file = Path("data/review.csv")
    with file.open(newline="", encoding="utf-8") as held:
        header, *rows = csv.reader(held)

    def write(own: list[list[str]]) -> None:
        with file.open("w", newline="", encoding="utf-8") as target:
            csv.writer(target).writerows([header, *own])

    write([*rows[::-1], ["new", "brand new"]])
    answer = run("export", "--to", "a.jsonl", "--json").json
    assert answer["notes"] == [f"1 of {N + 1} rows of data/review.csv are not in the run"]
    first = json.loads(Path("a.jsonl").read_text("utf-8").splitlines()[0])
    assert (first["id"], first["text"]) == ("r0", TEXTS[0])
    write(rows[3:])
    refused = run("export", "--to", "b.jsonl")
    assert refused.code == 2
    assert f"3 of the {N} instances of the run are not in data/review.csv" in refused.err
    assert "fit again" in refused.err
    write([[str(n), row[1]] for n, row in enumerate(rows)])  # ids of another kind
    assert f"{N} of the {N} instances" in run("export", "--to", "b.jsonl").err
    assert not Path("b.jsonl").exists()


def test_several_label_functions_need_a_choice(run: Run, small: Path) -> None:
    rules = Path("rules.tacit").read_text().replace("never:", "#")
    more = 'label long(review) = no | yes\nlong: 1.0 token(r, "film") => long(r) = yes\n'
    Path("rules.tacit").write_text(rules + more)
    Path("rules.py").write_text(PYTHON.replace("function\n", "function(label='sentiment')\n"))
    assert run("fit", "--rounds", 1, "--fresh").code == 0
    answer = run("export", "--to", "a.csv")
    assert answer.code == 2
    assert "such as --function sentiment" in answer.err
    assert run("export", "--to", "a.csv", "--function", "long").code == 0
    assert Path("a.csv").read_text().startswith("id,text,label,p_no,p_yes\n")
