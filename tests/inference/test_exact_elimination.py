"""The order of elimination, replayed with Python's sets."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.inference.elimination import FINENESS, eliminate
from tacit.inference.exact_scopes import Scopes


def scopes(sizes: np.ndarray, sets: list[list[int]]) -> Scopes:
    """Scopes of which only the variables matter."""
    nothing = np.zeros(len(sets), dtype=np.int32)
    return Scopes(
        sizes.astype(np.int32),
        np.cumsum([0, *map(len, sets)]),
        np.array([variable for one in sets for variable in one], dtype=np.int32),
        np.ones(1, dtype=bool),
        nothing,
        nothing,
        np.empty(0, dtype=np.int32),
        1,
    )


def random_sets(rng: np.random.Generator, n_variables: int) -> list[list[int]]:
    """Sets of one to four variables; some variables are in many, some sets are equal."""
    n_sets = int(rng.integers(0, 3 * n_variables))
    favour = rng.random(n_variables) ** rng.integers(1, 6) + 1e-3
    sets = [
        rng.choice(
            n_variables, min(n_variables, int(rng.integers(1, 5))), False, favour / favour.sum()
        )
        for _ in range(n_sets)
    ]
    return [one.tolist() for one in sets]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from([16, 256, 2**22]))
def test_every_step_is_true_and_the_smallest(seed: int, n_variables: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.choice([2, 2, 2, 3, 5], n_variables)
    sets = random_sets(rng, n_variables)
    found = eliminate(scopes(sizes, sets), limit, 2**40)
    tied: list[set[int]] = [set() for _ in range(n_variables)]
    for one in sets:
        for variable in one:
            tied[variable] |= set(one) - {variable}

    def states(variable: int) -> int:
        return prod(sizes[[variable, *tied[variable]]].tolist())

    left = set(range(n_variables))
    for clique, variable in enumerate(found.order.tolist()):
        start, end = found.first_neighbour[clique : clique + 2]
        neighbours = set(found.neighbours[start:end].tolist())
        assert neighbours == tied[variable]
        assert len(neighbours) == end - start
        assert states(variable) <= limit
        if len(neighbours) > 1:  # no leaf is left, and no table that is smaller by a key
            assert all(len(tied[other]) > 1 or states(other) > limit for other in left)
            smallest = min(states(other) for other in left)
            assert states(variable) <= smallest * 2 ** (1 / FINENESS) * (1 + 1e-12)
        left.remove(variable)
        for neighbour in neighbours:
            tied[neighbour] |= neighbours
            tied[neighbour] -= {neighbour, variable}
    assert set(np.flatnonzero(found.left).tolist()) == left
    assert all(states(variable) > limit for variable in left)
    if left:
        assert limit < found.needed <= min(map(states, left))
    else:
        assert found.needed == 0


def test_the_sum_of_all_tables_is_limited() -> None:
    chain = [[i, i + 1] for i in range(9)]
    found = eliminate(scopes(np.full(10, 2), chain), 2**22, 20)
    assert len(found.order) == 5
    assert found.left.sum() == 5
    assert found.needed == 4
