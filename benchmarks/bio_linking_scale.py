"""DPL on many linking candidates with joint factors: how long it takes, and how much memory.

`python -m benchmarks.bio_linking_scale DATA N` prints one JSON object. It is a process of its
own, so that its peak of memory is that of nothing else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter

import tacit
from benchmarks.bio_linking_data import Data
from examples.bio.linking import program


def main() -> None:
    """Build the task, fit it with the linear predictor on the CPU, and measure."""
    folder, n_candidates = Path(sys.argv[1]), int(sys.argv[2])
    begin = perf_counter()
    task = Data(folder / "bio", reads="context").training(n_candidates, seed=0)
    built = perf_counter()
    tacit.DPL(predictor="linear", sharpness=None).fit(task, program())
    found = {
        "candidates": task.table("mention").n_rows,
        "pairs": sum(task.table(name).n_rows for name in ("same_text", "apposed", "synonyms")),
        "seconds_to_build": built - begin,
        "seconds_to_fit": perf_counter() - built,
        "peak_gb": getrusage(RUSAGE_SELF).ru_maxrss / 2**20,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
