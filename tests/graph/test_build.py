"""Building factor graphs: numbered potentials, merged members, refused inputs, whole programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from tacit.data import Task
from tacit.errors import BadFormula, BadInput, Contradiction
from tacit.graph import FactorGraph, GroupFactors, build_graph, graph_of, ground
from tacit.graph.groups import truth_of_sum
from tacit.graph.potentials import numbered, part
from tacit.grounding import GroupBlock, TableBlock, ground_factors
from tacit.inference.potentials import log_potentials
from tacit.inference.wires import wires_of
from tacit.logic.evidence import Expect, Hard
from tacit.logic.program import Program
from tests.grounding.cases import Case, grounding_cases
from tests.inference.blocks import sets, ties, unary
from tests.inference.cases import Shape, graphs
from tests.oracles.grounding import FactorCounts, Oracle, n_assignments, some_assignments
from tests.oracles.grounding import assignments as all_labels
from tests.oracles.grounding import holds as holds_in
from tests.oracles.inference import assignments, joint, score

# -- potentials ------------------------------------------------------------------------------------


@st.composite
def weights_and_counts(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Factors by weight and count: few kinds or many, some of them all alike."""
    n = draw(st.integers(0, 60))
    n_weights, n_counts = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    weight = [draw(st.integers(0, n_weights - 1)) for _ in range(n)]
    count = [draw(st.integers(0, n_counts - 1)) / 4 for _ in range(n)]
    return np.array(weight, dtype=np.int32), np.array(count, dtype=np.float64)


@settings(max_examples=100)
@given(weights_and_counts())
def test_numbered_potentials(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    weight, count = drawn
    number, potentials = numbered(weight, count)
    by_pair: dict[tuple[int, float], set[int]] = {}
    for w, c, p in zip(weight.tolist(), count.tolist(), number.tolist(), strict=True):
        by_pair.setdefault((w, c), set()).add(p)
        assert (potentials.weight[p], potentials.count[p]) == (w, c)
    assert all(len(numbers) == 1 for numbers in by_pair.values())
    listed = list(zip(potentials.weight.tolist(), potentials.count.tolist(), strict=True))
    assert len(set(listed)) == len(listed)  # each combination once
    assert number.dtype == potentials.weight.dtype == np.int32
    assert potentials.count.dtype == np.float64
    assert set(listed) == by_pair.keys() or not len(weight)  # and none that no factor has


def test_many_weights_and_counts_are_numbered_apart() -> None:
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3_000, 10_000).astype(np.int32)
    count = rng.integers(0, 3_000, 10_000).astype(float)
    number, potentials = numbered(weight, count)
    np.testing.assert_array_equal(potentials.weight[number], weight)
    np.testing.assert_array_equal(potentials.count[number], count)
    assert len(potentials) == len(set(zip(weight.tolist(), count.tolist(), strict=True)))


@settings(max_examples=50)
@given(weights_and_counts(), st.integers(0, 2**32 - 1))
def test_a_part_of_the_potentials(drawn: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    weight, count = drawn
    number, potentials = numbered(weight, count)
    kept = np.random.default_rng(seed).random(len(potentials)) < 0.5
    chosen, own, rest = part(number, potentials, kept)
    np.testing.assert_array_equal(rest.weight[own], weight[chosen])
    np.testing.assert_array_equal(rest.count[own], count[chosen])
    assert len(rest) == kept.sum()
    assert own.dtype == np.int32


def test_log_values_and_totals() -> None:
    _, potentials = numbered(np.array([0, 0, 2], np.int32), np.array([1.0, 2.0, 2.0]))
    weights = np.array([0.5, 9.0, np.inf])
    values = {
        (int(w), float(c)): v
        for w, c, v in zip(
            potentials.weight, potentials.count, potentials.log_values(weights), strict=True
        )
    }
    assert values[0, 1.0] == 0.5
    assert values[0, 2.0] == 1.0
    assert values[2, 2.0] == np.inf
    held = np.arange(1.0, len(potentials) + 1)
    total = np.zeros(3)
    for w, c, h in zip(potentials.weight, potentials.count, held, strict=True):
        total[w] += c * h
    np.testing.assert_allclose(potentials.total(held, 3), total)


# -- the order of factors --------------------------------------------------------------------------


# -- hard factors ----------------------------------------------------------------------------------


def test_hard_tables_stand_apart() -> None:
    block = ties([[0, 1], [1, 2], [0, 2], [2, 3]], weight=[0, 1, 0, 2], count=[1, 2, 3, 1])
    graph = build_graph([2] * 4, weights=[np.inf, 1.0, 2.0], tables=[block])
    soft, hard = graph.tables
    assert soft.variables.tolist() == [[1, 2], [2, 3]]
    assert hard.variables.tolist() == [[0, 1], [0, 2]]
    assert soft.potentials.weight[soft.potential].tolist() == [1, 2]
    assert soft.potentials.count[soft.potential].tolist() == [2.0, 1.0]
    potentials = log_potentials(graph)
    assert np.isfinite(potentials.tables[0]).all()
    assert np.isinf(potentials.tables[1]).all()
    kernels = [
        link.kernel.__name__.split(".")[-1] for link in wires_of(graph, potentials.blocks).links
    ]
    assert kernels == ["pairs", "tables"]  # hard ones do not slow the others


def test_hard_groups_stand_apart() -> None:
    block = sets("atleast", 1, [[0, 1], [1, 2, 3], [0, 3]], weight=[1, 0, 1])
    graph = build_graph([2] * 4, weights=[np.inf, 1.0], groups=[block])
    soft, hard = graph.groups
    assert soft.first_member.tolist() == [0, 2, 4]
    assert soft.variable_of_member.tolist() == [0, 1, 0, 3]
    assert hard.first_member.tolist() == [0, 3]
    assert hard.variable_of_member.tolist() == [1, 2, 3]
    potentials = log_potentials(graph)
    assert np.isfinite(potentials.groups[0]).all()
    assert np.isinf(potentials.groups[1]).all()


@pytest.mark.parametrize("weights", [[np.inf, np.inf], [1.0, 2.0]])
def test_blocks_all_of_one_kind_stay_whole(weights: list[float]) -> None:
    graph = build_graph(
        [2] * 3, weights=weights, tables=[ties([[0, 1], [1, 2]], weight=[0, 1])],
        groups=[sets("atmost", 1, [[0, 1], [1, 2]], weight=[0, 1])],
    )  # fmt: skip
    assert [len(block) for block in graph.blocks] == [2, 2]


# -- groups ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("largest", [1, 3, 9])
@pytest.mark.parametrize("limit", [0, 1, 2, 5, 10**15])
@pytest.mark.parametrize("quantifier", ["atleast", "atmost", "exactly"])
def test_whether_a_sum_holds(quantifier: Any, limit: int, largest: int) -> None:
    holds = truth_of_sum(quantifier, limit, largest)
    assert len(holds) <= largest + 1
    for total in range(largest + 1):
        wanted = {"atleast": total >= limit, "atmost": total <= limit, "exactly": total == limit}
        assert holds[min(total, len(holds) - 1)] == wanted[quantifier]


@st.composite
def group_blocks(draw: st.DrawFn) -> tuple[np.ndarray, GroupBlock]:
    """Groups whose members often share a variable, with sets of states of many kinds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = rng.choice([1, 2, 3], rng.integers(1, 5)).astype(np.int32)
    groups = [rng.integers(0, len(sizes), rng.integers(1, 7)).tolist() for _ in range(3)]
    state_sets: list[np.ndarray] = []
    kinds = []
    for members in groups:
        own = []
        for v in members:
            same = [k for k, one in enumerate(state_sets) if len(one) == sizes[v]]
            if not same or rng.random() < 0.5:
                state_sets.append(rng.random(sizes[v]) < 0.5)
                same = [len(state_sets) - 1]
            own.append(int(rng.choice(same)))
        kinds.append(own)
    quantifier = draw(st.sampled_from(["atleast", "atmost", "exactly"]))
    limit = draw(st.sampled_from([0, 1, 2, 3, 4, 10**9]))
    weight = rng.integers(0, 2, len(groups))
    return sizes, sets(quantifier, limit, groups, state_sets, kinds, weight=weight)


def counted(block: GroupBlock, group: int, states: tuple[int, ...]) -> bool:
    """Whether a group holds, member by member."""
    members = range(block.first_member[group], block.first_member[group + 1])
    total = sum(
        bool(block.state_sets[block.set_of_member[m]][states[block.variable_of_member[m]]])
        for m in members
    )
    if block.quantifier == "atleast":
        return total >= block.limit
    return total <= block.limit if block.quantifier == "atmost" else total == block.limit


@settings(max_examples=100)
@given(group_blocks(), st.sampled_from([(0.5, 1.0), (np.inf, 1.0), (np.inf, np.inf)]))
def test_members_that_share_a_variable_are_merged(
    drawn: tuple[np.ndarray, GroupBlock], weights: tuple[float, float]
) -> None:
    sizes, block = drawn
    graph = build_graph(sizes, weights=weights, groups=[block])
    for groups in graph.groups:
        for group in range(len(groups)):
            low, high = groups.first_member[group], groups.first_member[group + 1]
            members = groups.variable_of_member[low:high].tolist()
            assert len(set(members)) == len(members)
        assert all(int(gain.max()) <= len(groups.holds) - 1 for gain in groups.gains)
    for states in assignments(graph):
        wanted: dict[int, int] = {}
        for group, weight in enumerate(block.weight.tolist()):
            wanted[weight] = wanted.get(weight, 0) + counted(block, group, states)
        found: dict[int, int] = dict.fromkeys(wanted, 0)
        for weight, holds, _ in joint(graph, states):
            found[weight] += holds
        assert found == wanted


# -- what is refused -------------------------------------------------------------------------------


def tables_of(**changed: Any) -> TableBlock:
    return replace(ties([[0, 1], [1, 2]]), **changed)


def groups_of(**changed: Any) -> GroupBlock:
    return replace(sets("atleast", 1, [[0, 1], [1, 2]]), **changed)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no states": ({"sizes": [2, 0]}, "no states"),
    "counts": ({"counts": sparse.csr_array((5, 1))}, "counts is"),
    "counts by weight": ({"counts": sparse.csr_array((6, 2))}, "counts is"),
    "possible": ({"possible": np.ones(5, dtype=bool)}, "possible is"),
    "hard counts": (
        {"weights": [np.inf], "counts": unary(6, {(1, 0): 1.0}, 1)},
        "column for a hard weight",
    ),
    "axes": ({"tables": [tables_of(truth=np.ones((2, 2, 2), dtype=bool))]}, "3 axes"),
    "one axis": (
        {"tables": [tables_of(truth=np.ones(2, bool), variables=np.zeros((2, 1), np.int32))]},
        "1 axes",
    ),
    "states": ({"tables": [tables_of(truth=np.ones((2, 3), dtype=bool))]}, "3 states on axis 1"),
    "variable": ({"tables": [ties([[0, 3]])]}, "variable that does not exist"),
    "negative variable": ({"tables": [ties([[-1, 0]])]}, "variable that does not exist"),
    "weight": ({"tables": [ties([[0, 1]], weight=1)]}, "weight that does not exist"),
    "negative weight": ({"tables": [ties([[0, 1]], weight=-1)]}, "weight that does not exist"),
    "twice": ({"tables": [ties([[0, 1], [2, 2]])]}, "one variable twice"),
    "limit": ({"groups": [groups_of(limit=-1)]}, "counts to -1"),
    "no members": (
        {"groups": [groups_of(first_member=np.array([0, 0, 4]))]},
        "a group has no members",
    ),
    "member": ({"groups": [sets("atleast", 1, [[0, 3]])]}, "variable that does not exist"),
    "group's weight": ({"groups": [sets("atleast", 1, [[0, 1]], weight=1)]}, "weight that does"),
    "factors without weights": (
        {"tables": [tables_of(weight=np.zeros(1, np.int32))]},
        "1 weights and 2 counts for 2 factors",
    ),
    "factors without counts": ({"tables": [tables_of(count=np.ones(3))]}, "3 counts for 2"),
    "groups without weights": (
        {"groups": [groups_of(weight=np.zeros(1, np.int32))]},
        "1 weights and 2 counts for 2 groups",
    ),
    "members without sets": (
        {"groups": [groups_of(set_of_member=np.zeros(3, np.int32))]},
        "3 sets of states for 4 members",
    ),
    "members of no group": (
        {"groups": [groups_of(first_member=np.array([0, 2, 3]))]},
        "do not hold the 4 members",
    ),
    "a set that is not there": (
        {"groups": [groups_of(set_of_member=np.array([0, 0, 1, 0], np.int32))]},
        "set of states that does not exist",
    ),
    "set of states": ({"groups": [sets("atleast", 1, [[0, 1]], [[True] * 3])]}, "another size"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_inputs_are_refused(wrong: str) -> None:
    changed, message = WRONG[wrong]
    given_: dict[str, Any] = {"sizes": [2, 2, 2], "weights": [1.0]} | changed
    with pytest.raises(BadInput, match=message):
        build_graph(given_.pop("sizes"), **given_)


def test_empty_blocks_are_no_blocks() -> None:
    nothing = ties(np.empty((0, 2)))
    graph = build_graph([2, 2], weights=[1.0], tables=[nothing], groups=[sets("atleast", 1, [])])
    assert graph.blocks == ()
    assert graph.n_factors == 0


# -- what a graph is -------------------------------------------------------------------------------


def arrays(graph: FactorGraph) -> Iterator[np.ndarray]:
    """Every array of a graph."""
    for one in (graph, graph.expectations, *graph.blocks, *(b.potentials for b in graph.blocks)):
        for field in fields(one):
            value = getattr(one, field.name)
            for array in value if isinstance(value, tuple) else (value,):
                if isinstance(array, np.ndarray):
                    yield array
                elif isinstance(array, sparse.csr_array):
                    yield from (array.data, array.indices, array.indptr)
    yield graph.first_state


@settings(max_examples=30)
@given(st.data())
def test_arrays_are_read_only(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(st.sampled_from([Shape(), Shape(hard=True)]))))
    assert not any(array.flags.writeable for array in arrays(graph))


def test_weights_are_copied() -> None:
    weights = np.array([1.0])
    graph = build_graph([2], weights=weights)
    weights[0] = 5.0
    assert graph.weights.tolist() == [1.0]


def test_sizes_and_numbers() -> None:
    graph = build_graph(
        [2, 3, 1], weights=[1.0, 2.0],
        tables=[ties([[0, 1], [0, 1]], np.ones((2, 3)))],
        groups=[sets("atleast", 1, [[0, 0]])],
    )  # fmt: skip
    assert graph.first_state.tolist() == [0, 2, 5, 6]
    assert (graph.n_states, graph.n_variables, graph.n_weights, graph.n_factors) == (6, 3, 2, 3)
    assert graph.n_bytes > 0
    assert graph.span().labels == ("0", "1", "2")
    assert isinstance(graph.blocks[-1], GroupFactors)


# -- whole programs --------------------------------------------------------------------------------

quick = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def states_of(graph: FactorGraph, codes: list[int]) -> tuple[int, ...]:
    assert len(codes) == graph.n_variables
    return tuple(codes)


@quick
@given(grounding_cases(hard=False))
def test_scores_are_those_of_nested_loops(case: Case) -> None:
    """Differences between assignments are sums of weights of groundings that became true."""
    try:
        factors = ground_factors(case.program, case.task)
    except BadFormula:
        assume(False)
        raise
    graph = graph_of(factors)
    oracle, reader = Oracle(case.program, case.task), FactorCounts(factors)
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 1, graph.n_weights)
    by_key = dict(zip(reader.keys, weights, strict=True))
    nothing = np.zeros(graph.n_states)
    scores = []
    for labels in some_assignments(oracle, 16):
        states = states_of(graph, reader.codes(labels))
        found, _ = score(graph, weights, nothing, states)
        wanted = sum(
            by_key[ground_.weight] * ground_.times * holds_in(ground_.formula, labels)
            for ground_ in oracle.ground_formulas
            if ground_.weight in by_key
        )
        scores.append(found - wanted)
    np.testing.assert_allclose(scores, scores[0], rtol=0, atol=1e-9)


@settings(quick, max_examples=25)
@given(grounding_cases(hard=True))
def test_what_is_possible_is_what_hard_formulas_allow(case: Case) -> None:
    try:
        factors = ground_factors(case.program, case.task)
    except (BadFormula, Contradiction):
        assume(False)
        raise
    graph = graph_of(factors)
    oracle, reader = Oracle(case.program, case.task), FactorCounts(factors)
    assume(n_assignments(oracle) <= 150)
    hard = [e for e in case.program.evidence if isinstance(e.weight, Hard)]
    ground_ = [
        one.formula
        for evidence in hard
        for one in oracle.groundings(evidence)
        if one.depends_on_labels  # what no label can change is left to grounding
    ]
    nothing = np.zeros(graph.n_states)
    for labels in all_labels(oracle):
        states = states_of(graph, reader.codes(labels))
        found, _ = score(graph, graph.weights, nothing, states)
        assert (found > -np.inf) == all(holds_in(one, labels) for one in ground_)


def test_ground_checks_first() -> None:
    program = Program.parse("label y(item) = a | b\nf: 1.0 y(r) = a")
    with pytest.raises(Exception, match="item"):
        ground(program, Task({"other": ["x"]}))


def test_spans_names_and_expectations() -> None:
    program = Program.parse(
        """
        label y(item) = neg | pos
        label kind(thing) = a | b | c
        observed has(item, thing)
        observed near(item, item)
        tie:   1.5  has(r, m) & kind(m) = a => y(r) = pos
        each:  0.5! kind(m) = +l
        same:  hard near(r, s) => y(r) = y(s)
        share: expect 0.25 +- 0.1: y(r) = pos
        """
    )
    task = Task(
        {"item": ["x", "y"], "thing": ["u", "v"], "has": [("x", "u")], "near": [("x", "y")]}
    )
    graph = ground(program, task)
    assert [(s.name, s.labels, s.first_variable, s.n_variables) for s in graph.spans] == [
        ("y", ("neg", "pos"), 0, 2),
        ("kind", ("a", "b", "c"), 2, 2),
    ]
    assert graph.sizes.tolist() == [2, 2, 3, 3]
    assert graph.weight_names is not None
    assert len(graph.weight_names) == graph.n_weights == len(graph.weights)
    at = graph.weight_names.index("share")
    assert graph.expectations.weight.tolist() == [at]
    assert graph.expectations.share.tolist() == [0.25]
    assert graph.expectations.margin.tolist() == [0.1]
    assert graph.expectations.n_groundings.tolist() == [2.0]
    assert graph.weights[at] == 0.0
    assert graph.counts[:, [at]].toarray().reshape(-1).tolist() == [0, 1, 0, 1] + [0] * 6
    assert np.isinf(graph.weights[graph.weight_names.index("same")])
    expected = [e for e in program.evidence if isinstance(e.weight, Expect)]
    assert len(expected) == 1


def test_no_weight_of_hard_evidence_is_counted_twice() -> None:
    program = Program.parse(
        "label y(item) = neg | pos\nobserved gold(item, class)\n"
        "gold: hard gold(r, l) => y(r) = l\nprior: 0.5 y(r) = pos"
    )
    graph = ground(program, Task({"item": ["a", "b"], "gold": [("a", "pos")]}))
    assert graph.possible is not None
    assert graph.possible.tolist() == [False, True, True, True]
    assert graph.weight_names is not None
    hard = graph.weight_names.index("gold")
    assert graph.counts[:, [hard]].count_nonzero() == 0
