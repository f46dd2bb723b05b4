"""A small vocabulary with tables, and what is checked of every program over it."""

from __future__ import annotations

from typing import Any

from tacit.data import Task
from tacit.grounding import GroundFactors, ground_factors
from tacit.logic.program import Program
from tests.oracles.grounding import Oracle, differences, some_assignments

HEADER = """
label y(item) = neg | pos
label z(item) = no | yes | pos
observed seen(item)
observed says(item, word)
observed near(item, item)
observed far(item, item)
observed like(item, item, number)
observed gold(item, class)
"""
TABLES: dict[str, Any] = {
    "item": ["a", "b", "c"],
    "seen": [("a",)],
    "says": [("a", "u"), ("b", "v"), ("b", "u")],
    "near": [("a", "b"), ("a", "c"), ("b", "c")],
    "far": [("c", "a"), ("a", "b")],
    "like": [("a", "b", 0.25), ("b", "c", 0.5), ("a", "c", 1.0)],
    "gold": [("a", "neg"), ("b", "pos"), ("c", "stray")],
}


def ground(text: str, header: str = HEADER, **tables: Any) -> GroundFactors:
    """The ground factors of a program over the small vocabulary."""
    return ground_factors(Program.parse(header + text), Task({**TABLES, **tables}))


def check(text: str, header: str = HEADER, **tables: Any) -> GroundFactors:
    """The ground factors, after they were compared with nested loops on many assignments."""
    factors = ground(text, header, **tables)
    oracle = Oracle(factors.program, factors.task)
    assert differences(oracle, factors, some_assignments(oracle, 80)) == []
    return factors
