"""A spot check: approximate marginals against exact ones, on components that allow both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.inference.auto import MODEST
from tacit.inference.beliefs import Beliefs
from tacit.inference.components import components_of, restricted
from tacit.inference.exact import exact_plan, run_exact
from tacit.inference.methods import flat_unary
from tacit.inference.potentials import log_potentials

SMALL = 30  # variables of a component that is worth trying


@dataclass(frozen=True, slots=True)
class SpotCheck:
    """How far marginals are from exact ones on the components that were looked at."""

    n_components: int
    n_variables: int
    largest_error: float  # of a probability; 0 where nothing could be looked at
    mean_error: float


def spot_check(
    beliefs: Beliefs,
    *,
    log_unary: np.ndarray | dict[str, np.ndarray] | None = None,
    n_components: int = 100,
    random_state: int = 0,
) -> SpotCheck:
    """Solve some small components with cycles exactly, and compare.

    Pass the `log_unary` that the beliefs were inferred with.
    """
    graph = beliefs.graph
    components = components_of(graph)
    wanted = np.flatnonzero((components.n_variables <= SMALL) & (components.n_cycles > 0))
    rng = np.random.default_rng(random_state)
    chosen = rng.permutation(wanted)[:n_components]
    kept = np.zeros(len(components), dtype=bool)
    kept[chosen] = True
    plan = exact_plan(restricted(graph, kept), MODEST)
    if plan.too_large.any():
        stuck = components.of_variable[plan.too_large]
        kept[stuck[stuck >= 0]] = False
        plan = exact_plan(restricted(graph, kept), MODEST)
    if not kept.any() or plan.too_large.any():  # even variables alone may be too many in all
        return SpotCheck(0, 0, 0.0, 0.0)
    potentials = log_potentials(graph, beliefs.weights, flat_unary(graph, log_unary))
    exact = run_exact(plan, potentials)
    inside = (components.of_variable >= 0) & kept[components.of_variable]
    errors = np.abs(exact.marginals - beliefs.by_state)[np.repeat(inside, graph.sizes)]
    return SpotCheck(int(kept.sum()), int(inside.sum()), float(errors.max()), float(errors.mean()))
