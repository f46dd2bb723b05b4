"""Only one process learns into a ledger, and only one serves its pages, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.app.one_at_a_time import Holder, holder, only_one
from tacit.errors import BadFile, BadInput

HOLDS = """
import sys
from pathlib import Path
from tacit.app.one_at_a_time import only_one
with only_one(Path(sys.argv[1]), sys.argv[2], what="tacit review", address=sys.argv[3] or None):
    print("held", flush=True)
    sys.stdin.readline()
"""
# Holds the lock again and again, and says so in a file that all of them write to.
CONTENDS = """
import os, sys, time
from pathlib import Path
from tacit.app.one_at_a_time import only_one
from tacit.errors import BadInput
log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
until = time.time() + float(sys.argv[3])
while time.time() < until:
    try:
        with only_one(Path(sys.argv[1]), "grow"):
            os.write(log, b"in\\n")
            time.sleep(0.001)
            os.write(log, b"out\\n")
    except BadInput:
        pass
"""
ADDRESS = "http://127.0.0.1:8642/?token=abc"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def start(ledger: Path, lock: str, address: str = "") -> subprocess.Popen[str]:
    """A process that holds a lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(ledger), lock, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_of_the_first(ledger: Path) -> None:
    first = start(ledger, "review", ADDRESS)
    with pytest.raises(BadInput) as refused, only_one(ledger, "review"):
        pass
    told = f"is being reviewed at {ADDRESS} by tacit review (process {first.pid})"
    assert told in refused.value.message
    assert refused.value.remedy == "go on there, or end it first"
    assert holder(ledger, "review") == Holder("tacit review", first.pid, ADDRESS)
    assert holder(ledger, "grow") is None
    with only_one(ledger, "grow"):  # the two locks of a ledger do not exclude each other
        assert holder(ledger, "grow") == Holder("tacit grow", os.getpid())
    with only_one(ledger.with_name("other.sqlite"), "review"):
        pass
    first.communicate("\n")
    with only_one(ledger, "review"):
        pass
    assert list(ledger.parent.iterdir()) == []  # nothing is left of it


def test_kill_minus_nine_lets_go(ledger: Path) -> None:
    first = start(ledger, "grow")
    with pytest.raises(BadInput, match=rf"in use by tacit review \(process {first.pid}\)"):
        only_one(ledger, "grow").__enter__()
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert holder(ledger, "grow") is None
    with only_one(ledger, "grow"):
        assert holder(ledger, "grow") == Holder("tacit grow", os.getpid())
    assert list(ledger.parent.iterdir()) == []


def test_within_one_process_too(ledger: Path) -> None:
    with only_one(ledger, "grow"):
        for _ in range(2):
            with pytest.raises(BadInput, match="in use"):
                only_one(ledger, "grow").__enter__()
        command = [sys.executable, "-c", HOLDS, str(ledger), "grow", ""]
        other = subprocess.run(command, capture_output=True, text=True, check=False, input="")
        assert "BadInput" in other.stderr  # to be refused within has not let go of it


def test_another_name_of_the_same_file_is_the_same(ledger: Path) -> None:
    ledger.touch()
    link = ledger.with_name("link.sqlite")
    link.symlink_to(ledger)
    with only_one(ledger, "grow"), pytest.raises(BadInput, match="in use"):
        only_one(link, "grow").__enter__()


def test_an_address_may_come_later_and_is_for_the_user_alone(ledger: Path) -> None:
    with only_one(ledger, "review", what="tacit review") as held:
        held.tell(ADDRESS)
        assert holder(ledger, "review") == Holder("tacit review", os.getpid(), ADDRESS)
        for file in ledger.parent.iterdir():
            assert file.stat().st_mode & 0o077 == 0


def test_what_cannot_be_locked_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be made"):
        only_one(tmp_path / "absent" / "ledger.sqlite", "grow").__enter__()


def test_there_is_never_more_than_one(ledger: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    command = [sys.executable, "-c", CONTENDS, str(ledger), str(log), "1.0"]
    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait(timeout=60) == 0
    lines = log.read_text().split()
    assert len(lines) > 20
    assert lines == ["in", "out"] * (len(lines) // 2)
