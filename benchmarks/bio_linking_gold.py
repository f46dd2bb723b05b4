"""What people marked in the test documents of GNormPlus, and the sample that linking is judged on.

A candidate is true if it overlaps a mention of type Gene. By the stricter rule one of the genes
that it matches must also have the number in Entrez that the mention has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from examples.bio.candidates import Candidate
from examples.bio.ontologies import gene_names
from examples.bio.reading import Document, Marked
from tacit.report.extraction_scores import extraction_scores

SAMPLE = Path(__file__).with_name("bio_linking_sample.json")
EACH = 275  # true ones, and as many false ones
SEED = 0
Truths = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gold:
    """What is true of candidates: by place of the mention alone, and with the gene's number too."""

    is_gene: Truths
    is_that_gene: Truths


def gold_of(
    found: Sequence[Candidate],
    documents: Sequence[Document],
    marked: Mapping[str, Sequence[Marked]],
    numbers: Mapping[str, str],
) -> Gold:
    """The truth of each candidate; `numbers` are those of genes in Entrez."""
    truths = []
    for each in found:
        touched = [
            mention
            for mention in marked[documents[each.document].id]
            if mention.type == "Gene" and mention.start < each.end and each.start < mention.end
        ]
        known = {numbers.get(gene, "") for gene in each.genes}
        same = any(known & set(mention.genes) for mention in touched)
        truths.append((bool(touched), same))
    pairs = np.array(truths, bool).reshape(-1, 2)
    return Gold(pairs[:, 0], pairs[:, 1])


def human_genes(marked: Iterable[Marked]) -> set[str]:
    """The numbers of all human genes that are marked as genes in a document."""
    return {gene for each in marked if each.type == "Gene" for gene in each.genes}


def is_symbol(found: Sequence[Candidate], bio: Path) -> Truths:
    """Which candidates are written, but for case, as a symbol, an alias or a previous symbol."""
    symbols = {name.lower() for own in gene_names(bio).values() for name in own}
    return np.array([each.text.lower() in symbols for each in found], bool)


def draw(ids: Sequence[str], truth: Truths, seed: int = SEED) -> list[str]:
    """As many true candidates as false ones, drawn by chance, in the order of their ids."""
    random = np.random.default_rng(seed)
    chosen: list[str] = []
    for wanted in (True, False):
        own = [ids[at] for at in np.flatnonzero(truth == wanted).tolist()]
        chosen += [own[at] for at in random.permutation(len(own))[:EACH].tolist()]
    return sorted(chosen)


def sample() -> list[str]:
    """The ids of the sample: what `draw` gave for the symbols among GNormPlus's string matches."""
    ids: list[str] = json.loads(SAMPLE.read_text())["mentions"]
    return ids


def scores(probability: Floats, truth: Truths) -> dict[str, float]:
    """Accuracy, F1, precision and recall at a probability of one half."""
    own = extraction_scores(probability, truth)
    return {
        "accuracy": own.accuracy,
        "f1": own.f1,
        "precision": own.precision,
        "recall": own.recall,
    }


def balanced_accuracy(probability: Floats, truth: Truths) -> float:
    """The share of true ones that are found, and of false ones that are not, halved."""
    said = probability >= 0.5
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)


def set_scores(found: Mapping[str, set[str]], gold: Mapping[str, set[str]]) -> dict[str, float]:
    """F1, precision and recall of (document, gene) pairs."""
    right = sum(len(found[name] & gold[name]) for name in gold)
    n_found, n_gold = sum(map(len, found.values())), sum(map(len, gold.values()))
    return {
        "f1": 2 * right / max(n_found + n_gold, 1),
        "precision": right / max(n_found, 1),
        "recall": right / max(n_gold, 1),
    }
