"""The words that a network knows, by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tacit.predictors.protocol import Longs


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by number: the reserved ones first, then the others by how often they were seen.

    A word that is not in it has the number of the last reserved one.
    """

    reserved: tuple[str, ...]
    words: tuple[str, ...]  # without those reserved
    _number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        begin = len(self.reserved)
        number = {word: at for at, word in enumerate(self.words, begin)}
        object.__setattr__(self, "_number", number)

    @staticmethod
    def of(seen: Iterable[str], reserved: tuple[str, ...], least: int) -> Vocabulary:
        """Those words that were seen at least so often; equally frequent ones by the alphabet."""
        counts = Counter(seen)
        kept = sorted((-n, word) for word, n in counts.items() if n >= least)
        return Vocabulary(reserved, tuple(word for _, word in kept))

    def __len__(self) -> int:
        return len(self.reserved) + len(self.words)

    @property
    def unknown(self) -> int:
        """The number of every word that is not in the vocabulary."""
        return len(self.reserved) - 1

    def numbers(self, words: Iterable[str]) -> Longs:
        """The number of each word."""
        get, unknown = self._number.get, self.unknown
        return np.fromiter((get(word, unknown) for word in words), np.int64)
