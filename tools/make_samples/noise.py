"""How people really type: contractions, typos, emoticons, missing capitals and full stops."""

import re

from .bank import OPPOSITE, Polarity
from .dice import Dice

CONTRACTION_RATE = 0.45
TYPO_RATE = 0.10
SMALL_LETTERS_RATE = 0.06
NO_FULL_STOP_RATE = 0.08
EMOTICON_RATE = 0.05
WRONG_EMOTICON_RATE = 0.25  # of the emoticons
LONG_LETTERS_RATE = 0.07  # tried this often; few texts have a word for it
SHOUT_RATE = 0.03
BANGS_RATE = 0.04

EMOTICONS: dict[Polarity, tuple[str, ...]] = {
    "neg": (":(", ":-(", ":/", ">:(", "-_-"),
    "pos": (":)", ":-)", ":D", "<3", "^^"),
}

_CONTRACTIONS = (
    (re.compile(r"(?<!cleaning )\b([Ii])t is (?!not)"), r"\1t's "),
    (re.compile(r"\b([Ii])t is not\b"), r"\1t isn't"),
    (re.compile(r"\bI am\b"), "I'm"),
    (re.compile(r"\bI have (?=already|ordered|never|had|not|warned)"), "I've "),
    (re.compile(r"\bI would\b"), "I'd"),
    (re.compile(r"\bI will\b"), "I'll"),
    (re.compile(r"\bcould not\b"), "couldn't"),
    (re.compile(r"\b([Dd])o not\b"), r"\1on't"),
    (re.compile(r"\bdid not\b"), "didn't"),
    (re.compile(r"\bcannot\b"), "can't"),
    (re.compile(r"\bthere is\b"), "there's"),
)

_DRAWN_OUT = re.compile(
    r"(?<=\b[Ss])o(?= [a-z]+[.!])"  # so tedious.
    r"|(?<=l)o(?=ved?\b)|(?<=\bl)o(?=ng\b)|e(?=ver\b)|(?<=go)o(?=d\b)|a(?=lly\b)"
)


def roughen(dice: Dice, text: str, polarity: Polarity) -> str:
    """The text as someone might have typed it."""
    if dice.chance(CONTRACTION_RATE):
        text = contracted(text)
    if dice.chance(TYPO_RATE):
        text = with_typo(dice, text)
    if dice.chance(LONG_LETTERS_RATE):
        text = _with_long_letters(dice, text)
    if dice.chance(SHOUT_RATE):
        text = _with_shouted_word(dice, text)
    if dice.chance(SMALL_LETTERS_RATE):
        text = text.lower()
    if dice.chance(NO_FULL_STOP_RATE):
        text = text.removesuffix(".")
    elif dice.chance(BANGS_RATE):
        text = text.removesuffix(".") + dice.pick(["!!", "!!!", "..."])
    if dice.chance(EMOTICON_RATE):
        mood = OPPOSITE[polarity] if dice.chance(WRONG_EMOTICON_RATE) else polarity
        text = f"{text} {dice.pick(EMOTICONS[mood])}"
    return text


def contracted(text: str) -> str:
    """The text with "it's" for "it is" and the like."""
    for pattern, short in _CONTRACTIONS:
        text = pattern.sub(short, text)
    return text


def with_typo(dice: Dice, text: str) -> str:
    """The text with one letter of one longer word dropped, doubled or swapped with the next."""
    spots = [word.span() for word in re.finditer(r"[a-z]{5,}", text)]
    if not spots:
        return text
    start, end = dice.pick(spots)
    at = dice.between(start + 1, end - 3)
    one, two = text[at], text[at + 1]
    slip = dice.pick([two, one + one + two, two + one])
    return text[:at] + slip + text[at + 2 :]


def _with_long_letters(dice: Dice, text: str) -> str:
    """The text with one vowel drawn out, as in "sooo" or "loooved"."""
    spots = [hit.start() for hit in _DRAWN_OUT.finditer(text)]
    if not spots:
        return text
    at = dice.pick(spots)
    return text[:at] + text[at] * dice.between(3, 5) + text[at + 1 :]


def _with_shouted_word(dice: Dice, text: str) -> str:
    """The text with one word in capitals."""
    spots = [word.span() for word in re.finditer(r"\b[a-z]{4,}\b", text)]
    if not spots:
        return text
    start, end = dice.pick(spots)
    return text[:start] + text[start:end].upper() + text[end:]
