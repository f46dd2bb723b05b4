"""Ground factors say what nested loops over all bindings say."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, assume, event, given, settings
from tests.grounding.cases import Case, grounding_cases
from tests.oracles.grounding import Oracle, assignments, differences, n_assignments

from tacit.errors import BadFormula
from tacit.grounding import GroundFactors, ground_factors

quick = settings(max_examples=120, suppress_health_check=list(HealthCheck))


def grounded(case: Case) -> GroundFactors | None:
    """The ground factors, or nothing where the mixture is said to be beyond grounding."""
    try:
        return ground_factors(case.program, case.task)
    except BadFormula:
        return None


def some_assignments(oracle: Oracle, most: int = 24) -> list[dict[tuple[str, int], str]]:
    """All assignments where they are few, else random ones."""
    if n_assignments(oracle) <= most:
        return list(assignments(oracle))
    rng = random.Random(7)
    spaces = {name: function.labels for name, function in oracle.program.labels.items()}
    return [{i: rng.choice(spaces[i[0]]) for i in oracle.instances} for _ in range(most)]


@quick
@given(grounding_cases())
def test_every_weight_counts_what_nested_loops_count(case: Case) -> None:
    factors = grounded(case)
    event("refused" if factors is None else "grounded")
    assume(factors is not None)
    oracle = Oracle(case.program, case.task)
    assert differences(oracle, factors, some_assignments(oracle)) == []
