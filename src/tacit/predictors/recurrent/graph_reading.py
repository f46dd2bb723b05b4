"""Sentence graphs by number, split into two graphs without cycles, and arranged by level.

Peng et al. (2017): the edges that lead from an earlier word to a later one make up the forward
graph, all others the backward graph; neither has a cycle. A token's level is the length of the
longest path that leads to it, so all tokens of one level can be computed at once, those of a whole
batch together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.predictors.protocol import Longs
from tacit.predictors.recurrent.ragged import Ragged, firsts
from tacit.predictors.recurrent.sentence_graphs import SentenceGraph
from tacit.predictors.recurrent.vocabulary import Vocabulary

RESERVED_WORDS = ("<nothing>", "<unknown>")
RESERVED_KINDS = ("<word order>", "<other>")
WORD_ORDER = 0  # the number of this kind of edge


@dataclass(frozen=True, slots=True)
class Direction:
    """The forward graphs of inputs, or the backward ones."""

    edges: Ragged  # (edges, 3): from, to, kind
    level: Ragged  # (tokens)

    def take(self, rows: Longs) -> Direction:
        """Some of the graphs, in this order."""
        return Direction(self.edges.take(rows), self.level.take(rows))


@dataclass(frozen=True, slots=True)
class GraphReading:
    """Sentence graphs by number."""

    vocabulary: Vocabulary
    tokens: Ragged
    forward: Direction
    backward: Direction
    entities: Ragged  # (mentions' tokens, 2): entity, token

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def lengths(self) -> Longs:
        """(inputs) how many tokens each has."""
        return self.tokens.lengths

    def take(self, rows: Longs) -> GraphReading:
        """Some of the inputs, in this order."""
        rows = np.asarray(rows, np.int64)
        return GraphReading(
            self.vocabulary,
            self.tokens.take(rows),
            self.forward.take(rows),
            self.backward.take(rows),
            self.entities.take(rows),
        )


@dataclass(frozen=True, slots=True)
class Dag:
    """The graphs of a batch as one, with its nodes (tokens) and edges sorted by level.

    Nodes of level v are `node_first[v]:node_first[v + 1]`; the edges that lead to them are
    `edge_first[v]:edge_first[v + 1]`, sorted by kind. Sums over the edges of a node are taken from
    lists of edges, never by adding in place, so that they come out the same each time.
    """

    token: Longs  # (nodes) which token of the batch each is
    node_of: Longs  # (tokens) the other way round
    node_first: list[int]  # (levels + 1)
    edge_first: list[int]  # (levels + 1)
    source: Longs  # (edges) node
    target: Longs  # (edges) node, counted from the level's first
    kind: Longs  # (edges)
    into: Longs  # (edges) those to the first node, to the second...; from the level's first edge
    into_first: Longs  # (nodes) where the list of each begins; from the level's first edge
    out_of: Longs  # (edges) those from the first node, from the second...
    out_first: Longs  # (nodes) where the list of each begins; from the level's first
    out_bound: list[int]  # (levels + 1) where the lists of each level begin

    def arrays(self) -> tuple[Longs, ...]:
        """From `source` to `out_first`, in this order."""
        lists = (self.into, self.into_first, self.out_of, self.out_first)
        return (self.source, self.target, self.kind, *lists)


def read_graphs(
    graphs: Sequence[SentenceGraph], vocabulary: Vocabulary, kinds: Vocabulary
) -> GraphReading:
    """Graphs by number."""
    tokens = [vocabulary.numbers(word.lower() for word in graph.tokens) for graph in graphs]
    entities = [
        np.array([(e, t) for e, entity in enumerate(graph.entities) for t in entity], np.int64)
        for graph in graphs
    ]
    edges = [_edges(graph, kinds) for graph in graphs]
    words = Ragged.of(tokens, np.zeros(0, np.int64))
    return GraphReading(
        vocabulary,
        words,
        _direction([each[each[:, 0] < each[:, 1]] for each in edges], words, backward=False),
        _direction([each[each[:, 0] > each[:, 1]] for each in edges], words, backward=True),
        Ragged.of(entities, np.zeros((0, 2), np.int64)),
    )


def _edges(graph: SentenceGraph, kinds: Vocabulary) -> Longs:
    """(edges, 3): from, to, kind; those of the word order in both directions."""
    ends = np.array([edge[:2] for edge in graph.edges], np.int64).reshape(-1, 2)
    kind = kinds.numbers(edge[2] for edge in graph.edges)
    listed = np.column_stack([ends, kind])
    if not graph.word_order:
        return listed
    before = np.arange(len(graph.tokens) - 1)
    order = np.full_like(before, WORD_ORDER)
    onward = np.column_stack([before, before + 1, order])
    return np.concatenate([onward, onward[:, [1, 0, 2]], listed])


def _direction(rows: list[Longs], tokens: Ragged, *, backward: bool) -> Direction:
    edges = Ragged.of(rows, np.zeros((0, 3), np.int64))
    level = levels(edges, tokens, backward=backward)
    return Direction(edges, Ragged(tokens.first, level))


def levels(edges: Ragged, tokens: Ragged, *, backward: bool) -> Longs:
    """(tokens) the length of the longest path to each.

    All graphs go together, one place of a target after another: every source is done before.
    """
    level = np.zeros(int(tokens.first[-1]), np.int64)
    source, target = (tokens.first[edges.row] + edges.value[:, end] for end in (0, 1))
    place = -edges.value[:, 1] if backward else edges.value[:, 1]
    order = np.argsort(place, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
        np.maximum.at(level, target[part], level[source[part]] + 1)
    return level


def both_ways(read: GraphReading, n_kinds: int) -> Direction:
    """The forward graphs, then the backward ones, whose kinds of edge are counted from `n_kinds`.

    They have nothing in common, so they can be walked at once, in half as many levels.
    """
    backward = read.backward.edges
    kinds = Ragged(backward.first, backward.value + np.array([0, 0, n_kinds]))
    return Direction(
        read.forward.edges.followed_by(kinds),
        read.forward.level.followed_by(read.backward.level),
    )


def arranged(direction: Direction) -> Dag:
    """The graphs of a batch as one, sorted by level."""
    first, level, n_nodes = direction.level.first, direction.level.value, len(direction.level.value)
    token = np.argsort(level, kind="stable")
    node_of = np.empty_like(token)
    node_of[token] = np.arange(n_nodes)
    node_first = firsts(np.bincount(level))
    edges, row = direction.edges.value, direction.edges.row
    source, target = (node_of[first[row] + edges[:, end]] for end in (0, 1))
    level = level[token]
    order = np.lexsort((target, edges[:, 2], level[target]))
    source, target, kind = source[order], target[order], edges[order, 2]
    edge_first = firsts(np.bincount(level[target], minlength=len(node_first) - 1))
    into, out_of = np.argsort(target, kind="stable"), np.argsort(source, kind="stable")
    into_first = firsts(np.bincount(target, minlength=n_nodes))[:-1]
    out_first = firsts(np.bincount(source, minlength=n_nodes))
    out_bound = out_first[node_first]
    return Dag(
        token=token,
        node_of=node_of,
        node_first=node_first.tolist(),
        edge_first=edge_first.tolist(),
        source=source,
        target=target - node_first[level[target]],
        kind=kind,
        into=into - edge_first[level[target]],
        into_first=into_first - edge_first[level],
        out_of=out_of,
        out_first=out_first[:-1] - out_bound[level],
        out_bound=out_bound.tolist(),
    )


def entity_slots(reading: GraphReading, n_entities: int) -> tuple[Longs, Any]:
    """The tokens of each entity of a batch, and how much each counts in their mean.

    Both are (inputs, entities, most tokens of one); an empty slot counts 0.
    """
    entities = reading.entities
    token = reading.tokens.first[entities.row] + entities.value[:, 1]
    owner = entities.row * n_entities + entities.value[:, 0]
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(reading) * n_entities)
    slots = Ragged(firsts(counts), token[order]).padded()
    filled = np.arange(slots.shape[1]) < counts[:, None]
    share = np.where(filled, 1 / np.maximum(counts, 1)[:, None], 0.0)
    shape = (len(reading), n_entities, slots.shape[1])
    return slots.reshape(shape), share.reshape(shape)
