"""Ground factors say what nested loops over all bindings say, for random programs and tables."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tacit.data import Task
from tacit.errors import BadFormula, Contradiction
from tacit.grounding import GroundFactors, ground_factors
from tacit.logic.evidence import Hard
from tests.grounding.cases import Case, grounding_cases
from tests.oracles.grounding import Oracle, assignments, differences, holds, some_assignments

quick = settings(max_examples=100, suppress_health_check=list(HealthCheck))


def grounded(case: Case, task: Task | None = None) -> GroundFactors:
    """The ground factors; cases that are said to be beyond grounding are passed over."""
    try:
        factors = ground_factors(case.program, task or case.task)
    except BadFormula:
        event("refused")
        assume(False)
        raise
    event("grounded")
    return factors


def arrays(factors: GroundFactors) -> list[tuple[object, ...]]:
    """Everything that the factors hold, for comparison."""
    blocks = factors.weights.blocks
    found: list[tuple[object, ...]] = [(b.evidence.name, *b.keys) for b in blocks]
    for unary in factors.unary:
        found.append((unary.state.tolist(), unary.weight.tolist(), unary.count.tolist()))
    for table in factors.tables:
        content = table.variables.tolist(), table.weight.tolist(), table.count.tolist()
        found.append((table.functions, table.truth.tolist(), *content))
    for group in factors.groups:
        members = group.first_member, group.variable_of_member, group.set_of_member, group.weight
        sets = [truth.tolist() for truth in group.state_sets]
        found.append((group.quantifier, group.limit, *(m.tolist() for m in members), sets))
    return found


@quick
@given(grounding_cases())
def test_every_weight_counts_what_nested_loops_count(case: Case) -> None:
    factors = grounded(case)
    oracle = Oracle(case.program, case.task)
    assert differences(oracle, factors, some_assignments(oracle)) == []


@settings(quick, max_examples=30)
@given(grounding_cases(), st.data())
def test_the_order_of_facts_does_not_matter(case: Case, data: st.DataObject) -> None:
    first = grounded(case)
    assert arrays(grounded(case)) == arrays(first)
    turned = dict(case.tables)
    for name, table in case.tables.items():
        if name not in ("item", "thing"):
            order = data.draw(st.permutations(range(table.num_rows)))
            turned[name] = table.take(pa.array(order, pa.int64()))
    assert arrays(grounded(case, Task(turned))) == arrays(first)


@settings(quick, max_examples=30)
@given(grounding_cases())
def test_permuting_instances_permutes_the_factors(case: Case) -> None:
    grounded(case)
    turned = {**case.tables, "item": case.tables["item"][::-1]}
    factors = grounded(case, Task(turned))
    oracle = Oracle(case.program, Task(turned))
    assert differences(oracle, factors, some_assignments(oracle, 8)) == []


@settings(quick, max_examples=50)
@given(grounding_cases(hard=True, max_evidence=1))
def test_a_contradiction_is_one(case: Case) -> None:
    try:
        grounded(case)
    except Contradiction:
        event("contradiction")
        oracle = Oracle(case.program, case.task)
        hard = [e for e in case.program.evidence if isinstance(e.weight, Hard)]
        ground = [g.formula for evidence in hard for g in oracle.groundings(evidence)]
        assert not any(all(holds(g, a) for g in ground) for a in assignments(oracle))
