"""CIViCmine's annotated sentences as candidates with gold, to test relation extraction on.

A sentence gives a candidate for each drug, gene and variant in it. It is true if people have marked
both that the drug's effect depends on the gene and that the variant is one of the gene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from examples.bio.ontologies import drug_names, gene_names
from examples.bio.parses import Read
from examples.bio.peng import edges_of, peng_lemma
from examples.bio.triples import KINDS, Candidate, Edge, Span
from tacit.data.text.tagger import Tagger
from tacit.data.text.words import word_spans

FILE = Path("civicmine") / "civicmine_sentences.parquet"
SYMBOLS = Path("hgnc") / "hgnc_entries.parquet"
# Words that people mark as part of a mention, and the network is to read: "T790M mutation".
_GENERAL = "gene genes mutation mutations mutant mutants mutated variant variants"
GENERAL = frozenset(_GENERAL.split())

# Heads (from 1; 0 is the root, -1 none) and kinds of edges, from the lemmas and tags of sentences.
Parse = Callable[[Sequence[Read]], Sequence[tuple[Sequence[int], Sequence[str]]]]


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """What people have marked in a sentence; mentions are stretches of characters."""

    entities: frozenset[tuple[str, Span]]  # kind, place
    predictive: frozenset[tuple[Span, Span]]  # drug, gene
    associated: frozenset[tuple[Span, Span]]  # gene, variant

    def is_true(self, drug: Span, gene: Span, variant: Span) -> bool:
        """Whether the text says that the drug's effect depends on this variant of the gene."""
        return (drug, gene) in self.predictive and (gene, variant) in self.associated

    @property
    def true_triples(self) -> list[tuple[Span, Span, Span]]:
        """All that is true: drug, gene, variant."""
        return sorted(
            (drug, gene, variant)
            for drug, gene in self.predictive
            for other, variant in self.associated
            if gene == other
        )


@dataclass(frozen=True, slots=True)
class GoldCandidate:
    """A candidate, where its mentions stand in the sentence, and what is marked there."""

    candidate: Candidate
    places: tuple[Span, Span, Span]
    gold: GoldSentence

    @property
    def is_true(self) -> bool:
        """Whether the relation holds."""
        return self.gold.is_true(*self.places)


class Mention(NamedTuple):
    """A stretch of a sentence that names something."""

    place: Span  # in characters
    text: str
    name: str  # in ontologies; "" where it could not be resolved
    exact: bool | None = None  # whether the text is a name to the letter; None: not known


def read_sentences(folder: Path, tagger: Tagger, parse: Parse | None = None) -> list[Sentence]:
    """All sentences; without a parser they have no dependencies."""
    rows = pq.read_table(folder / FILE).to_pylist()
    texts = [row["text"] for row in rows]
    spans = [tuple(word_spans(text)) for text in texts]
    words = [
        tuple(text[start:end] for start, end in own) for text, own in zip(texts, spans, strict=True)
    ]
    tags = [tuple(own) for own in tagger.tag(words)]
    lemmas = [tuple(map(peng_lemma, *own)) for own in zip(words, tags, strict=True)]
    read = list(zip(lemmas, tags, strict=True))
    heads = [None] * len(read) if parse is None else parse(read)
    book = _Names.read(folder)
    return [
        Sentence(
            f"civicmine-{row['sent_id']}",
            row["text"],
            {kind: tuple(book.mentions(row, kind)) for kind in KINDS},
            _gold(row),
            *(spans[at], words[at], tags[at], lemmas[at], *edges_of(heads[at])),
        )
        for at, row in enumerate(rows)
    ]


def gold_candidates(sentences: Sequence[Sentence]) -> list[GoldCandidate]:
    """All candidates of sentences, of mentions that people have marked."""
    return [
        GoldCandidate(
            sentence.candidate(f"{sentence.id}-{number}", (drug, gene, variant)),
            (drug.place, gene.place, variant.place),
            sentence.gold,
        )
        for sentence in sentences
        for number, (drug, gene, variant) in enumerate(
            product(*(sentence.marked[kind] for kind in KINDS))
        )
    ]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as words with tags, lemmas and dependencies, and what people have marked in it."""

    id: str
    text: str
    marked: Mapping[str, tuple[Mention, ...]]  # by kind
    gold: GoldSentence
    spans: tuple[Span, ...]  # of each word, in characters
    words: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    edges: tuple[Edge, ...]
    roots: tuple[int, ...]

    def candidate(self, name: str, mentions: tuple[Mention, Mention, Mention]) -> Candidate:
        """The candidate of a drug, a gene and a variant."""
        drug, gene, variant = mentions
        return Candidate(
            id=name,
            words=self.words,
            lemmas=self.lemmas,
            tags=self.tags,
            dependencies=self.edges,
            roots=self.roots,
            spans=(self.tokens(*drug.place), self.tokens(*gene.place), self.tokens(*variant.place)),
            texts=(drug.text, gene.text, variant.text),
            names=(drug.name, gene.name, variant.name),
            exact=drug.exact and gene.exact,
        )

    def tokens(self, start: int, end: int) -> Span:
        """The words that a stretch of characters touches, without general words at its ends."""
        touched = [at for at, (a, b) in enumerate(self.spans) if a < end and start < b]
        named = [at for at in touched if self.words[at].lower() not in GENERAL] or touched
        return named[0], named[-1] + 1


def _gold(row: Mapping[str, Any]) -> GoldSentence:
    place = {entity["id"]: (entity["start"], entity["end"]) for entity in row["entities"]}
    pairs: dict[str, set[tuple[Span, Span]]] = {"Predictive": set(), "AssociatedVariant": set()}
    roles = {"Predictive": ("drug", "gene"), "AssociatedVariant": ("gene", "variant")}
    for relation in row["relations"]:
        if relation["type"] in pairs:
            argument = {each["role"]: place[each["ref"]] for each in relation["args"]}
            one, other = roles[relation["type"]]
            pairs[relation["type"]].add((argument[one], argument[other]))
    return GoldSentence(
        frozenset((e["type"], place[e["id"]]) for e in row["entities"]),
        frozenset(pairs["Predictive"]),
        frozenset(pairs["AssociatedVariant"]),
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What genes and drugs are called in ontologies."""

    symbols: Mapping[str, str]  # of genes, by HGNC's number
    genes: frozenset[str]
    drugs: frozenset[str]

    def mentions(self, row: Mapping[str, Any], kind: str) -> Iterator[Mention]:
        """The mentions of a kind that people have marked."""
        for entity in row["entities"]:
            text, number = entity["text"], entity["ids"]
            name, exact = {
                "drug": (text.lower(), text in self.drugs),
                "gene": (self.symbols.get(number, ""), text in self.genes),
                "variant": (number.removeprefix("snv:") if number.startswith("snv:") else "", None),
            }[kind]
            if entity["type"] == kind:
                yield Mention((entity["start"], entity["end"]), text, name, exact)

    @staticmethod
    def read(folder: Path) -> _Names:
        table = pq.read_table(folder / SYMBOLS, columns=["hgnc_id", "symbol"])
        numbers = (f"HGNC:{name.removeprefix('HGNC:')}" for name in table[0].to_pylist())
        return _Names(
            dict(zip(numbers, table[1].to_pylist(), strict=True)),
            frozenset(chain.from_iterable(gene_names(folder, full_names=True).values())),
            frozenset(chain.from_iterable(drug_names(folder, cancer_only=False).values())),
        )
