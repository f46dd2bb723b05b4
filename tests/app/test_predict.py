"""`tacit predict`: files of new texts, piece by piece."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.app import batches
from tacit.app.batches import read_batches

from .conftest import Run

TEXTS = ["superb, I loved it", "an awful\nfilm", 'so "so"', ""]
pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that knows superb from awful."""
    texts = [text for text in ("superb film", "awful film", "I loved it") for _ in range(10)]
    task, program = tacit.text_classification(
        texts, labels=["neg", "pos"], keywords={"pos": ["superb", "loved"], "neg": ["awful"]}
    )
    folder = tmp_path_factory.mktemp("saved") / "run"
    tacit.DPL(rounds=1).fit(task, program).save(folder)
    return folder


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """New texts in every kind of file, in the working folder."""
    monkeypatch.chdir(tmp_path)
    ids = [f"n{i}" for i in range(len(TEXTS))]
    for name, delimiter in (("new.csv", ","), ("new.tsv", "\t")):
        with Path(name).open("w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, delimiter=delimiter).writerows(
                [["id", "text"], *zip(ids, TEXTS, strict=True)]
            )
    rows = [{"id": key, "text": text} for key, text in zip(ids, TEXTS, strict=True)]
    Path("new.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    with gzip.open("new.ndjson.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, rows)))
    pq.write_table(pa.table({"id": ids, "text": TEXTS}), "new.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["new.csv", "new.tsv", "new.jsonl", "new.ndjson.gz", "new.parquet"]
)
def test_every_kind_of_file(run: Run, saved: Path, new: Path, name: str) -> None:
    answer = run("predict", saved, name, "--out", "labels.parquet")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[-1].startswith("4 rows in labels.parquet: ")
    table = pq.read_table("labels.parquet")
    assert table.column_names == ["row", "id", "label", "p_neg", "p_pos"]
    assert table["row"].to_pylist() == [1, 2, 3, 4]
    assert table["id"].to_pylist() == ["n0", "n1", "n2", "n3"]
    model = tacit.load(saved)
    assert table["label"].to_pylist() == model.predict(TEXTS)
    found = np.stack([table["p_neg"].to_numpy(), table["p_pos"].to_numpy()], axis=1)
    assert np.array_equal(found, model.predict_proba(TEXTS))


@pytest.mark.parametrize("out", ["labels.csv", "labels.tsv", "labels.jsonl"])
def test_every_kind_of_answer(run: Run, saved: Path, new: Path, out: str) -> None:
    assert run("predict", saved, "new.csv", "--out", out).code == 0
    text = Path(out).read_text()
    if out.endswith("jsonl"):
        first = json.loads(text.splitlines()[0])
    else:
        first = next(csv.DictReader(text.splitlines(), delimiter="," if "csv" in out else "\t"))
    assert list(first) == ["row", "id", "label", "p_neg", "p_pos"]
    assert (str(first["row"]), first["id"], first["label"]) == ("1", "n0", "pos")
    assert float(first["p_pos"]) == pytest.approx(tacit.load(saved).predict_proba(TEXTS)[0, 1])


def test_answers_lie_beside_the_file_unless_told(run: Run, saved: Path, new: Path) -> None:
    assert run("predict", saved, "new.csv").code == 0
    assert run("predict", saved, "new.ndjson.gz").code == 0
    assert Path("new.labels.csv").exists()
    assert Path("new.labels.ndjson").exists()
    answer = run("predict", saved, "new.csv", "--json").json
    assert (answer["out"], answer["rows"], answer["column"]) == ("new.labels.csv", 4, "text")
    assert sum(answer["labels"].values()) == 4
    assert not list(new.glob(".*"))


def test_pieces_make_no_difference(
    run: Run, saved: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("predict", saved, "new.csv", "--out", "whole.csv")
    monkeypatch.setattr(batches.read_batches, "__kwdefaults__", {"n_rows": 3})
    for name in ("new.csv", "new.jsonl", "new.parquet"):
        assert [len(some.inputs) for some in read_batches(Path(name), "text")] == [3, 1]
        run("predict", saved, name, "--out", "pieces.csv")
        assert Path("pieces.csv").read_text() == Path("whole.csv").read_text()


def test_the_column_may_be_another_one(run: Run, saved: Path, new: Path) -> None:
    Path("plain.csv").write_text("words\nsuperb\nawful\n")
    assert run("predict", saved, "plain.csv", "--column", "words").code == 0
    lines = Path("plain.labels.csv").read_text().splitlines()
    assert lines[0] == "row,label,p_neg,p_pos"  # the first column is read, so there are no ids
    assert [line.split(",")[1] for line in lines[1:]] == ["pos", "neg"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"id,txt\n1,superb\n", "did you mean 'txt'?"),
        ("a.csv", b"id,text\n1,fine\n2,so,so\n", "a.csv:3   2,so,so"),
        ("a.csv", b'id,text\n1,"never\nclosed\n', "line 2 of a.csv opens a double quote"),
        ("a.csv", b"id,text\n1,caf\xe9\n", "line 2 of a.csv is not UTF-8"),
        ("a.csv", b"id,text\n", "a.csv has no rows"),
        ("a.csv", b"", "a.csv has no rows"),
        ("a.jsonl", b'{"text": "fine"}\n{"text": \n', "line 2 of a.jsonl is not JSON"),
        ("a.jsonl", b'{"text": "fine"}\n{"txt": "x"}\n', "a.jsonl:2"),
        ("a.jsonl", b'{"text": 3}\n', "has a number for 'text'"),
        ("a.jsonl", b'["fine"]\n', "line 1 of a.jsonl is not an object"),
        ("a.jsonl.gz", b"plain", "a.jsonl.gz cannot be read"),
        ("a.parquet", b"PAR1", "not a readable Parquet file"),
        ("a.txt", b"fine", "the kinds are: .csv"),
    ],
)
def test_mistakes_in_files_are_told_at_their_place(
    run: Run, saved: Path, new: Path, name: str, content: bytes, said: str
) -> None:
    Path(name).write_bytes(content)
    before = sorted(new.iterdir())
    answer = run("predict", saved, name)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert sorted(new.iterdir()) == before  # nothing half written is left


def test_other_mistakes(run: Run, saved: Path, new: Path) -> None:
    for arguments, said in [
        ((saved, "ne.csv"), "did you mean 'new.csv'"),
        ((saved, "new.csv", "--out", "new.csv"), "is the file to read"),
        ((saved, "new.csv", "--out", "labels.xml"), "the kinds are"),
        ((saved, "new.csv", "--function", "clas"), "there are: y"),
        (("nowhere", "new.csv"), "nowhere is not there"),
        ((new, "new.csv"), "is not a saved model"),
    ]:
        answer = run("predict", *arguments)
        assert answer.code == 2
        assert said in answer.err, answer.err


def test_several_label_functions_need_a_choice(run: Run, saved: Path, new: Path) -> None:
    review = {"id": [1, 2, 3], "text": ["superb film", "awful film", "awful plot"]}
    task = tacit.Task({"review": review}, text="review.text")
    program = tacit.Program.parse(
        "label a(review) = no | yes\nlabel b(review) = no | yes\nobserved token(review, word)\n"
        'one: 1.0 token(r, "superb") => a(r) = yes\ntwo: 1.0 token(r, "film") => b(r) = yes\n'
    )
    tacit.DPL(rounds=1).fit(task, program).save("both")
    answer = run("predict", "both", "new.csv")
    assert answer.code == 2
    assert "such as --function a" in answer.err
    assert run("predict", "both", "new.csv", "--function", "b", "--json").json["function"] == "b"


def test_help_has_an_example(run: Run) -> None:
    answer = run("predict", "--help")
    assert answer.code == 0
    assert "tacit predict runs/linear new.csv" in " ".join(answer.out.split())
