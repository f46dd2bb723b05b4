"""Candidates for a relation: up to three sentences, and a drug, a gene and a variant among them.

All that the relation extractor needs of a text is here, whichever corpus it comes from: words, tags
and dependencies; the three mentions; and what they are called in ontologies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

KINDS = ("drug", "gene", "variant")
HYPHENS = re.compile(r"([-/–—+])")  # what joins names to other words
MUTATION = re.compile(r"(?:p\.)?[acdefghiklmnpqrstvwy]\d{2,4}(?:[acdefghiklmnpqrstvwyx*]|fs|del)?")

Span = tuple[int, int]  # tokens: the first, and the one behind the last
Edge = tuple[int, int, str]  # head, dependent, kind
Triple = tuple[str, str, str]  # drug, gene, variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Three mentions in a text that may be related. Tokens are counted from 0."""

    id: str
    words: tuple[str, ...]  # as written, or as near to that as the corpus allows
    lemmas: tuple[str, ...]  # in lower case: what a network reads
    tags: tuple[str, ...]  # Penn Treebank
    dependencies: tuple[Edge, ...] = ()
    roots: tuple[int, ...] = ()  # the main word of each sentence
    sentences: tuple[int, ...] = (0,)  # the first token of each
    spans: tuple[Span, Span, Span]  # of drug, gene and variant
    texts: Triple  # the mentions as written
    names: Triple  # in ontologies; "" where a mention could not be resolved
    exact: bool | None = None  # whether each mention is a name to the letter; None: not known
    cased: bool = True  # whether `words` tell upper from lower case


@dataclass(frozen=True, slots=True)
class NameBook:
    """Names of drugs and genes, lower-case and without spaces, to hide them from a network."""

    drugs: frozenset[str]
    genes: frozenset[str]

    @staticmethod
    def of(drugs: Iterable[str], genes: Iterable[str]) -> NameBook:
        """A book of all names that are one word."""
        return NameBook(*(frozenset(_one_word(names)) for names in (drugs, genes)))

    def kind(self, word: str) -> str | None:
        """What kind of name a lower-case word is."""
        if word in self.drugs:
            return "drug"
        if word in self.genes:
            return "gene"
        return "variant" if MUTATION.fullmatch(word) else None


def reading(candidate: Candidate, *, blind: NameBook | None, grammar: bool = True) -> str:
    """What the network reads of a candidate: the JSON of a `SentenceGraph`.

    With `blind`, names are hidden: those of the candidate are <drug>, <gene> and <variant>, others
    are <other drug> and so on. Labels that come from a knowledge base are a function of the names,
    and a network that sees these learns the knowledge base by heart. Without `grammar`, words are
    joined to their neighbours only.
    """
    edges = [list(edge) for edge in candidate.dependencies] if grammar else []
    for before, after in pairwise(candidate.roots if grammar else ()):
        edges += [[before, after, "next sentence"], [after, before, "previous sentence"]]
    graph = {
        "tokens": list(candidate.lemmas) if blind is None else blinded(candidate, blind),
        "entities": [list(range(*span)) for span in candidate.spans],
        "edges": edges,
    }
    return json.dumps(graph)


def blinded(candidate: Candidate, book: NameBook) -> list[str]:
    """The lemmas with all names hidden; what is joined to a name by a hyphen stays."""
    own: dict[str, str] = {}
    for kind, text, name in zip(KINDS, candidate.texts, candidate.names, strict=True):
        own |= {called.lower(): f"<{kind}>" for called in (text, name) if len(called) > 1}
    hidden = [_hidden(word, own, book) for word in candidate.lemmas]
    for at in {at for span in candidate.spans for at in range(*span)}:
        marks = [f"<{k}>" for k, s in zip(KINDS, candidate.spans, strict=True) if at in range(*s)]
        if not all(mark in hidden[at] for mark in marks):
            hidden[at] = "-".join(marks)
    return hidden


def _hidden(word: str, own: dict[str, str], book: NameBook) -> str:
    if word in own:
        return own[word]
    return "".join(_hidden_part(part, own, book) for part in HYPHENS.split(word))


def _hidden_part(part: str, own: dict[str, str], book: NameBook) -> str:
    if part in own:
        return own[part]
    kind = book.kind(part)
    return part if kind is None else f"<other {kind}>"


def candidate_tables(candidates: Sequence[Candidate], readings: Sequence[str]) -> dict[str, object]:
    """The tables `candidate` and `args` of a task; the predictor reads `candidate.graph`."""
    columns: dict[str, object] = {
        "candidate": [own.id for own in candidates],
        "graph": list(readings),
        "words": [list(own.words) for own in candidates],
        "tags": [list(own.tags) for own in candidates],
        "sentences": [list(own.sentences) for own in candidates],
        "cased": [own.cased for own in candidates],
        "exact": pa.array([own.exact for own in candidates], pa.bool_()),
    }
    for at, kind in enumerate(KINDS):
        columns[kind] = [list(own.spans[at]) for own in candidates]
    args: dict[str, object] = {"candidate": columns["candidate"]}
    args |= {kind: [own.names[at] for own in candidates] for at, kind in enumerate(KINDS)}
    return {"candidate": pa.table(columns), "args": pa.table(args)}


def triple_table(triples: Iterable[Triple]) -> pa.Table:
    """Triples as a table with a column for each kind."""
    rows = list(triples)
    return pa.table({kind: [row[at] for row in rows] for at, kind in enumerate(KINDS)})


def _one_word(names: Iterable[str]) -> Iterable[str]:
    return (name.lower() for name in names if len(name) > 2 and not re.search(r"\s", name))
