"""How long the first inference of a fresh process takes, and the ones after it.

`python -m benchmarks.inference_first GRAPH` prints one JSON object. Compiled kernels should be in
their cache: run it twice. The graph is built first, which imports what building needs; the first
call is then the import of inference (and with it of numba) and the call itself.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.inference_graphs import read
from benchmarks.inference_sides import Record

TOLERANCE = 1e-4
CALLS = 20  # warm ones, of which the best and the median count


def main() -> None:
    """Measure, and print."""
    print(json.dumps(measure(Path(sys.argv[1]))))


def measure(path: Path) -> Record:
    """The first call, and warm ones."""
    arrays = read(path)
    begun = time.perf_counter()
    from benchmarks.inference_ours import built, settled

    graph = built(arrays)
    ready = time.perf_counter()
    settled(graph, arrays, TOLERANCE)
    first = time.perf_counter()
    record: Record = {
        "first_call_seconds": first - ready,
        "import_and_build_seconds": ready - begun,
    }
    for method in ("bp", "auto"):
        seconds = []
        for _ in range(CALLS + 1):
            begun = time.perf_counter()
            beliefs = settled(graph, arrays, TOLERANCE, method)
            seconds.append(time.perf_counter() - begun)
        record[method] = {
            "best_ms": 1e3 * min(seconds[1:]),
            "median_ms": 1e3 * float(np.median(seconds[1:])),
            "sweeps": beliefs.sweeps,
            "converged": bool(beliefs.converged),
        }
    return record


if __name__ == "__main__":
    main()
