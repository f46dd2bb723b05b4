"""One graph of the inference benchmark, both sides taking turns on it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inference_graphs import Arrays, Spec, draw, floor_bytes, write
from benchmarks.inference_sides import OURS, PGMAX, LeftOut, Record, Side

TOLERANCE = 1e-4  # largest change of a message
SMALL = 100_000  # edges; times of smaller graphs are noisy, so they are taken more often
PEER_BYTES = 3000  # that PGMax takes for a pair, about: the reason given when it is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to measure."""

    python: str | None  # the interpreter that has PGMax
    why_not: str = ""  # why there is none
    quick: bool = False  # one round
    memory: float = 12.0  # GB that a process may take
    peer_edges: int = 2_000_000  # larger graphs are not given to PGMax

    def rounds(self, n_edges: int) -> int:
        """How often each job is timed."""
        if self.quick:
            return 1
        return 9 if n_edges <= SMALL else 3

    def more_sweeps(self, n_edges: int) -> int:
        """How many sweeps the slope is taken over."""
        return 200 if n_edges <= SMALL and not self.quick else 30

    def why_no_peer(self, spec: Spec) -> str:
        """Why PGMax is not asked, if it is not."""
        if self.python is None:
            return self.why_not
        if spec.n_edges <= self.peer_edges:
            return ""
        about = f"{spec.n_edges * PEER_BYTES / 1e9:.0f} GB"
        return f"{spec.n_edges:,} pairs would take about {about}; raise --peer-edges to try"


def compare(spec: Spec, plan: Plan) -> Record:
    """Every figure of one graph."""
    arrays = draw(spec)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "graph.npz"
        write(arrays, path)
        _first_of_ours(path, plan)  # compiles what this graph needs, which takes memory as well
        ours = stack.enter_context(Side(sys.executable, OURS, path, plan.memory))
        sides = {"ours": ours}
        skipped = plan.why_no_peer(spec)
        if not skipped:
            assert plan.python is not None
            sides["pgmax"] = stack.enter_context(Side(plan.python, PGMAX, path, plan.memory))
        found = in_turn(sides, spec, plan, Path(folder))
        record = described(spec, arrays) | {"pgmax": {"skipped": skipped}} | found
        if "skipped" not in record["pgmax"]:
            record["max_difference"] = _difference(Path(folder))
    return record | ratios(spec, len(arrays.variable_of_member), record)


def in_turn(sides: dict[str, Side], spec: Spec, plan: Plan, folder: Path) -> Record:
    """The figures of each side; PGMax may stop early, and has none if it stops at once."""
    found: dict[str, Record] = {}
    times: dict[str, dict[str, list[float]]] = {name: {} for name in sides}
    for number in range(-1, plan.rounds(spec.n_edges)):
        for name, side in list(sides.items()):
            try:
                if number < 0:
                    marginals = str(folder / f"{name}.npy")
                    found[name] = side.ask("first", tolerance=TOLERANCE, marginals=marginals)
                more = plan.more_sweeps(spec.n_edges)
                for job, seconds in _round(side, name, found[name], more, warm_up=number < 0):
                    times[name].setdefault(job, []).append(seconds)
            except LeftOut as why:
                if name == "ours":
                    raise
                del sides[name]
                early = number < 1
                found[name] = (
                    {"skipped": str(why)} if early else found[name] | {"stopped": str(why)}
                )
    return {
        name: one if "skipped" in one else one | summary(times[name], one)
        for name, one in found.items()
    }


def _round(
    side: Side, name: str, first: Record, more: int, *, warm_up: bool
) -> Iterator[tuple[str, float]]:
    """One round of jobs, each with its seconds; the warm-up only runs the longest program."""
    few, many = first["sweeps"], first["sweeps"] + more
    if warm_up:
        side.ask("run", sweeps=many)
        return
    tolerance: dict[str, Any] = {"tolerance": TOLERANCE} if name == "ours" else {}
    short, long = side.ask("run", sweeps=few), side.ask("run", sweeps=many)
    first["few"], first["many"] = short["sweeps"], long["sweeps"]
    yield "few", short["seconds"]
    yield "many", long["seconds"]
    built = side.ask("build")
    yield "build", built["seconds"]
    yield "settle", side.ask("settle", **tolerance)["seconds"]
    if name == "ours":
        yield "graph", built["graph_seconds"]
        yield "total", side.ask("total", **tolerance)["seconds"]
        yield "copy", 1.0 / side.ask("copy")["bytes_per_second"]


def summary(times: dict[str, list[float]], first: Record) -> Record:
    """The best of all rounds, as seconds a sweep, to build, to settle and in all."""
    best = {job: min(seconds) for job, seconds in times.items()}
    sweep = (best["many"] - best["few"]) / max(1, first["many"] - first["few"])
    if "total" not in best:  # PGMax: what is compiled cannot be built again without compiling
        total = best["build"] + best["settle"]
        return _times(best["build"], sweep, best["settle"], total)
    build = max(best["build"] - sweep, best["graph"])
    record = _times(build, sweep, best["settle"], best["total"])
    return record | {
        "graph_seconds": best["graph"],
        "copy_bytes_per_second": 1.0 / best["copy"],
    }


def _times(build: float, sweep: float, settle: float, total: float) -> Record:
    return {
        "build_seconds": build,
        "sweep_seconds": sweep,
        "settle_seconds": settle,
        "total_seconds": total,
    }


def described(spec: Spec, arrays: Arrays) -> Record:
    """What the graph is."""
    return {
        "graph": spec.name,
        "variables": spec.n_variables,
        "edges": spec.n_edges,
        "groups": spec.n_groups,
        "factors": spec.n_edges + spec.n_groups,
        "states": spec.n_states,
        "coupling": spec.coupling,
        "members": len(arrays.variable_of_member),
    }


def ratios(spec: Spec, n_members: int, record: Record) -> Record:
    """Our figures over PGMax's, and over what the machine allows."""
    ours, pgmax = record["ours"], record["pgmax"]
    moved = floor_bytes(spec, n_members, ours["message_bytes"], believed=8)
    floor = moved / ours["copy_bytes_per_second"]
    x_of_floor = ours["sweep_seconds"] / floor if ours["sweep_seconds"] > 0 else None
    found: Record = {"floor_seconds": floor, "x_of_floor": x_of_floor}
    if spec.n_states == 2 and not spec.n_groups:
        found["bytes_per_edge"] = bytes_per_edge(ours, spec.n_edges)
    for what in ("sweep", "build", "total"):
        seconds = f"{what}_seconds"
        known = seconds in pgmax and ours[seconds] > 0
        found[f"{what}_speedup_vs_pgmax"] = pgmax[seconds] / ours[seconds] if known else None
    return found


def bytes_per_edge(ours: Record, n_edges: int) -> float:
    """The memory that graph and inference take at their peak, over the number of edges."""
    return float(ours["peak_bytes"] + ours["uncounted_bytes"]) / n_edges


def peak_of_ours(spec: Spec, plan: Plan) -> int:
    """The memory that graph and inference take at their peak, measured alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        write(draw(spec), path)
        first = _first_of_ours(path, plan)
    return int(first["peak_bytes"] + first["uncounted_bytes"])


def _first_of_ours(path: Path, plan: Plan) -> Record:
    """What our side finds when it does everything once, in a process that ends with it."""
    with Side(sys.executable, OURS, path, plan.memory) as side:
        marginals = str(path.with_name("ours.npy"))
        return side.ask("first", tolerance=TOLERANCE, marginals=marginals)


def _difference(folder: Path) -> float:
    """The largest difference between the marginals of both sides."""
    ours, pgmax = np.load(folder / "ours.npy"), np.load(folder / "pgmax.npy")
    return float(np.abs(ours.reshape(pgmax.shape) - pgmax).max(initial=0.0))
