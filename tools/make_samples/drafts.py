"""A review before it is typed: its kind, its sentences, and copies with small edits."""

import re
from dataclasses import dataclass

from . import film_bank, frames, product_talk
from .bank import Polarity
from .dice import Dice
from .items import Item
from .writer import Writer

# Share of each kind among the drafts; all others are plain.
KINDS: dict[str, float] = {
    "negated": 0.12,
    "hedged": 0.07,
    "mixed": 0.10,
    "torn": 0.05,
    "compared": 0.08,
    "sarcastic": 0.05,
    "off_topic": 0.07,
}
SARCASM_FACTOR: dict[Polarity, float] = {"neg": 1.6, "pos": 0.4}  # sarcasm is mostly blame

TOLD_RATE = 0.45  # share of the opinions in a frame that itself takes sides
MAX_SENTENCES = 4  # longer drafts are thrown away, which favours the short kinds a little
OPENER_RATE = 0.33
ASIDE_RATE = 0.08
CLOSER_RATE = 0.6


@dataclass(frozen=True, slots=True)
class Draft:
    """A review as a list of sentences; the opener may be missing."""

    item: Item
    label: Polarity
    kind: str
    opener: str
    body: tuple[str, ...]

    @property
    def length(self) -> int:
        """The number of sentences."""
        return len(re.findall(r"[.?!](?= |$)", self.text))

    @property
    def text(self) -> str:
        """The sentences in one line."""
        return " ".join(part for part in (self.opener, *self.body) if part)


def make_draft(dice: Dice, item: Item, label: Polarity) -> Draft:
    """A draft of a random kind: an opener or none, one to three sentences, a closer or none."""
    writer = Writer(dice, item, label)
    talk = film_bank if item.category.domain == "film" else product_talk
    kind = _pick_kind(dice, label)
    opener = writer.sentence(talk.OPENERS) if dice.chance(OPENER_RATE) else ""
    body = _body(dice, writer, kind, label, frames.TOLD[item.category.domain][label])
    if kind == "off_topic":
        body.insert(dice.below(2), writer.sentence(talk.OFF_TOPIC))
    if dice.chance(ASIDE_RATE):
        body.insert(dice.below(len(body)), writer.sentence(talk.ASIDES))
    if kind != "torn" and dice.chance(CLOSER_RATE):
        body.append(writer.sentence(talk.CLOSERS[label]))
    return Draft(item, label, kind, opener, tuple(body))


def _pick_kind(dice: Dice, label: Polarity) -> str:
    """A kind of draft, by the shares of KINDS; what they leave over is plain."""
    draw = dice.below(10_000) / 10_000
    for kind, share in KINDS.items():
        if kind == "sarcastic":
            share *= SARCASM_FACTOR[label]
        draw -= share
        if draw < 0:
            return kind
    return "plain"


def _body(
    dice: Dice, writer: Writer, kind: str, label: Polarity, told: tuple[str, ...]
) -> list[str]:
    """The sentences that carry the opinion."""
    if kind == "plain":
        return [_opinion(dice, writer, told) for _ in range(dice.pick([1, 2, 2, 2, 3]))]
    if kind == "off_topic":
        return [_opinion(dice, writer, told), writer.sentence(frames.SHORT)]
    if kind == "torn":
        return [writer.sentence(frames.TORN), writer.sentence(frames.DECIDING[label])]
    leading = {
        "negated": frames.NEGATED[label],
        "hedged": frames.HEDGED,
        "mixed": frames.MIXED,
        "compared": frames.COMPARED,
        "sarcastic": frames.SARCASTIC[label],
    }[kind]
    body = [writer.sentence(leading)]
    if dice.chance(0.9):
        body.append(_opinion(dice, writer, told))
    return body


def _opinion(dice: Dice, writer: Writer, told: tuple[str, ...]) -> str:
    """One sentence of opinion, in a frame that takes sides or in one that does not."""
    return writer.sentence(told if dice.chance(TOLD_RATE) else frames.OPINION)
