"""One measurement of the grounding benchmark, in a process of its own.

`python -m benchmarks.grounding_worker FOLDER CASE MODE ROUNDS` reads tables from a folder and
prints one JSON object. What was built before does not blur the peak memory.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from benchmarks.grounding_cases import BY_NAME, Case, Tables, rules_relation
from tacit.data import Task
from tacit.grounding import DuckDBEngine, GroundFactors, ground_factors

TINY = 200  # groundings of the first, unmeasured run, which loads code and not data

Result = dict[str, Any]


def main() -> None:
    """Run the measurement that the arguments name."""
    folder, name, mode, rounds = sys.argv[1:]
    case = BY_NAME[name]
    if mode != "time":  # a warm-up of its own
        _once_on_little(case)
    task = load_task(read_tables(Path(folder)), case)
    modes: dict[str, Callable[[], Result]] = {
        "time": lambda: timings(case, task, int(rounds)),
        "memory": lambda: ground_memory(case, task),
        "join_memory": lambda: join_memory(case, task),
    }
    print(json.dumps(modes[mode]()))


def write_tables(tables: Mapping[str, pa.Table], folder: Path) -> None:
    """Keep tables as files."""
    for name, table in tables.items():
        path = str(folder / f"{name}.arrow")
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def read_tables(folder: Path) -> Tables:
    """Tables in memory: not mapped, since touching a mapped page would count as memory taken."""
    tables = {}
    for path in sorted(folder.glob("*.arrow")):
        with pa.OSFile(str(path), "rb") as source:
            tables[path.stem] = pa.ipc.open_file(source).read_all()
    return tables


def load_task(tables: Tables, case: Case) -> Task:
    """The task, with its instances indexed."""
    task = Task(tables)
    task.instances(case.domain)
    return task


def _once_on_little(case: Case) -> None:
    task = load_task(case.tables(TINY), case)
    ground(case, task)
    join(case, task, case.merged)


# -- what is measured ------------------------------------------------------------------------------


def ground(case: Case, task: Task) -> GroundFactors:
    """The case, grounded by this library."""
    return ground_factors(case.program(), task)


def join(case: Case, task: Task, sql: str) -> pa.Table:
    """The rows of a bare query, in a new DuckDB with the settings that grounding uses.

    But DuckDB chooses the order of joins itself, or the case does.
    """
    engine = DuckDBEngine()
    try:
        for name, table in task.tables.items():
            engine.load(name, table.arrow)
        ids = task.instances(case.domain).ids
        rows = pa.array(np.arange(len(ids), dtype=np.int32))
        engine.load("instances", pa.table({"id": ids, "row": rows}))
        engine.load("rules", rules_relation())
        disabled = "join_order" if case.as_written else ""
        engine.connection.execute(f"SET disabled_optimizers = '{disabled}'")
        return engine.connection.sql(sql).to_arrow_table()
    finally:
        engine.close()


def timings(case: Case, task: Task, rounds: int) -> Result:
    """Seconds of grounding and of both bare queries: in turn, the best of some rounds."""
    program = case.program()
    result = _counted(case, task)
    jobs: dict[str, Callable[[], Any]] = {
        "seconds": lambda: ground_factors(program, task),
        "raw_join_seconds": lambda: join(case, task, case.merged),
        "unmerged_join_seconds": lambda: join(case, task, case.plain),
    }
    return result | in_turn(jobs, rounds)


def in_turn(jobs: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The best time of each job, each run once in every round; one round more warms up."""
    best = dict.fromkeys(jobs, np.inf)
    for number in range(rounds + 1):
        for name, job in jobs.items():
            gc.collect()
            begun = time.perf_counter()
            answer = job()
            seconds = time.perf_counter() - begun
            del answer
            if number:
                best[name] = min(best[name], seconds)
    return best


class CountingEngine(DuckDBEngine):
    """DuckDB that counts its queries, those that only ask how large something is apart."""

    def __init__(self) -> None:
        super().__init__()
        self.queries = 0
        self.size_queries = 0

    def run(self, query: exp.Query) -> pa.Table:
        """Count a query, and run it."""
        if query.named_selects == ["n"]:
            self.size_queries += 1
        else:
            self.queries += 1
        return super().run(query)


def _counted(case: Case, task: Task) -> Result:
    """How much there is: queries, groundings, factors, bytes; the bare joins must agree."""
    engine = CountingEngine()
    factors = ground_factors(case.program(), task, engine=engine)
    engine.close()
    n_factors, n_groundings = sizes(factors)
    found = (n_factors, n_groundings)
    joined = tuple(join(case, task, sql).num_rows for sql in (case.merged, case.plain))
    if found != joined:
        raise SystemExit(f"{case.name}: grounding yields {found} rows, the bare joins {joined}")
    return {
        "groundings": n_groundings,
        "factors": n_factors,
        "output_bytes": output_bytes(factors),
        "queries": engine.queries,
        "size_queries": engine.size_queries,
    }


def sizes(factors: GroundFactors) -> tuple[int, int]:
    """The number of rows kept, and of groundings that they stand for."""
    counts = [block.count for block in factors.unary] + [block.count for block in factors.tables]
    kept = sum(len(count) for count in counts)
    stand_for = sum(int(count.sum()) for count in counts)
    members = sum(len(b.variable_of_member) for b in factors.groups)
    return kept + members, stand_for + members


def output_bytes(factors: GroundFactors) -> int:
    """The size of the output arrays."""
    return sum(part.n_bytes for part in factors.parts)


# -- memory ----------------------------------------------------------------------------------------


def ground_memory(case: Case, task: Task) -> Result:
    """How far memory rises while the case is grounded, the output included."""
    program = case.program()
    return {"peak_bytes": peak_of(lambda: ground_factors(program, task))}


def join_memory(case: Case, task: Task) -> Result:
    """How far memory rises during the bare query with merging."""
    return {"raw_join_peak_bytes": peak_of(lambda: join(case, task, case.merged))}


def peak_of(job: Callable[[], Any]) -> int:
    """The highest resident memory during a job, over that just before it."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the kernel forgets the peak so far
    before = resident("VmRSS")
    answer = job()
    peak = resident("VmHWM")
    del answer
    return peak - before


def resident(field: str, process: int | str = "self") -> int:
    """A field of a process's status, in bytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    return 0


if __name__ == "__main__":
    main()
