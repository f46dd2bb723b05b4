"""Candidate mentions of genes: stretches of text that match a gene's name, and some that do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from examples.bio.reading import Document, Span
from tacit.data.text.lexicon import Lexicon
from tacit.data.text.noun_phrases import noun_phrases

WORD = re.compile(r"[^\W\d_]+")  # a run of letters


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """A stretch of a document that may name a gene: those it matches, or none."""

    document: int  # its place in a list
    start: int
    end: int
    sentence: int
    text: str
    genes: tuple[str, ...]

    def id_in(self, documents: Sequence[Document]) -> str:
        """Such as 10064899:360-403."""
        return f"{documents[self.document].id}:{self.start}-{self.end}"


def matches(documents: Sequence[Document], lexicon: Lexicon) -> list[Candidate]:
    """All names of the lexicon in the documents, by document and place."""
    found = lexicon.find_all([document.text for document in documents])
    columns = (found.text_of_match, found.start, found.end, found.name_of_match)
    return [
        candidate(documents, at, (start, end), lexicon.entities_of(name))
        for at, start, end, name in zip(*(column.tolist() for column in columns), strict=True)
    ]


def candidate(
    documents: Sequence[Document], at: int, span: Span, genes: tuple[str, ...] = ()
) -> Candidate:
    """A stretch of a document as a candidate."""
    document, (start, end) = documents[at], span
    first, _ = document.words_of(start, end)
    return Candidate(
        at, start, end, document.sentence_of_word[first], document.text[start:end], genes
    )


def phrases(
    documents: Sequence[Document], matched: Iterable[Candidate], heads: Collection[str]
) -> list[Candidate]:
    """Noun phrases that touch no match, and do not end as names of genes do (see `gene_heads`)."""
    taken: list[list[Span]] = [[] for _ in documents]
    for each in matched:
        taken[each.document].append((each.start, each.end))
    found = []
    for at, document in enumerate(documents):
        for first, behind in phrases_of(document):
            start, end = document.starts[first], document.ends[behind - 1]
            is_head = document.word(behind - 1).lower() in heads
            if not is_head and not any(a < end and start < b for a, b in taken[at]):
                found.append(candidate(documents, at, (start, end)))
    return found


def phrases_of(document: Document) -> Iterable[Span]:
    """The noun phrases of a document, in words; none reaches beyond its sentence."""
    sentences = np.array(document.sentence_of_word, np.int64)
    cuts = [0, *(np.flatnonzero(np.diff(sentences)) + 1).tolist(), len(sentences)]
    for first, behind in pairwise(cuts):
        for a, b in noun_phrases(document.tags[first:behind]):
            while document.tags[first + a] in ("DT", "PDT", "PRP$", "WP$"):
                a += 1
            yield first + a, first + b


def gene_heads(names: Mapping[str, Sequence[str]], at_least: int = 20) -> frozenset[str]:
    """The words that so many full names of genes end with: receptor, kinase, protein, factor, ...

    A noun phrase that ends so may well name a gene by a name that HGNC does not know.
    """
    words = ([word.lower() for word in WORD.findall(own[-1])] for own in names.values())
    last = ([word for word in own if len(word) > 3][-1:] for own in words)
    found = {word for word, n in Counter(w for own in last for w in own).items() if n >= at_least}
    return frozenset(found | {f"{word}s" for word in found})


def common_words(
    texts: Iterable[str], *, always: float = 0.05, often: float = 0.002, repeats: float = 2.0
) -> frozenset[str]:
    """Words of the language, told from names by how they are spread over texts.

    A word in lower case is common if a share `always` of all texts has it; or if a share `often`
    has it, and those that do have it less than `repeats` times on average: what a text is about
    it says again and again.
    """
    n_texts, n_words, n_with = 0, Counter[str](), Counter[str]()
    for text in texts:
        words = [word for word in WORD.findall(text) if word.islower()]
        n_texts += 1
        n_words.update(words)
        n_with.update(set(words))
    return frozenset(
        word
        for word, n in n_with.items()
        if n >= always * n_texts or (n >= often * n_texts and n_words[word] < repeats * n)
    )
