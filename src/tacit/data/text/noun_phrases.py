"""Base noun phrases: nouns with what stands before them, found in tags alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

# One letter a tag: Determiner, Adjective, Noun, verb, adverb (r), number (#), the participles in
# -ed (P) and -inG, possessive S.
_LETTERS = {
    **dict.fromkeys(("DT", "PRP$", "PDT", "WP$"), "D"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "A"),
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS"), "N"),
    **dict.fromkeys(("VB", "VBD", "VBP", "VBZ", "MD"), "v"),
    **dict.fromkeys(("RB", "RBR", "RBS"), "r"),
    "CD": "#",
    "VBN": "P",
    "VBG": "G",
    "POS": "S",
}
# A participle belongs to the noun behind it ("the activated cells", "activated cells") but not
# where it may be the verb: "has activated cells", "cells expressing CD4", "using antibodies".
_BEFORE = r"(?:D+r?|r(?=A)|(?<![vr])P(?=[A#N]))?"
_RUN = re.compile(_BEFORE + r"(?:[A#N]|S(?=N)|(?<=[DA])[PG]|(?<=Dr)[PG])*")


def noun_phrases(tags: Sequence[str]) -> list[tuple[int, int]]:
    """Spans of words, first and one behind the last, of the base noun phrases of a sentence.

    A base noun phrase has no other one inside it: a noun (or several in a row) with the
    determiners, numbers, adjectives and participles before it, and a number behind it ("exon 19").
    Pronouns are left out. ["DT", "NN", "IN", "NN"] has (0, 2) and (3, 4).
    """
    letters = "".join(_LETTERS.get(tag, ".") for tag in tags)
    phrases = []
    for run in _RUN.finditer(letters):
        noun = letters.rfind("N", *run.span())
        if noun >= 0:
            phrases.append((run.start(), noun + (2 if letters.startswith("#", noun + 1) else 1)))
    return phrases
