"""The process that learns behind the pages: started with them, ended with them, heard by a thread.

It writes its status as lines of JSON. It ends when its input ends, so that it cannot outlive a
server that was killed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

PATIENCE_S = 10.0  # for a worker that was told to end
LAST_LINES = 30  # of what it wrote to its error stream: enough for a traceback
MODULE = "tacit.app.grow.worker"
ENDS = ("done", "failed")

Status = dict[str, Any]


class Worker:
    """A child process and the last that was heard of it; threads may share it."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        module: str = MODULE,
        failed: Callable[[Status], None] | None = None,
    ) -> None:
        """`failed` is told whenever the process ends before it is done."""
        self._command = [sys.executable, "-m", module, *arguments]
        self._failed = failed
        self._turn = threading.RLock()
        self._is_stopping = False
        self._start()

    def status(self) -> Status:
        """What it does now, as pages show it."""
        with self._turn:
            found = _status(self._said, self._code, list(self._errors))
            return found | {"is_finishing": self._is_finishing}

    def finish(self) -> None:
        """No more questions: learn from the answers that there are, save, and be done."""
        with self._turn:
            self._is_woken, self._is_finishing = False, True
            if self._process.stdin is not None:
                with suppress(OSError):  # it has just ended by itself
                    self._process.stdin.write("finish\n")
                    self._process.stdin.flush()

    def wake(self) -> None:
        """Something was answered or taken back: if it has ended, or is about to, start again."""
        with self._turn:
            if self._code is None:
                self._is_woken = self._said.get("state") in ("finishing", *ENDS)
            elif not self._is_stopping:
                self._start()

    def stop(self) -> None:
        """End it, in order if it is in time."""
        with self._turn:
            self._is_stopping = True
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listening.join(PATIENCE_S)

    def _start(self) -> None:
        self._said: Status = {}
        self._errors: deque[str] = deque(maxlen=LAST_LINES)
        self._code: int | None = None
        self._is_woken = self._is_finishing = False
        # A session of its own: Ctrl-C ends the server, which then ends the worker in order.
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._reading = threading.Thread(target=self._read_errors, daemon=True)
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._reading.start()
        self._listening.start()

    def _listen(self) -> None:
        """Hear every line, and then how it ended."""
        for line in self._process.stdout or ():
            said = _said(line)
            if said is not None:
                with self._turn:
                    self._said = said
        code = self._process.wait()
        self._reading.join(PATIENCE_S)
        with self._turn:
            self._code = code
            status, is_stopping = self.status(), self._is_stopping
            if self._is_woken and not is_stopping:
                self._start()
                return
        # That it ends when it is told to is no failure, unless it says so.
        has_failed = status["state"] == "failed" and (status["phase"] in ENDS or not is_stopping)
        if has_failed and self._failed is not None:
            self._failed(status)

    def _read_errors(self) -> None:
        for line in self._process.stderr or ():
            with self._turn:
                self._errors.append(line.rstrip("\n"))


def _said(line: str) -> Status | None:
    """A line of status; None if it is something else."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def _status(said: Status, code: int | None, errors: Sequence[str]) -> Status:
    """What was said last, in the words of the pages."""
    phase = str(said.get("state", "starting"))
    found = {
        "state": phase if phase in ENDS else "working",
        "phase": phase,
        "line": str(said.get("text", "starting")),
        "remedy": said.get("remedy"),
        "problems": [_problem(own) for own in said.get("errors", ())],
    }
    if code is not None and phase not in ENDS:
        told = next((own for own in reversed(errors) if own.strip()), f"it ended with code {code}")
        found |= {"state": "failed", "line": told, "remedy": None}
    return found


def _problem(error: Status) -> dict[str, str]:
    """A mistake in the user's files: where, what, and what to do."""
    at = [str(error[key]) for key in ("file", "line") if error.get(key)]
    return {
        "place": ", line ".join(at),
        "what": str(error.get("message", "")),
        "remedy": str(error.get("remedy") or ""),
    }
