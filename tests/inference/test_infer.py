"""`infer`: one door to every method, through real programs, and what it refuses."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data import sample
from tacit.errors import BadInput, BadWeight, Contradiction, TacitWarning
from tacit.graph import FactorGraph, build_graph, ground
from tacit.inference import (
    AutoConfig,
    BPConfig,
    ExactConfig,
    GibbsConfig,
    MeanFieldConfig,
    TRWConfig,
    infer,
    spot_check,
)
from tacit.inference.beliefs import Beliefs
from tacit.inference.bp import solve_bp
from tacit.inference.potentials import log_potentials
from tests.inference.blocks import assert_distributions, ties, unary
from tests.inference.cases import Shape, graphs, random_graph
from tests.oracles.inference import enumerate_all

SHORT = GibbsConfig(burn_in=20, draws=100, chains=2)
METHODS = ["auto", "exact", "bp", "trw", "mean_field", "gibbs"]


@cache
def grounded(name: str) -> FactorGraph:
    """The graph of a sample problem."""
    found = sample(name)
    return ground(tacit.Program.parse(found.rules), found.task)


@cache
def believed(name: str, method: str) -> Beliefs:
    """The beliefs of one method about a sample problem."""
    config = SHORT if method == "gibbs" else None
    with warnings.catch_warnings():
        if method == "gibbs":  # so few samples do not settle, and say so
            warnings.simplefilter("ignore", TacitWarning)
        return infer(grounded(name), method, config=config)  # type: ignore[arg-type]


# -- real programs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["oncology", "reviews"])
def test_every_method_answers_a_real_program(name: str, method: str) -> None:
    graph = grounded(name)
    found = believed(name, method)
    assert_distributions(graph, found.by_state)
    assert found.graph is graph
    assert found.diagnostics.method == method
    assert found.expected_counts.shape == (graph.n_weights,)
    assert np.isfinite(found.expected_counts).all()
    assert (found.expected_counts >= -1e-6).all()
    assert found.weights.shape == (graph.n_weights,)
    for span in graph.spans:
        rows = found.marginals(span.name)
        assert rows.shape == (span.n_variables, len(span.labels))
        assert found.labels(span.name) == span.labels
        np.testing.assert_allclose(rows.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    together = np.concatenate([found.marginals(span.name).reshape(-1) for span in graph.spans])
    np.testing.assert_array_equal(together, found.by_state)


@pytest.mark.parametrize("name", ["oncology", "reviews"])
def test_methods_agree_on_a_real_program(name: str) -> None:
    exact = believed(name, "exact")
    near = {"auto": 1e-4, "bp": 0.15, "trw": 0.15, "mean_field": 0.5, "gibbs": 0.5}
    for method, atol in near.items():
        found = believed(name, method)
        error = np.abs(found.by_state - exact.by_state)
        assert error.max() < atol, method
        assert error.mean() < atol / 10, method


@pytest.mark.parametrize("name", ["oncology", "reviews"])
def test_bounds_of_a_real_program(name: str) -> None:
    graph = grounded(name)
    plain = build_without_expectations(graph)
    exact = infer(plain, "exact").log_partition
    assert infer(plain, "trw").log_partition >= exact - 1e-6
    assert infer(plain, "mean_field").log_partition <= exact + 1e-6
    assert infer(plain, "bp").log_partition == pytest.approx(exact, abs=0.02 * abs(exact))


def build_without_expectations(graph: FactorGraph) -> FactorGraph:
    return replace(graph, expectations=build_graph([]).expectations)


def test_shares_asked_for_are_met() -> None:
    for method in ("auto", "exact", "bp", "trw", "mean_field"):
        treats = believed("oncology", method).marginals("treats")[:, 1].mean()
        assert 0.3 - 1e-3 <= treats <= 0.5 + 1e-3, method
        positive = believed("reviews", method).marginals("sentiment")[:, 1].mean()
        assert 0.45 - 1e-3 <= positive <= 0.55 + 1e-3, method


def test_the_only_label_function_needs_no_name() -> None:
    found = believed("reviews", "auto")
    np.testing.assert_array_equal(found.marginals(), found.marginals("sentiment"))
    assert found.labels() == ("neg", "pos")
    with pytest.raises(KeyError, match="treats, link"):
        believed("oncology", "auto").marginals()
    with pytest.raises(KeyError, match="sentiment"):
        found.marginals("sentimant")


def test_the_best_assignment_of_a_real_program() -> None:
    graph = build_without_expectations(grounded("oncology"))
    best = infer(graph, "exact", maximise=True)
    assert best.best is not None
    assert best.best.shape == (graph.n_variables,)
    for method in ("auto", "bp"):
        found = infer(graph, method, maximise=True)
        assert found.log_partition <= best.log_partition + 1e-6
        assert found.log_partition >= best.log_partition - 0.02 * abs(best.log_partition)


def test_a_predictor_s_log_probabilities() -> None:
    graph = grounded("oncology")
    rng = np.random.default_rng(0)
    by_name = {
        span.name: rng.normal(0, 1, (span.n_variables, len(span.labels))) for span in graph.spans
    }
    flat = np.concatenate([by_name[span.name].reshape(-1) for span in graph.spans])
    one = infer(graph, log_unary=by_name)
    other = infer(graph, log_unary=flat)
    np.testing.assert_array_equal(one.by_state, other.by_state)
    part = infer(graph, log_unary={"link": by_name["link"]})
    flat[: by_name["treats"].size] = 0.0
    np.testing.assert_array_equal(part.by_state, infer(graph, log_unary=flat).by_state)
    assert not np.array_equal(part.by_state, one.by_state)


@settings(max_examples=25)
@given(st.data())
def test_log_unary_is_added(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    graph = random_graph(np.random.default_rng(seed), Shape(most_variables=5))
    extra = np.random.default_rng(seed).normal(0, 2, graph.n_states)
    weights = graph.weights * 0.5
    truth = enumerate_all(graph, weights, extra)
    found = infer(graph, "exact", weights=weights, log_unary=extra)
    np.testing.assert_allclose(found.by_state, truth.marginals, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.expected_counts, truth.expected_counts, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found.weights, weights)


@settings(max_examples=20)
@given(st.data())
def test_hard_weights_have_no_expected_counts(data: st.DataObject) -> None:
    graph = data.draw(graphs(Shape(hard=True, most_variables=5)))
    if enumerate_all(graph).log_partition == -np.inf:
        return
    assert not infer(graph, "exact").expected_counts[np.isinf(graph.weights)].any()


# -- what is refused -------------------------------------------------------------------------------


def small() -> FactorGraph:
    own = unary(4, {(1, 1): 1.0}, 2)
    return build_graph([2, 2], weights=[0.5, 1.0], counts=own, tables=[ties([[0, 1]])])


def test_an_unknown_method() -> None:
    with pytest.raises(BadInput, match="mean-field") as error:
        infer(small(), "mean-field")  # type: ignore[arg-type]
    assert error.value.remedy == "did you mean 'mean_field'?"
    with pytest.raises(BadInput, match="zzz") as error:
        infer(small(), "zzz")  # type: ignore[arg-type]
    assert "auto, exact, bp" in (error.value.remedy or "")


@pytest.mark.parametrize(
    ("method", "config"),
    [
        ("exact", BPConfig()),
        ("bp", AutoConfig()),
        ("auto", ExactConfig()),
        ("trw", BPConfig()),
        ("gibbs", MeanFieldConfig()),
        ("mean_field", GibbsConfig()),
        ("bp", {"damping": 0.5}),
    ],
)
def test_the_settings_of_another_method(method: str, config: object) -> None:
    with pytest.raises(BadInput, match=f"method '{method}' takes a .*Config, not a"):
        infer(small(), method, config=config)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["trw", "mean_field", "gibbs"])
def test_a_best_assignment_from_who_finds_none(method: str) -> None:
    with pytest.raises(BadInput, match="finds no best assignment"):
        infer(small(), method, maximise=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["exact", "trw", "mean_field", "gibbs"])
def test_a_device_for_who_uses_none(method: str) -> None:
    with pytest.raises(BadInput, match="runs on the CPU"):
        infer(small(), method, device="cuda")  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_weights_that_are_none(method: str, wrong: float) -> None:
    with pytest.raises(BadWeight, match="the weight of number 1"):
        infer(small(), method, weights=np.array([0.5, wrong]))  # type: ignore[arg-type]


def test_a_weight_that_is_none_is_named() -> None:
    graph = grounded("oncology")
    weights = graph.weights.copy()
    weights[0] = np.nan
    with pytest.raises(BadWeight, match="in_kb"):
        infer(graph, weights=weights)


def test_weights_that_a_graph_was_built_with_are_checked_too() -> None:
    with pytest.raises(BadWeight):
        infer(build_graph([2, 2], weights=[np.nan], tables=[ties([[0, 1]])]), "bp")


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 1)])
def test_too_few_or_too_many_weights(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match="weights for a graph that has 2"):
        infer(small(), weights=np.zeros(shape))


def test_one_number_as_weights() -> None:
    with pytest.raises(BadInput, match="weights"):
        infer(small(), weights=np.float64(1.0))  # type: ignore[arg-type]


def test_a_weight_made_infinite_rules_out_what_it_excludes_or_is_refused() -> None:
    try:
        found = infer(small(), weights=np.array([0.5, np.inf]))
    except (BadInput, BadWeight):
        return
    assert found.by_state[1] > 0.99


@pytest.mark.parametrize(
    "log_unary", [np.zeros(3), np.zeros(5), {"y": np.zeros((2, 3))}, {"y": np.zeros(4)}]
)
def test_log_unary_of_another_shape(log_unary: object) -> None:
    with pytest.raises(BadInput, match="log_unary"):
        infer(small(), log_unary=log_unary)  # type: ignore[arg-type]


def test_log_unary_of_a_label_function_that_is_not_there() -> None:
    with pytest.raises((KeyError, BadInput), match="z"):
        infer(small(), log_unary={"z": np.zeros((2, 2))})


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_log_unary_that_is_no_number(wrong: float) -> None:
    with pytest.raises(BadInput, match="1 states have potentials that are no numbers"):
        infer(small(), log_unary=np.array([0.0, wrong, 0.0, 0.0]))


@pytest.mark.parametrize("method", METHODS)
def test_log_unary_that_leaves_no_label(method: str) -> None:
    with pytest.raises(Contradiction, match="no label is possible for y, instance 1"):
        infer(small(), method, log_unary=np.array([0.0, 0.0, -np.inf, -np.inf]))  # type: ignore[arg-type]


# -- going on --------------------------------------------------------------------------------------


def loopy(seed: int = 0) -> FactorGraph:
    rng = np.random.default_rng(seed)
    ends = [[i, j] for i in range(12) for j in range(i) if rng.random() < 0.5]
    own = unary(24, {(2 * v + 1, 1 + v): 1.0 for v in range(12)}, 13)
    weights = np.concatenate([[0.1], rng.normal(0, 1, 12)])
    return build_graph([2] * 12, weights=weights, counts=own, tables=[ties(ends)])


def test_going_on_from_an_earlier_answer() -> None:
    graph = loopy()
    first = infer(graph, "bp")
    assert infer(graph, "bp", start=first).sweeps < first.sweeps


def test_beliefs_of_another_graph_are_no_start() -> None:
    one, twin = loopy(), loopy()
    strange = infer(loopy(1), "bp")
    plain = infer(one, "bp")
    for start in (strange, infer(twin, "bp")):
        found = infer(one, "bp", start=start)
        np.testing.assert_array_equal(found.by_state, plain.by_state)
        assert found.sweeps == plain.sweeps


def test_marginals_are_a_start_for_messages_or_none() -> None:
    graph = loopy()
    start = infer(graph, "mean_field")
    found = infer(graph, "bp", start=start)
    np.testing.assert_allclose(found.by_state, infer(graph, "bp").by_state, rtol=0, atol=1e-4)


def test_messages_are_a_start_for_marginals_or_are_refused() -> None:
    graph = loopy()
    try:
        found = infer(graph, "mean_field", start=infer(graph, "bp"))
    except BadInput:
        return
    assert_distributions(graph, found.by_state)


@pytest.mark.parametrize("method", ["exact", "trw", "gibbs"])
def test_methods_that_cannot_go_on_begin_anew(method: str) -> None:
    graph = loopy()
    start = infer(graph, "bp")
    config = SHORT if method == "gibbs" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        found, anew = (
            infer(graph, method, start=one, config=config)  # type: ignore[arg-type]
            for one in (start, None)
        )
    np.testing.assert_array_equal(found.by_state, anew.by_state)


def test_beliefs_from_messages_with_other_kernels() -> None:
    graph = loopy()
    first = infer(graph, "bp")
    strong = graph.weights * 2_000  # beyond the fast kernels, which have other messages
    with nullcontext() if settles(graph, strong) else pytest.warns(TacitWarning):
        found = infer(graph, "bp", weights=strong, start=first)
    assert_distributions(graph, found.by_state)
    back = infer(graph, "bp", start=found)
    np.testing.assert_allclose(back.by_state, first.by_state, rtol=0, atol=1e-4)


def settles(graph: FactorGraph, weights: np.ndarray) -> bool:
    start = infer(graph, "bp").messages
    return solve_bp(graph, log_potentials(graph, weights), start=start).converged


# -- a spot check ----------------------------------------------------------------------------------


def test_a_spot_check_measures_the_error_of_messages() -> None:
    graph = loopy()
    found = infer(graph, "bp")
    exact = infer(graph, "exact")
    checked = spot_check(found)
    error = np.abs(found.by_state - exact.by_state)
    assert checked.n_components == 1
    assert checked.n_variables == 12
    assert checked.largest_error == pytest.approx(error.max())
    assert checked.mean_error == pytest.approx(error.mean())
    assert spot_check(exact).largest_error < 1e-12


def test_a_spot_check_where_there_is_nothing_to_check() -> None:
    for graph in (small(), build_graph([2, 2]), build_graph([])):
        checked = spot_check(infer(graph, "bp"))
        assert (checked.n_components, checked.largest_error) == (0, 0.0)


def test_a_spot_check_beside_variables_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build_graph([2, 2, 2, 5_000], weights=[1.0], tables=[ties([[0, 1], [1, 2], [2, 0]])])
    found = infer(graph, "bp")
    assert spot_check(found).n_variables == 3
    few = ExactConfig(max_total_states=100)  # as if they were too many in all
    monkeypatch.setattr("tacit.inference.checking.MODEST", few)
    assert spot_check(found).n_components == 0


def test_a_spot_check_sees_what_was_added() -> None:
    graph = loopy()
    extra = np.random.default_rng(1).normal(0, 1, graph.n_states)
    assert spot_check(infer(graph, "bp", log_unary=extra), log_unary=extra).largest_error < 0.05
    assert spot_check(infer(graph, "bp", log_unary=extra)).largest_error > 0.05


# -- what is told ----------------------------------------------------------------------------------


def test_the_advice_of_one_who_did_not_settle() -> None:
    ends = [[i, j] for i in range(10) for j in range(i)]
    graph = build_graph([2] * 10, weights=[-6.0], tables=[ties(ends)])
    extra = np.random.default_rng(0).normal(0, 1, 20)
    for method, config in (("bp", BPConfig(max_sweeps=3)), ("trw", TRWConfig(max_sweeps=3))):
        with pytest.warns(TacitWarning, match=f"{method} did not settle in 3 sweeps"):
            found = infer(graph, method, log_unary=extra, config=config)  # type: ignore[arg-type]
        assert (found.converged, found.sweeps) == (False, 3)
        assert found.diagnostics.advice() is not None
    assert infer(small()).diagnostics.advice() is None


def test_nobody_is_told_to_try_what_was_tried() -> None:
    ends = [[i, j] for i in range(10) for j in range(i)]
    graph = build_graph([2] * 10, weights=[-6.0], tables=[ties(ends)])
    extra = np.random.default_rng(0).normal(0, 1, 20)
    with pytest.warns(TacitWarning) as told:
        infer(graph, "trw", log_unary=extra, config=TRWConfig(max_sweeps=3))
    assert "method='trw'" not in str(told[0].message)


@pytest.mark.parametrize(
    "config", [BPConfig(max_sweeps=3), AutoConfig(), TRWConfig(), ExactConfig()]
)
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_a_configuration_says_which_method_is_meant(config: BPConfig) -> None:
    graph = random_graph(np.random.default_rng(5), Shape())
    name = {"BPConfig": "bp", "AutoConfig": "auto", "TRWConfig": "trw", "ExactConfig": "exact"}
    method = name[type(config).__name__]
    found, expected = infer(graph, config), infer(graph, method, config=config)  # type: ignore[arg-type]
    assert found.diagnostics.method == method
    assert found.diagnostics.sweeps == expected.diagnostics.sweeps
    assert np.array_equal(found.by_state, expected.by_state)
    with pytest.raises(BadInput, match="configuration already"):
        infer(graph, config, config=config)
