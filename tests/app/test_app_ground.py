"""`tacit ground`: what each formula becomes and costs, and what bad input gets."""

from __future__ import annotations

import io
import re
import signal
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

from tacit.app import progress
from tacit.app.progress import progress_bar
from tacit.grounding import DuckDBEngine
from tacit.grounding.ground import LIMIT

from .conftest import RULES, Run, command
from .test_app_command import bare, on_terminal

EVERY_KIND = f"""{RULES}
awful:   2.2   token(r, "awful") => sentiment(r) = neg
agree:   1.0   token(r, w) & token(s, w) & r != s => sentiment(r) = sentiment(s)
some:    1.0   lexicon(w, l) => exists r: token(r, w) & sentiment(r) = pos
half:    expect 0.5 +- 0.1: sentiment(r) = pos
never:   1.0   token(r, "absent") & token(r, w) => sentiment(r) = neg
"""


@pytest.fixture
def every_kind(project: Path) -> Path:
    """A project with a formula for every kind of result, in the working folder."""
    with (project / "data" / "review.csv").open("a") as reviews:
        reviews.write("r4,awful and so so\n")
    (project / "rules.tacit").write_text(EVERY_KIND)
    return project


@pytest.fixture
def large(project: Path) -> Path:
    """A project whose one join has 36 million rows, in the working folder."""
    pairs = "".join(f"r{n},same\n" for n in range(6000))
    (project / "data" / "about.csv").write_text(f"review,item\n{pairs}")
    reviews = "".join(f"r{n},superb\n" for n in range(6000))
    (project / "data" / "review.csv").write_text(f"id,text\n{reviews}")
    with (project / "tacit.toml").open("a") as settings:
        settings.write('about = "data/about.csv"\n')
    (project / "rules.tacit").write_text(
        "label sentiment(review) = neg | pos\nobserved about(review, item)\n"
        "agree: 1.0 about(r, i) & about(s, i) => sentiment(r) = sentiment(s)\n"
    )
    return project


def lines_about(out: str, formula: str) -> list[str]:
    """The words of the table row of a formula."""
    (line,) = [line for line in out.splitlines() if line.endswith(f"  {formula}")]
    return line.split()


def test_shows_what_every_formula_becomes_and_costs(run: Run, every_kind: Path) -> None:
    answer = run("ground")
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.startswith("small  tacit.toml\n\nGround factors\n")
    for formulas, rows, result in (
        ("praise, awful", "3", "3 unary counts"),
        ("words", "3", "3 unary counts"),
        ("agree", "4", "2 table factors"),
        ("some", "5", "2 groups of 3 labels"),
        ("half", "4", "1 share of 4 labels"),
        ("never", "0", "nothing"),
    ):
        words = lines_about(answer.out, formulas)
        assert words[0] == rows, formulas
        assert " ".join(words[4:]) == f"{result} {formulas}"
        assert words[3] in ("B", "kB")
    assert answer.out.splitlines()[-1].startswith("4 variables, 7 weights, 11 factors: ")


def test_json_twin_has_the_same_facts(run: Run, every_kind: Path) -> None:
    answer = run("ground", "--json").json
    assert answer["ok"] is True
    assert answer["errors"] == answer["notes"] == []
    assert (answer["name"], answer["file"]) == ("small", "tacit.toml")
    by_name = {batch["names"][0]: batch for batch in answer["batches"]}
    assert by_name["praise"]["names"] == ["praise", "awful"]
    assert by_name["praise"]["formula"] == 'token(r, "superb") => sentiment(r) = pos'
    assert by_name["praise"]["unary_entries"] == 3
    assert by_name["agree"]["table_factors"] == 2
    assert (by_name["some"]["groups"], by_name["some"]["group_members"]) == (2, 3)
    assert (by_name["half"]["expectations"], by_name["half"]["expectation_members"]) == (1, 4)
    for batch in answer["batches"]:
        assert batch["seconds"] >= 0
        assert batch["estimate"] >= 0
        assert batch["queries"][0].startswith("SELECT")
    assert len(by_name["some"]["queries"]) > 1
    total = answer["total"]
    assert (total["variables"], total["weights"], total["factors"]) == (4, 7, 11)
    for key in ("rows", "seconds", "bytes"):
        assert total[key] == pytest.approx(sum(batch[key] for batch in answer["batches"]))
    assert run("ground", "--json", "--explain").json.keys() == answer.keys()


def test_explain_adds_the_sql_the_estimate_and_the_count(run: Run, every_kind: Path) -> None:
    plain, answer = run("ground"), run("ground", "--explain")
    assert "SELECT" not in plain.out
    assert answer.code == 0
    lines = answer.out.splitlines()
    at = lines.index('praise  token(r, "superb") => sentiment(r) = pos')
    assert lines[at + 1] == "  and alike: awful"
    assert lines[at + 2].startswith("  estimate 22, found 3 rows; 0.")
    assert lines[at + 4 : at + 6] == ["    SELECT", '      t0."#rule" AS "#rule",']
    assert answer.out.count("    SELECT") >= 7  # one for each batch, and more for the groups
    assert "In the SQL, c0, c1" in answer.out
    assert [line.split()[-1] for line in lines[-9:-2]] == [
        line.split()[-1] for line in plain.out.splitlines()[-9:-2]
    ]


def test_printed_queries_can_be_run(run: Run, project: Path) -> None:
    """What --explain prints is what was run, laid out anew."""
    from tacit.app.project import load_project
    from tacit.grounding import ground_factors

    loaded = load_project(project)
    ran = [part.step.queries for part in ground_factors(loaded.program, loaded.task).parts]
    shown = [batch["queries"] for batch in run("ground", "--json").json["batches"]]
    assert [["".join(q.split()) for q in batch] for batch in shown] == [
        ["".join(q.split()) for q in batch] for batch in ran
    ]


def test_all_mistakes_are_reported_at_once(run: Run, project: Path) -> None:
    (project / "rules.tacit").write_text(
        RULES.replace("= pos", "= postive").replace("lexicon(w, l) =>", "lexicn(w, l) =>")
    )
    answer = run("ground")
    assert answer.code == 2
    assert answer.out == ""
    assert "did you mean 'pos'?" in answer.err
    assert "did you mean 'lexicon'?" in answer.err
    assert "2 problems found." in answer.err
    assert len(run("ground", "--json").json["errors"]) == 2


def test_a_join_above_the_limit_is_refused(run: Run, every_kind: Path) -> None:
    assert run("ground", "--limit", "1e9").code == 0
    answer = run("ground", "--limit", "5")
    assert answer.code == 2
    assert answer.out == ""
    assert "TooLarge: " in answer.err
    assert "would have about" in answer.err
    assert "or raise the limit: --limit N" in answer.err
    twin = run("ground", "--limit", "5", "--json").json
    assert twin["ok"] is False
    assert twin["errors"][0]["file"] == "rules.tacit"


def test_the_refused_formula_is_named(run: Run, large: Path) -> None:
    (error,) = run("ground", "--limit", "1e6", "--json").json["errors"]
    assert error["error"] == "TooLarge"
    assert error["message"].startswith("agree would have about 3.6e+07 groundings")
    assert error["line"] == 3


def test_help_tells_the_limit_of_the_library(run: Run) -> None:
    assert f"{LIMIT:.0e}".replace("e+0", "e") in run("ground", "--help").out


def test_a_contradiction_is_bad_input(run: Run, project: Path) -> None:
    with (project / "rules.tacit").open("a") as rules:
        rules.write('yes: hard token(r, "superb") => sentiment(r) = pos\n')
        rules.write('no: hard token(r, "superb") => sentiment(r) = neg\n')
    answer = run("ground")
    assert answer.code == 2
    assert "Contradiction: " in answer.err


def test_out_of_memory_names_the_formula_and_the_option(run: Run, project: Path) -> None:
    answer = run("ground", "--memory-limit", "1KB", "--spill-to", project / "data")
    assert answer.code == 2
    assert "EngineFailed: formula praise cannot be grounded: Out of Memory" in answer.err
    assert "--memory-limit 8GB" in answer.err
    assert "DuckDBEngine" not in answer.err
    left = sorted(path.name for path in (project / "data").iterdir())
    assert left == ["lexicon.csv", "review.csv"]


def test_a_full_disk_names_the_formula_and_the_option(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullDisk(DuckDBEngine):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.connection = self  # type: ignore[assignment]

        def register(self, *_: object) -> None: ...

        def sql(self, _: str) -> None:
            raise duckdb.IOException('IO Error: Could not write file "x": No space left on device')

        def close(self) -> None: ...

    monkeypatch.setattr("tacit.grounding.DuckDBEngine", FullDisk)
    answer = run("ground")
    assert answer.code == 2
    assert (
        "EngineFailed: formula praise cannot be grounded: IO Error: Could not write" in answer.err
    )
    assert "free some disk space, or spill elsewhere: --spill-to DIR" in answer.err


def test_arrays_that_do_not_fit_are_no_bug(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("tacit.grounding.ground_factors", too_much)
    answer = run("ground")
    assert answer.code == 2
    assert "EngineFailed: the ground factors do not fit into memory" in answer.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--memory-limit", "lots"], "--memory-limit 'lots' is no size"),
        (["--memory-limit", "0GB"], "give one such as 500MB or 4GB"),
        (["--limit", "0"], "--limit 0 is no number of rows"),
        (["--limit", "nan"], "--limit nan is no number of rows"),
        (["--limit", "many"], "Invalid value for '--limit'"),
        (["--spill-to", "nowhere"], "--spill-to nowhere: No such file or directory"),
        (["--spill-to", "rules.tacit"], "--spill-to rules.tacit: Not a directory"),
        (["rules.tacit"], "a program without data"),
        (["absent.tacit"], "absent.tacit is not there"),
    ],
)
def test_bad_options(run: Run, project: Path, arguments: list[str], expected: str) -> None:
    answer = run("ground", *arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert expected in answer.err


@pytest.mark.parametrize("size", ["200MB", "1.5 GB", "512MiB"])
def test_sizes_of_memory(run: Run, project: Path, size: str) -> None:
    (project / "spill").mkdir()
    assert run("ground", "--memory-limit", size, "--spill-to", "spill").code == 0
    assert list((project / "spill").iterdir()) == []


def test_programs_that_say_nothing(run: Run, project: Path) -> None:
    for text, variables in (("", 0), ("label sentiment(review) = neg | pos\n", 3)):
        (project / "rules.tacit").write_text(text)
        for arguments in ([], ["--explain"]):
            answer = run("ground", *arguments)
            assert answer.code == 0
            assert f"{variables} variables, 0 weights, 0 factors" in answer.out
        assert run("ground", "--json").json["batches"] == []


def test_notes_are_shown_and_what_user_code_prints_is_kept_apart(run: Run, project: Path) -> None:
    settings = (project / "tacit.toml").read_text()
    (project / "tacit.toml").write_text('python = "rules.py"\n' + settings)
    with (project / "rules.tacit").open("a") as rules:
        rules.write("observed shouts(review)\nloud: 1.0 shouts(r) => sentiment(r) = neg\n")
    (project / "rules.py").write_text(
        "import tacit\n"
        "print('printed by rules.py')\n"
        "@tacit.predicate(table='review', on_error='abstain')\n"
        "def shouts(text):\n"
        "    return text[13] == 'o'\n"
        "@tacit.labelling_function\n"
        "def short(text):\n"
        "    return 'neg' if len(text) < 8 else None\n"
    )
    answer = run("ground")
    assert answer.code == 0
    assert "printed by rules.py" in answer.err
    assert "Notes\n  note: " in answer.out
    assert lines_about(answer.out, "short")[0] == "1"
    twin = run("ground", "--json").json
    assert "'shouts' raised IndexError" in twin["notes"][0]


def test_a_terminal_gets_lines_that_fit_and_no_bar_for_quick_work(
    run: Run, every_kind: Path
) -> None:
    with (every_kind / "rules.tacit").open("a") as rules:
        rules.writelines(f'w{n}: 1.0 token(r, "w{n}") => sentiment(r) = pos\n' for n in range(60))
    for arguments in (["ground"], ["ground", "--explain"]):
        shown = on_terminal(*arguments, cwd=every_kind, columns=80)
        assert "\x1b[?25l" not in shown  # a bar hides the cursor
        lines = bare(shown)
        assert max(map(len, lines)) <= 80
        assert "and 54 more" in shown  # a terminal gets the first names of a batch of 62
        assert ("w59" in shown) is ("--explain" in arguments)
    piped = run("ground")
    assert "w58, w59\n" in piped.out
    assert "\x1b" not in piped.out + piped.err


def a_terminal(monkeypatch: pytest.MonkeyPatch, patience: float) -> io.StringIO:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80)
    monkeypatch.setattr(progress, "make_console", lambda *, stderr: console)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    return written


def test_long_work_gets_a_bar_while_its_first_step_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    written = a_terminal(monkeypatch, 0.0)
    with progress_bar("grounding") as tell:
        assert tell is not None
        tell(1, 4, "a name [red] " + "that is long " * 9)
        deadline = time.monotonic() + 10
        while "grounding a name [red]" not in written.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "grounding a name [red] that" in written.getvalue()
    assert "1/4" in written.getvalue()
    assert written.getvalue().count("\x1b[?25l") == written.getvalue().count("\x1b[?25h") == 1
    frames = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", written.getvalue()).replace("\r", "\n")
    assert max(map(len, frames.splitlines())) <= 80


def test_short_work_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    written = a_terminal(monkeypatch, 60.0)
    with progress_bar("grounding") as tell:
        assert tell is not None
        tell(0, 1, "praise")
    assert "praise" not in written.getvalue()


def test_a_pipe_gets_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("grounding") as tell:
        assert tell is None


def test_ctrl_c_leaves_nothing_behind(large: Path) -> None:
    spill = large / "spill"
    spill.mkdir()
    before = sorted(large.rglob("*"))
    process = command("ground", "--spill-to", spill, cwd=large)
    deadline = time.monotonic() + 30
    while not list(spill.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)  # amid the join
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert sorted(large.rglob("*")) == before


def test_a_query_that_duckdb_calls_interrupted_is_no_bug(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("Query interrupted")  # what DuckDB makes of Ctrl-C amid a query

    monkeypatch.setattr("tacit.grounding.ground_factors", interrupted)
    answer = run("ground")
    assert (answer.code, answer.out, answer.err) == (130, "", "interrupted\n")
