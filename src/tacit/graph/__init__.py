"""The factor graph: label variables and what ties them."""

from tacit.graph.build import factor_graph, graph_of, ground
from tacit.graph.factor_graph import (
    Expectations,
    FactorGraph,
    GroupFactors,
    LabelSpan,
    Potentials,
    TableFactors,
)

__all__ = [
    "Expectations",
    "FactorGraph",
    "GroupFactors",
    "LabelSpan",
    "Potentials",
    "TableFactors",
    "factor_graph",
    "graph_of",
    "ground",
]
