"""All that speaks of one label is traced at once, to the same rows as factor by factor."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

import tacit
from tacit.errors import BadFormula
from tacit.grounding import DuckDBEngine, GroundFactors, ground_factors, trace
from tacit.grounding.about import RelationsAbout
from tacit.grounding.sql import facts
from tacit.grounding.template import Batch, template
from tacit.grounding.trace_label import Row, known_row, trace_label
from tests.grounding.cases import Case, grounding_cases


def one_by_one(
    factors: GroundFactors, function: str, row: int, weights: list[int], engine: DuckDBEngine
) -> dict[int, tuple[Row, ...]]:
    """The same by the trace of every factor on its own, among all the facts there are."""
    n_labels = len(factors.variables.labels[function])
    first = factors.variables.first_state[function] + row * n_labels
    found: dict[int, dict[str, Row]] = {weight: {} for weight in weights}
    for block in factors.unary:
        own = (block.state >= first) & (block.state < first + n_labels)
        for index in np.flatnonzero(own).tolist():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys.modules[trace.__module__], "who_is_who", lambda *_: {})
                rows = trace(factors, block, index, engine=engine).bindings.to_pylist()
            found[int(block.weight[index])] |= {str(one): one for one in rows}
    return {weight: tuple(own[text] for text in sorted(own)) for weight, own in found.items()}


def speaking(factors: GroundFactors, function: str, row: int) -> list[int]:
    """The weights that speak of a label."""
    n_labels = len(factors.variables.labels[function])
    first = factors.variables.first_state[function] + row * n_labels
    return list(map(int, np.unique(factors.counts[first : first + n_labels].indices)))


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(grounding_cases(max_evidence=2))
def test_the_same_rows_as_factor_by_factor(case: Case) -> None:
    try:
        factors = ground_factors(case.program, case.task)
    except BadFormula:
        assume(False)
    assume(factors.unary)
    engine = DuckDBEngine()
    for function, instances in zip(
        factors.variables.functions, factors.variables.instances, strict=True
    ):
        row = len(instances) - 1
        weights = speaking(factors, function.name, row)
        found = trace_label(factors, function.name, row, weights, lambda: engine)
        assert found == one_by_one(factors, function.name, row, weights, engine)
    engine.close()


PROGRAM = tacit.Program.parse("""
    label    y(item) = no | yes
    observed says(item, word)
    observed verdict(word, class)
    observed near(item, item)
    good:   1.0  says(r, "good") => y(r) = yes
    words:  1.0  says(r, +w) => y(r) = yes
    press:  1.0  says(r, w) & verdict(w, l) => y(r) = l
    others: 1.0  near(r, s) & says(s, w) & says(r, w) => y(r) = no
    quiet:  1.0  near(r, s) & !says(r, "fine") => y(r) = no
""")
TASK = tacit.Task(
    {
        "item": ["a", "b", "c"],
        "says": [("a", "good"), ("a", "fine"), ("b", "good"), ("b", "good"), ("c", "good")],
        "verdict": [("good", "yes"), ("fine", "no")],
        "near": [("a", "b"), ("b", "c")],
    }
)


def test_words_that_key_a_weight_need_no_look_up() -> None:
    factors = ground_factors(PROGRAM, TASK)
    names = [factors.weights.name_of(at) for at in range(factors.weights.n_weights)]
    known = [names.index("good"), names.index("words[good]"), names.index("words[fine]")]

    def engine() -> DuckDBEngine:
        raise AssertionError("nothing must be looked up")

    found = trace_label(factors, "y", 0, known, engine)
    rows = [{"r": "a"}, {"r": "a", "w": "good"}, {"r": "a", "w": "fine"}]
    assert found == {at: (row,) for at, row in zip(known, rows, strict=True)}
    with pytest.raises(AssertionError):
        trace_label(factors, "y", 0, [names.index("press")], engine)


def test_facts_about_others_are_found_too() -> None:
    factors = ground_factors(PROGRAM, TASK)
    names = [factors.weights.name_of(at) for at in range(factors.weights.n_weights)]
    engine = DuckDBEngine()
    found = trace_label(factors, "y", 1, speaking(factors, "y", 1), lambda: engine)
    by_name = {names[at]: rows for at, rows in found.items()}
    assert by_name["press"] == ({"r": "b", "w": "good", "l": "yes"},)
    assert by_name["others"] == ({"r": "b", "s": "c", "w": "good"},)
    assert by_name["quiet"] == ({"r": "b", "s": "c"},)
    engine.close()


def test_a_row_is_known_only_where_nothing_else_can_be_bound() -> None:
    shapes = {one.name: template(one).shape for one in PROGRAM.evidence}
    assert known_row(shapes["good"], "a", {}) == {"r": "a"}
    assert known_row(shapes["words"], "a", {"w": "good"}) == {"r": "a", "w": "good"}
    assert known_row(shapes["press"], "a", {}) is None


@pytest.mark.parametrize(
    ("name", "who", "sizes"),
    [
        ("press", {"r": ["b"]}, {"says": 2, "verdict": 2}),
        ("others", {"r": ["b"]}, {"near": 1, "says": 5}),  # it also speaks of the neighbour
        ("others", {"r": ["a"], "s": ["b"]}, {"near": 1, "says": 4}),
        ("quiet", {"r": ["b"]}, {"near": 1, "says": 2}),
        ("quiet", {}, {"near": 2, "says": 5}),
    ],
)
def test_only_facts_about_the_instance_are_loaded(
    name: str, who: dict[str, list[object]], sizes: dict[str, int]
) -> None:
    engine = DuckDBEngine()
    one = template(PROGRAM[name])
    relations = RelationsAbout(engine, PROGRAM, TASK, who)
    relations.need(Batch(one.shape, (one,)), 0)
    assert {one: relations.sizes[facts(one)] for one in sizes} == sizes
    engine.close()
