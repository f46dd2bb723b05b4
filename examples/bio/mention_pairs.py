"""Mentions that belong together: of the same text, in apposition, or synonyms of one gene."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

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


def spelling(name: str) -> str:
    """A name without what varies between hands: case, hyphens, spaces."""
    return "".join(character for character in name.lower() if character.isalnum())
