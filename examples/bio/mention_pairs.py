"""Mentions that belong together: of the same text, in apposition, or synonyms of one gene.

Functions find the pairs in documents. Predicates say them again to `linking.tacit`: each mention
has columns with the ids of those that it is paired with.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

import pyarrow as pa

import tacit
from examples.bio.candidates import Candidate
from examples.bio.reading import Document

NEARBY = 3  # sentences from one mention to the other, at most
Pair = tuple[Candidate, Candidate]

# What stands between a name and the other name in brackets, or behind "also known as".
_BETWEEN = re.compile(
    r"(?:\s+(?:genes?|proteins?|receptors?|mRNA))?"
    r"(?:\s*[(\[]\s*|,?\s+(?:\(?also|or|formerly|previously)?\s*(?:known|called|termed|named|"
    r"designated|referred)\s+(?:as|to\s+as)?\s*)$"
)


def same_text(found: Sequence[Candidate]) -> list[Pair]:
    """Each match with the next of the same text, as it is written, if that is near."""
    pairs = []
    for _, own in groupby(sorted(found), key=lambda each: each.document):
        last: dict[str, Candidate] = {}
        for each in own:
            before = last.get(each.text)
            if before is not None and each.sentence - before.sentence <= NEARBY:
                pairs.append((before, each))
            last[each.text] = each
    return pairs


def synonyms(found: Sequence[Candidate]) -> list[Pair]:
    """Each match with the last one before it, if near, that has another name of the same gene."""
    pairs = []
    for _, own in groupby(sorted(found), key=lambda each: each.document):
        of_gene: dict[str, list[Candidate]] = defaultdict(list)
        for each in own:
            met = set()
            for gene in each.genes:
                for before in reversed(of_gene[gene]):
                    if each.sentence - before.sentence > NEARBY:
                        break
                    if spelling(before.text) != spelling(each.text):
                        met.add(before)
                        break
                of_gene[gene].append(each)
            pairs += [(before, each) for before in sorted(met)]
    return pairs


def apposed(documents: Sequence[Document], found: Iterable[Candidate]) -> list[Pair]:
    """Candidates of which the second explains the first: X (Y), or X, also known as Y."""
    pairs = []
    for at, own in groupby(sorted(found), key=lambda each: each.document):
        text = documents[at].text
        before: Candidate | None = None
        for each in own:
            if before is not None and before.sentence == each.sentence:
                between = text[before.end : each.start]
                if len(between) < 40 and _BETWEEN.fullmatch(between):
                    pairs.append((before, each))
            before = each
    return pairs


@tacit.predicate(table="mention", name="same_text", values="other", vectorised=True)
def has_same_text(same_text: pa.ChunkedArray) -> pa.ChunkedArray:
    """The next mention with the same text."""
    return same_text


@tacit.predicate(table="mention", name="apposed", values="other", vectorised=True)
def is_apposed(apposed: pa.ChunkedArray) -> pa.ChunkedArray:
    """The other name of a definition."""
    return apposed


@tacit.predicate(table="mention", name="synonyms", values="other", vectorised=True)
def has_synonyms(synonyms: pa.ChunkedArray) -> pa.ChunkedArray:
    """The mentions near it by another name of the same gene."""
    return synonyms


PAIRS = (has_same_text, is_apposed, has_synonyms)


def spelling(name: str) -> str:
    """A name without what varies between hands: case, hyphens, spaces."""
    return "".join(character for character in name.lower() if character.isalnum())
