"""Near duplicates: the same draft with small edits, and a check that finds them."""

import re
from collections import Counter
from dataclasses import replace

from . import film_bank, product_talk
from .bank import OPPOSITE
from .dice import Dice
from .drafts import MAX_SENTENCES, Draft
from .noise import contracted, with_typo
from .writer import Writer

SHINGLE = 3  # words in a row
TOO_CLOSE = 0.5  # share of common shingles above which two texts count as near duplicates

_SYNONYMS = (
    ("film", "movie"),
    ("movie", "film"),
    ("Bought", "Purchased"),
    ("really", "truly"),
    ("absolutely", "totally"),
    ("completely", "entirely"),
    ("every day", "daily"),
    ("Saw", "Watched"),
    ("again", "once more"),
    ("I found it", "To me it was"),
    ("a year", "twelve months"),
)


def near_copy(dice: Dice, draft: Draft) -> Draft:
    """The draft with one or two small edits; always different from the original."""
    edits = [_other_opener, _dropped_sentence, _other_word, _typo, _contraction]
    copy = draft
    for edit in dice.some(edits, dice.between(1, 2)):
        copy = edit(dice, copy)
    if copy.text == draft.text:  # no edit found anything to change
        return replace(draft, body=(*draft.body[:-1], draft.body[-1].rstrip(".!") + "..."))
    return copy


def turned_copy(dice: Dice, draft: Draft) -> Draft:
    """A torn draft that comes to the opposite conclusion in its last sentence."""
    label = OPPOSITE[draft.label]
    talk = film_bank if draft.item.category.domain == "film" else product_talk
    last = Writer(dice, draft.item, label).sentence(talk.CLOSERS[label])
    return replace(draft, label=label, body=(*draft.body[:-1], last))


def _other_opener(dice: Dice, draft: Draft) -> Draft:
    """The draft with a new first sentence; unchanged if it has none and is long already."""
    if not draft.opener and draft.length >= MAX_SENTENCES:
        return draft
    talk = film_bank if draft.item.category.domain == "film" else product_talk
    opener = draft.opener
    while opener == draft.opener:
        opener = Writer(dice, draft.item, draft.label).sentence(talk.OPENERS)
    return replace(draft, opener=opener)


def _dropped_sentence(dice: Dice, draft: Draft) -> Draft:
    """The draft without its opener, or without its last sentence if two others carry it."""
    if draft.opener:
        return replace(draft, opener="")
    if len(draft.body) > 2 and draft.kind in ("plain", "compared"):
        return replace(draft, body=draft.body[:-1])
    return draft


def _other_word(dice: Dice, draft: Draft) -> Draft:
    """The draft with one word swapped for a synonym."""
    text = "\n".join(draft.body)
    fitting = [pair for pair in _SYNONYMS if re.search(rf"\b{pair[0]}\b", text)]
    if not fitting:
        return draft
    old, new = dice.pick(fitting)
    return replace(draft, body=tuple(re.sub(rf"\b{old}\b", new, text).split("\n")))


def _typo(dice: Dice, draft: Draft) -> Draft:
    """The draft with a typo in its first sentence."""
    return replace(draft, body=(with_typo(dice, draft.body[0]), *draft.body[1:]))


def _contraction(dice: Dice, draft: Draft) -> Draft:
    """The draft with "it's" for "it is" and the like."""
    return replace(draft, body=tuple(contracted(sentence) for sentence in draft.body))


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of SHINGLE words in the text, lower-cased."""
    tokens = re.findall(r"\w+", text.lower())
    return frozenset(
        tuple(tokens[at : at + SHINGLE]) for at in range(max(1, len(tokens) - SHINGLE + 1))
    )


class Seen:
    """The drafts accepted so far, indexed by shingle, so that no two are close by accident."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._holders: dict[tuple[str, ...], list[int]] = {}
        self._count = 0

    def accept(self, text: str) -> bool:
        """Add the text unless too large a share of its shingles stands in one earlier text."""
        mine = shingles(text)
        shared: Counter[int] = Counter()
        for shingle in mine:
            shared.update(self._holders.get(shingle, ()))
        if shared and max(shared.values()) > TOO_CLOSE * len(mine):
            return False
        for shingle in mine:
            self._holders.setdefault(shingle, []).append(self._count)
        self._count += 1
        return True
