"""Explanations for pages, by a process of its own, `python -m tacit.app.explain.explainer`.

Pages are served by a process that loads neither data nor models. This is what it talks to: a child
that is started when it is first needed, started again when the run has changed, and gone when its
parent is gone.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

RUN = "run.json"  # the file of a run that is written last
PATIENCE_S = 60.0  # for an answer, the loading of a large project included
RETRY_S = 5.0  # after a failure: whatever was wrong may have been mended
LAST_LINES = 30  # of what the child wrote to its error stream

State = Literal["idle", "loading", "ready", "failed"]
Answer = dict[str, Any]


class Explainer:
    """Answers why instances have their labels; threads may share it.

    `run` is the folder of a saved run. Every answer is a dict: what was asked for, or "error" and
    "remedy".
    """

    def __init__(self, project: str | os.PathLike[str], run: str | os.PathLike[str]) -> None:
        self.project, self.run = Path(project).absolute(), Path(run).absolute()
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def start(self) -> None:
        """Begin to load, where that was not done yet or the run has changed; does not wait."""
        self._current()

    def status(self) -> Answer:
        """{"state": "idle" | "loading" | "ready" | "failed", "error": ..., "remedy": ...}."""
        with self._lock:
            child = self._child
        if child is None:
            return {"state": "idle"}
        return {"state": child.state} | child.failure

    @property
    def is_ready(self) -> bool:
        """Whether an answer would come at once."""
        with self._lock:
            child = self._child
        if child is None or child.state != "ready":
            return False
        return not child.is_outdated(self._version())

    def ask(self, question: Mapping[str, Any], *, patience: float = PATIENCE_S) -> Answer:
        """The answer to a question; waits for it, and for the loading before the first."""
        child = self._current()
        answer = child.ask(question, patience)
        if child.is_closed and "error" in answer:  # the run has changed meanwhile
            answer = self._current().ask(question, patience)
        return answer

    def explain(self, instance: object, function: str | None = None, **more: Any) -> Answer:
        """Why an instance has its label: {"explanation", "text", "posterior", "network", "gold"}.

        `more` are "label" and "against", the two labels that are compared.
        """
        return self.ask({"instance": instance, "function": function, **more})

    def search(self, find: str = "", function: str | None = None, **more: Any) -> Answer:
        """Instances by a part of their text or id: {"rows", "total", "labels", "function"}.

        `more` are "order" ("doubt", "sure", "id" or "row"), "label", "offset" and "most".
        """
        return self.ask({"search": find, "function": function, **more})

    async def answer(self, question: Mapping[str, Any]) -> Answer:
        """As `ask`, without keeping others waiting."""
        return await asyncio.to_thread(self.ask, question)

    def close(self) -> None:
        """End the child."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.close()

    def _current(self) -> _Child:
        """The child that knows the run as it is now."""
        version = self._version()
        with self._lock:
            old = self._child
            if old is not None and not old.is_outdated(version):
                return old
            self._child = child = _Child(self.project, self.run, version)
        if old is not None:
            old.close()
        return child

    def _version(self) -> tuple[int, ...]:
        """What changes with the run; nothing while it is being replaced."""
        try:
            found = (self.run / RUN).stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino


class _Child:
    """A process that explains one version of a run."""

    def __init__(self, project: Path, run: Path, version: tuple[int, ...]) -> None:
        self.version, self.begun = version, time.monotonic()
        self.state: State = "loading"
        self.failure: Answer = {}
        self.is_closed = False  # by us, and not by a failure
        self._waiting: dict[int, Future[Answer]] = {}
        self._number = 0
        self._lock = threading.Lock()
        self._errors: deque[str] = deque(maxlen=LAST_LINES)
        # A session of its own: Ctrl-C ends the parent, and its end is the end of this.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tacit.app.explain.explainer", str(project), str(run)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._reading = threading.Thread(target=self._read_errors, daemon=True)
        self._reading.start()
        threading.Thread(target=self._listen, daemon=True).start()

    def is_outdated(self, version: tuple[int, ...]) -> bool:
        """Whether another child should be started: for another run, or after a failure."""
        if version not in ((), self.version):
            return True
        return self.state == "failed" and time.monotonic() - self.begun > RETRY_S

    def ask(self, question: Mapping[str, Any], patience: float) -> Answer:
        """Send a question and wait for its answer."""
        found: Future[Answer] = Future()
        with self._lock:
            if self.state == "failed":
                return dict(self.failure)
            self._number += 1
            number = self._number
            self._waiting[number] = found
            self._send({**question, "number": number})
        try:  # a child that cannot be told has ended, which `_listen` is about to notice
            return found.result(timeout=patience)
        except TookTooLong:
            with self._lock:
                self._waiting.pop(number, None)
            loading = "still loading" if self.state == "loading" else "no answer yet"
            return {"error": f"{loading} after {patience:.0f} seconds", "remedy": "try again"}

    def close(self) -> None:
        """End the process: the end of its input tells it to."""
        process = self._process
        self.is_closed = True
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        try:
            process.wait(timeout=2.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _send(self, question: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        line = json.dumps(question, default=str) + "\n"
        with suppress(OSError, ValueError):  # its input is closed
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _listen(self) -> None:
        """Take in all that the child says, until its end."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said: Answer = json.loads(line)
            number = said.pop("number", None)
            with self._lock:
                if said.get("ready"):
                    self.state = "ready"
                elif self.state == "loading":
                    self.state, self.failure = "failed", said
                waiting = self._waiting.pop(number, None) if number is not None else None
            if waiting is not None:
                waiting.set_result(said)
        self._end()

    def _end(self) -> None:
        """Tell all who wait that nothing will come."""
        self._reading.join()
        with self._lock:
            if not self.failure:
                last = self._errors[-1].strip() if self._errors else "it ended without a word"
                self.failure = {
                    "error": f"the process that explains has ended: {last}",
                    "remedy": "try again; if it ends again, report it",
                }
            self.state = "failed"
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for one in waiting:
            one.set_result(dict(self.failure))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._errors.extend(self._process.stderr)


if __name__ == "__main__":
    from tacit.app.explain.child import serve

    sys.exit(serve(*sys.argv[1:3]))
