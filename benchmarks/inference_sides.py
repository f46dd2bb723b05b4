"""The driver's end of the inference benchmark: one process for each side, asked in turn."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.inference_serve import resident

Record = dict[str, Any]

PATIENCE = 900  # seconds that one job may take
THREADS = 2
OURS = "benchmarks.inference_worker"
PGMAX = "benchmarks.inference_pgmax"


class LeftOut(Exception):
    """Why something was not measured."""


class Side:
    """A process that does the jobs it is asked to; ended when it takes too much memory."""

    def __init__(self, python: str, module: str, graph: Path, limit: float) -> None:
        self.module, self.limit = module, limit
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [python, "-m", module, str(graph)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=environment(),
            preexec_fn=hold_to_cores,
        )

    def ask(self, job: str, **arguments: Any) -> Record:
        """What comes of a job."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps({"job": job, **arguments}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise LeftOut(self._last_words()) from None
        begun = time.monotonic()
        while not select.select([self.process.stdout], [], [], 0.05)[0]:
            if time.monotonic() - begun > PATIENCE:
                raise LeftOut(f"{job} takes more than {PATIENCE} s")
            if resident("VmRSS", self.process.pid) > self.limit * 1e9:
                raise LeftOut(f"{job} takes more than {self.limit:g} GB")
        line = self.process.stdout.readline()
        if not line:
            raise LeftOut(self._last_words())
        answer: Record = json.loads(line)
        return answer

    def _last_words(self) -> str:
        self.process.wait()
        self.errors.seek(0)
        last = self.errors.read().strip().splitlines()[-1:]
        return " ".join(last) or f"exit status {self.process.returncode}"

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.errors.close()


def environment() -> Mapping[str, str]:
    """Two threads, whatever counts them; fewer where there are fewer, or fewer are asked for."""
    names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    most = min(THREADS, n_cores())
    threads = {name: str(min(most, int(os.environ.get(name, most)))) for name in names}
    return {**os.environ, **threads, "JAX_PLATFORMS": "cpu"}


def hold_to_cores() -> None:
    """Keep a process on its first cores, so that jax counts no more than those."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])


def n_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def once(module: str, graph: Path) -> Record:
    """The JSON that a module prints about a graph, run in a fresh process like those of sides."""
    answer = subprocess.run(
        [sys.executable, "-m", module, str(graph)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        preexec_fn=hold_to_cores,
    )
    if answer.returncode:
        raise LeftOut(" ".join(answer.stderr.strip().splitlines()[-1:]) or f"{module} failed")
    found: Record = json.loads(answer.stdout.splitlines()[-1])
    return found


def peer_python(given: str | None) -> str:
    """The interpreter that has the peers: given itself, or by its virtual environment."""
    if not given:
        raise LeftOut("no --peer-python and no TACIT_PEERS")
    path = Path(given).expanduser()
    path = path / "bin" / "python" if path.is_dir() else path
    if not path.exists():
        raise LeftOut(f"there is no Python at {given}")
    return str(path)


def pgmax_python(given: str | None) -> str:
    """The interpreter that has PGMax."""
    path = peer_python(given)
    asked = [path, "-c", "from benchmarks.inference_pgmax import modules; modules()"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    if answer.returncode:
        lines = answer.stderr.strip().splitlines() or ["it fails"]
        raise LeftOut(f"no PGMax there: {lines[-1]}")
    return path
