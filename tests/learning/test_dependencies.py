"""Dependencies between sources: planted ones are found; joining them changes no label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tacit.learning import agreement
from tacit.learning.agreement import Agreement, both_spoke, said_the_same
from tacit.learning.casting import votes_of_matrix
from tacit.learning.dependencies import Dependency, Learned, find_dependencies, learn
from tacit.learning.fitting import Apart, Fitted, Objective, Priors, climb
from tacit.learning.joining import groups, joined
from tacit.learning.likelihood import VoteLikelihood
from tacit.learning.votes import Votes

Matrix = NDArray[np.int64]
Edges = set[tuple[int, int]]
N_LABELS = 3

SHAPES = st.tuples(st.integers(1, 8), st.integers(1, 5))
MATRICES = SHAPES.flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-1, N_LABELS - 1), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
).map(np.array)


def fit_of(votes: Sequence[Votes], *, silence_tells: bool = False) -> tuple[Objective, Fitted]:
    """Weights learned from 1 on, as the label model learns them."""
    likelihoods = [VoteLikelihood(own, silence_tells=silence_tells) for own in votes]
    n_weights = 1 + max(int(own.weights.max(initial=-1)) for own in votes)
    start, has_bias = np.ones(n_weights), [bool(own.is_many_sided.all()) for own in votes]
    priors = Priors(start, np.full(n_weights, 0.5), 2.0)
    spoken = np.isin(np.arange(n_weights), np.concatenate([own.parts.weight for own in votes]))
    objective = Objective(likelihoods, Apart(likelihoods), start, spoken, has_bias, priors)
    return objective, climb(objective, keep_polarity=True, max_steps=200, tolerance=1e-3)


def learned(matrix: Matrix, n_labels: int) -> Learned:
    votes = votes_of_matrix(matrix, n_labels, per_class=False)
    return learn([votes], np.ones(matrix.shape[1]), fit_of)


def pairs(found: Sequence[Dependency]) -> Edges:
    return {each.pair for each in found}


def drawn_edges(
    rng: np.random.Generator, n_functions: int, n_edges: int, kind: NDArray[np.int64]
) -> Edges:
    """Random pairs of functions of one kind."""
    edges: Edges = set()
    while len(edges) < n_edges:
        a, b = sorted(rng.choice(n_functions, 2, replace=False).tolist())
        if kind[a] == kind[b]:
            edges.add((a, b))
    return edges


def planted(
    *,
    one_sided: bool,
    n_labels: int = 2,
    n: int = 50_000,
    n_functions: int = 100,
    n_edges: int = 20,
    copying: bool = False,
    seed: int = 0,
) -> tuple[Matrix, Edges]:
    """Votes with planted dependencies.

    Either by copying with a probability of 0.3 to 0.8, or drawn by Gibbs sampling from the network
    in which edges have the potential exp(theta [both speak and say the same]), theta from 1 to 1.5.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_labels, n)
    kind = rng.integers(0, n_labels, n_functions) if one_sided else np.zeros(n_functions, np.int64)
    edges = drawn_edges(rng, n_functions, n_edges, kind)
    log_odds = np.full((n_functions, n_labels, n_labels), -np.inf)  # of a vote, given the truth
    for j in range(n_functions):
        speaks = rng.uniform(0.03, 0.1) if one_sided else rng.uniform(0.05, 0.3)
        rate = np.ones((n_labels, n_labels)) + np.eye(n_labels) * np.expm1(rng.uniform(0.8, 2.0))
        rate *= speaks / (rate.sum() / n_labels if not one_sided else rate[:, 0].mean())
        chosen = [kind[j]] if one_sided else list(range(n_labels))
        log_odds[j][:, chosen] = np.log(rate / (1 - speaks))[:, chosen]
    votes = np.full((n, n_functions), -1)
    for j in range(n_functions):
        votes[:, j] = _drawn(rng, log_odds[j][truth])
    strengths = {edge: rng.uniform(0.3, 0.8) if copying else rng.uniform(1, 1.5) for edge in edges}
    if copying:
        for (a, b), chance in strengths.items():
            copies = (votes[:, a] >= 0) & (rng.random(n) < chance)
            votes[copies, b] = votes[copies, a]
        return votes, edges
    for _ in range(10):
        for j in sorted({end for edge in edges for end in edge}):
            odds = log_odds[j][truth]
            for (a, b), theta in strengths.items():
                if j in (a, b):
                    other = votes[:, a + b - j]
                    spoke = np.flatnonzero(other >= 0)
                    odds[spoke, other[spoke]] += theta
            votes[:, j] = _drawn(rng, odds)
    return votes, edges


def _drawn(rng: np.random.Generator, log_odds: NDArray[np.float64]) -> Matrix:
    """A vote for each row, by log-odds against silence (-1)."""
    odds = np.concatenate([np.zeros((len(log_odds), 1)), log_odds], axis=1)
    return np.asarray((odds + rng.gumbel(size=odds.shape)).argmax(axis=1) - 1)


def assert_found(matrix: Matrix, edges: Edges, n_labels: int) -> None:
    found = pairs(learned(matrix, n_labels).dependencies[0])
    right = len(found & edges)
    assert right >= 0.9 * len(edges)
    assert right >= 0.9 * len(found)
    if not edges:
        assert not found


@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("copying", [True, False])
def test_planted_dependencies_are_found(one_sided: bool, copying: bool) -> None:
    shape = {"n": 30_000, "n_functions": 30, "n_edges": 6}
    matrix, edges = planted(one_sided=one_sided, copying=copying, **shape)
    assert_found(matrix, edges, 2)


@pytest.mark.parametrize("one_sided", [True, False])
def test_nothing_is_found_where_nothing_is_planted(one_sided: bool) -> None:
    matrix, edges = planted(one_sided=one_sided, n_labels=3, n=10_000, n_functions=30, n_edges=0)
    assert_found(matrix, edges, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("plan", ["potentials", "copying", "nothing"])
def test_twenty_dependencies_among_a_hundred_functions(
    plan: str, one_sided: bool, n_labels: int, seed: int
) -> None:
    matrix, edges = planted(
        one_sided=one_sided,
        n_labels=n_labels,
        n_edges=0 if plan == "nothing" else 20,
        copying=plan == "copying",
        seed=seed,
    )
    assert_found(matrix, edges, n_labels)


def test_copies_of_a_poor_source_are_not_taken_for_the_label() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 5000)

    def function(accuracy: float) -> Matrix:
        vote = np.where(rng.random(len(truth)) < accuracy, truth, 1 - truth)
        return np.where(rng.random(len(truth)) < 0.7, vote, -1)

    votes = [function(0.75) for _ in range(5)] + [function(0.55)]
    for _ in range(3):
        votes.append(np.where(rng.random(len(truth)) < 0.9, votes[5], function(0.55)))
    matrix = np.stack(votes, axis=1)
    plain = votes_of_matrix(matrix, 2, per_class=False)
    found = learned(matrix, 2)
    assert pairs(found.dependencies[0]) == {(5, 6), (5, 7), (5, 8)}
    right = []
    for objective, fitted in [fit_of([plain]), (found.objective, found.fitted)]:
        (labels,) = objective.phases.seen(fitted.point.weights, fitted.point.biases).labels
        right.append((labels[plain.pattern_of_instance].argmax(axis=1) == truth).mean())
    assert right[0] < 0.65
    assert right[1] > 0.8


def test_a_dependency_says_how_much_is_repeated() -> None:
    rng = np.random.default_rng(0)
    matrix, _ = planted(one_sided=True, n=20_000, n_functions=20, n_edges=0)
    first, second = np.flatnonzero(matrix.max(axis=0) == 1)[:2].tolist()
    copies = (matrix[:, first] >= 0) & (rng.random(len(matrix)) < 0.6)
    matrix[copies, second] = 1
    (found,) = learned(matrix, 2).dependencies[0]
    assert found.pair == (first, second)
    both = ((matrix[:, first] == 1) & (matrix[:, second] == 1)).sum()
    assert found.observed == both > found.expected
    assert found.strength == pytest.approx(0.6, abs=0.1)


@given(MATRICES, st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=60)
def test_agreement_is_counted_as_it_is_defined(
    matrix: Matrix, seed: int, silence_tells: bool
) -> None:
    votes = votes_of_matrix(matrix, N_LABELS, per_class=False)
    assume(votes.n_events)
    weights = np.random.default_rng(seed).normal(size=matrix.shape[1])
    seen = Agreement(votes, _posterior(votes, weights), silence_tells=silence_tells)
    labels = seen.held[votes.pattern_of_instance]
    labels = labels / labels.sum(axis=1, keepdims=True)
    functions = [j for j in range(matrix.shape[1]) if (matrix[:, j] >= 0).any()]
    for j, k in permutations(range(len(functions)), 2):
        a, b = matrix[:, functions[j]], matrix[:, functions[k]]
        sides = [len(set(own[own >= 0].tolist())) for own in (a, b)]
        observed, expected, strata = _agreement(a, b, labels, sides, silence_tells)
        assert seen.observed[j, k] == observed
        assert seen.expected[j, k] == pytest.approx(expected)
        assert seen.among_alike(j, k, [])[0] == pytest.approx(strata)


@given(MATRICES, st.integers(0, 2**32 - 1), st.integers(1, 3))
@settings(max_examples=40)
def test_pairs_are_counted_alike_in_every_way(matrix: Matrix, seed: int, n_columns: int) -> None:
    votes = votes_of_matrix(matrix, N_LABELS, per_class=False)
    assume(votes.n_events)
    mass = np.random.default_rng(seed).random((votes.cast.shape[0], n_columns))
    spoke = votes.spoke.toarray()
    expected = np.stack([spoke.T @ (spoke * column[:, None]) for column in mass.T])
    assert np.allclose(both_spoke(votes, mass), expected)
    with patch.multiple(agreement, MANY=0, CROWDED=0.0):
        assert np.allclose(both_spoke(votes, mass), expected)
    saying = votes.parts.label
    same = np.zeros((votes.n_sources, votes.n_sources))
    for one, other in product(range(votes.n_events), repeat=2):
        if saying[one] == saying[other]:
            happened = votes.cast[:, [one, other]].toarray().all(axis=1)
            places = votes.source_of_event[one], votes.source_of_event[other]
            same[places] += votes.n_of_pattern[happened].sum()
    assert np.allclose(said_the_same(votes, saying), same)


@given(MATRICES, st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_tables_of_a_few_labels_at_a_time_are_the_same(matrix: Matrix, seed: int) -> None:
    votes = votes_of_matrix(matrix, N_LABELS, per_class=False)
    assume(votes.n_events)
    weights = np.random.default_rng(seed).normal(size=matrix.shape[1])
    whole = Agreement(votes, _posterior(votes, weights))
    with patch.object(agreement, "ROOM", 1):
        in_parts = Agreement(votes, _posterior(votes, weights))
        assert np.allclose(in_parts.expected, whole.expected, rtol=1e-12)
        assert (in_parts.observed == whole.observed).all()


def _posterior(votes: Votes, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    scores = np.exp(votes.scores(weights))
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def _agreement(
    a: Matrix, b: Matrix, labels: NDArray[np.float64], sides: list[int], silence_tells: bool
) -> tuple[int, float, float]:
    """How often two functions said the same, and would, by loops over instances.

    The second number is by their habits wherever they spoke, the third by those where both could.
    """
    rows = range(len(a))
    given = [n > 1 and not silence_tells for n in sides]
    room_a = [i for i in rows if a[i] >= 0 or not given[0]]
    room_b = [i for i in rows if b[i] >= 0 or not given[1]]
    shared = [i for i in rows if i in room_a and i in room_b]
    asked = [i for i in rows if a[i] >= 0 and b[i] >= 0] if any(given) else list(rows)
    same = both = strata = 0.0
    for y, s, t in product(range(N_LABELS), repeat=3):
        n = sum(labels[i, y] for i in shared)
        share_a = sum(labels[i, y] for i in room_a if a[i] == s) / _some(room_a, labels, y)
        share_b = sum(labels[i, y] for i in room_b if b[i] == t) / _some(room_b, labels, y)
        both += n * share_a * share_b
        if s == t:
            same += n * share_a * share_b
            in_a = sum(labels[i, y] for i in asked if a[i] == s)
            in_b = sum(labels[i, y] for i in asked if b[i] == s)
            strata += in_a * in_b / _some(asked, labels, y)
    if any(given):
        same *= len(asked) / both if both else 0.0
    return sum(a[i] == b[i] >= 0 for i in rows), same, strata


def _some(rows: list[int], labels: NDArray[np.float64], label: int) -> float:
    return sum(labels[i, label] for i in rows) or 1.0


@given(
    st.lists(st.integers(-1, 2), min_size=2, max_size=6),
    st.lists(st.integers(-1, 2), min_size=6, max_size=6),
)
@settings(max_examples=30)
def test_the_variance_is_that_of_shuffled_votes(first: list[int], second: list[int]) -> None:
    a, b = np.array(first), np.array(second[: len(first)])
    assume((a >= 0).any() and (b >= 0).any() and len(set(zip(a, b, strict=True))) > 1)
    votes = votes_of_matrix(np.stack([a, b], axis=1), N_LABELS, per_class=False)
    sure = np.eye(N_LABELS)[np.zeros(votes.cast.shape[0], dtype=np.int64)]
    seen = Agreement(votes, sure, silence_tells=True)
    agreed = [((a == np.array(order)) & (a >= 0)).sum() for order in permutations(b.tolist())]
    assert seen.among_alike(0, 1, []) == pytest.approx((np.mean(agreed), np.var(agreed)), abs=1e-9)


def test_third_sources_explain() -> None:
    rng = np.random.default_rng(0)
    n, third = 20_000, 2
    speaks = rng.random((n, 3)) < 0.05
    for copy in (0, 1):
        speaks[:, copy] |= speaks[:, third] & (rng.random(n) < 0.7)
    votes = votes_of_matrix(np.where(speaks, 0, -1), 2, per_class=False)
    posterior = np.full((votes.cast.shape[0], 2), 0.5)
    seen = Agreement(votes, posterior)
    observed = seen.observed[0, 1]
    assert observed > 2 * seen.expected[0, 1]
    assert seen.among_alike(0, 1, [third])[0] == pytest.approx(observed, rel=0.05)
    assert pairs(find_dependencies(votes, posterior)) == {(0, 2), (1, 2)}


@given(MATRICES, st.lists(st.integers(0, 2), min_size=5, max_size=5), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_joined_votes_say_the_same_of_labels(
    matrix: Matrix, group: list[int], silence_tells: bool, per_class: bool
) -> None:
    votes = votes_of_matrix(matrix, N_LABELS, per_class=per_class)
    group_of_source = np.array(group[: votes.n_sources], dtype=np.int32)
    together = joined(votes, group_of_source, silence_tells=silence_tells)
    weights = np.random.default_rng(0).normal(size=matrix.shape[1] * N_LABELS)
    assert np.allclose(together.scores(weights), votes.scores(weights))
    likelihood = VoteLikelihood(together, silence_tells=silence_tells)
    plain = VoteLikelihood(votes, silence_tells=silence_tells)
    bias = np.arange(N_LABELS) / 2
    for ours, theirs in zip(likelihood.seen(weights, bias), plain.seen(weights, bias), strict=True):
        assert np.allclose(ours, theirs)
    source = together.source_of_event[together.cast.indices]
    pattern = np.repeat(np.arange(together.cast.shape[0]), np.diff(together.cast.indptr))
    assert len(set(zip(pattern, source, strict=True))) == together.cast.nnz  # one event at a time


@given(MATRICES, st.booleans())
@settings(max_examples=40)
def test_sources_joined_with_nobody_are_as_they_were(matrix: Matrix, silence_tells: bool) -> None:
    votes = votes_of_matrix(matrix, N_LABELS, per_class=False)
    alone = np.arange(votes.n_sources, dtype=np.int32)
    together = joined(votes, alone, silence_tells=silence_tells)
    assert np.array_equal(together.cast.toarray(), votes.cast.toarray())
    assert np.array_equal(together.source_of_event, votes.source_of_event)
    assert np.array_equal(together.parts.event, votes.parts.event)
    given = votes.is_many_sided & (not silence_tells)
    assert np.array_equal(together.is_many_sided, given)


@given(MATRICES, st.lists(st.integers(0, 1), min_size=5, max_size=5), st.booleans())
@settings(max_examples=20)
def test_the_slope_of_joined_votes_is_right(
    matrix: Matrix, group: list[int], silence_tells: bool
) -> None:
    votes = votes_of_matrix(matrix, N_LABELS, per_class=False)
    assume(votes.n_events)
    group_of_source = np.array(group[: votes.n_sources], dtype=np.int32)
    together = joined(votes, group_of_source, silence_tells=silence_tells)
    objective, _ = fit_of([together], silence_tells=silence_tells)
    flat = objective.first() + 0.1
    _, slope = objective.value_and_slope(flat)
    steps = 1e-5 * np.eye(len(flat))
    rise = [
        objective.value_and_slope(flat + step)[0] - objective.value_and_slope(flat - step)[0]
        for step in steps
    ]
    assert np.allclose(np.array(rise) / 2e-5, slope, atol=1e-4)


def test_a_copy_counts_once() -> None:
    matrix, _ = planted(one_sided=False, n=5000, n_functions=6, n_edges=0)
    doubled = np.concatenate([matrix, matrix[:, :1]], axis=1)
    found = learned(doubled, 2)
    assert pairs(found.dependencies[0]) == {(0, 6)}
    assert found.dependencies[0][0].strength == pytest.approx(1.0)
    _, single = fit_of([votes_of_matrix(matrix, 2, per_class=False)])
    weights = found.fitted.point.weights
    assert weights[0] == pytest.approx(weights[6], abs=0.01)
    assert weights[0] + weights[6] == pytest.approx(single.point.weights[0], abs=0.15)
    assert np.allclose(weights[1:6], single.point.weights[1:6], atol=0.1)


def test_groups_are_joined_in_order_up_to_a_size() -> None:
    chain = [(0, 1), (2, 3), (1, 2), (4, 5)]
    assert groups(chain, 7, most=4).tolist() == [0, 0, 0, 0, 1, 1, 2]
    assert groups(chain, 7, most=3).tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert groups([], 2, most=3).tolist() == [0, 1]


@pytest.mark.parametrize("votes", [[[-1, -1]], [[0, 0]], [[0, 1], [1, 0]]])
def test_next_to_nothing_to_learn_from(votes: list[list[int]]) -> None:
    found = learned(np.array(votes), 2)
    assert found.dependencies == ((),)
    assert np.isfinite(found.fitted.point.weights).all()
