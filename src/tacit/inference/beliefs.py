"""Beliefs: what inference found, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.errors import BadInput
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats, Ints
from tacit.inference.solution import Meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """How an inference went."""

    method: str
    converged: bool = True
    sweeps: int = 0
    residual: float = 0.0  # largest change of a message in the last sweep
    residuals: Floats = field(default_factory=lambda: np.empty(0), repr=False)  # by component
    exact_share: float = 0.0  # of the variables, those whose marginals are exact
    n_components: int = 0
    expectation_gap: float = 0.0  # how far expected shares are from what was asked for

    def advice(self) -> str | None:
        """What to try when something went wrong."""
        if not self.converged:
            return (
                f"{self.method} did not settle in {self.sweeps} sweeps (residual "
                f"{self.residual:.2g}): try more sweeps, more damping, schedule='sequential' or "
                f"method={'mean_field' if self.method == 'trw' else 'trw'!r}, and look for strong "
                "weights that contradict each other"
            )
        if self.expectation_gap > 1e-3:
            return (
                f"an expected share is missed by {self.expectation_gap:.2g}: other evidence, or "
                "another expectation, leaves no room for it"
            )
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class Beliefs:
    """Marginals, expected counts and the log-partition of a graph."""

    graph: FactorGraph
    by_state: Floats  # (states) the probability of each state, variable after variable
    expected_counts: Floats  # (weights) how often each holds; 0 for hard ones
    log_partition: float
    meaning: Meaning  # what the log-partition is
    weights: Floats  # the weights used, those of expectations as they were found
    diagnostics: Diagnostics
    best: Ints | None = None  # (variables) the best assignment, where it was asked for
    messages: Any = None  # a later call may start from these: infer(graph, start=beliefs)

    @property
    def converged(self) -> bool:
        """Whether the method settled."""
        return self.diagnostics.converged

    @property
    def sweeps(self) -> int:
        """How many sweeps it took."""
        return self.diagnostics.sweeps

    @property
    def residual(self) -> float:
        """The largest change of a message in the last sweep."""
        return self.diagnostics.residual

    def marginals(self, name: str | None = None) -> Floats:
        """The probability of each label of a label function: (instances, labels)."""
        span = self.graph.span(name)
        states = self.graph.states_of(span)
        if states.stop - states.start != span.n_variables * len(span.labels):
            raise BadInput(
                f"the variables of {span.name} have different numbers of states",
                remedy="use by_state with graph.first_state",
            )
        return self.by_state[states].reshape(span.n_variables, len(span.labels))

    def labels(self, name: str | None = None) -> tuple[str, ...]:
        """The labels that the columns of `marginals` stand for."""
        return self.graph.span(name).labels
