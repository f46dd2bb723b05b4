"""A worker's end of the inference benchmark: jobs asked by lines of JSON; standard library alone.

Each side of a comparison is a process of its own that waits while the other works, so that the
sides can take turns on a noisy machine.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


def serve(jobs: Mapping[str, Callable[..., Answer]]) -> None:
    """Do the jobs that standard input names, and answer each by a line, until it ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        answer = jobs[asked.pop("job")](**asked)
        print(json.dumps(answer), file=answers)


def timed(job: Callable[[], Any]) -> tuple[float, Any]:
    """How long a job takes, and what comes of it."""
    gc.collect()
    begun = time.perf_counter()
    result = job()
    return time.perf_counter() - begun, result


def forget_peak() -> int:
    """Resident memory now; the kernel forgets the peak so far."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return resident("VmRSS")


def resident(field: str, process: int | str = "self") -> int:
    """A field of a process's status, in bytes; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    for line in lines:
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    return 0
