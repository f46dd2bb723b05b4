"""What joint extraction learns from and is tested on: every match of a name may be a gene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tacit
from benchmarks.bio_linking_data import Data
from benchmarks.bio_relations_data import Source, corpora
from examples.bio.candidates import Candidate as Match
from examples.bio.candidates import matches
from examples.bio.gene_normalisation import genes_of
from examples.bio.joint_candidates import (
    Passage,
    Unfiltered,
    civicmine_passages,
    peng_passages,
    unfiltered,
)
from examples.bio.linking import Knowledge, linking_task
from examples.bio.ontologies import drug_names
from examples.bio.reading import Document
from examples.bio.triples import NameBook, Span, Triple

Truths = NDArray[np.bool_]
Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class JointSource:
    """Where processes find the data, and how much of them is learned from."""

    relations: Source
    vectors: Path | None  # a file of word vectors for the linker to begin with
    n_candidates: int = 8_000  # of Peng's text, which has 30,000; whole texts
    n_pool: int = 20_000  # mentions of the pool, half of them matches: as in the linking table
    n_sentences: int | None = None  # of CIViCmine; None: all


@dataclass(frozen=True, slots=True)
class Side:
    """Texts with their candidates and mentions."""

    passages: list[Passage]
    some: list[Unfiltered]
    mentions: tacit.Task
    gene_row: Longs  # (candidates) the row in `mentions` of each candidate's gene


@dataclass(frozen=True)
class JointData:
    """Everything, read once in each process."""

    source: JointSource
    linking: Data
    triples: list[Triple]
    book: NameBook
    train: Side
    gold: Side

    @cached_property
    def pool(self) -> tacit.Task:
        """Mentions of documents that no test split has."""
        return self.linking.training(self.source.n_pool, seed=0)

    @cached_property
    def true_triples(self) -> list[tuple[int, Span, Span, Span]]:
        """What people have marked: passage, drug, gene, variant."""
        return [
            (at, drug, gene, variant)
            for at, passage in enumerate(self.gold.passages)
            if passage.gold is not None
            for drug, variant in passage.places
            for kind, gene in sorted(passage.gold.entities)
            if kind == "gene" and passage.gold.is_true(drug, gene, variant)
        ]

    @cached_property
    def covers(self) -> list[frozenset[int]]:
        """The true triples that each candidate is, by its drug, variant and a match in the gene."""
        by_pair: dict[tuple[int, Span, Span], list[tuple[int, Span]]] = {}
        for number, (at, drug, gene, variant) in enumerate(self.true_triples):
            by_pair.setdefault((at, drug, variant), []).append((number, gene))
        found = []
        for one in self.gold.some:
            drug, variant = self.gold.passages[one.passage].places[one.pair]
            true = by_pair.get((one.passage, drug, variant), [])
            found.append(frozenset(number for number, gene in true if overlap(gene, one.place)))
        return found

    @cached_property
    def gene_is_marked(self) -> Truths:
        """Whether each candidate's gene touches what people have marked as a gene."""
        found = []
        for one in self.gold.some:
            gold = self.gold.passages[one.passage].gold
            marked = gold.entities if gold is not None else ()
            found.append(any(k == "gene" and overlap(own, one.place) for k, own in marked))
        return np.array(found)


@lru_cache(1)
def joint_data(source: JointSource) -> JointData:
    """All of it; what is learned from is a sample of whole texts."""
    linking, bio = Data(source.relations.bio, reads="window"), source.relations.bio
    read = corpora(source.relations)
    texts = _drawn(peng_passages(read.train), linking.known, source.n_candidates)
    drugs = chain.from_iterable(drug_names(bio, cancer_only=False).values())
    exact = frozenset(chain(drugs, *linking.names.values()))
    sentences = civicmine_passages(bio, read.gold)[: source.n_sentences]
    train = _side(texts, linking, exact=None, every_mention=False)
    gold = _side(sentences, linking, exact=exact, every_mention=True)
    return JointData(source, linking, read.triples, read.book, train, gold)


def overlap(one: Span, other: Span) -> bool:
    """Whether two stretches share a character."""
    return one[0] < other[1] and other[0] < one[1]


def _side(
    passages: list[Passage], linking: Data, *, exact: frozenset[str] | None, every_mention: bool
) -> Side:
    documents = [passage.document for passage in passages]
    found = matches(documents, linking.known.lexicon)

    @lru_cache(None)
    def name_of(document: Document, each: Match) -> str:
        (gene,) = genes_of(document.text, [each], linking.names, linking.popularity)
        return gene

    some = unfiltered(passages, found, name_of, exact=exact, every_mention=every_mention)
    mentions = linking_task(documents, found, linking.known, cased=exact is not None)
    ids = mentions.table("mention").arrow.column(0).to_pylist()
    row_of = {one: at for at, one in enumerate(ids)}
    rows = np.array([row_of[one.mention] for one in some], np.int64)
    return Side(passages, some, mentions, rows)


def _drawn(passages: Sequence[Passage], known: Knowledge, n_candidates: int) -> list[Passage]:
    """Passages drawn by chance, the same ones every time, until they have enough candidates."""
    found = matches([passage.document for passage in passages], known.lexicon)
    texts: list[set[str]] = [set() for _ in passages]
    for each in found:
        texts[each.document].add(each.text)
    size = [len(p.pairs) * len(own) for p, own in zip(passages, texts, strict=True)]
    order = np.random.default_rng(0).permutation(len(passages))
    n_drawn = int(np.searchsorted(np.cumsum(np.array(size)[order]), n_candidates)) + 1
    return [passages[at] for at in np.sort(order[:n_drawn])]
