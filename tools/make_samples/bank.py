"""Phrase banks: how the text blocks of the phrase modules are read."""

from dataclasses import dataclass
from typing import Literal

Polarity = Literal["neg", "pos"]

OPPOSITE: dict[Polarity, Polarity] = {"neg": "pos", "pos": "neg"}


@dataclass(frozen=True, slots=True)
class Aspect:
    """A part of an item and what people say of it: verb phrases of praise and of blame."""

    subject: str
    plural: bool
    graded: bool  # whether "is superb" makes sense of it
    said: dict[Polarity, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Category:
    """A family of items: what they are called, what they do and which parts they have."""

    name: str
    domain: Literal["film", "product"]
    does: dict[str, Aspect]  # kind of item, e.g. "kettle" -> what it does well and badly
    parts: tuple[Aspect, ...]


def lines(block: str) -> tuple[str, ...]:
    """The non-empty lines of a block, stripped."""
    return tuple(line.strip() for line in block.splitlines() if line.strip())


def words(block: str) -> tuple[str, ...]:
    """The comma-separated entries of a block, stripped."""
    return tuple(entry.strip() for entry in block.replace("\n", " ").split(",") if entry.strip())


def aspects(block: str) -> tuple[Aspect, ...]:
    """Read aspects: a subject line, then lines of praise (+) and of blame (-).

    A subject that ends in ``*`` is a plural; one that ends in ``~`` takes no bare adjective.
    """
    found: list[Aspect] = []
    for line in lines(block):
        if line[0] not in "+-":
            empty: dict[Polarity, tuple[str, ...]] = {"neg": (), "pos": ()}
            found.append(Aspect(line.rstrip("*~"), line[-1] == "*", line[-1] != "~", empty))
            continue
        side: Polarity = "pos" if line[0] == "+" else "neg"
        found[-1].said[side] = found[-1].said[side] + words(line[1:])
    return tuple(found)


def category(name: str, kinds: str, parts: tuple[Aspect, ...]) -> Category:
    """A category from the block of its kinds and the parts that all its kinds share."""
    does = {aspect.subject: aspect for aspect in aspects(kinds)}
    return Category(name, "film" if name == "film" else "product", does, parts)
