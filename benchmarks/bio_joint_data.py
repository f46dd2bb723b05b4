"""What joint extraction learns from and is tested on: every match of a name may be a gene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
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
    NamedIn,
    Passage,
    Unfiltered,
    civicmine_passages,
    found_names,
    marked_names,
    peng_passages,
    unfiltered,
)
from examples.bio.linking import Knowledge, linking_task
from examples.bio.ontologies import drug_lexicon, drug_names
from examples.bio.reading import Document
from examples.bio.relations import STOP_WORDS
from examples.bio.triples import NameBook, Span, Triple

Truths = NDArray[np.bool_]
Longs = NDArray[np.int64]
Places = tuple[Span, Span, Span]  # of drug, gene and variant, in characters


@dataclass(frozen=True, slots=True)
class JointSource:
    """Where processes find the data, and how much of them is learned from."""

    relations: Source
    vectors: Path | None  # a file of word vectors for the linker to begin with
    n_candidates: int = 8_000  # of Peng's text, which has 30,000; whole texts
    n_pool: int = 20_000  # mentions of the pool, half of them matches
    n_sentences: int | None = None  # of CIViCmine; None: all


@dataclass(frozen=True)
class Side:
    """Texts with their candidates and mentions."""

    passages: list[Passage]
    some: list[Unfiltered]
    mentions: tacit.Task
    gene_row: Longs  # (candidates) the row in `mentions` of each candidate's gene

    @cached_property
    def true_triples(self) -> list[tuple[int, Places]]:
        """What people have marked, and in which passage."""
        return [
            (at, triple)
            for at, passage in enumerate(self.passages)
            if passage.gold is not None
            for triple in passage.gold.true_triples
        ]

    @cached_property
    def covers(self) -> list[frozenset[int]]:
        """The true triples that each candidate is: each of its mentions overlaps theirs."""
        of_passage: dict[int, list[tuple[int, Places]]] = {}
        for number, (at, triple) in enumerate(self.true_triples):
            of_passage.setdefault(at, []).append((number, triple))
        return [
            frozenset(
                number
                for number, triple in of_passage.get(one.passage, ())
                if all(map(overlap, triple, self.places(one)))
            )
            for one in self.some
        ]

    @cached_property
    def gene_is_marked(self) -> Truths:
        """Whether each candidate's gene touches what people have marked as a gene."""
        found = []
        for one in self.some:
            gold = self.passages[one.passage].gold
            marked = gold.entities if gold is not None else ()
            found.append(any(k == "gene" and overlap(own, one.place) for k, own in marked))
        return np.array(found)

    def places(self, one: Unfiltered) -> Places:
        """Where the mentions of a candidate stand."""
        drug, variant = self.passages[one.passage].places[one.pair]
        return drug, one.place, variant


@dataclass(frozen=True)
class JointData:
    """Everything, read once in each process."""

    source: JointSource
    linking: Data
    triples: list[Triple]
    book: NameBook
    train: Side
    gold: Side  # CIViCmine's sentences; drugs and variants are those that people have marked
    found: Side  # the same; drugs and variants are found by machine

    @property
    def sides(self) -> tuple[Side, Side, Side]:
        """All that a model is asked about."""
        return self.train, self.gold, self.found

    @cached_property
    def pool(self) -> tacit.Task:
        """Mentions of documents that no test split has."""
        return self.linking.training(self.source.n_pool, seed=0)


@lru_cache(1)
def joint_data(source: JointSource) -> JointData:
    """All of it; what is learned from is a sample of whole texts."""
    linking, bio = Data(source.relations.bio, reads="window"), source.relations.bio
    read = corpora(source.relations)
    texts = _drawn(peng_passages(read.train), linking.known, source.n_candidates)
    drugs = chain.from_iterable(drug_names(bio, cancer_only=False).values())
    exact = frozenset(chain(drugs, *linking.names.values()))
    train = _side(texts, linking, exact=None, every_mention=False)
    gold, found = (
        _side(
            civicmine_passages(read.sentences, named_in)[: source.n_sentences],
            linking,
            exact=exact,
            every_mention=True,
        )
        for named_in in (marked_names, by_machine(bio))
    )
    return JointData(source, linking, read.triples, read.book, train, gold, found)


def by_machine(bio: Path) -> NamedIn:
    """How drugs and variants are found: by DrugBank's names of cancer drugs, and by grammar."""
    return partial(found_names, drugs=drug_lexicon(bio, skip=STOP_WORDS))


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
