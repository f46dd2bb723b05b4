"""The process that learns: what is heard of it, how it ends, how it starts again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.app.web.worker import Worker

READING = json.dumps({"state": "reading", "text": "reading the project"})
ASKING = json.dumps({"state": "asking", "text": "2 questions waiting for an answer"})
FINISHING = json.dumps({"state": "finishing", "text": "learning"})
DONE = json.dumps({"state": "done", "text": "3 rules learned"})

Starter = Callable[..., Worker]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    started: list[Worker] = []

    def make(*lines: str, **more: Any) -> Worker:
        script = tmp_path / "script"
        script.write_text("\n".join(lines))
        started.append(Worker([str(script)], module="tests.app.web.working", **more))
        return started[-1]

    yield make
    for worker in started:
        worker.stop()


def until(worker: Worker, **wanted: Any) -> dict[str, Any]:
    """The status, once it is as wanted."""
    begun = time.monotonic()
    while time.monotonic() - begun < 20:
        status = worker.status()
        if all(status[key] == value for key, value in wanted.items()):
            return status
        time.sleep(0.01)
    raise AssertionError(f"{worker.status()} is not {wanted}")


def test_what_it_says_is_heard(start: Starter) -> None:
    worker = start(READING, "no json", "[1]", ASKING, "wait", DONE)
    status = until(worker, phase="asking")
    assert status["state"] == "working"
    assert status["line"] == "2 questions waiting for an answer"
    worker.finish()
    assert until(worker, state="done")["line"] == "3 rules learned"


def test_a_failure_is_told_with_its_remedy(start: Starter) -> None:
    heard: list[dict[str, Any]] = []
    error = {"message": "no such column", "remedy": "name another", "file": "a.csv", "line": 2}
    said = {"state": "failed", "text": "no such column", "remedy": "name another"}
    failed = json.dumps(said | {"errors": [error]})
    worker = start(READING, failed, "exit 2", failed=heard.append)
    status = until(worker, state="failed")
    assert (status["line"], status["remedy"]) == ("no such column", "name another")
    assert [own["place"] for own in status["problems"]] == ["a.csv, line 2"]
    until_heard(heard)
    assert heard[0]["line"] == "no such column"


def test_a_death_without_words_is_a_failure(start: Starter) -> None:
    heard: list[dict[str, Any]] = []
    worker = start(
        READING, "error Traceback", "error MemoryError: all of it", "exit 1", failed=heard.append
    )
    assert until(worker, state="failed")["line"] == "MemoryError: all of it"
    until_heard(heard)


def until_heard(heard: list[dict[str, Any]]) -> None:
    begun = time.monotonic()
    while not heard and time.monotonic() - begun < 20:
        time.sleep(0.01)
    assert len(heard) == 1


def test_to_stop_is_no_failure(start: Starter) -> None:
    heard: list[dict[str, Any]] = []
    worker = start(ASKING, "wait", failed=heard.append)
    until(worker, phase="asking")
    begun = time.monotonic()
    worker.stop()
    assert time.monotonic() - begun < 5
    assert heard == []


def test_an_answer_after_the_end_starts_it_again(start: Starter) -> None:
    worker = start(ASKING, "wait", DONE)
    worker.finish()
    assert until(worker, state="done")["is_finishing"]
    worker.wake()
    assert not until(worker, phase="asking")["is_finishing"]


def test_an_answer_near_the_end_starts_it_again_behind_it(start: Starter) -> None:
    worker = start(ASKING, "wait", FINISHING, "wait", DONE)
    worker.wake()  # while questions are asked it means nothing
    until(worker, phase="asking")
    (Path(worker._command[-1])).write_text(f"{FINISHING}\nwait\n{DONE}")
    worker.finish()
    until(worker, state="done")
    worker.wake()
    until(worker, phase="finishing")
    (Path(worker._command[-1])).write_text(f"{READING}\nwait")
    worker.wake()
    assert worker._process.stdin is not None
    worker._process.stdin.write("finish\n")
    worker._process.stdin.flush()
    until(worker, phase="reading")


def test_a_killed_server_takes_it_along(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"{ASKING}\nwait")
    code = (
        "import sys, time; from tacit.app.web.worker import Worker;"
        f"w = Worker([{str(script)!r}], module='tests.app.web.working');"
        "print(w._process.pid, flush=True); time.sleep(60)"
    )
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    begun = time.monotonic()
    while _is_alive(pid):
        assert time.monotonic() - begun < 10, "the worker has outlived its server"
        time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
