"""The command as a process: help, exit codes, pipes, terminals and signals."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tacit import __version__
from tacit.app import cli
from tacit.app.cli import app, main

from .conftest import COMMAND, Run, command, run_command

ANSI = re.compile("\x1b\\[")
BOXES = re.compile("[\u2500-\u257f]")


def test_help_is_quick_and_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from tacit.app.cli import main; main(['--help']); "
        "heavy = {'torch', 'pyspark', 'pyarrow', 'duckdb', 'pydantic', 'rich.console'}; "
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Exit codes: 0 all is well" in done.stdout
    assert time.perf_counter() - begun < 3  # 0.1 s on an idle machine


def test_version_and_bare_command(run: Run) -> None:
    assert run("--version").out == f"tacit {__version__}\n"
    bare = run()
    assert bare.code == 0
    assert "Usage: tacit" in bare.out
    assert "--install-completion" in bare.out
    assert CliRunner().invoke(app, ["--version"]).output == f"tacit {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["chek"], ["No such command 'chek'", "Did you mean 'check'?", "see: tacit --help"]),
        (["check", "--stric"], ["--stric", "--strict", "see: tacit check --help"]),
        (["new"], ["DIR", "see: tacit new --help"]),
    ],
)
def test_usage_errors(run: Run, arguments: list[str], expected: list[str]) -> None:
    answer = run(*arguments)
    assert answer.code == 2
    assert all(part in answer.err for part in expected)
    twin = run(*arguments, "--json")
    assert twin.code == 2
    assert twin.json["errors"][0]["error"] == "UsageError"


def test_a_bug_is_told_briefly_and_in_full_only_on_demand(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("tacit.app.check.run_check", broken)
    monkeypatch.delenv("TACIT_DEBUG", raising=False)
    answer = run("check")
    assert answer.code == cli.BUG == 3
    assert "ZeroDivisionError: by zero (test_app_command.py:" in answer.err
    assert "tacit --debug check" in answer.err
    assert "Traceback" not in answer.err
    assert run("check", "--json").json["errors"][0]["error"] == "Bug"
    assert "Traceback" in run("--debug", "check").err
    monkeypatch.setenv("TACIT_DEBUG", "1")
    assert "Traceback" in run("check").err


def test_ctrl_c_ends_with_130_and_no_traceback(project: Path) -> None:
    settings = (project / "tacit.toml").read_text()
    (project / "tacit.toml").write_text('python = "rules.py"\n' + settings)
    (project / "rules.py").write_text(
        "import sys, time\nprint('ready', flush=True)\ntime.sleep(60)\n"
    )
    process = command("check", cwd=project)
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err == "interrupted\n"


def test_piped_output_is_plain_and_whole(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " & ".join(f'token(r, "word{n}")' for n in range(20))
    with (project / "rules.tacit").open("a") as rules:
        rules.write(f"long: 1.0 {long} => sentiment(r) = pos\n")
    piped = run_command("check", cwd=project, COLUMNS="40")
    monkeypatch.setenv("COLUMNS", "40")
    for answer in (piped, run("check"), run("--help"), run("new", "made", "-t", "blank")):
        assert answer.code == 0
        assert not ANSI.search(answer.out)
        assert not BOXES.search(answer.out)
    assert f"{long} => sentiment(r) = pos" in piped.out
    assert run("check").out == piped.out
    (project / "rules.tacit").write_text("label sentiment(review) = \n")
    answer = run("check")
    assert answer.code == 2
    assert not ANSI.search(answer.err)


def test_a_reader_who_leaves_early_changes_no_exit_code(project: Path) -> None:
    for arguments in (["check"], ["check", "--json"]):
        process = command(*arguments, cwd=project)
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0


def test_a_locale_without_the_characters_is_no_error(project: Path) -> None:
    (project / "rules.tacit").write_text(
        "label sentiment(review) = neg | pos\nobserved token(review, word)\n"
        'a: 1.0 token(r, "fête") => sentiment(r) = pos\n'
    )
    answer = run_command("check", cwd=project, PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert "f?te" in answer.out


TERMINAL = {"TERM": "xterm-256color"}


def on_terminal(
    *arguments: str, cwd: Path, columns: int, keys: Sequence[str] = (), **environment: str
) -> str:
    """What the command writes to a terminal of that width, run in this process.

    A person answers each question with one of the keys.
    """
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as patch:
        written = pool.submit(all_of, ours, keys)
        with open(theirs, "w", closefd=False) as shown, open(theirs, closefd=False) as typed:
            for name in ("NO_COLOR", "FORCE_COLOR"):
                patch.delenv(name, raising=False)
            for name, value in (TERMINAL | {"COLUMNS": str(columns)} | environment).items():
                patch.setenv(name, value)
            patch.chdir(cwd)
            for name, end in (("stdin", typed), ("stdout", shown), ("stderr", shown)):
                patch.setattr(sys, name, end)
            try:
                main(arguments)
            finally:
                shown.flush()
                os.close(theirs)
        return written.result()


def all_of(terminal: int, keys: Sequence[str] = ()) -> str:
    """All that is written to the other end of a terminal, until that is closed."""
    written, left = b"", list(keys)
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the other end is closed: all was read
            break
        if not chunk:
            break
        written += chunk
        if written.endswith(b"\r\n> ") and left:
            os.write(terminal, f"{left.pop(0)}\n".encode())
    os.close(terminal)
    return written.decode().replace("\r\n", "\n")


def process_on_terminal(*arguments: str, cwd: Path, columns: int, keys: Sequence[str] = ()) -> str:
    """The same of a process of its own."""
    ours, theirs = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=variables | TERMINAL | {"COLUMNS": str(columns)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = all_of(ours, keys)
    process.wait(timeout=60)
    return shown


def bare(text: str) -> list[str]:
    return re.sub("\x1b\\[[0-9;]*m", "", text).splitlines()


def test_a_terminal_gets_colours_and_lines_that_fit(project: Path) -> None:
    long = " & ".join(f'token(r, "word{n}")' for n in range(9))
    with (project / "rules.tacit").open("a") as rules:
        rules.write(f"long: 1.0 {long} => sentiment(r) = pos\n")
    shown = process_on_terminal("check", cwd=project, columns=80)
    assert shown == on_terminal("check", cwd=project, columns=80)
    assert ANSI.search(shown)
    assert max(map(len, bare(shown))) <= 80
    words = " ".join(bare(shown)).split()
    assert " ".join(words).count('token(r, "word8") => sentiment(r) = pos') == 1
    plain = on_terminal("check", cwd=project, columns=80, NO_COLOR="1")
    assert not re.search("\x1b\\[[0-9;]*3[0-7]m", plain)


def test_carets_stay_under_their_words_on_a_narrow_terminal(project: Path) -> None:
    long = " & ".join(f'token(r, "word{n}")' for n in range(9))
    with (project / "rules.tacit").open("a") as rules:
        rules.write(f"long: 1.0 {long} & tokn(r, w) => sentiment(r) = pos\n")
    lines = bare(on_terminal("check", cwd=project, columns=80))
    assert max(map(len, lines)) <= 80
    (at,) = [number for number, line in enumerate(lines) if line.lstrip().startswith("^")]
    column = lines[at].index("^")
    assert lines[at - 1][column : column + 4] == "tokn"
    assert lines[at].strip() == "^^^^"
    assert "did you mean 'token'?" in lines[at + 1]


def test_completion_offers_commands_and_templates(project: Path) -> None:
    words = run_command(
        cwd=project, _TACIT_COMPLETE="complete_bash", COMP_WORDS="tacit ", COMP_CWORD="1"
    )
    names = [c.name or getattr(c.callback, "__name__", "") for c in app.registered_commands]
    assert {"new", "check", "fit", "export", "bench"} <= set(names)
    assert words.out.split() == names
    templates = run_command(
        cwd=project, _TACIT_COMPLETE="complete_bash", COMP_WORDS="tacit new -t ", COMP_CWORD="3"
    )
    assert templates.out.split() == ["reviews", "oncology", "blank"]
