"""Any factor can be traced back to its formula and rows."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings

import tacit
from tacit.errors import BadFormula
from tacit.grounding import DuckDBEngine, ground_factors, trace
from tests.grounding.cases import Case, grounding_cases

TASK = tacit.Task(
    {
        "item": ["a", "b", "c"],
        "near": [("a", "b"), ("b", "a"), ("b", "c")],
        "says": [("a", "good"), ("a", "fine"), ("b", "good")],
        "verdict": [("good", "yes"), ("fine", "no"), ("good", "no")],
        "fact": ["f", "g"],
        "about": [("a", "f"), ("b", "f"), ("c", "g")],
    }
)
PROGRAM = tacit.Program.parse("""
    label    y(item) = no | yes
    observed near(item, item)
    observed says(item, word)
    observed verdict(word, class)
    observed fact(topic)
    observed about(item, topic)
    agree:  1.0  near(r, s) => y(r) = y(s)
    words:  1.0  says(r, +w) => y(r) = yes
    press:  1.0  says(r, w) & verdict(w, l) => y(r) = l
    once:   1.0  fact(t) => exists i: about(i, t) & y(i) = yes
""")


def test_pairs_words_and_groups() -> None:
    factors = ground_factors(PROGRAM, TASK)
    pair = trace(factors, factors.tables[0], 0)
    assert (pair.evidence.name, pair.labels) == ("agree", (("y", "a"), ("y", "b")))
    rows = sorted(tuple(row.values()) for row in pair.bindings.to_pylist())
    assert rows == [("a", "b"), ("b", "a")]

    unary = [
        (found.evidence.name, dict(found.key), found.labels, found.bindings.to_pylist())
        for block in factors.unary
        for index in range(len(block.weight))
        for found in [trace(factors, block, index)]
    ]
    assert ("words", {"w": "fine"}, (("y", "a"),), [{"r": "a", "w": "fine"}]) in unary
    press = [rows for name, _, labels, rows in unary if name == "press" and labels == (("y", "b"),)]
    assert [{"r": "b", "w": "good", "l": "yes"}] in press
    assert [{"r": "b", "w": "good", "l": "no"}] in press

    (groups,) = factors.groups
    found = trace(factors, groups, 0)
    assert found.bindings.to_pylist() == [{"t": "f"}]
    assert found.labels == (("y", "a"), ("y", "b"))


def test_a_label_alone_may_bind_what_keys_a_weight() -> None:
    task = tacit.Task({"item": ["a", "b"], "thing": ["m1"], "has": [("a", "m1")]})
    program = tacit.Program.parse("""
        label    y(item) = no | yes
        label    kind(thing) = no | yes
        observed has(item, thing)
        e: 2.0!  (has(s, +m) & y("b") = kind(m)) | (has(s, +m) & y("b") = y(s))
    """)
    factors = ground_factors(program, task)
    found = [
        trace(factors, block, index).bindings.to_pylist()
        for block in (*factors.unary, *factors.tables)
        for index in range(len(block.weight))
    ]
    assert found == [[{"s": "a", "m": "m1"}]]


def test_rows_that_speak_of_another_label_are_left_out() -> None:
    task = tacit.Task({"item": ["a"], "says": [("a", "x"), ("a", "other")]})
    program = tacit.Program.parse("""
        label    y(item) = no | yes
        label    z(item) = a | b | c
        observed says(item, word)
        e: 1.0!  says(i, w) & ((w = "x" & z(i) = c) | (w != "x" & y(i) = yes))
    """)
    factors = ground_factors(program, task)
    found = [
        (one.labels, one.bindings.to_pylist())
        for block in factors.unary
        for one in [trace(factors, block, 0)]
    ]
    assert sorted(found) == [
        ((("y", "a"),), [{"i": "a", "w": "other"}]),
        ((("z", "a"),), [{"i": "a", "w": "x"}]),
    ]


def test_one_engine_traces_all_kinds_of_factors_in_any_order() -> None:
    factors = ground_factors(PROGRAM, TASK)
    blocks = [*factors.unary, *factors.tables, *factors.groups]
    engine = DuckDBEngine()
    for order in (blocks, blocks[::-1], blocks):
        for block in order:
            found = trace(factors, block, 0, engine=engine)
            alone = trace(factors, block, 0)
            rows = [sorted(map(str, one.bindings.to_pylist())) for one in (found, alone)]
            assert rows[0] == rows[1]
    engine.close()


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(grounding_cases(max_evidence=1))
def test_a_trace_has_as_many_rows_as_the_factor_counts(case: Case) -> None:
    try:
        factors = ground_factors(case.program, case.task)
    except BadFormula:
        assume(False)
    assume(case.program.evidence[0].scale is None)
    for block in factors.tables:
        for index in range(min(3, len(block.weight))):
            found = trace(factors, block, index)
            assert found.bindings.num_rows >= block.count[index] > 0


def test_a_label_that_was_folded_away_does_not_hide_the_rows() -> None:
    task = tacit.Task(
        {
            "item": [{"id": 3}, {"id": 1}],
            "thing": [{"id": "m1"}, {"id": "m2"}],
            "has": [(1, "m1")],
        }
    )
    program = tacit.Program.parse("""
        label    y(item) = neg | pos
        label    z(item) = pos | no
        label    kind(thing) = pos | no | x
        observed has(item, thing)
        e: 2.0!  has(s, m) & (z(s) = kind("m2") | ((z(1) = l => kind(m) = l) & y(s) = pos))
    """)
    factors = ground_factors(program, task)  # z is never x: then kind(m1) does not matter
    found = {
        tuple(sorted(row["l"] for row in trace(factors, block, index).bindings.to_pylist()))
        for block in factors.tables
        for index in range(len(block.weight))
    }
    assert found == {("x",), ("no", "pos")}
