"""Why an extraction is wrong, by type, as in the chapter's Table 4(b). One may have several errors.

| type | the mistake |
|---|---|
| gene, drug, mutation | what was taken for a mention of that kind is none |
| gene-mutation | both are mentions, but the mutation is not said to be one of the gene |
| relation | both are mentions, but the drug's effect is not said to depend on the gene |
"""

from __future__ import annotations

from collections.abc import Iterable

from examples.bio.civicmine import GoldSentence
from examples.bio.triples import KINDS, Span

TYPES = ("gene", "drug", "mutation", "gene-mutation", "relation")
NAMES = {"drug": "drug", "gene": "gene", "variant": "mutation"}  # as the chapter calls kinds


def errors(gold: GoldSentence, drug: Span, gene: Span, variant: Span) -> frozenset[str]:
    """The types of error of an extraction, none if it is right.

    Places are characters of the sentence. A mention that overlaps a marked one of its kind is taken
    to be that one, so that "EGFR gene" is the gene EGFR; of several, any may be meant.
    """
    meant = {
        kind: [own for name, own in gold.entities if name == kind and _overlap(own, place)]
        for kind, place in zip(KINDS, (drug, gene, variant), strict=True)
    }
    found = {NAMES[kind] for kind, places in meant.items() if not places}
    if meant["gene"] and meant["variant"]:
        pairs = {(g, v) for g in meant["gene"] for v in meant["variant"]}
        if not pairs & gold.associated:
            found.add("gene-mutation")
    if meant["drug"] and meant["gene"]:
        pairs = {(d, g) for d in meant["drug"] for g in meant["gene"]}
        if not pairs & gold.predictive:
            found.add("relation")
    return frozenset(found)


def shares(wrong: Iterable[frozenset[str]]) -> dict[str, float]:
    """Of some wrong extractions, the share that has each type of error."""
    each = list(wrong)
    return {kind: sum(kind in own for own in each) / max(len(each), 1) for kind in TYPES}


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
