"""Evidence for the relation between drug, gene and variant: the chapter's functions, and programs.

Each function says of a candidate that something speaks against it (or, of the expert's, for it);
`relations.tacit` and `expert.tacit` say what follows. Where the chapter's Table 1(a) has "mention
not a stop word", the function here is `stop_word`: to pass a test of quality is no reason to
believe anything, to fail is one against it.

`other_name` and `many_capitals` need upper case. Of lower-cased text (that of Peng et al.) they say
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import tacit

FOLDER = Path(__file__).parent
NUMBER = re.compile(r"[-+~<>=±]?\d[\d.,:/]*%?")
FIGURE = re.compile(r"(?:fig|figure|table|tab|panel|lane|scheme|suppl|supplementary)s?\.?")
FIGURE_WORDS = re.compile(r"(?:legend|column|row)s?")
NOUN_BEFORE = ("JJ", "CD", "FW")  # what a name before a noun is often tagged as
ORDINARY = re.compile(r"[\w\s.,;:()\[\]'\"’‘“”%/–—-]")  # characters that any text has
_STOP_WORDS = """
a about after all also an and any are as at be been being both but by can cell could did do
does due during each for from gene had has have he her him his how i if in into is it its large
may me might more most must my no nor not of on one only or other our out over patient rest set
she should so some such than that the their them then there these they this those through to
too two under up use very via was we were what when where which while who why will with would
you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

Words = Sequence[str]
Place = Sequence[int]  # the first token of a mention, and the one behind its last


# ---- the chapter's functions on entities -----------------------------------------------------


@tacit.predicate(table="candidate")
def other_name(exact: bool | None) -> bool:
    """A mention is not written exactly as in its ontology."""
    return exact is False


@tacit.predicate(table="candidate")
def stop_word(words: Words, drug: Place, gene: Place, variant: Place) -> bool:
    """A mention is a common word."""
    return any(" ".join(words[slice(*at)]).lower() in STOP_WORDS for at in (drug, gene, variant))


@tacit.predicate(table="candidate")
def after_figure(words: Words, drug: Place, gene: Place, variant: Place) -> bool:
    """A mention follows the word figure or table, as its number does ("Fig. S1A")."""
    before = (words[at[0] - 1].lower() for at in (drug, gene, variant) if at[0])
    return any(FIGURE.fullmatch(word) for word in before)


@tacit.predicate(table="candidate")
def no_noun(tags: Words, drug: Place, gene: Place, variant: Place) -> bool:
    """A mention has no noun in it, and is no part of one ("T790M mutation")."""
    return not all(is_noun(tags, at) for at in (drug, gene, variant))


# ---- the chapter's functions on relations ----------------------------------------------------


@tacit.predicate(table="candidate")
def full_of_numbers(words: Words, sentences: Sequence[int]) -> bool:
    """Of some sentence, 30 % of the words or more are numbers."""
    return any(
        sum(map(is_number, sentence)) >= 0.3 * len(sentence) for sentence in split(words, sentences)
    )


@tacit.predicate(table="candidate")
def numbers_in_a_row(words: Words) -> bool:
    """More than three numbers follow each other."""
    return longest_run(map(is_number, words)) > 3


@tacit.predicate(table="candidate")
def many_citations(words: Words) -> bool:
    """It says "et al" more than twice."""
    pairs = pairwise(word.lower().strip(".,") for word in words)
    return sum(pair == ("et", "al") for pair in pairs) > 2


@tacit.predicate(table="candidate")
def many_capitals(
    words: Words, cased: bool, drug: Place, gene: Place, variant: Place, sentences: Sequence[int]
) -> bool:
    """More than three words begin with upper case, the mentions and first words not counted."""
    named = {at for place in (drug, gene, variant) for at in range(*place)} | set(sentences)
    capitals = (word[:1].isupper() for at, word in enumerate(words) if at not in named)
    return cased and sum(capitals) > 3


@tacit.predicate(table="candidate")
def many_symbols(words: Words) -> bool:
    """More than three characters are no letters, digits or ordinary punctuation."""
    return sum(len(ORDINARY.sub("", word)) for word in words) > 3


@tacit.predicate(table="candidate")
def many_figures(words: Words) -> bool:
    """More than three words speak of tables or figures."""
    return sum(speaks_of_figures(word.lower()) for word in words) > 3


@tacit.predicate(table="candidate")
def overlapping(drug: Place, gene: Place, variant: Place) -> bool:
    """Two mentions share a word."""
    places = sorted(map(tuple, (drug, gene, variant)))
    return any(before[1] > after[0] for before, after in pairwise(places))


ENTITY = (other_name, stop_word, after_figure, no_noun)
RELATION = (
    full_of_numbers,
    numbers_in_a_row,
    many_citations,
    many_capitals,
    many_symbols,
    many_figures,
    overlapping,
)


def program(*, expert: bool = False) -> tacit.Program:
    """The chapter's evidence, and if asked what else an expert would say."""
    files = ["relations.tacit", *(["expert.tacit"] if expert else [])]
    found, *more = (tacit.Program.parse((FOLDER / file).read_text(), file) for file in files)
    for other in more:
        found = found + other
    return found


def is_noun(tags: Words, place: Place) -> bool:
    """Whether a mention's tags say that it is a noun, or belongs to the noun behind it."""
    own = tags[slice(*place)]
    behind = tags[place[1]] if place[1] < len(tags) else ""
    return any(tag.startswith("NN") for tag in own) or (
        own[-1] in NOUN_BEFORE and behind.startswith("NN")
    )


def speaks_of_figures(word: str) -> bool:
    """Whether a word tells of a figure or a table."""
    return (FIGURE.fullmatch(word) or FIGURE_WORDS.fullmatch(word)) is not None


def is_number(word: str) -> bool:
    """Whether a word is a number."""
    return NUMBER.fullmatch(word) is not None


def longest_run(truths: Iterable[bool]) -> int:
    """How many truths follow each other at most."""
    longest = length = 0
    for true in truths:
        length = length + 1 if true else 0
        longest = max(longest, length)
    return longest


def split(words: Words, firsts: Sequence[int]) -> Iterator[Words]:
    """The sentences, by their first tokens."""
    for first, behind in pairwise([*firsts, len(words)]):
        if behind > first:
            yield words[first:behind]
