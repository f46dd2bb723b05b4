"""PGMax's side of the inference benchmark; runs in the peers' Python, with numpy, jax and pgmax.

`python -m benchmarks.inference_pgmax GRAPH` reads a graph and waits for jobs (see `jobs`).

Agreement pairs are one PairwiseFactorGroup with a shared matrix. At-least-one groups are ORFactors
whose child is a variable of its own with the group's weight as its evidence: summing the child out
leaves exp(weight) where a parent is in state 1. Messages are float32, which is jax's default; the
updates are undamped sum-product ones, as ours are. Compiling is timed apart from running.
"""

from __future__ import annotations

import gc
import sys
import types
from functools import _lru_cache_wrapper, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inference_graphs import Arrays, read, tiny
from benchmarks.inference_serve import Answer, forget_peak, resident, serve, timed

MOST_SWEEPS = 1000


def main() -> None:
    """Wait for jobs on one graph."""
    serve(Peer(read(Path(sys.argv[1]))).jobs())


def modules() -> tuple[Any, Any]:
    """Modules jax and pgmax, the former with a name that PGMax 0.6.1 needs and newer ones lack."""
    jax = import_module("jax")
    lib: Any = import_module("jax.lib")
    backend = import_module("jax.extend.backend")
    if not hasattr(lib, "xla_bridge"):
        lib.xla_bridge = types.SimpleNamespace(get_backend=backend.get_backend)
    pgmax = import_module("pgmax")
    for part in ("fgraph", "fgroup", "infer", "vgroup", "factor"):
        import_module(f"pgmax.{part}")
    return jax, pgmax


class Peer:
    """A graph in PGMax."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.jax, self.pgmax = modules()
        self.sweeps = 0
        self.built = Built(self.jax, self.pgmax, tiny(arrays))  # loads what is loaded but once
        self.built.marginals(self.built.program(2)(self.built.start)[0])

    def jobs(self) -> dict[str, Any]:
        """What the other end may ask for."""
        return {"first": self.first, "build": self.build, "run": self.run, "settle": self.settle}

    def first(self, tolerance: float, marginals: str) -> Answer:
        """Everything once: how far memory rises, how many sweeps it takes, what comes of it."""
        before = forget_peak()
        self.built = Built(self.jax, self.pgmax, self.arrays)
        self.sweeps, change = self.built.settling(tolerance)
        compiled_and_run, _ = timed(self._settled)
        run, found = timed(self._settled)
        np.save(marginals, np.asarray(found, dtype=np.float64))
        return {
            "peak_bytes": resident("VmHWM") - before,
            "sweeps": self.sweeps,
            "residual": change,
            "converged": change < tolerance,
            "compile_seconds": compiled_and_run - run,
            "versions": {name: version(name) for name in ("jax", "pgmax")},
        }

    def build(self) -> Answer:
        """From arrays to an object ready for the first sweep, but for what jax compiles."""
        seconds, _ = timed(lambda: Built(self.jax, self.pgmax, self.arrays))
        for one in gc.get_objects():  # graphs are kept alive by caches on their methods
            if isinstance(one, _lru_cache_wrapper) and one.__module__.startswith("pgmax"):
                one.cache_clear()
        forget_peak()  # and what is free goes back to the system
        return {"seconds": seconds}

    def run(self, sweeps: int) -> Answer:
        """So many sweeps from the start; the first call compiles."""
        run, start = self.built.program(sweeps), self.built.start
        seconds, _ = timed(lambda: self.jax.block_until_ready(run(start)[1]))
        return {"seconds": seconds, "sweeps": sweeps}

    def settle(self) -> Answer:
        """As many sweeps as were found to be enough, in one program, and the marginals."""
        return {"seconds": timed(self._settled)[0]}

    def _settled(self) -> Any:
        return self.built.marginals(self.built.program(self.sweeps)(self.built.start)[0])


class Built:
    """A graph as PGMax holds it, and its compiled programs by number of sweeps."""

    def __init__(self, jax: Any, pgmax: Any, arrays: Arrays) -> None:
        self.jax, self.infer = jax, pgmax.infer
        self.n_label_states = arrays.fields.size
        self.labels = pgmax.vgroup.NDVarArray(
            num_states=arrays.n_states, shape=(arrays.n_variables,)
        )
        evidence = {self.labels: arrays.fields}
        groups = [self.labels]
        if arrays.n_groups:
            children = pgmax.vgroup.NDVarArray(num_states=2, shape=(arrays.n_groups,))
            evidence[children] = np.tile([0.0, arrays.group_weight], (arrays.n_groups, 1))
            groups.append(children)
        self.graph = pgmax.fgraph.FactorGraph(groups)
        names = self.labels[:]
        pairs = [[names[one], names[other]] for one, other in arrays.pairs.tolist()]
        matrix = arrays.coupling * np.eye(arrays.n_states)
        self.graph.add_factors(pgmax.fgroup.PairwiseFactorGroup(pairs, matrix))
        if arrays.n_groups:
            members = np.split(arrays.variable_of_member, arrays.first_member[1:-1])
            scopes = [
                [*(names[one] for one in group.tolist()), child]
                for group, child in zip(members, children[:], strict=True)
            ]
            self.graph.add_factors(pgmax.fgroup.ORFactorGroup(scopes))
        self.bp = self.infer.BP(self.graph.bp_state, temperature=1.0)
        self.start = self.bp.init(evidence_updates=evidence)
        self.programs: dict[int, Any] = {}

    def program(self, sweeps: int) -> Any:
        """So many undamped sweeps: arrays -> (arrays, largest change of each sweep)."""
        if sweeps not in self.programs:
            run = partial(self.bp.run_with_diffs, num_iters=sweeps, damping=0.0)
            self.programs[sweeps] = self.jax.jit(run)
        return self.programs[sweeps]

    def settling(self, tolerance: float) -> tuple[int, float]:
        """After how many sweeps no message to a label changes more, and the last change.

        Messages to the groups' children are left out: nothing depends on them.
        """
        to_label = self._edge_states() < self.n_label_states
        step, state = self.program(1), self.start
        before, change = np.asarray(state.ftov_msgs), np.inf
        sweeps = 0
        while change >= tolerance and sweeps < MOST_SWEEPS:
            sweeps += 1
            state = step(state)[0]
            after = np.asarray(state.ftov_msgs)
            change = float(np.abs(after - before)[to_label].max(initial=0.0))
            before = after
        return sweeps, change

    def _edge_states(self) -> Any:
        """The variable's state that each number of a message is about."""
        factor = import_module("pgmax.factor")
        wiring = self.graph.fg_state.wiring
        edges = [wiring[kind].var_states_for_edges for kind in factor.FAC_TO_VAR_UPDATES]
        return factor.concatenate_var_states_for_edges(edges)[..., 0]

    def marginals(self, state: Any) -> Any:
        """The marginals of the labels: (variables, states)."""
        beliefs = self.bp.get_beliefs(state)
        return self.jax.block_until_ready(self.infer.get_marginals(beliefs)[self.labels])


if __name__ == "__main__":
    main()
