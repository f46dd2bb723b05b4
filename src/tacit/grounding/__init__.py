"""Grounding: program x tables -> ground factors, as relational joins."""

from __future__ import annotations

from tacit.grounding.engine import DuckDBEngine, Engine
from tacit.grounding.factors import (
    ExpectationBlock,
    GroundFactors,
    GroupBlock,
    LabelVariables,
    Part,
    TableBlock,
    UnaryBlock,
    Weights,
)
from tacit.grounding.ground import ground_factors
from tacit.grounding.touches import Touch, touches
from tacit.grounding.trace import Trace, trace

__all__ = [
    "DuckDBEngine",
    "Engine",
    "ExpectationBlock",
    "GroundFactors",
    "GroupBlock",
    "LabelVariables",
    "Part",
    "TableBlock",
    "Touch",
    "Trace",
    "UnaryBlock",
    "Weights",
    "ground_factors",
    "touches",
    "trace",
]
