"""The biomedical benchmark keeps what it has, tells what fails, and says what its figures are."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from benchmarks.bio import TABLES, Report, parse_arguments, some_rows
from benchmarks.bio_jobs import Figures, Job, Setting, Table
from benchmarks.bio_text import as_text

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("TACIT_DATA", "nowhere"))
needs_data = pytest.mark.skipif(
    not (DATA / "bio" / "peng_nary").is_dir(), reason="TACIT_DATA has no bio/peng_nary"
)


def jobs_of(calls: list[str], *rows: str, figures: Callable[[], Figures]) -> list[Job]:
    """Jobs of two seeds that note when they begin and run."""

    def run(name: str) -> Figures:
        calls.append(f"run {name}")
        return figures()

    return [
        Job(row, seed, partial(run, f"{row} {seed}"), partial(calls.append, f"begin {row} {seed}"))
        for row in rows
        for seed in (0, 1)
    ]


def failing() -> Figures:
    raise ValueError("no such\nthing")


def test_all_jobs_begin_before_any_is_run() -> None:
    calls: list[str] = []
    Report(None).add("re", jobs_of(calls, "a", figures=lambda: {"f1": 0.5}))
    assert calls == ["begin a 0", "begin a 1", "run a 0", "run a 1"]


def test_what_is_known_is_kept_and_neither_begun_nor_run_again(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    calls: list[str] = []
    Report(str(file)).add("re", jobs_of(calls, "a", figures=lambda: {"f1": 0.5}))
    calls.clear()
    again = Report(str(file))
    again.add("re", jobs_of(calls, "a", "b", figures=lambda: {"f1": 0.7}))
    assert calls == ["begin b 0", "begin b 1", "run b 0", "run b 1"]
    again.add("el", jobs_of(calls, "a", figures=lambda: {"f1": 0.9}))  # of another table
    kept = json.loads(file.read_text())
    found = [(row["table"], row["row"], row["seed"], row["figures"]["f1"]) for row in kept["rows"]]
    assert found == [
        *(("re", "a", 0, 0.5), ("re", "a", 1, 0.5), ("re", "b", 0, 0.7), ("re", "b", 1, 0.7)),
        *(("el", "a", 0, 0.9), ("el", "a", 1, 0.9)),
    ]
    assert "cores" in kept["machine"]


def test_what_fails_is_told_and_run_again(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    first = Report(str(file))
    first.add("re", jobs_of([], "a", figures=failing))
    first.add("re", jobs_of([], "b", figures=lambda: {"f1": 0.5}))
    rows = json.loads(file.read_text())["rows"]
    assert [row.get("failed") for row in rows] == ["ValueError: no such thing"] * 2 + [None] * 2
    table = Table("a title", ("f1",), lambda _: [])
    assert "seed 1 failed: ValueError: no such thing" in as_text(table, rows)
    calls: list[str] = []
    second = Report(str(file))
    second.add("re", jobs_of(calls, "a", "b", figures=lambda: {"f1": 0.7}))
    assert [call for call in calls if call.startswith("run")] == ["run a 0", "run a 1"]
    assert len(second.rows) == 4
    assert all("figures" in row for row in second.rows)


def test_the_text_has_means_the_chapter_and_meanings() -> None:
    table = Table(
        title="a title",
        columns=("f1", "extracted", "nothing"),
        jobs=lambda _: [],
        chapter={"a": {"f1": 0.25, "extracted": 12345.6}, "unseen": {"f1": 0.1}},
        meanings={"f1": "as always"},
    )
    rows = [
        {"table": "re", "row": "a", "seed": seed, "seconds": 2.0, "figures": figures}
        for seed, figures in enumerate(
            [{"f1": 0.4, "extracted": 10.0}, {"f1": 0.6, "extracted": 30.0}]
        )
    ]
    rows.append({"table": "re", "row": "b", "seed": 0, "seconds": 1.0, "figures": {"f1": math.nan}})
    title, head, own, chapter, other, meaning = as_text(table, rows).splitlines()
    assert title == "a title"
    assert head.split() == ["f1", "extracted", "nothing", "seconds"]
    assert own.split("  ")[0] == "a"
    assert own.split()[1:] == ["0.500", "±", "0.141", "20", "±", "14.14", "-", "2", "±", "0.000"]
    assert chapter.split() == ["the", "chapter", "0.250", "12,346", "-", "-"]
    assert other.split() == ["b", "-", "-", "-", "1.000"]
    assert meaning == "f1: as always"


def test_rows_are_named_with_commas_also_those_that_have_some() -> None:
    known = ["variants", "variants, ignore case", "200,000 candidates", "DPL", "- DP", "DPL"]
    assert some_rows("DPL,- DP", known) == {"DPL", "- DP"}
    assert some_rows("variants, ignore case", known) == {"variants, ignore case"}
    assert some_rows("200,000 candidates,variants", known) == {"200,000 candidates", "variants"}
    with pytest.raises(SystemExit, match="no such rows: 000 candidates"):
        some_rows("DPL,000 candidates", known)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_table_has_rows_columns_and_meanings(table: Table) -> None:
    jobs = table.jobs(Setting(Path("nowhere"), "cpu", seeds=2))
    assert len({(job.row, job.seed) for job in jobs}) == len(jobs)
    rows = {job.row for job in jobs}
    assert set(table.chapter) <= rows
    assert all(some_rows(row, sorted(rows)) == {row} for row in rows)
    assert {name for own in table.chapter.values() for name in own} <= set(table.columns)
    assert table.meanings


def test_a_quick_run_has_one_seed_and_data_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bio").mkdir()
    assert parse_arguments(["--data", str(tmp_path), "--quick", "--seeds", "5"]).seeds == 1
    assert parse_arguments(["--data", str(tmp_path), "--table", "re,el"]).table == ("re", "el")
    with pytest.raises(SystemExit):
        parse_arguments(["--data", str(tmp_path / "nowhere")])
    assert "TACIT_DATA" in capsys.readouterr().err


@needs_data
@pytest.mark.slow
def test_the_command_prints_a_table_and_keeps_its_figures(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    command = [sys.executable, "-m", "benchmarks.bio", "--quick", "--table", "re"]
    command += ["--rows", "all yes,DPL", "--device", "cpu", "--json", str(file)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.startswith("Relations between drug, gene and variant")
    rows = json.loads(file.read_text())["rows"]
    assert [(row["row"], row["seed"]) for row in rows] == [("all yes", 0), ("DPL", 0)]
    assert rows[0]["figures"]["f1"] == pytest.approx(0.783, abs=5e-4)
    assert 0 < rows[1]["figures"]["ap"] < 1


def test_quick_figures_do_not_stand_for_full_ones(tmp_path: Path) -> None:
    file, calls = str(tmp_path / "report.json"), list[str]()
    Report(file, quick=True).add("re", jobs_of(calls, "a", figures=lambda: {"f1": 0.1}))
    full = Report(file)
    full.add("re", jobs_of(calls, "a", figures=lambda: {"f1": 0.9}))
    assert {row["figures"]["f1"] for row in full.rows_of("re")} == {0.9}
    assert {row["figures"]["f1"] for row in Report(file, quick=True).rows_of("re")} == {0.1}


def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text('{"half a rep')
    with pytest.raises(SystemExit, match="holds no figures"):
        Report(str(file))
    assert file.read_text() == '{"half a rep'
