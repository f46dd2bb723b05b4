"""Our side of the inference benchmark, in a process of its own.

`python -m benchmarks.inference_worker GRAPH` reads a graph and waits for jobs (see `jobs`).
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numba
import numpy as np

from benchmarks.inference_graphs import Arrays, Floats, read, tiny
from benchmarks.inference_ours import built, settled, swept
from benchmarks.inference_serve import Answer, forget_peak, resident, serve, timed

COPIED = 256_000_000  # bytes: far more than caches hold


def main() -> None:
    """Wait for jobs on one graph."""
    warnings.simplefilter("ignore")  # that a few sweeps are too few is known here
    serve(Ours(read(Path(sys.argv[1]))).jobs())


class Ours:
    """A graph in this library."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        small = tiny(arrays)
        self.graph = built(small)  # loads code, not data
        swept(self.graph, small, 2)
        settled(self.graph, small, 1e-4)

    def jobs(self) -> dict[str, Any]:
        """What the other end may ask for."""
        jobs = self.first, self.build, self.total, self.run, self.settle, self.copy
        return {job.__name__: job for job in jobs}

    def first(self, tolerance: float, marginals: str) -> Answer:
        """Everything once: how far memory rises, how many sweeps it takes, what comes of it."""
        before = forget_peak()
        self.graph = built(self.arrays)
        build_peak = resident("VmHWM") - before
        beliefs = settled(self.graph, self.arrays, tolerance)
        peak = resident("VmHWM") - before
        np.save(marginals, beliefs.marginals("y"))
        return {
            "peak_bytes": peak,
            "build_peak_bytes": build_peak,
            "uncounted_bytes": self._uncounted(),
            "message_bytes": max(one.itemsize for one in beliefs.messages.values),
            "sweeps": beliefs.sweeps,
            "residual": beliefs.residual,
            "converged": beliefs.converged,
            "log_partition": beliefs.log_partition,
            "versions": {"numba": numba.__version__, "numpy": np.__version__},
        }

    def _uncounted(self) -> int:
        """What the graph holds that the rise of memory does not show.

        Arrays shared with the input, and arrays of zeros, which the system keeps in no memory.
        """
        total = 0
        for block in self.graph.tables:
            if np.shares_memory(block.variables, self.arrays.pairs):
                total += block.variables.nbytes
            if not block.potential.any():
                total += block.potential.nbytes
        return total

    def build(self) -> Answer:
        """From arrays to a graph that has been swept once; what is made lazily is made by then."""
        graph_seconds, graph = timed(lambda: built(self.arrays))
        seconds, _ = timed(lambda: swept(graph, self.arrays, 1))
        return {"seconds": graph_seconds + seconds, "graph_seconds": graph_seconds}

    def total(self, tolerance: float) -> Answer:
        """From arrays to converged marginals."""
        seconds, _ = timed(lambda: settled(built(self.arrays), self.arrays, tolerance))
        return {"seconds": seconds}

    def run(self, sweeps: int) -> Answer:
        """So many sweeps on the graph that is there."""
        seconds, beliefs = timed(lambda: swept(self.graph, self.arrays, sweeps))
        return {"seconds": seconds, "sweeps": beliefs.sweeps}

    def settle(self, tolerance: float) -> Answer:
        """Converged marginals of the graph that is there."""
        seconds, _ = timed(lambda: settled(self.graph, self.arrays, tolerance))
        return {"seconds": seconds}

    def copy(self) -> Answer:
        """How many bytes are read and written a second when memory is copied, best of some."""
        source, target = np.ones(COPIED // 8), np.zeros(COPIED // 8)
        seconds = min(timed(lambda: copy_all(source, target))[0] for _ in range(6))
        return {"bytes_per_second": 2 * COPIED / seconds}


@numba.njit(parallel=True, cache=True)
def copy_all(source: Floats, target: Floats) -> None:
    """Copy an array by all the threads."""
    for at in numba.prange(len(source)):
        target[at] = source[at]


if __name__ == "__main__":
    main()
