"""A network that reads sentences along their grammar: the chapter's relation extractor.

The graph LSTM of Peng et al. (2017), for relations between n entities that may stand in different
sentences. One LSTM goes along the edges that lead to later words, another along those that lead to
earlier ones; see `recurrent.dag_lstm` for the equations. An entity is the mean of the states
of its tokens, both ways; labels are scored from all entities together.

The matrix of each kind of edge is, with edges="full", its own; with edges="embedding", a mixture of
a few that all kinds share: U_kind = sum over b of m_kind[b] U_b, where m_kind is learned.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tacit.errors import BadInput
from tacit.predictors.recurrent.dag_lstm import Schedule, dag_lstm
from tacit.predictors.recurrent.graph_reading import (
    RESERVED_KINDS,
    RESERVED_WORDS,
    GraphReading,
    arranged,
    both_ways,
    entity_slots,
    read_graphs,
)
from tacit.predictors.recurrent.neural_predictor import Network, NeuralPredictor
from tacit.predictors.recurrent.sentence_graphs import SentenceGraph, sentence_graphs
from tacit.predictors.recurrent.vocabulary import Vocabulary

EDGES = ("embedding", "full")


class GraphLSTM(NeuralPredictor[GraphReading, "GraphNetwork"]):
    """The graph LSTM of Peng et al. (2017).

    Inputs are sentence graphs, all with the same number of entities: see
    `tacit.predictors.recurrent.sentence_graphs`.
    """

    KIND: ClassVar[str] = "graph_lstm"
    READ: ClassVar[type] = GraphReading

    def __init__(
        self,
        *,
        dim: int | None = None,  # of word vectors; None: the file's, or 100
        vectors: str | Path | None = None,  # a file of word vectors to begin with
        hidden: int = 100,  # the state, in each direction; Peng's 150 takes twice the time
        edges: str = "embedding",  # "full" learns a matrix for each kind: parsers have hundreds
        edge_dim: int = 3,  # the numbers that tell one kind from another, with "embedding"
        min_count: int = 2,  # a word seen once teaches nothing about a word
        min_edges: int = 10,  # kinds of fewer edges count as one: a matrix takes that many to learn
        dropout: float = 0.3,  # distant supervision is noisy
        epochs: int = 5,
        min_steps: int = 300,
        max_epochs: int = 100,
        batch_size: int = 32,  # inputs are long; Peng's 8 leaves levels half empty
        lr: float = 1e-3,
        held_out: float = 0.0,  # with 0.1, training ends when a tenth of the inputs gains no more
        random_state: int = 0,
        device: str = "auto",
    ) -> None:
        super().__init__()
        self.dim, self.hidden, self.dropout = dim, hidden, dropout
        self.vectors = None if vectors is None else str(vectors)
        self.edges, self.edge_dim = edges, edge_dim
        self.min_count, self.min_edges = min_count, min_edges
        self.epochs, self.min_steps, self.max_epochs = epochs, min_steps, max_epochs
        self.batch_size, self.lr, self.held_out = batch_size, lr, held_out
        self.random_state, self.device = random_state, device
        self.kinds_ = Vocabulary(RESERVED_KINDS, ())
        self.n_entities_ = 0

    def _parsed(self, inputs: Iterable[Any]) -> list[SentenceGraph]:
        return sentence_graphs(inputs)

    def _look(self, records: list[SentenceGraph]) -> Vocabulary:
        self._check("edge_dim", "min_edges")
        if self.edges not in EDGES:
            raise BadInput(f"edges={self.edges!r} is not known", remedy=f"one of {EDGES}")
        if not records:
            raise BadInput("there are no inputs to take the number of entities from")
        self.n_entities_ = len(records[0].entities)
        kinds = (edge[2] for graph in records for edge in graph.edges)
        self.kinds_ = Vocabulary.of(kinds, RESERVED_KINDS, self.min_edges)
        words = (word.lower() for graph in records for word in graph.tokens)
        return Vocabulary.of(words, RESERVED_WORDS, self.min_count)

    def _encoded(self, records: list[SentenceGraph], vocabulary: Vocabulary) -> GraphReading:
        for row, graph in enumerate(records):
            if len(graph.entities) != self.n_entities_:
                raise BadInput(
                    f"input {row} has {len(graph.entities)} entities; "
                    f"the first one that was seen had {self.n_entities_}",
                    remedy="a relation has the same number of entities in all inputs",
                )
        return read_graphs(records, vocabulary, self.kinds_)

    def _network(self, n_words: int, dim: int, n_labels: int) -> GraphNetwork:
        bases = self.edge_dim if self.edges == "embedding" else None
        directions = [DagLayer(dim, self.hidden, len(self.kinds_), bases) for _ in range(2)]
        return GraphNetwork(n_words, dim, directions, self.n_entities_, n_labels, self.dropout)

    def _shape(self) -> dict[str, Any]:
        return {"kinds": self.kinds_.words, "n_entities": self.n_entities_}

    def _set_shape(self, shape: dict[str, Any]) -> None:
        self.kinds_ = Vocabulary(RESERVED_KINDS, tuple(shape["kinds"]))
        self.n_entities_ = shape["n_entities"]


class DagLayer(nn.Module):
    """The parameters of the LSTM of one direction."""

    def __init__(self, dim: int, hidden: int, n_kinds: int, bases: int | None) -> None:
        super().__init__()
        self.hidden, self.n_kinds = hidden, n_kinds
        self.words = nn.Linear(dim, 4 * hidden)
        self.weight = nn.Parameter(torch.empty(bases or n_kinds, hidden, 4 * hidden))
        nn.init.uniform_(self.weight, -(hidden**-0.5), hidden**-0.5)
        nn.init.ones_(self.words.bias.data[3 * hidden :])  # what was read is kept at first
        self.mix = None
        if bases is not None:  # each kind begins with about the same mixture of the bases
            self.mix = nn.Parameter(bases**-0.5 + 0.1 * torch.randn(n_kinds, bases))


class GraphNetwork(Network):
    """Word vectors, two LSTMs along edges, means over entities' tokens, and labels."""

    def __init__(
        self,
        n_words: int,
        dim: int,
        directions: list[DagLayer],
        n_entities: int,
        n_labels: int,
        dropout: float,
    ) -> None:
        hidden = directions[0].hidden
        super().__init__(n_words, dim, width=2 * hidden * n_entities, n_labels=n_labels)
        self.n_entities = n_entities
        self.forward_lstm, self.backward_lstm = directions
        self.between = nn.Linear(self.width, hidden)
        self.label = nn.Linear(hidden, n_labels)
        self.dropout = nn.Dropout(dropout)

    def pooled(self, read: GraphReading) -> Tensor:
        """(inputs, entities * 2 hidden): the means over the tokens of each entity."""
        numbers = torch.tensor(read.tokens.value, device=self.device)
        vectors = self.dropout(self.word_vectors(numbers))
        slots, share = entity_slots(read, self.n_entities)
        states = F.embedding(torch.tensor(slots, device=self.device), self.states(vectors, read))
        weight = torch.tensor(share, dtype=states.dtype, device=self.device)
        return torch.einsum("nes,nesh->neh", weight, states).flatten(1)

    def states(self, vectors: Tensor, read: GraphReading) -> Tensor:
        """(tokens, 2 hidden): both states of each token, from word vectors (tokens, dim)."""
        layers = (self.forward_lstm, self.backward_lstm)
        dag = arranged(both_ways(read, layers[0].n_kinds))
        token, node_of = (torch.tensor(own, device=self.device) for own in (dag.token, dag.node_of))
        z = torch.cat([layer.words(vectors) for layer in layers])[token]
        states = dag_lstm(z, Schedule(dag, self.device), *self.matrices())[node_of]
        return torch.cat(torch.chunk(states, 2), dim=1)

    def matrices(self) -> tuple[Tensor, ...]:
        """The matrix of each kind of edge, or what it is mixed from; see `recurrent.edge_matrices`.

        On a GPU a few large products beat many small ones.
        """
        layers = (self.forward_lstm, self.backward_lstm)
        weight = torch.cat([layer.weight for layer in layers])
        mix = [layer.mix for layer in layers if layer.mix is not None]
        if not mix:
            return (weight,)
        mixes: Tensor = torch.block_diag(*mix)  # type: ignore[no-untyped-call]
        if weight.is_cuda:
            return mixes, weight
        return (torch.einsum("kb,bij->kij", mixes, weight),)

    def scores(self, pooled: Tensor) -> Tensor:
        """(inputs, labels): by way of one hidden layer."""
        between = torch.tanh(self.between(self.dropout(pooled)))
        scores: Tensor = self.label(self.dropout(between))
        return scores
