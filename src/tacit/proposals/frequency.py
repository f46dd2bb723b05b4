"""How often a feature must occur: too rare tells nothing, too common tells nothing apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import BadInput

Longs = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """Limits on the number of instances that have a feature."""

    floor: int | None = None  # None: one in 300 instances, but from 10 to 100 of them
    ceiling: float = 0.25  # share of the instances; words beyond it are function words
    # The chapter keeps the most frequent 2.5% instead: 0.025. On few or short texts that leaves
    # function words only, so it is not the default.
    most_frequent: float | None = None

    def __post_init__(self) -> None:
        if self.floor is not None and self.floor < 1:
            raise BadInput(f"floor={self.floor} keeps what never occurs", remedy="at least 1")
        for name in ("ceiling", "most_frequent"):
            share = getattr(self, name)
            if share is not None and not 0 < share <= 1:
                raise BadInput(f"{name}={share} is no share", remedy="above 0, and at most 1")

    def least(self, n_instances: int) -> int:
        """The smallest number of instances that a feature must have."""
        if self.most_frequent is not None:
            return 1
        if self.floor is not None:
            return self.floor
        # Of fewer than 200 instances, ten would be more than one in twenty.
        few = max(2, n_instances // 20)
        return min(few, max(10, n_instances // 300), 100)

    def keeps(self, n_of_feature: Longs, n_instances: int) -> Truths:
        """Which features of one relation stay; those of equal frequency do so together."""
        if self.most_frequent is None:
            most = self.ceiling * n_instances
            return (n_of_feature >= self.least(n_instances)) & (n_of_feature <= most)
        n_kept = int(np.ceil(self.most_frequent * len(n_of_feature)))
        if not n_kept:
            return np.zeros(0, dtype=np.bool_)
        last = np.sort(n_of_feature)[-n_kept]  # what is as frequent as the last one stays too
        return n_of_feature >= max(int(last), 1)
