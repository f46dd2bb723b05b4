"""How fast inference is, and in how much memory, beside PGMax.

`python -m benchmarks.inference` prints a table; with `--json` the last line is one JSON object.
Every graph has two processes, one for each side, which take turns; see `MEANINGS` for what each
figure is. `--device cuda` measures our side on a GPU instead (see `benchmarks.inference_cuda`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inference_compare import TOLERANCE, Plan, compare, peak_of_ours
from benchmarks.inference_graphs import GROWING, NAMES, QUICK, SPECS, Spec, draw, write
from benchmarks.inference_sides import LeftOut, Record, n_cores, once, pgmax_python
from benchmarks.inference_text import as_text, rounded

MEANINGS = {
    "graphs": "random pairs that agree with weight `coupling`, in random order; fields N(0, 1); "
    "couplings weak enough to settle (0.1 at 18 neighbours, 0.3 at 5, 0.5 with more states); "
    "chapter: also groups of up to 5 of which at least one is in state 1, with weight 1",
    "sides": "in turn, in processes of their own, two threads each; best of 3 rounds (9 on "
    "small graphs). Ours computes in float64, PGMax in float32, its default; both flood, undamped, "
    "sum-product. PGMax 0.6.1 needs a name that newer jax dropped (jax.lib.xla_bridge): put back",
    "sweep_seconds": "one sweep: slope between the sweeps that suffice and 30 more (200 more on "
    "graphs of up to 100,000 pairs)",
    "build_seconds": "arrays in memory -> ready for the first sweep. Ours: the graph (alone: "
    "graph_seconds) and a first inference of one sweep, less that sweep, marginals included. "
    "PGMax: FactorGraph, factors, BP and init; compiling is apart (compile_seconds)",
    "settle_seconds": f"sweeps until no message changes by {TOLERANCE:g}, and marginals. PGMax: "
    "the number of sweeps is found beforehand, one by one, and then run as one compiled program; "
    "messages to the child variables of its OR factors do not count",
    "total_seconds": "arrays -> settled marginals. PGMax: build and settle, no compiling",
    "peak_bytes": "rise of resident memory while building and settling once, inputs left out; "
    "PGMax: with compiling",
    "bytes_per_edge": "our peak, with the arrays of the graph that it does not show (pairs shared "
    "with the input, potentials that are all zero and so take no memory here), over the number of "
    "edges; all that variables take is included (0.4 of them an edge)",
    "bytes_per_added_edge": "the difference of that peak between the largest graph and one with "
    "half its edges on the same variables, over the difference of edges; the peaks may fall at "
    "different moments",
    "x_of_floor": "our sweep over the time to copy the bytes that any flooding sweep must move: "
    "40 an edge (two indices 8, two float64 messages read and written 32; with K "
    "states K - 1 numbers a message; 24 where messages are kept in four bytes, as those of more "
    "than four million binary pairs are: message_bytes), 16 (K - 1) a variable, 20 a member and "
    "8 a group, at the copy bandwidth of two threads (read + write, 256 MB arrays) measured in "
    "the same rounds. No bound for graphs that fit into caches",
    "growth": "exponent of our seconds a sweep over edges, graphs of the same kind: slope of log "
    "over log by least squares; growth_steps: between neighbouring sizes",
    "max_difference": "largest difference of a marginal between the sides, both settled",
    "first_call_seconds": "chapter's graph, fresh process, kernels cached on disk, graph built: "
    "importing inference and the first infer(method='bp'); best of 3",
    "chapter_ms": "a later infer(method='bp') in that process, to settled marginals; best of 20",
}


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print."""
    options = parse_arguments(arguments)
    if options.device == "cuda":
        from benchmarks import inference_cuda

        report = inference_cuda.measure(quick=options.quick)
        print(json.dumps(report if options.json else rounded(report)))
        return
    if not Path("/proc/self/clear_refs").exists():
        raise SystemExit("peak memory is measured by Linux's /proc, which is not there")
    report = measure(options)
    print(as_text(report))
    if options.json:
        print(json.dumps(report))


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.inference", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all?")
    parser.add_argument("--graphs", nargs="+", choices=NAMES, help="only these")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--memory", type=float, default=12.0, help="GB that a process may take")
    parser.add_argument(
        "--peer-edges", type=float, default=2e6, help="PGMax is given no graph with more pairs"
    )
    parser.add_argument(
        "--peer-python",
        default=os.environ.get("TACIT_PEERS"),
        help="a Python (or its virtual environment) with jax and pgmax; else TACIT_PEERS",
    )
    return parser.parse_args(arguments)


def measure(options: argparse.Namespace) -> Record:
    """Every figure."""
    plan = planned(options)
    specs = [
        spec
        for spec in (QUICK if options.quick else SPECS)
        if not options.graphs or spec.name in options.graphs
    ]
    records: list[Record] = []
    left_out: list[Record] = []
    for spec in specs:
        note(f"{spec.name}: {spec.n_variables:,} variables, {spec.n_edges:,} pairs ...")
        try:
            records.append(compare(spec, plan))
            note(json.dumps(rounded(records[-1])))
        except LeftOut as why:
            note(f"left out: {why}")
            left_out.append({"graph": spec.name, "why": str(why)})
    return (
        headline(records)
        | measure_added_edges(specs, records, plan)
        | measure_first_call(specs, 1 if options.quick else 3)
        | {
            "graphs": records,
            "left_out": left_out,
            "pgmax_skipped": plan.why_not or None,
            "meanings": MEANINGS,
            "machine": machine(records),
        }
    )


def planned(options: argparse.Namespace) -> Plan:
    """How to measure; without PGMax where there is none."""
    python, why_not = None, ""
    try:
        python = pgmax_python(options.peer_python)
    except LeftOut as why:
        why_not = str(why)
    return Plan(
        python=python,
        why_not=why_not,
        quick=options.quick,
        memory=options.memory,
        peer_edges=int(options.peer_edges),
    )


def headline(records: list[Record]) -> Record:
    """One number for each question: speed on the million of pairs, memory on the most."""
    by_name = {record["graph"]: record for record in records}
    chosen = by_name.get("pairs_1m") or next(iter(records), {})
    growing = [by_name[name] for name in GROWING if name in by_name]
    speedups = [f"{what}_speedup_vs_pgmax" for what in ("sweep", "build", "total")]
    exponent, steps = growth(growing)
    return {
        "headline": chosen.get("graph"),
        **{key: chosen.get(key) for key in (*speedups, "x_of_floor")},
        "growth": exponent,
        "growth_steps": steps,
        "bytes_per_edge": growing[-1]["bytes_per_edge"] if growing else None,
    }


def growth(records: list[Record]) -> tuple[float | None, list[float]]:
    """The exponent of seconds a sweep over edges, and those between neighbouring sizes."""
    if len(records) < 2:
        return None, []
    edges = np.log([record["edges"] for record in records])
    seconds = np.log([max(record["ours"]["sweep_seconds"], 1e-9) for record in records])
    steps = np.diff(seconds) / np.diff(edges)
    return float(np.polyfit(edges, seconds, 1)[0]), steps.tolist()


def measure_added_edges(specs: list[Spec], records: list[Record], plan: Plan) -> Record:
    """What an edge takes by itself, beside what variables take."""
    known = {record["graph"]: record for record in records}
    specs = [spec for spec in specs if spec.name in GROWING and spec.name in known]
    if not specs:
        return {"bytes_per_added_edge": None}
    whole = specs[-1]
    half = replace(whole, n_edges=whole.n_edges // 2)
    note(f"memory of {half.n_edges:,} pairs on the variables of {whole.name} ...")
    try:
        added = known[whole.name]["bytes_per_edge"] * whole.n_edges - peak_of_ours(half, plan)
    except LeftOut as why:
        note(f"left out: {why}")
        return {"bytes_per_added_edge": None}
    return {"bytes_per_added_edge": added / (whole.n_edges - half.n_edges)}


def measure_first_call(specs: list[Spec], times: int) -> Record:
    """The chapter's graph in fresh processes: the first, which may compile, is not counted."""
    chapter = [spec for spec in specs if spec.name == "chapter"]
    if not chapter:
        return {"first_call_seconds": None, "chapter_ms": None, "first_calls": []}
    note("first calls in fresh processes ...")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        write(draw(chapter[0]), path)
        try:
            calls = [once("benchmarks.inference_first", path) for _ in range(times + 1)][1:]
        except LeftOut as why:
            return {"first_call_seconds": None, "chapter_ms": None, "first_calls": str(why)}
    return {
        "first_call_seconds": min(call["first_call_seconds"] for call in calls),
        "chapter_ms": min(call["bp"]["best_ms"] for call in calls),
        "first_calls": calls,
    }


def machine(records: list[Record]) -> Record:
    """Where the figures come from."""
    versions: dict[str, Any] = {}
    for record in records:
        for side in ("ours", "pgmax"):
            versions |= record[side].get("versions", {})
    return {
        "cores": n_cores(),
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "processor": processor(),
        **versions,
    }


def processor() -> str:
    """What the processor calls itself."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def note(text: str) -> None:
    """Tell on stderr what is being measured."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
