"""Words with typed edges between them, and the entities among them: what a graph LSTM reads.

An input is a `SentenceGraph`, or its `to_dict()`, or that dict as JSON in a `str`, so that a column
of a table can hold it:

    {"tokens": ["gefitinib", "inhibits", "egfr"], "entities": [[0], [2]],
     "edges": [[1, 0, "nsubj"], [1, 2, "dobj"]], "word_order": true}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tacit.errors import BadInput, did_you_mean, listed

Edge = tuple[int, int, str]  # from, to, kind

KEYS = ("tokens", "entities", "edges", "word_order")
NEXT_SENTENCE, PREVIOUS_SENTENCE = "next sentence", "previous sentence"
COREFERENT = "coreferent"


@dataclass(frozen=True, slots=True)
class SentenceGraph:
    """One or more sentences as a graph. Tokens are counted from 0.

    Each edge says that the state of one token is read at another. Neighbouring tokens are joined in
    both directions without being listed, unless `word_order` is False.
    """

    tokens: tuple[str, ...]
    entities: tuple[tuple[int, ...], ...]  # the tokens of all mentions of each entity
    edges: tuple[Edge, ...] = ()
    word_order: bool = True

    def __post_init__(self) -> None:
        n_tokens = len(self.tokens)
        if not self.entities or not all(self.entities):
            raise BadInput("a sentence graph needs entities, each with one token or more")
        for source, target, _ in self.edges:
            if source == target:
                raise BadInput(f"an edge leads from token {source} to itself")
        ends = {at for edge in self.edges for at in edge[:2]}
        for at in ends.union(*self.entities):
            if not 0 <= at < n_tokens:
                raise BadInput(
                    f"token {at} is named; there are {n_tokens} tokens, counted from 0",
                )

    @staticmethod
    def of_words(
        tokens: Sequence[str],
        entities: Iterable[Iterable[int]],
        *,
        dependencies: Iterable[Edge] = (),
        roots: Sequence[int] = (),
        coreferent: Iterable[tuple[int, int]] = (),
    ) -> SentenceGraph:
        """The document graph of Peng et al. (2017).

        Dependencies are (head, dependent, kind). Roots are the main words of the sentences in their
        order: those of neighbouring sentences are joined. Coreferent tokens are joined both ways.
        """
        edges = [(int(head), int(dependent), str(kind)) for head, dependent, kind in dependencies]
        for before, after in pairwise(roots):
            edges += [(before, after, NEXT_SENTENCE), (after, before, PREVIOUS_SENTENCE)]
        for one, other in coreferent:
            edges += [(one, other, COREFERENT), (other, one, COREFERENT)]
        return SentenceGraph.from_dict({"tokens": tokens, "entities": entities, "edges": edges})

    @staticmethod
    def from_dict(value: Mapping[str, Any]) -> SentenceGraph:
        """What `to_dict` has made; `edges` and `word_order` may be left out."""
        for key in value:
            if key not in KEYS:
                raise BadInput(f"a sentence graph has no {key!r}", remedy=did_you_mean(key, KEYS))
        missing = [key for key in KEYS[:2] if key not in value]
        if missing:
            raise BadInput(f"a sentence graph has no {listed(missing)}", remedy=f"it has {KEYS}")
        try:
            return SentenceGraph(
                tuple(_text(token) for token in value["tokens"]),
                tuple(tuple(_whole(at) for at in entity) for entity in value["entities"]),
                tuple((_whole(s), _whole(t), _text(kind)) for s, t, kind in value.get("edges", ())),
                bool(value.get("word_order", True)),
            )
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"a sentence graph cannot be read: {error}",
                remedy='"entities": lists of token numbers; "edges": [from, to, kind]',
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """The graph as JSON knows it."""
        return {
            "tokens": list(self.tokens),
            "entities": [list(entity) for entity in self.entities],
            "edges": [list(edge) for edge in self.edges],
            "word_order": self.word_order,
        }

    def to_json(self) -> str:
        """One line of JSON that is accepted as an input."""
        return json.dumps(self.to_dict())


def sentence_graphs(inputs: Iterable[Any]) -> list[SentenceGraph]:
    """Each input as a graph."""
    graphs = []
    for row, given in enumerate(inputs):
        try:
            graphs.append(sentence_graph(given))
        except BadInput as error:
            raise BadInput(f"input {row}: {error.message}", remedy=error.remedy) from error
    return graphs


def sentence_graph(given: Any) -> SentenceGraph:
    """One graph, from any of its forms."""
    if isinstance(given, SentenceGraph):
        return given
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise BadInput(f"a text is not the JSON of a sentence graph: {error}") from error
    if isinstance(given, Mapping):
        return SentenceGraph.from_dict(given)
    raise BadInput(
        f"a {type(given).__name__} is no sentence graph",
        remedy="a SentenceGraph, its to_dict(), or its to_json()",
    )


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{value!r} is no whole number")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
