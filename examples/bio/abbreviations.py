"""Abbreviations and what they stand for: polymerase chain reaction (PCR)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from examples.bio.candidates import WORD
from examples.bio.reading import Span

IN_BRACKETS = re.compile(r"\(([^\s(),;]{2,12})(?=[),;\]])")
Forms = dict[str, Counter[str]]  # by abbreviation as it is written: its long forms in small letters


def long_form(text: str, short: Span) -> Span | None:
    """Where the long form of an abbreviation in brackets stands, directly before the bracket.

    By the rule of Schwartz and Hearst (2003): from right to left, each letter and digit of the
    abbreviation is found in the long form, the first one where a word begins. The long form has at
    most twice as many words as the abbreviation has characters, or five more.
    """
    start, end = short
    letters = [c for c in text[start:end].lower() if c.isalnum()]
    in_brackets = text[start - 1 : start] == "(" and text[end : end + 1] in tuple("),;]")
    if not in_brackets or len(letters) < 2 or not any(map(str.isalpha, letters)):
        return None
    words = list(re.finditer(r"\S+", text[max(start - 200, 0) : start - 1]))
    words = words[-min(len(letters) + 5, 2 * len(letters)) :]
    origin = max(start - 200, 0)
    if not words:
        return None
    low, at = origin + words[0].start(), origin + words[-1].end()
    behind = at
    for place, letter in reversed(list(enumerate(letters))):
        at -= 1
        while at >= low and (
            text[at].lower() != letter or (place == 0 and at > 0 and text[at - 1].isalnum())
        ):
            at -= 1
        if at < low:
            return None
    found = text[at:behind]
    is_broken = bool(re.search(r"[.;:)] |[()]", found)) or len(found) <= end - start
    return None if is_broken else (at, behind)


def abbreviations(texts: Iterable[str]) -> Forms:
    """All abbreviations with a capital that texts explain, and how often each stands for what."""
    forms: Forms = defaultdict(Counter)
    for text in texts:
        for bracket in IN_BRACKETS.finditer(text):
            span = None if bracket[1].islower() else long_form(text, bracket.span(1))
            if span is not None:
                forms[bracket[1]][text[slice(*span)].lower()] += 1
    return dict(forms)


def ends_like_a_gene(name: str, heads: Collection[str]) -> bool:
    """Whether the last word of a name is one that names of genes end with: see `gene_heads`."""
    words = [word.lower() for word in WORD.findall(name) if len(word) > 3]
    return bool(words) and words[-1] in heads


def meanings(
    forms: Forms, names: Mapping[str, Sequence[str]], heads: Collection[str], at_least: int = 2
) -> dict[str, bool]:
    """Abbreviations that mostly stand for a gene (true), or mostly for something else (false).

    A long form stands for a gene if it ends like one, or has a word of the full name of a gene that
    is abbreviated so (`names`: by gene, the full name last). Mostly is twice as often as not; what
    is explained less than `at_least` times is left out.
    """
    words_of: dict[str, set[str]] = defaultdict(set)
    for own in names.values():
        for name in own[:-1]:
            words_of[name.lower()] |= _words(own[-1])
    found = {}
    for short, long in forms.items():
        words = words_of[short.lower()]
        n_genes = sum(
            n for form, n in long.items() if ends_like_a_gene(form, heads) or words & _words(form)
        )
        n_others = long.total() - n_genes
        if max(n_genes, n_others) >= max(at_least, 2 * min(n_genes, n_others)):
            found[short] = n_genes > n_others
    return found


def _words(name: str) -> set[str]:
    """The words of a name that say something, in small letters."""
    return {word.lower() for word in WORD.findall(name) if len(word) > 3}
