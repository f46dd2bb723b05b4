"""The graph LSTM: against plain loops, against finite differences, and as a predictor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import BadFile, BadInput
from tacit.predictors.graph_lstm import DagLayer, GraphLSTM
from tacit.predictors.protocol import Embedding, Predictor, Prepared
from tacit.predictors.recurrent.dag_lstm import Schedule, dag_lstm
from tacit.predictors.recurrent.graph_reading import arranged
from tacit.predictors.recurrent.sentence_graphs import SentenceGraph, sentence_graph
from tests.oracles import graph_lstm as oracle

torch.set_num_threads(1)

KINDS = ("nsubj", "dobj", "prep_of")
CPU = torch.device("cpu")
WORDS = ("egfr", "binds", "gefitinib", "not", "the", "t790m")
SMALL: dict[str, Any] = {"dim": 8, "hidden": 6, "min_count": 1, "min_edges": 1, "device": "cpu"}


@st.composite
def graphs(draw: st.DrawFn, n_entities: int = 2) -> SentenceGraph:
    n_tokens = draw(st.integers(2, 7))
    token = st.integers(0, n_tokens - 1)
    edge = st.tuples(token, token, st.sampled_from(KINDS)).filter(lambda edge: edge[0] != edge[1])
    return SentenceGraph(
        tuple(draw(st.lists(st.sampled_from(WORDS), min_size=n_tokens, max_size=n_tokens))),
        tuple(
            tuple(draw(st.lists(token, min_size=1, max_size=3, unique=True)))
            for _ in range(n_entities)
        ),
        tuple(draw(st.lists(edge, max_size=8))),
        draw(st.booleans()),
    )


def some_graphs(n: int, seed: int = 0, n_entities: int = 2) -> list[SentenceGraph]:
    """Random graphs. The label of each is whether its first entity is "egfr"."""
    rng = np.random.default_rng(seed)
    made = []
    for row in range(n):
        length = int(rng.integers(4, 9))
        tokens = [str(word) for word in rng.choice(WORDS[1:], length)]
        tokens[1] = WORDS[row % 2]
        ends = [rng.choice(length, 2, replace=False) for _ in range(length)]
        edges = [(int(s), int(t), str(rng.choice(KINDS))) for s, t in ends]
        entities = [[1], *([int(rng.integers(length))] for _ in range(n_entities - 1))]
        made.append(SentenceGraph.of_words(tokens, entities, dependencies=edges))
    return made


def labels(n: int) -> Any:
    return np.eye(2)[np.arange(n) % 2]


def trained(**settings: Any) -> GraphLSTM:
    model = GraphLSTM(**SMALL | {"epochs": 1, "min_steps": 3} | settings)
    return model.fit_soft(some_graphs(12), labels(12))


def parameters(layer: DagLayer) -> tuple[Any, Any, Any]:
    """W, b and the matrix of each kind, by which the oracle computes."""
    weight = layer.weight.detach().numpy()
    if layer.mix is not None:
        mix = layer.mix.detach().numpy()
        weight = np.array([sum(m * u for m, u in zip(row, weight, strict=True)) for row in mix])
    return layer.words.weight.detach().numpy(), layer.words.bias.detach().numpy(), weight


@pytest.mark.parametrize("edges", ["full", "embedding"])
@given(batch=st.lists(graphs(), min_size=1, max_size=4))
@settings(max_examples=40)
def test_a_batch_equals_loops_over_tokens(edges: str, batch: list[SentenceGraph]) -> None:
    model = trained(edges=edges)
    network = model.network_
    assert network is not None
    network.double()
    with torch.no_grad():
        fast = network.pooled(model.prepare(batch)).numpy()
    assert model.vocabulary_ is not None
    layers = parameters(network.forward_lstm), parameters(network.backward_lstm)
    for row, graph in zip(fast, batch, strict=True):
        words = network.word_vectors.weight.detach().numpy()[
            model.vocabulary_.numbers(graph.tokens)
        ]
        numbers = model.kinds_.numbers(kind for _, _, kind in graph.edges)
        listed = [(s, t, int(k)) for (s, t, _), k in zip(graph.edges, numbers, strict=True)]
        if graph.word_order:
            steps = range(len(graph.tokens) - 1)
            listed += [(at, at + 1, 0) for at in steps] + [(at + 1, at, 0) for at in steps]
        slow = oracle.pooled(words, listed, graph.entities, *layers)
        np.testing.assert_allclose(row, slow, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mixed", [False, True])
def test_the_gradient_equals_finite_differences(seed: int, mixed: bool) -> None:
    model = GraphLSTM(**SMALL)
    read = model.prepare(some_graphs(3, seed))
    dag = arranged(read.backward if seed % 2 else read.forward)
    schedule, size = Schedule(dag, torch.device("cpu")), 2
    random = torch.Generator().manual_seed(seed)

    def numbers(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=random, dtype=torch.float64).requires_grad_()

    z, n_kinds = numbers(len(dag.token), 4 * size), len(model.kinds_)
    matrices = (numbers(n_kinds, 3), numbers(3, size, 4 * size))
    given = (z, *matrices) if mixed else (z, numbers(n_kinds, size, 4 * size))
    assert torch.autograd.gradcheck(lambda z, *own: dag_lstm(z, schedule, *own), given)


def long_chain(n_tokens: int) -> SentenceGraph:
    """Each token reads the two before it, so that cells can grow with every step."""
    edges = [(at, at + 2, "nsubj") for at in range(n_tokens - 2)]
    return SentenceGraph(("egfr",) * n_tokens, ((0,), (n_tokens - 1,)), tuple(edges))


def test_cells_of_long_texts_stay_finite() -> None:
    """Without a bound, cells of 400 tokens that forget nothing get beyond any number."""
    model = GraphLSTM(**SMALL)
    dag = arranged(model.prepare([long_chain(400)]).forward)
    z = torch.full((len(dag.token), 8), 9.0, requires_grad=True)
    weight = torch.zeros(len(model.kinds_), 2, 8, requires_grad=True)
    states = dag_lstm(z, Schedule(dag, torch.device("cpu")), weight)
    states.sum().backward()
    assert z.grad is not None
    assert weight.grad is not None
    assert torch.isfinite(states).all()
    assert torch.isfinite(z.grad).all()
    assert torch.isfinite(weight.grad).all()


def test_the_gradient_stops_where_cells_do() -> None:
    schedule = Schedule(arranged(GraphLSTM(**SMALL).prepare([long_chain(9)]).forward), CPU)
    z = torch.full((9, 4), 3.0, dtype=torch.float64)
    z[:, 3] = 40.0  # nothing is forgotten: the last cells have added up those before
    matrix = torch.zeros(4, 1, 4, dtype=torch.float64)
    z.requires_grad_(), matrix.requires_grad_()
    assert torch.autograd.gradcheck(lambda z, own: dag_lstm(z, schedule, own), (z, matrix))


def test_a_graph_without_edges_has_a_gradient() -> None:
    graph = SentenceGraph(("a", "b"), ((0,), (1,)), (), False)
    model = GraphLSTM(**SMALL).fit_soft([graph, graph], labels(2))
    assert np.isfinite(model.log_probs([graph])).all()


def test_it_is_a_predictor_with_embeddings() -> None:
    model = trained()
    assert isinstance(model, Predictor)
    assert isinstance(model, Embedding)
    assert isinstance(model.prepare(some_graphs(2)), Prepared)
    assert model.embeddings(some_graphs(3)).shape == (3, 2 * 2 * 6)


@pytest.mark.parametrize("edges", ["full", "embedding"])
def test_rows_do_not_depend_on_their_batch(edges: str) -> None:
    model, inputs = trained(edges=edges), some_graphs(9, seed=3)
    together = model.log_probs(inputs)
    alone = np.concatenate([model.log_probs([graph]) for graph in inputs])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    order = np.random.default_rng(0).permutation(9)
    moved = model.log_probs(model.prepare(inputs).take(order))
    np.testing.assert_allclose(moved, together[order], atol=1e-6)
    np.testing.assert_allclose(np.exp(together).sum(axis=1), 1)
    assert model.log_probs([]).shape == (0, 2)


def test_unlisted_word_order_equals_listed_edges_of_another_kind() -> None:
    """Only the kind differs, and with kinds made alike nothing does."""
    plain = SentenceGraph(("the", "egfr", "binds"), ((1,), (2,)))
    edges = [(0, 1, "nsubj"), (1, 2, "nsubj"), (1, 0, "nsubj"), (2, 1, "nsubj")]
    told = SentenceGraph(plain.tokens, plain.entities, tuple(edges), False)
    model = trained()
    network = model.network_
    assert network is not None
    for layer in (network.forward_lstm, network.backward_lstm):
        assert layer.mix is not None
        torch.nn.init.ones_(layer.mix)
    np.testing.assert_allclose(model.log_probs([plain]), model.log_probs([told]), atol=1e-7)


@pytest.mark.parametrize("edges", ["full", "embedding"])
def test_it_learns_fifty_examples_by_heart(edges: str) -> None:
    inputs, truth = some_graphs(50, n_entities=3), np.random.default_rng(1).integers(0, 3, 50)
    model = GraphLSTM(**SMALL | {"hidden": 24, "dim": 16}, edges=edges, dropout=0.0, lr=0.01)
    model.fit_soft(inputs, np.eye(3)[truth])
    assert (model.log_probs(inputs).argmax(axis=1) == truth).mean() > 0.95


def test_the_same_seed_gives_the_same_bits_and_another_does_not() -> None:
    first, again, other = trained(), trained(), trained(random_state=1)
    inputs = some_graphs(5, seed=9)
    assert (first.log_probs(inputs) == again.log_probs(inputs)).all()
    assert (first.log_probs(inputs) != other.log_probs(inputs)).any()
    assert (
        first.fresh(0).fit_soft(some_graphs(12), labels(12)).log_probs(inputs)
        == first.log_probs(inputs)
    ).all()


@pytest.mark.parametrize("edges", ["full", "embedding"])
def test_what_is_saved_comes_back(tmp_path: Path, edges: str) -> None:
    model, inputs = trained(edges=edges), some_graphs(5, seed=9)
    model.save(tmp_path)
    loaded = GraphLSTM.load(tmp_path)
    assert (loaded.log_probs(inputs) == model.log_probs(inputs)).all()
    for each in (model, loaded):
        each.fit_soft(inputs, labels(5), warm_start=True)
    assert (loaded.log_probs(inputs) == model.log_probs(inputs)).all()
    with pytest.raises(BadFile, match="cannot be read"):
        GraphLSTM.load(tmp_path / "elsewhere")


@given(graph=graphs(n_entities=3))
def test_json_comes_back(graph: SentenceGraph) -> None:
    assert sentence_graph(graph.to_json()) == graph
    assert sentence_graph(graph.to_dict()) == graph


def test_all_forms_of_an_input_are_read_alike() -> None:
    model, graph = trained(), some_graphs(1)[0]
    same = model.log_probs([graph, graph.to_dict(), graph.to_json()])
    assert np.ptp(same, axis=0).max() < 1e-6


def test_the_graph_of_several_sentences() -> None:
    graph = SentenceGraph.of_words(
        ["It", "works", "they", "say"],
        [[0], [2]],
        dependencies=[(1, 0, "nsubj"), (3, 2, "nsubj")],
        roots=[1, 3],
        coreferent=[(0, 2)],
    )
    assert (1, 3, "next sentence") in graph.edges
    assert (3, 1, "previous sentence") in graph.edges
    assert {(0, 2, "coreferent"), (2, 0, "coreferent")} <= set(graph.edges)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tokens": ["a"], "entities": [[1]]}, "token 1 is named"),
        ({"tokens": ["a"], "entities": []}, "needs entities"),
        ({"tokens": ["a"], "entities": [[]]}, "needs entities"),
        ({"tokens": ["a"], "entities": [[0]], "edges": [[0, 0, "x"]]}, "to itself"),
        ({"tokens": ["a"], "entities": [[0]], "edges": [[0, 0]]}, "cannot be read"),
        ({"tokens": ["a"], "entities": [["0"]]}, "no whole number"),
        ({"tokens": ["a"], "entites": [[0]]}, "no 'entites'"),
        ({"tokens": ["a"]}, "no entities"),
        ("not json", "not the JSON"),
        (7, "no sentence graph"),
    ],
)
def test_mistakes_in_graphs_are_told(given: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        sentence_graph(given)


def test_mistakes_in_sets_of_graphs_are_told() -> None:
    model = trained()
    with pytest.raises(BadInput, match="input 1 has 3 entities"):
        model.log_probs([*some_graphs(1), *some_graphs(1, n_entities=3)])
    with pytest.raises(BadInput, match="input 0: "):
        model.log_probs(["{"])
    with pytest.raises(BadInput, match="edges='none'"):
        GraphLSTM(edges="none").prepare(some_graphs(2))
    with pytest.raises(BadInput, match="another vocabulary"):
        model.log_probs(GraphLSTM().prepare(some_graphs(2)))


def test_unknown_words_and_kinds_are_read() -> None:
    graph = SentenceGraph.of_words(["xyz", "egfr"], [[0], [1]], dependencies=[(0, 1, "new kind")])
    assert np.isfinite(trained().log_probs([graph])).all()
