"""Documents as sentences, words and parts of speech: what mentions are found in, and judged by."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tacit.data.text.sentences import sentence_spans
from tacit.data.text.tagger import Tagger
from tacit.data.text.words import word_spans

Span = tuple[int, int]  # from a character, or a word, up to the one behind


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its words, where each stands, its tag and its sentence."""

    id: str
    text: str
    starts: tuple[int, ...]  # (words,) in characters
    ends: tuple[int, ...]
    tags: tuple[str, ...]  # Penn treebank
    sentence_of_word: tuple[int, ...]

    def words_of(self, start: int, end: int) -> Span:
        """The words that a stretch of characters touches: the first, and the one behind them."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end)

    def word(self, at: int) -> str:
        """One word as it is written."""
        return self.text[self.starts[at] : self.ends[at]]


def read_documents(texts: Mapping[str, str], tagger: Tagger) -> list[Document]:
    """Cut texts into sentences and words, and tag these."""
    sentences: list[list[Span]] = []
    owners: list[str] = []
    for name, text in texts.items():
        for start, end in sentence_spans(text):
            sentences.append([(start + a, start + b) for a, b in word_spans(text[start:end])])
            owners.append(name)
    tags = tagger.tag(
        [
            [texts[owner][a:b] for a, b in words]
            for owner, words in zip(owners, sentences, strict=True)
        ]
    )
    of_document: dict[str, list[int]] = {name: [] for name in texts}
    for at, owner in enumerate(owners):
        of_document[owner].append(at)
    return [
        Document(
            name,
            texts[name],
            tuple(a for at in own for a, _ in sentences[at]),
            tuple(b for at in own for _, b in sentences[at]),
            tuple(tag for at in own for tag in tags[at]),
            tuple(place for place, at in enumerate(own) for _ in sentences[at]),
        )
        for name, own in of_document.items()
    ]


def pool_texts(bio: Path) -> dict[str, str]:
    """Unlabelled documents: title and abstract of all that no test split has."""
    columns = ["doc_id", "title", "abstract", "eval_heldout"]
    rows = pq.read_table(bio / "pubmed_pool" / "pubmed_pool.parquet", columns=columns).to_pylist()
    return {row["doc_id"]: _whole(row) for row in rows if not row["eval_heldout"]}


@dataclass(frozen=True, slots=True)
class Marked:
    """A mention that people have marked."""

    start: int
    end: int
    type: str  # such as Gene, FamilyName or DomainMotif
    genes: tuple[str, ...]  # numbers in Entrez, of human genes only


MARKED = {
    "gnormplus": Path("gnormplus") / "gnormplus_bc2gn.parquet",
    "tmvar3": Path("tmvar3") / "tmvar3.parquet",
}


def marked_documents(
    bio: Path, corpus: str, split: str
) -> tuple[dict[str, str], dict[str, list[Marked]]]:
    """The documents of a split ("train" or "test") of a corpus, and what people marked in them."""
    rows = pq.read_table(bio / MARKED[corpus]).to_pylist()
    own = [row for row in rows if row["split"] == split]
    marked = {row["doc_id"]: [_marked(each) for each in row["entities"]] for row in own}
    return {row["doc_id"]: _whole(row) for row in own}, marked


def _marked(entity: Mapping[str, Any]) -> Marked:
    ids = [part.strip() for part in re.split("[,;]", entity["ids"])]
    human = tuple(part for part in ids if part.isdigit())  # 14281(Tax:10090) is a mouse's
    return Marked(entity["start"], entity["end"], entity["type"], human)


def _whole(row: Mapping[str, str | None]) -> str:
    """Title and abstract; offsets of annotations count in this."""
    return f"{row['title'] or ''} {row['abstract'] or ''}"
