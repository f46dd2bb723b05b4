"""The factor graph: label variables and what ties them.

Names are loaded when they are first used: a graph's arrays need nothing but NumPy and SciPy, while
building one from a program needs the database.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.graph.factor_graph import (
    Expectations,
    FactorGraph,
    GroupFactors,
    LabelSpan,
    Potentials,
    TableFactors,
)

if TYPE_CHECKING:
    from tacit.graph.build import build_graph, graph_of, ground

__all__ = [
    "Expectations",
    "FactorGraph",
    "GroupFactors",
    "LabelSpan",
    "Potentials",
    "TableFactors",
    "build_graph",
    "graph_of",
    "ground",
]


def __getattr__(name: str) -> Any:
    """Load what builds graphs when it is first asked for."""
    if name not in ("build_graph", "graph_of", "ground"):
        raise AttributeError(f"module 'tacit.graph' has no attribute {name!r}")
    value = getattr(import_module("tacit.graph.build"), name)
    globals()[name] = value
    return value
