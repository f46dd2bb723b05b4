"""Every kernel against its oracle: messages written from the definition, with plain loops.

The first test lists all kernels of the package and fails where one has no partner.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

from tacit import inference
from tacit.graph import FactorGraph, build_graph
from tacit.graph.factor_graph import Floats
from tacit.inference.bp import BPConfig, Passing
from tacit.inference.kernels import agreement, any_of, counting, pairs, tables
from tacit.inference.messages import Messages
from tacit.inference.potentials import LogPotentials, log_potentials
from tacit.inference.targets import targets
from tacit.inference.wires import first_odds_of
from tests.inference.blocks import sets, ties
from tests.oracles import messages as oracle
from tests.oracles.inference import enumerate_all
from tests.oracles.messages import Word

KERNELS = ("pairs", "odds", "agreement", "tables", "any_of", "counting")
MEAN_FIELD = (
    "update_all", "pair_fails", "table_fails", "cell_share", "group_fails", "start_chain",
    "advance", "add_member", "charge", "assign_softmax",
)  # fmt: skip
GIBBS_TREES = ("grow_trees", "may_join", "join")
GIBBS_KERNELS = ("draw_trees", "gather_tree", "draw_tree", "add_links", "add_larger_links", "mate")
GIBBS_SCORES = (
    "add_cells", "add_table", "add_group", "group_value", "log_sum", "draw", "set_state",
)  # fmt: skip
GIBBS_GROUPS = ("draw_groups", "choose", "value_sums", "draw_members")
GROUPS_DRAWN = "inference.test_gibbs.test_members_of_a_group_are_drawn_together"
# What each compiled function is compared with: an oracle, or the test that does it (in `tests`).
MESSAGES = {
    **{f"kernels.{kind}.sweep": "oracles.messages.sweep" for kind in KERNELS},
    **{f"kernels.{kind}.measure": "oracles.messages.measure" for kind in KERNELS},
    "kernels.any_of.log_some": "inference.test_maths.test_log_some",
    "kernels.sums.add_changes": "oracles.messages.believed",
    "kernels.sums.log_total": "inference.test_maths.test_log_total",
    "kernels.sums.normalise": "oracles.messages.normalised",
    "kernels.sums.normalise_binary": "oracles.messages.normalised",
    "kernels.odds.multiply_changes": "oracles.messages.believed",
    "kernels.odds.add_kept": "oracles.messages.believed",
    "kernels.odds.to_odds": "inference.test_odds.test_odds_and_back",
    "kernels.odds.to_log_odds": "inference.test_odds.test_odds_and_back",
    "kernels.components.join_tables": "oracles.messages.joined",
    "kernels.components.join_groups": "oracles.messages.joined",
    "kernels.components.mark": "oracles.messages.joined",
    "kernels.components.number": "oracles.messages.joined",
    "kernels.components.count_variables": "oracles.messages.joined",
    "kernels.components.most_frequent": "inference.test_odds.test_the_most_frequent_end",
    "kernels.components.count_factors": "inference.test_components.test_stretches_of_components",
    "kernels.components.stretches": "oracles.messages.stretches",
    "kernels.components.grow_forest": "oracles.messages.closes_cycle",
    "ordering.counting_order": "inference.test_ordering.test_the_order_of_keys",
    "ordering.tiled_order": "inference.test_ordering.test_tiles_of_last_ends_then_first_ends",
}
MATHS = {
    "exp_negative": "test_exponential_over_its_whole_range",
    "log_positive": "test_logarithm_over_its_whole_range",
    "log_ratio": "test_logarithm_of_a_ratio",
    "log1p_positive": "test_log1p_of_small_and_large",
    "softplus": "test_softplus_on_both_sides",
    "log_add": "test_log_add",
    "clamped": "test_clamped",
    "below": "test_below",
}
PARTNERS = {
    **MESSAGES,
    **{f"kernels.maths.{name}": f"inference.test_maths.{test}" for name, test in MATHS.items()},
    "exact_factors.spread": "oracles.inference.score",
    "exact_factors.add_factors": "oracles.inference.score",
    "exact_factors.expected": "oracles.inference.enumerate_all",
    "exact_factors.held_at": "oracles.inference.joint",
    "exact_passes.pass_up": "oracles.inference.enumerate_all",
    "exact_passes.pass_down": "oracles.inference.enumerate_all",
    "exact_passes.assign": "inference.test_exact.test_samples_are_exact",
    "incidence.fill_places": "inference.test_incidence.test_places_are_the_slots_of_each_variable",
    **{f"mean_field_kernels.{name}": "oracles.mean_field.sweep" for name in MEAN_FIELD},
    "mean_field_kernels.expected_counts": "oracles.mean_field.expected_holding",
    "mean_field_kernels.sum_shares": "oracles.mean_field.expected_holding",
    **{f"gibbs_trees.{name}": "oracles.gibbs.is_tree" for name in GIBBS_TREES},
    **{f"gibbs_kernels.{name}": "oracles.gibbs.conditional" for name in GIBBS_KERNELS},
    **{f"gibbs_scores.{name}": "oracles.gibbs.conditional" for name in GIBBS_SCORES},
    "gibbs_kernels.count_holding": "oracles.inference.joint",
    "gibbs_kernels.sums_of_groups": "inference.test_gibbs.test_sums_of_groups_stay_true",
    **{f"gibbs_groups.{name}": GROUPS_DRAWN for name in GIBBS_GROUPS},
}
ONE_SWEEP = 1
SEEDS = st.integers(0, 2**32 - 1)


def compiled() -> dict[str, str]:
    """The public compiled functions of the package, by module, and what they say of themselves."""
    found = {}
    for module in pkgutil.walk_packages(inference.__path__, f"{inference.__name__}."):
        try:
            loaded = import_module(module.name)
        except ModuleNotFoundError as error:
            assert error.name in ("torch", "triton"), error  # the extra `neural`
            continue
        for name, value in vars(loaded).items():
            own = isinstance(value, Dispatcher) and value.py_func.__module__ == module.name
            if own and not name.startswith("_"):
                place = module.name.removeprefix(f"{inference.__name__}.")
                found[f"{place}.{name}"] = value.py_func.__doc__ or ""
    return found


def test_every_kernel_has_a_partner() -> None:
    found = compiled()
    assert sorted(found.keys() - PARTNERS.keys()) == [], "kernels that nothing is compared with"
    assert sorted(PARTNERS.keys() - found.keys()) == [], "kernels that are gone"


@pytest.mark.parametrize("partner", sorted(set(PARTNERS.values())))
def test_every_partner_exists(partner: str) -> None:
    module, _, name = partner.rpartition(".")
    assert callable(getattr(import_module(f"tests.{module}"), name))


@dataclass
class Started:
    """Message passing with random messages under way, and the same as the oracle sees it."""

    graph: FactorGraph
    potentials: LogPotentials
    passing: Passing
    factor_shares: list[list[float]] = field(default_factory=list)

    @property
    def worth(self) -> list[list[float]]:
        """What each factor is worth where it holds, by block."""
        values = (*self.potentials.tables, *self.potentials.groups)
        return [
            [float(own[p]) / s for p, s in zip(block.potential, shares, strict=True)]
            for block, own, shares in zip(
                self.graph.blocks, values, self.factor_shares, strict=True
            )
        ]

    def words(self) -> list[list[Word]]:
        """What each factor has said, by block."""
        return [self._words_of(at) for at in range(len(self.graph.blocks))]

    def beliefs(self, words: Sequence[Sequence[Word]]) -> list[list[float]]:
        """What the variables believe, summed up by the oracle."""
        return oracle.believed(self.graph, self.potentials.unary, self.factor_shares, words)

    def _words_of(self, at: int) -> list[Word]:
        block, link = self.graph.blocks[at], self.passing.links[at]
        scopes = [oracle.scope(block, factor) for factor in range(len(block))]
        words = [[[0.0] * int(self.graph.sizes[v]) for v in scope] for scope in scopes]
        to, flat = targets(link), self.passing.messages[at].reshape(-1)
        first_odds = first_odds_of(self.graph)
        for factor, message, position, sign in zip(
            to.factor, to.message, to.position, to.sign, strict=True
        ):
            variable = int(np.searchsorted(first_odds, position, "right")) - 1
            state = int(position - first_odds[variable]) + 1
            words[factor][scopes[factor].index(variable)][state] += sign * float(flat[message])
        values = (*self.potentials.tables, *self.potentials.groups)[at]
        for factor, potential in enumerate(block.potential):
            for place, part in ((0, link.parts.first), (1, link.parts.second)):
                if part:  # what a kernel leaves to single variables, the factor has said as well
                    words[factor][place][1] += part * float(values[potential])
        return words


def started(
    graph: FactorGraph,
    rng: np.random.Generator,
    *,
    scale: float = 2.0,
    maximise: bool = False,
    shared: bool = False,
    log_unary: Floats | None = None,
) -> Started:
    """Message passing that begins with random messages."""
    unary = rng.normal(0, scale, graph.n_states) if log_unary is None else log_unary
    potentials = log_potentials(graph, log_unary=unary)
    shares = None
    if shared:
        shares = [rng.uniform(0.3, 1.0, len(block.potentials)) for block in graph.blocks]
    empty = Passing(graph, potentials, shares=shares, maximise=maximise)
    values, total = [], np.zeros_like(empty.log_odds)
    by_factor = [
        np.ones(len(block)) if shares is None else shares[at][block.potential]
        for at, block in enumerate(graph.blocks)
    ]
    for at, link in enumerate(empty.links):
        own = rng.normal(0, scale, empty.messages[at].shape)
        to = targets(link)
        said = own.reshape(-1)[to.message] * to.sign * by_factor[at][to.factor]
        total += np.bincount(to.position, said, minlength=len(total))
        values.append(own)
    start = Messages(tuple(values), total)
    passing = Passing(graph, potentials, shares=shares, maximise=maximise, start=start)
    return Started(graph, potentials, passing, [own.tolist() for own in by_factor])


def check_sweep(run: Started, damping: float = 0.0, atol: float = 1e-9) -> None:
    """One sweep of the kernels says what one sweep of the oracle says."""
    before = run.words()
    beliefs = run.beliefs(before)
    wanted = oracle.sweep(
        run.graph, run.worth, run.factor_shares, beliefs, before,
        damping=damping, maximise=run.passing.maximise,
    )  # fmt: skip
    _, residual, _ = run.passing.run(BPConfig(max_sweeps=ONE_SWEEP, damping=damping, tolerance=0.0))
    assert_words(run.words(), wanted, atol)
    change = [
        abs(new - old) / (1 - damping)
        for one, other in zip(flat_words(before), flat_words(wanted), strict=True)
        for old, new in [(one, other)]
    ]
    assert residual >= max(change, default=0.0) - 10 * atol
    check_log_odds(run, wanted, atol)


def check_log_odds(run: Started, words: Sequence[Sequence[Word]], atol: float) -> None:
    """The variables believe what the words add up to."""
    beliefs = run.beliefs(words)
    wanted = [x - own[0] for own in beliefs for x in own[1:]]
    np.testing.assert_allclose(run.passing.log_odds, wanted, rtol=1e-10, atol=10 * atol)


def check_measure(run: Started, *, holds: bool = True, atol: float = 1e-8) -> None:
    """The kernels read off what the oracle reads off."""
    words = run.words()
    beliefs = run.beliefs(words)
    total, by_factor = oracle.measure(run.graph, run.worth, run.factor_shares, beliefs, words)
    log_partition, marginals, found = run.passing.measure()
    np.testing.assert_allclose(log_partition, total, rtol=1e-10, atol=atol)
    probabilities, _ = oracle.normalised(beliefs)
    np.testing.assert_allclose(marginals, probabilities, rtol=0, atol=1e-9)
    for block, own, one in zip(run.graph.blocks, by_factor, found, strict=True):
        wanted = np.bincount(block.potential, own, minlength=len(block.potentials))
        if holds:
            np.testing.assert_allclose(one.holds, wanted, rtol=0, atol=1e-8)


def assert_words(found: list[list[Word]], wanted: list[list[Word]], atol: float) -> None:
    np.testing.assert_allclose(flat_words(found), flat_words(wanted), rtol=1e-10, atol=atol)


def flat_words(words: Sequence[Sequence[Word]]) -> list[float]:
    """Every number that was said."""
    return [x for block in words for word in block for own in word for x in own]


# -- graphs of one kind ----------------------------------------------------------------------------

WEIGHTS = (0.7, -1.3, 2.1)


def drawn(rng: np.random.Generator, n: int) -> dict[str, Floats]:
    """Weights and counts for so many factors."""
    return {"weight": rng.integers(0, len(WEIGHTS), n), "count": rng.integers(1, 3, n)}


def weights(hard: bool) -> Floats:
    """The weights of the graphs below; infinite when they are to be hard."""
    return np.full(len(WEIGHTS), np.inf) if hard else np.array(WEIGHTS)


def connected(rng: np.random.Generator, n_variables: int, n_pairs: int) -> np.ndarray:
    """Pairs of variables: a chain through all of them, then pairs at random."""
    chain = np.stack([np.arange(n_variables - 1), np.arange(1, n_variables)], axis=1)
    extra = [rng.permutation(n_variables)[:2] for _ in range(n_pairs)]
    every = np.concatenate([chain, np.array(extra, dtype=np.int64).reshape(-1, 2)])
    turned = rng.random(len(every)) < 0.5
    every[turned] = every[turned][:, ::-1]
    return every


def pair_graph(
    rng: np.random.Generator, truth: np.ndarray, n_variables: int = 5, n_pairs: int = 4
) -> FactorGraph:
    """Variables of one size, and factors on pairs of them."""
    ends = connected(rng, n_variables, n_pairs)
    block = ties(ends, truth, **drawn(rng, len(ends)))
    return build_graph(np.full(n_variables, len(truth)), weights=weights(False), tables=[block])


def table_graph(rng: np.random.Generator, shape: tuple[int, ...], hard: bool) -> FactorGraph:
    """Three variables for each axis, and factors with one truth table that join them all."""
    n_axes = len(shape)
    scopes = [[3 * axis for axis in range(n_axes)]]
    for axis in range(n_axes):
        for other in (1, 2):
            scopes.append([3 * a + (other if a == axis else 0) for a in range(n_axes)])
    scopes += [[3 * a + int(rng.integers(3)) for a in range(n_axes)] for _ in range(3)]
    truth = rng.random(shape) < 0.6
    truth.flat[rng.integers(truth.size)] = True
    if hard and len(shape) == 2:  # leave each state of each side something
        truth[0], truth[:, 0] = True, True
    block = ties(scopes, truth, **drawn(rng, len(scopes)))
    return build_graph(np.repeat(shape, 3), weights=weights(hard), tables=[block])


def group_graph(
    rng: np.random.Generator,
    quantifier: str,
    limit: int,
    sizes: Sequence[int],
    *,
    hard: bool = False,
    repeated: bool = False,
    constant: bool = True,
) -> FactorGraph:
    """Overlapping groups; a member's set of states may hold its first state, all, or none."""
    n = len(sizes)
    groups, kinds, state_sets = [], [], []
    for at in range(n - 1):
        members = list(dict.fromkeys([at, at + 1, *rng.permutation(n)[: rng.integers(0, 3)]]))
        if repeated:
            members += [v for v in members if rng.random() < 0.6]
        own = []
        for v in members:
            own.append(len(state_sets))
            state_set = rng.random(sizes[v]) < 0.5
            if not constant and state_set.all() == state_set.any() and sizes[v] > 1:
                state_set[:] = False
                state_set[rng.integers(sizes[v])] = True
            state_sets.append(state_set)
        groups.append(members)
        kinds.append(own)
    block = sets(quantifier, limit, groups, state_sets, kinds, **drawn(rng, len(groups)))
    return build_graph(sizes, weights=weights(hard), groups=[block])


TRUTHS = [
    np.array([[a, b], [c, d]]) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)
]
some = settings(max_examples=6)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda t: "".join(map(str, t.reshape(-1))))
@some
@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.4]), st.sampled_from([1.0, 20.0]))
def test_pairs(truth: np.ndarray, seed: int, maximise: bool, damping: float, scale: float) -> None:
    rng = np.random.default_rng(seed)
    run = started(pair_graph(rng, truth.astype(bool)), rng, maximise=maximise, scale=scale)
    assert run.passing.links[0].kernel is pairs
    alone = bool(truth[0, 0] == truth[1, 1]) and bool(truth[0, 1] == truth[1, 0])
    if not maximise:
        check_measure(run, holds=alone)
    check_sweep(run, damping)
    if not maximise:
        check_measure(run, holds=alone)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda t: "".join(map(str, t.reshape(-1))))
def test_every_binary_table_holds_as_often_as_it_should(truth: np.ndarray) -> None:
    rng = np.random.default_rng(3)
    block = ties([[1, 0]], truth)
    for weight in (-2.0, -0.1, 0.0, 1.0, 30.0):
        graph = build_graph([2, 2], weights=[weight], tables=[block])
        unary = rng.normal(0, 1, 4)
        passing = Passing(graph, log_potentials(graph, log_unary=unary))
        passing.run(BPConfig(tolerance=1e-12))
        log_partition, marginals, found = passing.measure()
        exact = enumerate_all(graph, log_unary=unary)
        np.testing.assert_allclose(marginals, exact.marginals, rtol=0, atol=1e-12)
        np.testing.assert_allclose(log_partition, exact.log_partition, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found[0].holds, exact.expected_counts, rtol=0, atol=1e-11)


@pytest.mark.parametrize("turned", [False, True], ids=["same", "other"])
@pytest.mark.parametrize("n_labels", [3, 4, 5, 6])
@some
@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.4]), st.sampled_from([1.0, 20.0]))
def test_agreement(
    n_labels: int, turned: bool, seed: int, maximise: bool, damping: float, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    graph = pair_graph(rng, np.eye(n_labels, dtype=bool) != turned)
    run = started(graph, rng, maximise=maximise, scale=scale)
    assert run.passing.links[0].kernel is agreement
    if not maximise:
        check_measure(run)
    check_sweep(run, damping)
    if not maximise:
        check_measure(run)


SHAPES = [(2, 3), (3, 2), (1, 3), (4, 1), (3, 3), (2, 2, 2), (3, 2, 4), (2, 1, 3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@some
@given(SEEDS, st.booleans(), st.booleans(), st.sampled_from([0.0, 0.4]))
def test_tables(
    shape: tuple[int, ...], seed: int, hard: bool, maximise: bool, damping: float
) -> None:
    rng = np.random.default_rng(seed)
    run = started(table_graph(rng, shape, hard), rng, maximise=maximise)
    if len(set(shape)) > 1 or len(shape) > 2:
        assert run.passing.links[0].kernel is tables
    if not maximise:
        check_measure(run)
    check_sweep(run, damping)


@pytest.mark.parametrize("weight", [np.inf, 1e4, -1e4, 601.0])
@some
@given(seed=SEEDS, maximise=st.booleans())
def test_binary_tables_beyond_the_fast_kernel(weight: float, seed: int, maximise: bool) -> None:
    rng = np.random.default_rng(seed)
    truth = np.array([[True, True], [False, True]])
    ends = connected(rng, 4, 3)
    graph = build_graph([2] * 4, weights=[weight], tables=[ties(ends, truth)])
    run = started(graph, rng, maximise=maximise)
    assert run.passing.links[0].kernel is tables
    if not maximise:
        check_measure(run)
    check_sweep(run)


SIZES = [(2, 2, 2, 2, 2), (3, 2, 4, 2), (2, 1, 3, 2)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@settings(max_examples=12)
@given(SEEDS, st.booleans(), st.booleans(), st.sampled_from([0.0, 0.4]))
def test_at_least_one(
    sizes: tuple[int, ...], seed: int, hard: bool, maximise: bool, damping: float
) -> None:
    rng = np.random.default_rng(seed)
    graph = group_graph(rng, "atleast", 1, sizes, hard=hard, constant=not hard)
    run = started(graph, rng, maximise=maximise, scale=1.0)
    assert run.passing.links[0].kernel is any_of
    if not maximise:
        check_measure(run)
    check_sweep(run, damping, atol=1e-7)


def test_the_best_of_a_member_s_states() -> None:
    rng = np.random.default_rng(0)
    block = sets("atleast", 1, [[0, 1]], [(False, True, True), (False, True)], [[0, 1]])
    graph = build_graph([3, 2], weights=[1.0], groups=[block])
    for _ in range(20):
        check_sweep(started(graph, rng, maximise=True))


@settings(max_examples=30)
@given(SEEDS, st.booleans(), st.sampled_from([5.0, 20.0, 100.0]))
def test_at_least_one_among_strong_beliefs(seed: int, hard: bool, scale: float) -> None:
    # What a member that surely counts is told may be imprecise; what it then believes may not.
    rng = np.random.default_rng(seed)
    graph = group_graph(rng, "atleast", 1, (2, 3, 2, 2), hard=hard, constant=False)
    run = started(graph, rng, scale=scale)
    check_measure(run)
    before = run.words()
    beliefs = run.beliefs(before)
    wanted = oracle.sweep(graph, run.worth, run.factor_shares, beliefs, before)
    run.passing.run(BPConfig(max_sweeps=ONE_SWEEP))
    for factor, (word, right) in enumerate(zip(run.words()[0], wanted[0], strict=True)):
        cavity = oracle.cavities(graph.groups[0], factor, beliefs, before[0][factor])
        found, _ = oracle.normalised(oracle.added(cavity, word))
        exact, _ = oracle.normalised(oracle.added(cavity, right))
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-9)


@pytest.mark.parametrize("quantifier", ["atleast", "atmost", "exactly"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@settings(max_examples=8)
@given(SEEDS, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans())
def test_counting(
    sizes: tuple[int, ...],
    quantifier: str,
    seed: int,
    limit: int,
    hard: bool,
    maximise: bool,
    repeated: bool,
) -> None:
    rng = np.random.default_rng(seed)
    limit += (quantifier, limit) == ("atleast", 1)  # that one has a kernel of its own
    graph = group_graph(rng, quantifier, limit, sizes, hard=hard, repeated=repeated)
    run = started(graph, rng, maximise=maximise)
    assert run.passing.links[0].kernel is counting
    if not maximise and not hard:
        check_measure(run)
    check_sweep(run, 0.3, atol=1e-7 if hard else 1e-9)  # at 1e8, sums resolve 1e-8


def test_gains_above_one_are_counted() -> None:
    rng = np.random.default_rng(0)
    graph = group_graph(rng, "exactly", 3, (2, 3, 2, 2), repeated=True)
    assert max(int(gain.max()) for gain in graph.groups[0].gains) > 1
    run = started(graph, rng)
    check_measure(run)
    check_sweep(run)


@settings(max_examples=40)
@given(SEEDS, st.sampled_from(["pair", "agreement", "table", "any", "count"]), st.booleans())
def test_shares(seed: int, kind: str, hard: bool) -> None:
    rng = np.random.default_rng(seed)
    graph = {
        "pair": lambda: pair_graph(rng, np.eye(2, dtype=bool)),
        "agreement": lambda: pair_graph(rng, np.eye(4, dtype=bool)),
        "table": lambda: table_graph(rng, (2, 3, 2), hard),
        "any": lambda: group_graph(rng, "atleast", 1, (2, 3, 2, 2), hard=hard, constant=False),
        "count": lambda: group_graph(rng, "atmost", 2, (2, 3, 2, 2), hard=hard, constant=False),
    }[kind]()
    run = started(graph, rng, shared=True)
    check_measure(run)
    check_sweep(run, 0.3)


@pytest.mark.parametrize("maximise", [False, True], ids=["sum", "max"])
@pytest.mark.parametrize("kind", ["pair", "agreement", "table", "any", "count"])
def test_many_factors_in_several_chunks(kind: str, maximise: bool) -> None:
    rng = np.random.default_rng(11)
    n = 400
    near = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    groups = [[i, i + 1, (i + 7) % n] for i in range(n - 1)]
    ends = np.concatenate([near, near[::-1, ::-1], connected(rng, n, 300)])
    tables_, groups_ = [], []
    size = {"agreement": 3}.get(kind, 2)
    if kind in ("pair", "agreement"):
        tables_ = [ties(ends, np.eye(size, dtype=bool), **drawn(rng, len(ends)))]
    elif kind == "table":
        truth = rng.random((2, 2, 2)) < 0.5
        tables_ = [ties(groups, truth, **drawn(rng, len(groups)))]
    else:
        limit = 1 if kind == "any" else 2
        groups_ = [sets("atleast", limit, groups, **drawn(rng, len(groups)))]
    graph = build_graph(np.full(n, size), weights=weights(False), tables=tables_, groups=groups_)
    run = started(graph, rng, maximise=maximise)
    assert len(run.passing.links[0].chunks) > 2
    if not maximise:
        check_measure(run)
    check_sweep(run)


def test_hard_and_soft_factors_of_one_block_sweep_alike() -> None:
    rng = np.random.default_rng(5)
    ends = connected(rng, 5, 4)
    truth = np.array([[True, False], [True, True]])
    block = ties(ends, truth, weight=np.arange(len(ends)) % 2)
    graph = build_graph([2] * 5, weights=[np.inf, 1.5], tables=[block])
    assert [len(one) for one in graph.tables] == [4, 4]
    run = started(graph, rng)
    check_sweep(run)


def test_impossible_states_stay_impossible() -> None:
    rng = np.random.default_rng(2)
    graph = pair_graph(rng, np.eye(3, dtype=bool))
    unary = rng.normal(0, 1, graph.n_states)
    unary[[0, 4, 5]] = -np.inf
    run = started(graph, rng, log_unary=unary)
    check_sweep(run, atol=1e-6)
    _, marginals, _ = run.passing.measure()
    assert (marginals[[0, 4, 5]] < 1e-12).all()
