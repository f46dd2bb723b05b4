"""What all rows of the linking table share: knowledge, training tasks and test documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tacit
from benchmarks.bio_linking_gold import (
    Floats,
    Gold,
    Truths,
    draw,
    gold_of,
    human_genes,
    is_symbol,
    sample,
)
from examples.bio.candidates import Candidate, matches
from examples.bio.gene_normalisation import popularity
from examples.bio.gene_spelling import Spellings
from examples.bio.grammar_vectors import grammar_vectors
from examples.bio.linking import Knowledge, linking_task, training_task
from examples.bio.mention_facts import is_common
from examples.bio.ontologies import entrez_ids, gene_names
from examples.bio.reading import Document, marked_documents, pool_texts, read_documents
from examples.bio.vectors import Floats as Vectors
from examples.bio.vectors import VectorConfig, write_vectors


@dataclass(frozen=True, slots=True)
class TestDocuments:
    """Documents with gold, their candidates, and these as one task."""

    documents: list[Document]
    found: list[Candidate]
    ids: list[str]  # of candidates
    rows: list[int]  # their rows in the task, which has long forms of abbreviations as well
    task: tacit.Task
    gold: Gold
    genes: dict[str, set[str]]  # by document: the numbers of its human genes

    def of_candidates(self, posterior: Floats) -> Floats:
        """The probability that a candidate is a gene, from all of the task."""
        return np.asarray(posterior[self.rows, 1])


class Data:
    """Read once, when first asked."""

    def __init__(
        self, bio: Path, *, reads: str, split: str = "test", vector_share: int = 1
    ) -> None:
        """`reads`: what predictors read, "window" (networks) or "context" (plain text).

        Word vectors are learned from one in `vector_share` documents.
        """
        self.bio, self.reads, self.split = bio, reads, split
        self.vector_share = vector_share
        self._folder = TemporaryDirectory(prefix="tacit-")

    @cached_property
    def pool(self) -> dict[str, str]:
        """Unlabelled documents."""
        return pool_texts(self.bio)

    @cached_property
    def known(self) -> Knowledge:
        """What candidates are found and judged by."""
        return Knowledge.read(self.bio, self.pool.values())

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """By gene: all its names, the full one last."""
        return gene_names(self.bio, full_names=True)

    @cached_property
    def numbers(self) -> dict[str, str]:
        """By gene: its number in Entrez."""
        return entrez_ids(self.bio)

    @cached_property
    def popularity(self) -> dict[str, int]:
        """By gene: how often the pool speaks of it."""
        return popularity(self.pool.values(), self.known.lexicon)

    @cached_property
    def vectors(self) -> dict[str, Vectors]:
        """Word vectors of the pool."""
        return grammar_vectors(list(self.pool.values())[:: self.vector_share])

    @cached_property
    def vectors_file(self) -> Path:
        """The same as a file, which goes when the process does."""
        path = Path(self._folder.name) / "vectors.txt"
        table = np.array(list(self.vectors.values()))
        table *= VectorConfig().spread / table.std()  # what networks begin with
        write_vectors(path, list(self.vectors), table)
        return path

    def training(self, n_candidates: int, seed: int) -> tacit.Task:
        """Candidates of documents that no test split has."""
        return training_task(
            self.pool,
            self.known,
            n_candidates=n_candidates,
            seed=seed,
            reads=self.reads,
        )

    @cached_property
    def matched(self) -> TestDocuments:
        """String matches in the test documents."""
        return self._test("gnormplus", self._matches)

    @cached_property
    def spelled(self) -> TestDocuments:
        """All that some spelling of a gene's name finds in the test documents."""
        return self._test("gnormplus", Spellings(self.names, self.known.common).find)

    @cached_property
    def fresh(self) -> TestDocuments:
        """String matches in documents that nobody looked at while this was made."""
        return self._test("tmvar3", self._matches)

    @cached_property
    def fresh_spelled(self) -> TestDocuments:
        """The same by all spellings."""
        return self._test("tmvar3", Spellings(self.names, self.known.common).find)

    @cached_property
    def fresh_sampled(self) -> Truths:
        """As many genes as others among the symbols in those documents, drawn by chance."""
        symbol = is_symbol(self.fresh.found, self.bio)
        ids = [one for one, wanted in zip(self.fresh.ids, symbol, strict=True) if wanted]
        chosen = set(draw(ids, self.fresh.gold.is_gene[symbol]))
        return np.array([each in chosen for each in self.fresh.ids], bool)

    @cached_property
    def sampled(self) -> Truths:
        """Which string matches are in the sample."""
        ids = set(sample())
        return np.array([each in ids for each in self.matched.ids], bool)

    @cached_property
    def symbols(self) -> Truths:
        """Which string matches could be in the sample: symbols, not full names."""
        return is_symbol(self.matched.found, self.bio)

    def is_common(self, found: Sequence[Candidate]) -> Truths:
        """Which candidates are common words."""
        return np.array([is_common(each, self.known.common) for each in found], bool)

    def _matches(self, documents: Sequence[Document]) -> list[Candidate]:
        return matches(documents, self.known.lexicon)

    def _test(
        self, corpus: str, find: Callable[[Sequence[Document]], list[Candidate]]
    ) -> TestDocuments:
        texts, marked = marked_documents(self.bio, corpus, self.split)
        documents = read_documents(texts, self.known.tagger)
        found = find(documents)
        task = linking_task(documents, found, self.known, reads=self.reads)
        row_of = {
            one: at for at, one in enumerate(task.table("mention").arrow.column(0).to_pylist())
        }
        ids = [each.id_in(documents) for each in found]
        return TestDocuments(
            documents,
            found,
            ids,
            [row_of[one] for one in ids],
            task,
            gold_of(found, documents, marked, self.numbers),
            {name: human_genes(own) for name, own in marked.items()},
        )
