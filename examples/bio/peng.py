"""The text of Peng et al. (2017) as candidates: drug, gene and mutation within three sentences.

Words are lower-cased lemmas, so that nothing that rests on upper case can be said of them. The
corpus has a label for each candidate, which is whether the triple was in its authors' knowledge
base; it is read here for one purpose, to be compared with ("automatic evaluation").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from examples.bio.ontologies import drug_names
from examples.bio.triples import KINDS, Candidate, Edge, NameBook, Span, Triple
from tacit.data.text.lemmas import lemma

FILE = Path("peng_nary") / "ternary_drug_gene_variant.parquet"
KNOWLEDGE_BASE = Path("kb_triples") / "kb_triples.parquet"
ROOT, NEXT = "root", "next"  # the main word of the first sentence, and of each that follows
# Words that this corpus has as they are written; of others it has the dictionary's form.
_AS_WRITTEN = "is are was were been being has had having does did an their our us them its"
AS_WRITTEN = frozenset(_AS_WRITTEN.split())


def read_peng(folder: Path) -> list[Candidate]:
    """All candidates, in the order of the file."""
    rows = pq.read_table(folder / FILE).to_pylist()
    return [_candidate(number, row) for number, row in enumerate(rows)]


def automatic_labels(folder: Path) -> NDArray[np.bool_]:
    """Whether the triple of each candidate was in the knowledge base of Peng et al."""
    labels = pq.read_table(folder / FILE, columns=["label"])["label"].to_numpy()
    return np.asarray(labels == 1)


def knowledge_base(folder: Path) -> list[Triple]:
    """The triples (drug, gene, variant) of CIViC, GDKD and CGI, each once."""
    table = pq.read_table(folder / KNOWLEDGE_BASE, columns=list(KINDS))
    return sorted(set(zip(*(table[kind].to_pylist() for kind in KINDS), strict=True)))


def name_book(folder: Path, triples: Sequence[Triple]) -> NameBook:
    """Names that a network is not to see: cancer drugs, and all that the knowledge base speaks of.

    Of genes, only those of the knowledge base: many symbols of others are common words.
    """
    names = chain.from_iterable(drug_names(folder).values())
    return NameBook.of(
        [*names, *(drug for drug, _, _ in triples)], [gene for _, gene, _ in triples]
    )


def peng_lemma(word: str, tag: str) -> str:
    """A word as this corpus has it, so that a network that learned from it knows the word."""
    lower = word.lower()
    if lower in AS_WRITTEN:
        return lower
    if lower == "%":
        return "percent"
    is_participle = tag == "JJ" and lower.endswith("ed")  # "advanced" is "advance" here
    return lemma(word, "VBN" if is_participle else tag)


def edges_of(
    parse: tuple[Sequence[int], Sequence[str]] | None,
) -> tuple[tuple[Edge, ...], tuple[int, ...]]:
    """Dependencies (head, dependent, kind) and main words, from heads and kinds as in this corpus.

    Heads are counted from 1; 0 is the root, -1 a word that is none's.
    """
    if parse is None:
        return (), ()
    named = [
        (head - 1, at, kind.rstrip("(")) for at, (head, kind) in enumerate(zip(*parse, strict=True))
    ]
    edges = ((head, at, kind) for head, at, kind in named if head >= 0 and kind != NEXT)
    return (
        tuple(edge for edge in edges if edge[0] != edge[1]),
        tuple(at for _, at, kind in named if kind in (ROOT, NEXT)),
    )


def text_groups(candidates: Sequence[Candidate]) -> list[str]:
    """The text of each candidate: those with the same one must not be split up."""
    return [" ".join(own.words) for own in candidates]


def folds_by_text(texts: Sequence[str], n_folds: int = 5) -> NDArray[np.int64]:
    """A fold for each candidate, about equally large; candidates of one text are in one fold.

    The texts with most candidates are dealt out first, each to the fold that has fewest.
    """
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        rows.setdefault(text, []).append(row)
    fold = np.zeros(len(texts), dtype=np.int64)
    size = np.zeros(n_folds, dtype=np.int64)
    for text in sorted(rows, key=lambda text: (-len(rows[text]), text)):
        smallest = int(size.argmin())
        fold[rows[text]] = smallest
        size[smallest] += len(rows[text])
    return fold


def _candidate(number: int, row: Mapping[str, Any]) -> Candidate:
    words, tags = tuple(row["tokens"]), tuple(row["pos"])
    dependencies, roots = edges_of((row["head"], row["deprel"]))
    drug, gene, variant = (_span(row, kind) for kind in KINDS)
    return Candidate(
        id=f"peng-{number}",
        words=words,
        lemmas=words,
        tags=tags,
        dependencies=dependencies,
        roots=roots,
        sentences=tuple(row["sent_starts"]),
        spans=(drug, gene, variant),
        texts=(_text(words, drug), _text(words, gene), _text(words, variant)),
        names=(row["drug_norm"], row["gene_norm"], row["variant_norm"]),
        cased=False,
    )


def _span(row: Mapping[str, Any], kind: str) -> Span:
    """The tokens of a mention; the corpus has stray words in some ("or erlotinib", "the t315i").

    If a token has the mention's name in it, the mention is that token. Otherwise a first word that
    can be no part of a name is left out.
    """
    first, behind = int(row[f"{kind}_start"]), int(row[f"{kind}_end"]) + 1
    name = row[f"{kind}_norm"].lower()
    for at in reversed(range(first, behind)):
        if name and name in row["tokens"][at]:
            return at, at + 1
    while first < behind - 1 and not row["pos"][first].startswith(("N", "J", "CD", "FW")):
        first += 1
    return first, behind


def _text(words: tuple[str, ...], span: Span) -> str:
    return " ".join(words[slice(*span)])
