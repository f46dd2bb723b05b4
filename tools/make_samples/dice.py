"""Seeded choices that give the same answer on every platform and Python version."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices drawn from one seed.

    Only ``Random.random()`` is used: it is the one method whose sequence Python promises to keep
    from version to version.
    """

    def __init__(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`."""
        self._random = Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random() < probability

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1, all equally likely."""
        return int(self._random() * limit)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[self.below(len(options))]

    def pick_early(self, options: Sequence[T]) -> T:
        """One of the options, early ones more likely: a long tail without a table of weights."""
        draw = self._random()
        return options[int(draw * draw * len(options))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """A new list with the items in random order."""
        deck = list(items)
        for last in range(len(deck) - 1, 0, -1):
            other = self.below(last + 1)
            deck[last], deck[other] = deck[other], deck[last]
        return deck

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items, in random order."""
        return self.shuffled(items)[:count]
