"""What is known of one candidate mention: its shape, its part of speech, the words around it.

Predicates are what `linking.tacit` asks. Some read the mention's text. Others only say what was
found out before, when documents were at hand: the column `facts` has their names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

import tacit
from examples.bio.candidates import Candidate
from examples.bio.reading import Document, Span
from tacit.data.predicates import Predicate

WINDOW = 10  # words on either side of a mention that a predictor reads: the chapter's
NEAREST = 3  # words on either side whose place counts
AUXILIARY = frozenset({
    "is", "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "do", "does",
    "did",
})  # fmt: skip
LONGER = re.compile(
    r"[\s-]+(?:receptors?|ligands?|homolog(?:ue)?s?|(?:super)?family|pseudogenes?"
    r"|(?:binding|associated|related|interacting|activating)\s+(?:protein|factor|peptide|kinase)s?"
    r"|(?:like|related)\b)"
)
INSIDE = ("DT", "JJ", "PRP$", "CD", "VBN", "NN")  # tags between a verb and its object's last word


@tacit.predicate(table="mention")
def short(text: str) -> bool:
    """Not more than two characters, nor more than one word."""
    return len(text) <= 2


@tacit.predicate(table="mention")
def capitals(text: str) -> bool:
    """More than 30% of the characters are capitals."""
    return sum(map(str.isupper, text)) > 0.3 * len(text)


@tacit.predicate(table="mention")
def plain(text: str, cased: bool) -> bool:
    """Small letters only, as most words have, in a text that has capitals as well."""
    return cased and text.islower() and text.replace("-", "").replace(" ", "").isalpha()


@tacit.predicate(table="mention")
def both_cases(text: str) -> bool:
    """Capitals and small letters."""
    return any(map(str.isupper, text)) and any(map(str.islower, text))


@tacit.predicate(table="mention")
def letters_and_digits(text: str) -> bool:
    """Letters and digits."""
    return any(map(str.isalpha, text)) and any(map(str.isdigit, text))


@tacit.predicate(table="mention")
def long(text: str) -> bool:
    """More than six characters: longer names are less ambiguous."""
    return len(text) > 6


def found_out(name: str) -> Predicate:
    """A predicate that holds where `facts` has its name."""

    @tacit.predicate(table="mention", name=name)
    def holds(facts: Sequence[str]) -> bool:
        """Whether it is among the facts."""
        return name in facts

    return holds


SHAPES = (short, capitals, plain, both_cases, letters_and_digits, long)
FACTS = tuple(
    found_out(name)
    for name in (
        *("matches", "phrase", "verb", "common", "direct_object"),
        *("other_meaning", "gene_meaning", "longer_name"),
    )
)


def has_verb(document: Document, each: Candidate) -> bool:
    """Whether the tagger calls a word of the mention a verb."""
    first, behind = document.words_of(each.start, each.end)
    return any(tag.startswith("VB") for tag in document.tags[first:behind])


def is_common(each: Candidate, common: Collection[str]) -> bool:
    """A common word, written as one: "set" and "Set" are, "SET" may be anything."""
    written = each.text.islower() or (each.text.istitle() and len(each.text) > 1)
    return written and each.text.lower() in common


def is_object(document: Document, each: Candidate) -> bool:
    """Whether the mention ends a noun phrase directly behind a verb: an approximation.

    Without a parser, a direct object is taken to be the last noun behind a verb that is no
    auxiliary, with nothing but determiners, adjectives and nouns between them.
    """
    first, behind = document.words_of(each.start, each.end)
    tags, sentences = document.tags, document.sentence_of_word
    if not tags[behind - 1].startswith("NN"):
        return False
    if behind < len(tags) and sentences[behind] == each.sentence and tags[behind].startswith("NN"):
        return False
    at = first - 1
    while at >= 0 and sentences[at] == each.sentence and tags[at].startswith(INSIDE):
        at -= 1
    return (
        at >= 0
        and sentences[at] == each.sentence
        and tags[at] in ("VB", "VBD", "VBG", "VBP", "VBZ")
        and document.word(at).lower() not in AUXILIARY
    )


def in_longer_name(document: Document, each: Candidate) -> bool:
    """Whether what follows makes another name of it: the TNF receptor is not TNF."""
    return bool(LONGER.match(document.text, each.end))


def window(document: Document, each: Candidate) -> str:
    """The mention and the words around it, as networks read it: see `tacit.predictors.Mention`."""
    start, end = _around(document, each)
    text = document.text[start:end]
    return json.dumps({"text": text, "start": each.start - start, "end": each.end - start})


def context(document: Document, each: Candidate) -> str:
    """The words around a mention, for predictors that read texts without regard to order.

    The nearest words stand there once more with their place: of_before1, gene_after1.
    """
    first, behind = document.words_of(each.start, each.end)
    before = [document.word(at) for at in range(max(first - WINDOW, 0), first)]
    after = [document.word(at) for at in range(behind, min(behind + WINDOW, len(document.tags)))]
    places = [f"{word}_before{at + 1}" for at, word in enumerate(before[: -NEAREST - 1 : -1])]
    places += [f"{word}_after{at + 1}" for at, word in enumerate(after[:NEAREST])]
    return " ".join([*before, "|", *after, *places])


def _around(document: Document, each: Candidate) -> Span:
    first, behind = document.words_of(each.start, each.end)
    last = min(behind + 2 * WINDOW, len(document.starts)) - 1
    return min(document.starts[max(first - 2 * WINDOW, 0)], each.start), max(
        document.ends[last], each.end
    )
