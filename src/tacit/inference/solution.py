"""What a method of inference hands back, before it is made ready for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tacit.graph.factor_graph import Floats, Ints

Meaning = Literal["exact", "estimate", "upper bound", "lower bound"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Marginals and expectations of one graph under one set of potentials.

    Under `maximise` the marginals are max-marginals, each variable's scaled to sum to one,
    expectations are those of the best assignment, and `log_partition` is its score.
    """

    marginals: Floats  # (states)
    tables: tuple[Floats, ...]  # for each block, by potential: how many factors hold, expected
    groups: tuple[Floats, ...]
    log_partition: float
    meaning: Meaning  # what the log-partition is
    best: Ints | None = None  # (variables) the best assignment, where one was asked for
    converged: bool = True
    sweeps: int = 0
    residual: float = 0.0  # the largest change of a message in the last sweep
    residuals: Floats = field(default_factory=lambda: np.empty(0))  # by component, where known
    messages: Any = None  # what a later run may start from
