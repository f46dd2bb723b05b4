"""What it costs to add one formula to a program that is grounded already.

`python -m benchmarks.grounding_incremental SIZE ROUNDS` prints one JSON object.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.grounding_cases import LABELS, Tables, pair_tables, unary_program, unary_tables
from benchmarks.grounding_worker import in_turn, sizes
from tacit.data import Task
from tacit.grounding import GroundFactors, ground_factors
from tacit.logic.program import Program

SAYS = (
    "seconds to add one formula by ground_factors(larger, task, previous=factors), "
    "over seconds to ground that formula alone; the worse of two additions"
)
PAIRS = LABELS + "observed near(review, review)\nobserved cites(review, review)\n"
WORDS = LABELS + "observed token(review, word)\n"


def main() -> None:
    """Measure both additions."""
    size, rounds = map(int, sys.argv[1:])
    print(json.dumps(measure(size, rounds)))


def measure(size: int, rounds: int) -> dict[str, Any]:
    """The times of two additions to programs of about `size` ground factors."""
    if "previous" not in inspect.signature(ground_factors).parameters:
        return {"incremental_ratio": None, "skipped": "ground_factors takes no `previous`"}
    additions = {"pair": _pair(size, rounds), "keyword": _keyword(size, rounds)}
    worst = max(float(times["ratio"]) for times in additions.values())
    return {"incremental_ratio": worst, "additions": additions}


def _pair(size: int, rounds: int) -> dict[str, float]:
    """A join of a tenth of the size, beside another join."""
    tables: Tables = pair_tables(size)
    tables["cites"] = pair_tables(size // 10, "cites")["cites"]
    base = Program.parse(PAIRS + "agree: 1.0 near(r, s) => y(r) = y(s)")
    added = Program.parse(PAIRS + "cited: 1.0 cites(r, s) => y(r) = y(s)")
    return _times(Task(tables), base, added, rounds)


def _keyword(size: int, rounds: int) -> dict[str, float]:
    """One more keyword, of the shape that two hundred have already."""
    added = Program.parse(WORDS + 'more: 2.2 token(r, "w200") => y(r) = pos')
    return _times(Task(unary_tables(size)), unary_program(), added, rounds)


def _times(task: Task, base: Program, added: Program, rounds: int) -> dict[str, float]:
    """Seconds to add a formula, to ground it alone and to ground everything."""
    task.instances("review")
    larger = base.with_evidence(*added.evidence)
    before = ground_factors(base, task)
    extend: Callable[..., GroundFactors] = ground_factors
    jobs: dict[str, Callable[[], GroundFactors]] = {
        "add_seconds": lambda: extend(larger, task, previous=before),
        "alone_seconds": lambda: ground_factors(added, task),
        "everything_seconds": lambda: ground_factors(larger, task),
    }
    times = in_turn(jobs, rounds)
    ratio = times["add_seconds"] / times["alone_seconds"]
    new = sizes(ground_factors(added, task))[1]
    return times | {"ratio": ratio, "groundings_before": sizes(before)[1], "groundings_added": new}


if __name__ == "__main__":
    main()
