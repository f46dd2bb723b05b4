"""How fast programs are grounded, and in how much memory.

`python -m benchmarks.grounding` prints a table; with `--json` the last line is one JSON object.
Every measurement runs in a process of its own, which is ended if it takes too much memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks import grounding_incremental, grounding_psl
from benchmarks.grounding_cases import CASES, IMPLIES, Case
from benchmarks.grounding_worker import resident, write_tables

Record = dict[str, Any]

MEANINGS = {
    "seconds": "ground_factors on a Task in memory, best of 3 (with --quick, of 1) after a warm-up",
    "ratio_vs_raw_join": "seconds over those of the bare DuckDB query that yields the same rows, "
    "merged as ours are (GROUP BY with a count, or DISTINCT), as Arrow",
    "ratio_vs_unmerged_join": "seconds over those of the bare DuckDB join alone, as Arrow",
    "memory_ratio": "rise of resident memory at its peak over the size of the output arrays",
    "growth": "exponent of seconds over size: slope of log over log, by least squares",
    "incremental_ratio": grounding_incremental.SAYS,
    "speedup_vs_psl": grounding_psl.SAYS,
}
COLUMNS = {
    "case": "case",
    "groundings": "groundings",
    "seconds": "s",
    "groundings_per_second": "groundings/s",
    "ratio_vs_raw_join": "vs merged join",
    "ratio_vs_unmerged_join": "vs plain join",
    "output_bytes": "output MB",
    "peak_bytes": "peak MB",
    "memory_ratio": "peak/output",
    "raw_join_peak_bytes": "join's peak MB",
    "queries": "queries",
}


PATIENCE = 900  # seconds that one process may take: some run fifteen joins
MODES = ("memory", "join_memory", "time")  # a process each


class LeftOut(Exception):
    """Why a measurement was given up."""


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print."""
    options = parse_arguments(arguments)
    if not Path("/proc/self/clear_refs").exists():
        raise SystemExit("peak memory is measured by Linux's /proc, which is not there")
    sizes = options.sizes or ([1e3, 4e3] if options.quick else [1e5, 1e6, 1e7])
    sizes = sorted(int(size) for size in sizes)
    report = measure(sizes, options)
    print(as_text(report))
    if options.json:
        print(json.dumps(report))


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grounding", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all?")
    parser.add_argument("--sizes", type=float, nargs="+", help="groundings, such as 1e5 1e6 1e7")
    parser.add_argument("--cases", nargs="+", choices=[case.name for case in CASES])
    parser.add_argument("--memory", type=float, default=6.0, help="GB that a process may take")
    parser.add_argument(
        "--peer-python",
        default=os.environ.get("TACIT_PEERS"),
        help="a Python (or its virtual environment) with pslpython; else TACIT_PEERS",
    )
    return parser.parse_args(arguments)


def measure(sizes: list[int], options: argparse.Namespace) -> Record:
    """Every figure."""
    records: list[Record] = []
    left_out: list[Record] = []
    for case in CASES:
        if options.cases and case.name not in options.cases:
            continue
        for size in sizes:
            note(f"{case.name} at {size:.0e} ...")
            try:
                modes = ("memory", "time") if options.quick else MODES
                records.append(measure_case(case, size, options, modes))
                note(json.dumps(_rounded(records[-1])))
            except LeftOut as why:
                note(f"left out: {why}")
                left_out.append({"case": case.name, "size": size, "why": str(why)})
    beside = min(10**6, max(sizes))
    return (
        headline(records)
        | measure_incremental(beside, options)
        | measure_psl(beside, options)
        | {
            "cases": records,
            "left_out": left_out,
            "meanings": MEANINGS | {f"grounding ({case.name})": case.says for case in CASES},
            "machine": machine(),
        }
    )


def rounds(options: argparse.Namespace) -> str:
    """How often each job is timed, after a warm-up."""
    return "1" if options.quick else "3"


def measure_case(
    case: Case, size: int, options: argparse.Namespace, modes: tuple[str, ...]
) -> Record:
    """Time and memory of one case at one size."""
    record: Record = {"case": case.name, "size": size}
    with tempfile.TemporaryDirectory() as folder:
        write_tables(case.tables(size), Path(folder))
        for mode in modes:
            command = ["benchmarks.grounding_worker", folder, case.name, mode, rounds(options)]
            record |= worker(command, options.memory)
    seconds = record["seconds"]
    record["groundings_per_second"] = record["groundings"] / seconds
    record["ratio_vs_raw_join"] = seconds / record["raw_join_seconds"]
    record["ratio_vs_unmerged_join"] = seconds / record["unmerged_join_seconds"]
    if "peak_bytes" in record:
        record["memory_ratio"] = record["peak_bytes"] / max(1, record["output_bytes"])
    return record


def worker(command: list[str], limit: float) -> Record:
    """The JSON of a module run in a new process; ended when it takes over `limit` gigabytes."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", *command], stdout=output, stderr=errors, text=True
        )
        try:
            begun = time.monotonic()
            while process.poll() is None:
                if time.monotonic() - begun > PATIENCE:
                    raise LeftOut(f"{command[0]} takes more than {PATIENCE} s")
                if resident("VmRSS", process.pid) > limit * 1e9:
                    raise LeftOut(f"{command[0]} takes more than {limit:g} GB")
                time.sleep(0.05)
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            last = errors.read().strip().splitlines()[-1:]
            raise LeftOut(" ".join(last) or f"exit status {process.returncode}")
        answer: Record = json.loads(output.read().splitlines()[-1])
        return answer


def headline(records: list[Record]) -> Record:
    """One number for each question: pairs at the largest size, and the worst growth."""
    largest = {record["case"]: record for record in records}
    first = largest.get("pair") or next(iter(largest.values()), {})
    growths = {name: growth([r for r in records if r["case"] == name]) for name in largest}
    known = [exponent for exponent in growths.values() if exponent is not None]
    keys = ("ratio_vs_raw_join", "ratio_vs_unmerged_join", "memory_ratio")
    return {
        "headline": {key: first.get(key) for key in ("case", "size")},
        **{key: first.get(key) for key in keys},
        "growth": max(known, default=None),
        "growth_by_case": growths,
    }


def growth(records: list[Record]) -> float | None:
    """The exponent of seconds over groundings; None where there is one size only."""
    if len(records) < 2:
        return None
    found = np.log([record["groundings"] for record in records])
    seconds = np.log([record["seconds"] for record in records])
    return float(np.polyfit(found, seconds, 1)[0])


def measure_incremental(size: int, options: argparse.Namespace) -> Record:
    """What adding one formula costs."""
    note(f"one formula more, at {size:.0e} ...")
    try:
        command = ["benchmarks.grounding_incremental", str(size), rounds(options)]
        answer = worker(command, options.memory)
    except LeftOut as why:
        answer = {"incremental_ratio": None, "skipped": str(why)}
    return {"incremental_ratio": answer.pop("incremental_ratio"), "incremental": answer}


def measure_psl(size: int, options: argparse.Namespace) -> Record:
    """The rule that PSL can say too, beside PSL."""
    note(f"PSL at {size:.0e} ...")
    try:
        python = grounding_psl.peer_python(options.peer_python)
        tables = IMPLIES.tables(size)
        with tempfile.TemporaryDirectory() as folder:
            psl = grounding_psl.ground_in_psl(
                python, tables["near"], tables["review"], Path(folder)
            )
        ours = measure_case(IMPLIES, size, options, modes=("time",))
    except (grounding_psl.PeerAbsent, LeftOut) as why:
        return {"speedup_vs_psl": None, "psl": {"skipped": str(why)}}
    figures = {
        "size": size,
        "psl_seconds": psl.seconds,
        "psl_groundings": psl.groundings,
        "seconds": ours["seconds"],
        "groundings": ours["groundings"],
    }
    return {"speedup_vs_psl": min(psl.seconds) / ours["seconds"], "psl": figures}


def machine() -> Record:
    """Where the figures come from."""
    return {
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
    }


def note(text: str) -> None:
    """Tell on stderr what is being measured."""
    print(text, file=sys.stderr, flush=True)


# -- as text ---------------------------------------------------------------------------------------


def as_text(report: Record) -> str:
    """The report as a table with its legend."""
    lines = [list(COLUMNS.values())]
    lines += [[_cell(key, record.get(key)) for key in COLUMNS] for record in report["cases"]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
             for line in lines]  # fmt: skip
    for gap in report["left_out"]:
        table.append(f"left out: {gap['case']} at {gap['size']:.0e}: {gap['why']}")
    growths = [f"{name} {_cell('', g)}" for name, g in report["growth_by_case"].items()]
    table += ["", f"growth exponents: {', '.join(growths)}; worst {_cell('', report['growth'])}"]
    for key, details in (("incremental_ratio", "incremental"), ("speedup_vs_psl", "psl")):
        table.append(f"{key}: {_cell('', report[key])} {json.dumps(_rounded(report[details]))}")
    table += ["", *(f"{key}: {meaning}" for key, meaning in report["meanings"].items())]
    return "\n".join([*table, f"machine: {json.dumps(_rounded(report['machine']))}"])


def _cell(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if key.endswith("_bytes"):
        return f"{value / 1e6:.1f}"
    if key == "groundings_per_second":
        return f"{value / 1e6:.2f} M"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _rounded(value: Any) -> Any:
    """The same with fewer digits."""
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
