"""What the relation extractor learns from and is tested on, read once in each process."""

from __future__ import annotations

import atexit
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np
from numpy.typing import NDArray

import tacit
from examples.bio import expert, relations
from examples.bio.civicmine import GoldCandidate, Sentence, gold_candidates, read_sentences
from examples.bio.parser import Parser
from examples.bio.parser_net import ParserConfig
from examples.bio.parses import peng_sentences
from examples.bio.peng import (
    FILE,
    automatic_labels,
    folds_by_text,
    knowledge_base,
    name_book,
    read_peng,
    text_groups,
)
from examples.bio.triples import (
    Candidate,
    NameBook,
    Triple,
    candidate_tables,
    reading,
    triple_table,
)
from examples.bio.vectors import VectorConfig, unlabelled_texts, word_vectors, write_vectors
from tacit.data.text.tagger import Tagger

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
N_FOLDS = 5
QUICK = 200  # candidates that a quick run learns from


@dataclass(frozen=True, slots=True)
class Corpora:
    """Text to learn from, the knowledge base, and text with gold."""

    train: list[Candidate]
    triples: list[Triple]
    book: NameBook
    automatic: Truths  # (candidates) in the knowledge base of Peng et al.; to test on, no more
    fold: Longs  # (candidates) those of one text together
    sentences: list[Sentence]  # with gold
    gold: list[GoldCandidate]

    def task(self, rows: Longs, *, blind: bool, grammar: bool) -> tacit.Task:
        """Some candidates as a task, with everything that programs may ask."""
        some = [self.train[row] for row in rows]
        tables = candidate_tables(some, self.readings(some, blind=blind, grammar=grammar))
        tables |= {"kb": triple_table(self.triples)} | expert.tables(self.triples)
        functions = (*relations.ENTITY, *relations.RELATION, *expert.predicates(self.book))
        return tacit.Task(tables, text="candidate.graph", predicates=functions)

    def readings(self, some: list[Candidate], *, blind: bool, grammar: bool) -> list[str]:
        """What a network reads of candidates."""
        book = self.book if blind else None
        return [reading(own, blind=book, grammar=grammar) for own in some]

    @property
    def gold_candidates(self) -> list[Candidate]:
        """The candidates that have gold."""
        return [own.candidate for own in self.gold]

    def known(self, some: list[Candidate]) -> Truths:
        """Whether the triples of candidates are in the knowledge base."""
        triples = set(self.triples)
        return np.array([own.names in triples for own in some])


@dataclass(frozen=True, slots=True)
class Source:
    """Where the data are, with what is made from them before anything is learned."""

    bio: Path
    device: str
    quick: bool
    parser: Path  # a file
    vectors: Path  # a file of word vectors

    @staticmethod
    def made(bio: Path, *, device: str, quick: bool) -> Source:
        """Train a parser on Peng's parses; word vectors are made when they are asked for."""
        folder = Path(mkdtemp(prefix="tacit-"))
        atexit.register(rmtree, folder)
        source = Source(bio, device, quick, folder / "parser.safetensors", folder / "vectors.txt")
        sentences = peng_sentences(bio / FILE)
        config = ParserConfig(hidden=32, layers=1, epochs=1) if quick else ParserConfig()
        some = sentences[:QUICK] if quick else sentences
        Parser.train(some, device=device, config=config).save(source.parser)
        return source

    def make_vectors(self) -> None:
        """Word vectors of all text without labels, unless they are made."""
        if not self.vectors.exists():
            texts = unlabelled_texts(self.bio)
            config = VectorConfig(dim=16) if self.quick else VectorConfig()
            write_vectors(
                self.vectors, *word_vectors(texts[-QUICK:] if self.quick else texts, config)
            )


@lru_cache(1)
def corpora(source: Source) -> Corpora:
    """All of it; in a quick run, what is learned from is a sample of whole texts."""
    bio = source.bio
    train, triples = read_peng(bio), knowledge_base(bio)
    automatic, fold = automatic_labels(bio), folds_by_text(text_groups(train), N_FOLDS)
    if source.quick:
        rows = _some_texts(text_groups(train), QUICK)
        train = [train[row] for row in rows]
        automatic, fold = automatic[rows], fold[rows]
    sentences = read_sentences(bio, Tagger.load(), Parser.load(source.parser).parse)
    gold = gold_candidates(sentences)
    return Corpora(train, triples, name_book(bio, triples), automatic, fold, sentences, gold)


def _some_texts(texts: list[str], n_rows: int) -> Longs:
    """Rows of texts that are drawn at random, about so many rows."""
    rng = np.random.default_rng(0)
    _, text = np.unique(texts, return_inverse=True)
    order = rng.permutation(text.max() + 1)[text]
    return np.sort(np.argsort(order, kind="stable")[:n_rows])
