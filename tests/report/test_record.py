"""Records: made of fitted models, written and read again."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadFile, BadInput
from tacit.learning.identity import program_fingerprint
from tacit.learning.saving import save
from tacit.report.gold_scores import gold_codes
from tacit.report.record import (
    RECORD,
    CalibrationBin,
    FunctionRecord,
    GoldScores,
    InstanceRecord,
    Made,
    RunRecord,
    Snapshot,
    read_record,
    record_text,
)
from tacit.report.record_functions import said_by
from tacit.report.record_instances import LONGEST, instance_records
from tacit.report.record_made import versions
from tacit.report.record_of import MOST_EVIDENCE, About, record_of, widest

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

RULES = """
label    sentiment(review) = neg | pos
label    genuine(shop) = no | yes
observed token(review, word)
observed word_of(word, class)
observed near(review, review)
observed of(review, shop)
words:   1.5   token(r, w) & word_of(w, l) => sentiment(r) = l
agree:   0.7   near(r, s) => sentiment(r) = sentiment(s)
praised: 1.0   of(r, s) & sentiment(r) = pos => genuine(s) = yes
never:   hard  token(r, "fraud") => sentiment(r) = neg
"""
GOOD, BAD = ("superb", "lovely", "warm", "bright"), ("awful", "dreary", "cold", "fraud")
ABOUT = About(name="shops", predictor="linear", command="tacit fit", when=1e9, seconds=2.5)


@cache
def problem() -> tuple[tacit.Task, tacit.Program]:
    """Reviews with a network, and shops, of which only evidence speaks."""
    texts = [
        f"{(GOOD, BAD)[i % 2][i % 4]} and {(GOOD, BAD)[(i + (i % 5 == 0)) % 2][(i + 1) % 4]} as {i}"
        for i in range(40)
    ]
    words = {"word": [*GOOD[:2], *BAD[:2]], "class": ["pos", "pos", "neg", "neg"]}
    ids = [f"r{i}" for i in range(40)]
    task = tacit.Task(
        {
            "review": {"id": ids, "text": texts},
            "shop": {"id": [1, 2], "place": ["a road", "a lane"], "since": [1999, None]},
            "word_of": words,
            "near": {"a": ids[:9], "b": ids[2:11]},
            "of": {"a": ids[:4], "b": [1, 1, 2, 2]},
        },
        text="review.text",
    )
    return task, tacit.Program.parse(RULES)


@cache
def fitted() -> tacit.DPL:
    return tacit.DPL({"sentiment": "linear"}, rounds=2).fit(*problem())


@cache
def gold() -> dict[str, Any]:
    task, program = problem()
    known = {f"r{i}": ("pos", "neg")[i % 2] for i in range(30)}
    return gold_codes(program, task, {"sentiment": known})


@cache
def record() -> RunRecord:
    return record_of(
        fitted(),
        About(
            name="shops",
            predictor="linear",
            command="tacit fit",
            when=1e9,
            seconds=2.5,
            gold=gold(),
            notes=("look",),
            facts={"share": float("nan"), "names": ("a", "b")},
        ),
    )


def test_every_label_function_has_its_record() -> None:
    model, (reviews, shops) = fitted(), record().functions
    views = model.views("sentiment")
    labels = model.posterior_["sentiment"].argmax(axis=1)
    assert (reviews.name, reviews.domain, reviews.labels) == ("sentiment", "review", ("neg", "pos"))
    assert reviews.n_instances == 40
    assert reviews.counts == tuple(np.bincount(labels, minlength=2).tolist())
    assert reviews.coverage == views.has_evidence.mean()
    agrees = views.evidence.argmax(axis=1) == views.network.argmax(axis=1)
    assert reviews.agreement == agrees[views.has_evidence].mean()
    sure = model.posterior_["sentiment"].max(axis=1)
    assert len(reviews.sureness) == 20
    assert sum(reviews.sureness[:19]) == (sure < 0.95).sum()
    assert sum(reviews.sureness) == 40
    assert reviews.gold is not None
    assert reviews.gold.n == 30
    assert (shops.agreement, shops.gold, shops.coverage) == (None, None, 1.0)


def test_it_tells_the_weights_that_were_learned() -> None:
    model = fitted()
    program = tacit.Program.parse(record().program)
    start = {one.name: one.weight for one in model.program_.evidence}
    assert [one.name for one in program.evidence] == list(start)
    agree = next(one.weight for one in program.evidence if one.name == "agree")
    assert agree != start["agree"]
    rows = {row["name"]: row for row in record().evidence}
    assert rows["agree"]["weight"] == model.weights_["agree"]
    assert rows["never"]["weight"] is None  # infinite
    assert rows["words"]["n_gold"] > 0
    assert [one["number"] for one in record().rounds] == [one.number for one in model.history_]


def test_it_tells_how_it_was_made() -> None:
    task, program = problem()
    made = record().made
    assert (made.data, made.seed, made.command) == (task.fingerprint(), 0, "tacit fit")
    assert (made.program, made.seeds) == (program_fingerprint(program), "")
    assert made.settings["rounds"] == 2
    assert made.settings["predictor"]["sentiment"]["kind"] == "linear"
    assert {"tacit", "python", "numpy", "scipy", "duckdb", "numba"} <= set(versions())


def test_instances_are_few_and_of_each_kind() -> None:
    found = [one for one in record().instances if one.function == "sentiment"]
    assert len(found) == 12
    assert len({one.id for one in found}) == 12
    reasons = list(dict.fromkeys(one.why for one in found))
    wanted = ["in doubt", "evidence and network disagree", "tied to others"]
    wanted += ["sure of neg", "sure of pos"]
    assert reasons == [why for why in wanted if why in reasons]
    assert {"tied to others", "sure of neg", "sure of pos"} <= set(reasons)
    labels, posterior = ("neg", "pos"), fitted().posterior_["sentiment"]
    codes = gold()["sentiment"]
    for one in found:
        row = int(one.id[1:])
        assert one.posterior == tuple(posterior[row].tolist())
        assert one.gold == (labels[codes[row]] if codes[row] >= 0 else None)
        if one.why.startswith("sure of "):
            assert labels[posterior[row].argmax()] == one.why.removeprefix("sure of ")
        if one.why == "tied to others":
            assert any(part["neighbours"] for part in one.explanation["parts"])


def test_explanations_add_up_and_show_rows() -> None:
    traced = 0
    for one in record().instances:
        parts, total = one.explanation["parts"], one.explanation["log_odds"]
        if total is not None:
            assert sum(part["contribution"] for part in parts) == pytest.approx(total, abs=1e-6)
        traced += any("w" in row for part in parts for row in part["rows"])
    assert traced
    quick = record_of(fitted(), ABOUT, traced=0).instances
    assert [one.id for one in quick] == [one.id for one in record().instances]
    rows = [row for one in quick for part in one.explanation["parts"] for row in part["rows"]]
    assert not any("w" in row for row in rows)


def test_texts_are_cut_and_instances_without_text_are_told_by_their_row() -> None:
    shops = {one.id: one.text for one in record().instances if one.function == "genuine"}
    assert shops == {"1": "place: a road, since: 1999", "2": "place: a lane"}
    long = "superb " * 200
    task, program = tacit.text_classification(
        [long, "awful", "superb"], labels=["neg", "pos"], keywords={"pos": ["superb"]}
    )
    model = tacit.DPL("linear", rounds=1).fit(task, program)
    texts = {one.id: one.text for one in instance_records(model, said_by(model), {})}
    assert texts["0"] == long[: LONGEST - 3] + "..."
    assert texts["1"] == "awful"


def test_many_parts_become_few_that_add_up() -> None:
    words = [f"w{k}" for k in range(60)]
    text = " ".join(words)
    task, program = tacit.text_classification(
        [text, "w0 w1", "w2"],
        labels=["neg", "pos"],
        keywords={"pos": words[:50], "neg": words[50:]},
    )
    model = tacit.DPL("linear", rounds=1).fit(task, program)
    (own,) = [one for one in record_of(model, ABOUT).instances if one.id == "0"]
    parts = own.explanation["parts"]
    assert len(model.explain("0").parts) > len(parts) == 40
    assert parts[-1]["name"].endswith(" smaller parts")
    total = sum(part["contribution"] for part in parts)
    assert total == pytest.approx(own.explanation["log_odds"])


def test_the_widest_evidence_is_kept() -> None:
    row = fitted().analysis().rows[0]
    rows = tuple(
        replace(row, name=str(k), coverage=k / 1e4, n_groundings=0) for k in range(MOST_EVIDENCE)
    )
    tied = replace(row, name="tied", coverage=float("nan"), n_groundings=3)
    assert widest(rows) == rows
    assert [one.name for one in widest((tied, *rows, rows[0]))][:2] == ["tied", "1"]
    assert len(widest((tied, *rows, rows[0]))) == MOST_EVIDENCE


def test_a_real_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    text = record_text(record())
    assert "NaN" not in text
    assert "Infinity" not in text
    (tmp_path / "one.json").write_text(text, encoding="utf-8")
    assert read_record(tmp_path / "one.json") == record()
    assert record().facts == {"share": None, "names": ["a", "b"]}


def test_it_comes_into_the_folder_with_the_model(tmp_path: Path) -> None:
    run = tmp_path / "run"
    save(fitted(), run, beside={RECORD: record_text(record())})
    assert read_record(run) == record()
    assert np.array_equal(tacit.load(run).posterior_["genuine"], fitted().posterior_["genuine"])
    for taken in ("run.json", "program.tacit"):
        with pytest.raises(BadInput, match=f"has a {taken} of its own"):
            save(fitted(), run, beside={taken: "other"})
    assert read_record(run) == record()  # nothing of the other came there
    (run / RECORD).unlink()
    with pytest.raises(BadFile, match="has no record"):
        read_record(run)


def test_a_model_without_its_data_has_no_record(tmp_path: Path) -> None:
    fitted().save(tmp_path / "run")
    with pytest.raises(BadInput, match="without its data"):
        record_of(tacit.load(tmp_path / "run"), ABOUT)


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 2}',
        "[]",
        "not JSON",
        '{"format": 1}',
        '{"format": 1, "made": {"unknown": 1}}',
        '{"format": 1, "made": null}',
    ],
)
def test_what_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / RECORD
    path.write_text(text)
    with pytest.raises(BadFile) as refused:
        read_record(tmp_path)
    assert str(path) in refused.value.message
    assert "again" in str(refused.value.remedy)


def test_a_record_with_a_field_of_another_version_is_refused(tmp_path: Path) -> None:
    given = json.loads(record_text(record())) | {"unheard_of": 1}
    (tmp_path / RECORD).write_text(json.dumps(given))
    with pytest.raises(BadFile, match="this version of tacit"):
        read_record(tmp_path)


WORDS = st.text(st.characters(codec="utf-8"), max_size=4)
SMALL = st.integers(0, 9)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
MAYBE = st.none() | NUMBERS
COUNTS = st.lists(SMALL, max_size=3).map(tuple)
MATRICES = st.lists(COUNTS, max_size=3).map(tuple)
JSON = st.dictionaries(
    WORDS,
    st.recursive(
        MAYBE | WORDS | st.booleans(), lambda own: st.lists(own, max_size=2), max_leaves=3
    ),
    max_size=2,
)


def several(own: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(own, max_size=2).map(tuple)


def by_name(own: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(WORDS, own, max_size=2)


MADE = st.builds(
    Made, command=WORDS, when=NUMBERS, seconds=NUMBERS, seed=SMALL, versions=by_name(WORDS),
    data=WORDS, program=WORDS, settings=JSON, seeds=WORDS,
)  # fmt: skip
BINS = st.builds(CalibrationBin, n=SMALL, confidence=NUMBERS, accuracy=NUMBERS)
SCORES = st.builds(
    GoldScores, n=SMALL, accuracy=NUMBERS, confusion=MATRICES, precision=several(MAYBE),
    recall=several(MAYBE), f1=several(MAYBE), calibration=several(BINS), calibration_error=NUMBERS,
)  # fmt: skip
FUNCTIONS = st.builds(
    FunctionRecord, name=WORDS, domain=WORDS, labels=several(WORDS), n_instances=SMALL,
    counts=COUNTS, coverage=NUMBERS, agreement=MAYBE, sureness=COUNTS, gold=st.none() | SCORES,
)  # fmt: skip
SNAPSHOTS = st.builds(
    Snapshot, stage=st.sampled_from(["seeds", "round", "answers"]), number=SMALL, rules=SMALL,
    program=WORDS, health=by_name(NUMBERS), counts=by_name(COUNTS),
    flow=st.none() | by_name(MATRICES), accuracy=st.none() | by_name(NUMBERS),
    taken_back=st.booleans(),
)  # fmt: skip
INSTANCES = st.builds(
    InstanceRecord, function=WORDS, id=WORDS, text=WORDS, posterior=several(NUMBERS), why=WORDS,
    explanation=JSON, gold=st.none() | WORDS,
)  # fmt: skip
RECORDS = st.builds(
    RunRecord, kind=st.sampled_from(["fit", "grow"]), name=WORDS, predictor=WORDS, made=MADE,
    functions=several(FUNCTIONS), program=WORDS, evidence=several(JSON),
    instances=several(INSTANCES), snapshots=several(SNAPSHOTS), rounds=several(JSON),
    additions=several(JSON), questions=several(JSON), reason=WORDS, notes=several(WORDS),
    seeds=WORDS, facts=JSON, last_labels=by_name(WORDS),
)  # fmt: skip


@settings(max_examples=60)
@given(RECORDS)
def test_reading_is_the_inverse_of_writing(own: RunRecord) -> None:
    assert RunRecord.from_dict(own.as_dict()) == own
    assert RunRecord.from_dict(json.loads(record_text(own))) == own
