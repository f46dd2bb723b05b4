"""Extractions are read from files and from saved runs, judged blind, and told in a table."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.app.choices import Template
from tacit.app.judge.judging import JudgingOptions, open_judging, prepare_judging, run_precision
from tacit.app.new import new_project
from tacit.errors import (
    BadFile,
    BadInput,
    DuplicateName,
    TacitError,
    TypeMismatch,
    UnknownColumn,
    UnknownFunction,
    UnknownLabel,
)
from tacit.review import Answer, Ledger
from tacit.review.sample_file import read_sample, sample_path

Rows = list[dict[str, object]]


def rows(*numbers: int) -> Rows:
    return [
        {
            "id": f"c{i}",
            "text": f"Cells with GENE{i % 5} died of drug{i}, said report {i}.",
            "drug": f"drug{i}",
            "gene": f"GENE{i % 5}",
            "probability": 0.5 + i / 1000,
        }
        for i in numbers
    ]


def write(path: Path, content: Rows) -> Path:
    names = list(content[0])
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(content), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in content))
    else:
        sign = "\t" if path.suffix == ".tsv" else ","
        quoted = [[json.dumps(str(row[name])) for name in names] for row in content]
        path.write_text("\n".join(sign.join(line) for line in [names, *quoted]) + "\n")
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judge(*given: str, **more: object) -> JudgingOptions:
    return JudgingOptions(judge=given, **more)  # type: ignore[arg-type]


def test_all_kinds_of_files_give_the_same_sample(here: Path) -> None:
    samples = []
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        write(here / f"a.{ending}", rows(*range(30)))
        judging = prepare_judging(judge(f"a=a.{ending}", sample=8))
        assert judging.notes == (
            f"a.{ending}: texts from 'text', the tuple from drug, gene, ids from 'id'",
        )
        samples.append(judging.sample)
    assert samples[0] == samples[1] == samples[2] == samples[3]
    (system,) = samples[0].systems
    assert (system.extractions, system.unique_tuples, len(system.drawn)) == (30, 30, 8)
    assert system.mean_probability == pytest.approx(0.5 + 14.5 / 1000)
    question = samples[0].questions[0]
    (example,) = question.examples
    marked = [example.text[start:end] for start, end in example.spans]
    assert question.feature == f"drug: {marked[1]}, gene: {marked[0]}"


def test_columns_are_guessed(here: Path) -> None:
    """The only long column is the text; ids, numbers, and long columns are no part of the tuple."""
    content = [
        {"drug": r["drug"], "gene_id": r["gene"], "passage": r["text"], "pmid": 7, "year": 2001}
        for r in rows(1, 2, 3)
    ]
    write(here / "a.csv", content)
    write(
        here / "b.csv", [{**row, "text": f"{row['passage']} More.", "who": "x"} for row in content]
    )
    judging = prepare_judging(judge("a=a.csv", "b=b.csv"))
    assert judging.sample.parts == ("drug", "gene_id")
    assert judging.notes[:2] == (
        "a.csv: texts from 'passage', the tuple from drug, gene_id, ids from 'pmid'",
        "b.csv: texts from 'text', the tuple from drug, gene_id, ids from 'pmid'",
    )
    assert [own.mean_probability for own in judging.sample.systems] == [None, None]


def test_columns_can_be_named(here: Path) -> None:
    content = [{**row, "mine": row["drug"], "sure": 0.25, "n": 5} for row in rows(1, 2)]
    write(here / "a.csv", content)
    options = judge("a=a.csv", text="text", parts="args.gene, n", id="mine", probability="sure")
    sample = prepare_judging(options).sample
    assert sample.parts == ("gene", "n")
    assert {question.feature for question in sample.questions} == {
        "gene: GENE1, n: 5",
        "gene: GENE2, n: 5",
    }
    (system,) = sample.systems
    assert {draw.instance for draw in system.drawn} == {"drug1", "drug2"}
    assert system.mean_probability == 0.25


def test_rows_that_repeat_another_are_told(here: Path) -> None:
    bare = [{name: row[name] for name in ("text", "drug")} for row in rows(1, 2, 1)]
    write(here / "a.csv", bare)
    assert prepare_judging(judge("a=a.csv")).notes == (
        "a.csv: texts from 'text', the tuple from drug, no ids",
        "a: 1 repeated row left out",
        "a has only 2 extractions: all drawn",
    )


def test_a_score_that_is_no_probability_is_no_probability(here: Path) -> None:
    write(
        here / "a.csv", [{**row, "probability": "", "score": 3.5, "note": ""} for row in rows(1, 2)]
    )
    assert prepare_judging(judge("a=a.csv")).sample.systems[0].mean_probability is None
    with pytest.raises(BadFile, match=r"row 1 of a.csv has 3.5 in 'score'"):
        prepare_judging(judge("a=a.csv", probability="score"))


@pytest.mark.parametrize(
    ("options", "kind", "message", "remedy"),
    [
        (judge(), BadInput, "no system", "--judge mine=mine.csv"),
        (judge("a.csv"), BadInput, "'a.csv' does not say", "--judge a=a.csv"),
        (judge("=a.csv"), BadInput, "does not say", "NAME=FILE"),
        (judge("a=a.csv", "a=b.csv"), DuplicateName, "called 'a'", "of its own"),
        (
            judge("a=aa.csv"),
            BadFile,
            "aa.csv, the extractions of 'a', is not there",
            "mean 'a.csv'",
        ),
        (
            judge("a=a.csv", text="txt"),
            UnknownColumn,
            "a.csv has no column 'txt', which --text",
            "'text'",
        ),
        (judge("a=a.csv", parts="drug,jean"), UnknownColumn, "'jean', which --tuple", "'gene'"),
        (judge("a=a.csv", parts="drug,,gene"), BadInput, "each once", "--tuple drug,gene,variant"),
        (judge("a=a.csv", id="nr"), UnknownColumn, "'nr', which --id", "same columns"),
        (judge("a=a.csv", text="probability"), TypeMismatch, "holds number", "--text"),
        (judge("a=a.csv", label="yes"), BadInput, "for saved runs", "leave it out"),
        (judge("a=a.csv", sample=0), BadInput, "sample of 0", "1 or more"),
        (judge("a=hole.csv"), BadFile, "row 2 of hole.csv has no 'drug'", "fill it"),
        (judge("a=short.csv"), UnknownColumn, "which column of short.csv has the texts", "--text"),
        (judge("a=a.csv", "o=other.csv"), BadInput, "no column could be the tuple", "--tuple"),
        (
            judge("l=list.jsonl", parts="drug"),
            TypeMismatch,
            "column 'drug' of list.jsonl",
            "one text",
        ),
    ],
)
def test_mistakes(
    here: Path, options: JudgingOptions, kind: type[TacitError], message: str, remedy: str
) -> None:
    write(here / "a.csv", rows(*range(5)))
    write(here / "b.csv", rows(*range(5)))
    write(here / "hole.csv", [rows(1)[0], {**rows(2)[0], "drug": ""}])
    write(here / "short.csv", [{"drug": "a", "gene": "b"}])
    write(here / "other.csv", [{"id": r["id"], "text": r["text"], "disease": "x"} for r in rows(1)])
    write(here / "list.jsonl", [{**rows(1)[0], "drug": ["a", "b"]}])
    with pytest.raises(kind) as raised:
        prepare_judging(options)
    assert message in raised.value.message
    assert remedy in str(raised.value.remedy)


def test_judging_goes_on_and_ends_in_a_table(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(here / "new.csv", rows(*range(40)))
    write(here / "old.csv", rows(*range(30, 80)))
    options, ledger = judge("new=new.csv", "old=old.csv", sample=5), here / "judgements.sqlite"
    with pytest.raises(BadFile, match="nothing was drawn"):
        run_precision(ledger, options, as_json=False)
    sample = open_judging(options, ledger).sample
    with Ledger(ledger) as opened:
        for question in sample.questions:
            opened.answer(Answer(question.id, "right", "ann", 1.0))
    assert open_judging(options, ledger).sample == sample
    assert open_judging(JudgingOptions(), ledger).sample == sample  # from the file beside it
    assert run_precision(ledger, JudgingOptions(), as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert [(row["system"], row["right"], row["extractions"]) for row in told["systems"]] == [
        ("new", 5, 40),
        ("old", 5, 50),
    ]
    assert run_precision(ledger, options, as_json=False) == 0
    printed = capsys.readouterr().out
    assert "Sample precision: drug, gene" in printed
    heads = "system judged right precision interval extracted right unique unique right claims"
    assert heads in [" ".join(line.split()) for line in printed.splitlines()]
    told_of_new = next(line for line in printed.splitlines() if line.startswith("  new"))
    numbers = "new 5 of 5 100.0 % 57 to 100 % 40 40 40 40 52.0 %"
    assert " ".join(told_of_new.split()) == numbers
    assert "old: 5 of 5 right: precision 100% (57% to 100%); of 50 extractions about 50" in printed
    assert "note: new.csv: texts from 'text'" in printed
    assert "All is judged." in printed
    with pytest.raises(BadInput, match="of 5 extractions a system and not 6"):
        run_precision(ledger, replace(options, sample=6), as_json=False)
    assert read_sample(sample_path(ledger)) == sample


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The oncology sample as a project, with two runs that know about treatments."""
    folder = tmp_path_factory.mktemp("judged") / "oncology"
    new_project(folder, Template.ONCOLOGY, force=False)
    from tacit.app.project import load_project

    read = load_project(folder)
    for name, rounds in (("one", 1), ("two", 2)):
        model = tacit.DPL("linear", rounds=rounds).fit(read.task, read.program)
        model.save(folder / "runs" / name)
    return folder


def test_runs_are_judged_by_label(project: Path) -> None:
    run = project / "runs" / "one"
    options = judge(f"one={run}", f"two={project / 'runs' / 'two'}", label="yes", function="treats")
    sample = prepare_judging(replace(options, parts="drug,gene,variant", sample=20)).sample
    model = tacit.load(run)
    posterior = model.posterior_["treats"]  # type: ignore[call-overload,index]
    found = {system.name: system for system in sample.systems}
    assert found["one"].extractions == int((posterior.argmax(axis=1) == 1).sum())
    assert found["one"].unique_tuples < found["one"].extractions
    assert (found["one"].mean_probability or 0) > 0.5
    question = sample.questions[0]
    assert question.feature.startswith("treats = yes; drug: ")
    assert len(question.examples[0].spans) >= 3
    args = (project / "data" / "args.csv").read_text()
    drug, gene, variant = (part.split(": ")[1] for part in question.feature[14:].split(", "))
    assert f"{drug},{gene},{variant}" in args


def test_the_texts_of_a_run_are_told_by_their_column(project: Path) -> None:
    options = judge(f"one={project / 'runs' / 'one'}", label="yes", function="treats")
    for text in (None, "document"):
        judging = prepare_judging(replace(options, parts="drug,gene", text=text, sample=5))
        assert f"texts from '{text or 'text'}', the tuple from drug, gene," in judging.notes[0]
        shown = judging.sample.questions[0].examples[0].text
        assert bool(re.fullmatch(r"d\d+", shown)) is (text == "document")


def test_a_run_without_a_tuple_is_judged_by_its_ids(project: Path) -> None:
    options = judge(f"one={project / 'runs' / 'one'}", label="yes", function="link")
    sample = prepare_judging(options).sample
    assert sample.parts == ("id",)
    assert sample.questions[0].feature.startswith("link = yes; id: d")
    (system,) = sample.systems
    assert system.unique_tuples == system.extractions


def test_a_run_beside_a_file(project: Path, here: Path) -> None:
    write(here / "a.csv", [{**row, "variant": "V1"} for row in rows(1, 2, 3)])
    options = judge("a=a.csv", f"one={project / 'runs' / 'one'}", label="yes", function="treats")
    sample = prepare_judging(replace(options, parts="args.drug,args.gene,args.variant")).sample
    assert sample.parts == ("drug", "gene", "variant")
    assert all(question.feature.startswith("treats = yes; drug") for question in sample.questions)
    with pytest.raises(BadInput, match="no column could be the tuple"):
        prepare_judging(options)


@pytest.mark.parametrize(
    ("more", "kind", "message", "remedy"),
    [
        ({}, BadInput, "which label", "--label"),
        (
            {"label": "yes", "function": "link", "parts": "drug"},
            UnknownColumn,
            "no table about 'mention' has a column 'drug'",
            "'drug'",
        ),
        ({"label": "yes"}, BadInput, "'yes' is a label of treats, link", "--function treats"),
        ({"label": "yep", "function": "treats"}, UnknownLabel, "no label 'yep'", "'yes'"),
        ({"label": "yes", "function": "treat"}, UnknownFunction, "no labels of", "'treats'"),
        (
            {"label": "yes", "function": "treats", "parts": "drugs"},
            UnknownColumn,
            "'drugs'",
            "'drug'",
        ),
        (
            {"label": "yes", "function": "treats", "parts": "arg.drug"},
            TacitError,
            "no table 'arg'",
            "'args'",
        ),
        (
            {"label": "yes", "function": "treats", "parts": "args.drag"},
            UnknownColumn,
            "'drag'",
            "'drug'",
        ),
        (
            {"label": "yes", "function": "treats", "parts": "kb.drug"},
            TacitError,
            "several rows",
            "file",
        ),
        ({"label": "yes", "function": "treats", "text": "txt"}, UnknownColumn, "'txt'", "'text'"),
    ],
)
def test_mistakes_about_runs(
    project: Path, more: dict[str, str], kind: type[TacitError], message: str, remedy: str
) -> None:
    with pytest.raises(kind) as raised:
        prepare_judging(judge(f"one={project / 'runs' / 'one'}", **more))
    assert message in raised.value.message
    assert remedy in str(raised.value.remedy)


def small_run(folder: Path, function: str) -> Path:
    """A project of one label function, and its run."""
    folder.mkdir()
    (folder / "tacit.toml").write_text('text = "r.text"\n[tables]\nr = "r.csv"\n')
    (folder / "r.csv").write_text("id,text\n1,good\n2,bad\n3,good good\n4,so bad\n")
    rules = f"""
        label    {function}(r) = no | yes
        observed token(r, word)
        good: 2.2! token(x, "good") => {function}(x) = yes
        bad:  2.2! token(x, "bad") => {function}(x) = no"""
    task = tacit.Task({"r": folder / "r.csv"}, text="r.text")
    tacit.DPL("linear", rounds=1).fit(task, tacit.Program.parse(rules)).save(folder / "run")
    return folder / "run"


def test_runs_of_different_functions_are_not_compared(here: Path) -> None:
    kind, useful = small_run(here / "a", "kind"), small_run(here / "b", "useful")
    sample = prepare_judging(judge(f"a={kind}", label="yes")).sample
    assert sorted(question.feature for question in sample.questions) == [
        "kind = yes; id: 1",
        "kind = yes; id: 3",
    ]
    with pytest.raises(BadInput, match="different things: kind = yes, useful = yes"):
        prepare_judging(judge(f"a={kind}", f"b={useful}", label="yes"))
    (here / "a" / "r.csv").write_text("id,text\n1,good\n2,bad\n")
    with pytest.raises(BadFile, match="no row for 1 of the run's 2 instances, such as 3") as raised:
        prepare_judging(judge(f"a={kind}", label="yes"))
    assert "fit again" in str(raised.value.remedy)


def test_a_folder_that_is_no_run(here: Path) -> None:
    (here / "empty").mkdir()
    with pytest.raises(BadFile, match=r"no tacit\.toml") as raised:
        prepare_judging(judge("a=empty", label="yes"))
    assert "the folder of a saved run" in str(raised.value.remedy)
