"""A `tacit review` in a process of its own: for browser tests, pictures and benchmarks."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO

PATIENCE_S = 60.0  # for the address: Python starts, the ledger is opened


class ReviewServer:
    """A server with its worker; stopped when the context ends."""

    def __init__(self, project: Path, *options: str, who: str = "ada") -> None:
        """`who` is the first reviewer's name, which would else be the login name."""
        words = ["review", project.name, "--port", "0", "--no-open", "--json", *options]
        self.errors = (project / "review.log").open("a")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tacit", *words],
            cwd=project.parent,  # pages show paths as they were given
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=os.environ | {"OMP_WAIT_POLICY": "passive", "LOGNAME": who},
        )
        try:
            self.address = _address(self.process.stdout)
        except BaseException:
            self.kill()
            raise
        self.origin = self.address.partition("/?")[0]

    def __enter__(self) -> ReviewServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._close()

    def kill(self) -> None:
        """End it with no time to say a word: `kill -9`."""
        self.process.kill()
        self._close()

    def _close(self) -> None:
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()


def run_tacit(*words: str, cwd: Path | None = None) -> None:
    """Run a command of tacit to its end; it must not fail."""
    command = [sys.executable, "-m", "tacit", *words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"tacit {' '.join(words)}\n{done.stdout}{done.stderr}")


def _address(stream: IO[str] | None) -> str:
    """The address, which is on the first line that the server writes; a refusal has several."""
    assert stream is not None
    if not select.select([stream], [], [], PATIENCE_S)[0]:
        raise TimeoutError(f"tacit review has said nothing for {PATIENCE_S:.0f} seconds")
    line = stream.readline()
    if '"address"' not in line:
        raise RuntimeError(f"tacit review has ended: {line}{stream.read()}")
    return str(json.loads(line)["address"])
