"""The writer fills sentence frames for one review of one item."""

import re
from collections.abc import Callable, Sequence

from . import film_bank, product_talk
from .bank import OPPOSITE, Aspect, Polarity
from .dice import Dice
from .frames import WHO
from .items import Item
from .opinion_words import HEDGES, INTENSIFIERS, MILD, PART, SEED_WORDS, STRONG, VERDICT

OWN_SEED_RATE = 0.33  # share of opinion adjectives that are seed words
DENIED_SEED_RATE = 0.16  # the same where the opposite view is denied, mocked or compared
MILD_RATE = 0.35  # share of opinion adjectives that are mild
GRADED_RATE = 0.22  # share of remarks on a part that are a bare adjective

_SLOT = re.compile(r"\{(\w+)(!?)(\^?)\}")
_ARTICLE = re.compile(r"\b([Aa])n? (?=(\w+))")
_VOWEL_SOUND = re.compile(r"(?!use|usa|uni|one|eu)[aeiou]|hour|honest", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(^\W*|[.?!] [\"']?)([a-z])")


class Writer:
    """Fills frames with words that fit the item; nothing is said twice in one review."""

    def __init__(self, dice: Dice, item: Item, polarity: Polarity) -> None:
        """Write about `item` with the given overall opinion."""
        self._dice, self._item, self._polarity = dice, item, polarity
        self._domain = item.category.domain
        self._talk = film_bank if self._domain == "film" else product_talk
        self._said: list[str] = []
        self._slots: dict[str, Callable[[Polarity], str]] = {
            "adj": self._adjective,
            "strong": self._strong,
            "mild": lambda side: self._fresh(MILD[self._domain][side]),
            "verdict": lambda side: self._fresh(VERDICT[self._domain][side]),
            "very": lambda side: dice.pick_early(INTENSIFIERS),
            "rather": lambda side: dice.pick(HEDGES),
            "does": self._does,
            "part": self._part,
            "feel": lambda side: self._fresh(self._talk.FEELINGS[side]),
            "closer": lambda side: lower_first(self._fresh(self._talk.CLOSERS[side])),
            "rival": lambda side: dice.pick(self._talk.RIVALS),
            "who": lambda side: self._fresh(WHO),
            "when": lambda side: dice.pick(self._talk.WHEN),
            "span": lambda side: dice.pick(product_talk.SPAN),
            "name": lambda side: item.name,
            "kind": lambda side: item.kind,
            "noun": self._noun,
            "it": self._it,
        }

    def sentence(self, frames: Sequence[str]) -> str:
        """A finished sentence from one of the frames."""
        text = self.fill(self._unused(frames))
        if text[-1].isalnum() and not text.endswith("/s"):
            text += self._dice.pick("...........!")
        elif text[-1] == '"':
            text += "."
        return sentence_case(text)

    def fill(self, frame: str) -> str:
        """The frame with all slots filled and its articles right."""

        def filled(slot: re.Match[str]) -> str:
            name, denied, capital = slot.groups()
            side = OPPOSITE[self._polarity] if denied else self._polarity
            text = self._slots[name](side)
            return text[0].upper() + text[1:] if capital else text

        return _ARTICLE.sub(_right_article, _SLOT.sub(filled, frame))

    def _fresh(self, options: Sequence[str]) -> str:
        """An option not used before in this review, if a few tries find one."""
        choice = self._dice.pick_early(options)
        for _ in range(8):
            if choice not in self._said:
                break
            choice = self._dice.pick(options)
        self._said.append(choice)
        return choice

    def _unused(self, options: Sequence[str]) -> str:
        """An option not used before in this review, all equally likely."""
        choice = self._dice.pick([each for each in options if each not in self._said] or options)
        self._said.append(choice)
        return choice

    def _adjective(self, side: Polarity) -> str:
        """An adjective for the whole item, mild or strong."""
        if self._dice.chance(MILD_RATE):
            return self._fresh(MILD[self._domain][side])
        return self._strong(side)

    def _strong(self, side: Polarity) -> str:
        """A strong adjective for the whole item; now and then a seed word."""
        rate = OWN_SEED_RATE if side == self._polarity else DENIED_SEED_RATE
        if self._dice.chance(rate / (1 - MILD_RATE)):
            return self._unused(self._seeds(side))
        return self._fresh(STRONG[self._domain][side])

    def _seeds(self, side: Polarity) -> Sequence[str]:
        """Seed words that can be said of the item: no kettle is boring."""
        fitting = SEED_WORDS[side]
        return [word for word in fitting if self._domain == "film" or word != "boring"]

    def _does(self, side: Polarity) -> str:
        """What the item as a whole does: "boils in under two minutes"."""
        said = self._item.category.does[self._item.kind].said[side]
        return self._unused(said)

    def _part(self, side: Polarity) -> str:
        """A remark on one part of the item: "the lid never quite closes"."""
        aspect = self._unused_aspect()
        if aspect.graded and self._dice.chance(GRADED_RATE):
            return f"{aspect.subject} {'are' if aspect.plural else 'is'} {self._part_word(side)}"
        return f"{aspect.subject} {self._dice.pick(aspect.said[side])}"

    def _part_word(self, side: Polarity) -> str:
        """An adjective for a part; now and then a seed word."""
        if self._dice.chance(OWN_SEED_RATE):
            return self._unused(self._seeds(side)[:2])
        return self._fresh(PART[self._domain][side])

    def _unused_aspect(self) -> Aspect:
        """A part that has not been spoken of yet."""
        parts = [each for each in self._item.category.parts if each.subject not in self._said]
        aspect = self._dice.pick(parts)
        self._said.append(aspect.subject)
        return aspect

    def _noun(self, side: Polarity) -> str:
        """What the item is called: "film", "kettle"."""
        if self._domain == "film":
            return self._dice.pick(["film", "film", "movie", "movie", "picture", self._item.kind])
        return self._dice.pick([self._item.kind, self._item.kind, self._item.kind, "thing"])

    def _it(self, side: Polarity) -> str:
        """The item as the subject of a clause."""
        name = self._item.name if self._domain == "film" else f"the {self._item.name}"
        nouns = [f"this {self._noun(side)}", f"the {self._noun(side)}"]
        return self._dice.pick(["it", "it", "it", "it", *nouns, *nouns, name])


def _right_article(article: re.Match[str]) -> str:
    """ "a" or "an", as the next word sounds."""
    letter, word = article.groups()
    return f"{letter}n " if _VOWEL_SOUND.match(word) else f"{letter} "


def sentence_case(text: str) -> str:
    """The text with a capital letter at the start of every sentence."""
    return _SENTENCE_START.sub(lambda start: start[1] + start[2].upper(), text)


def lower_first(text: str) -> str:
    """The text with a small first letter, unless it begins with "I"."""
    return text if text.startswith("I ") else text[0].lower() + text[1:]
