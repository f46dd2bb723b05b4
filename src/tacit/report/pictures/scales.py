"""From values to places in a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

_NICE = (1.0, 2.0, 2.5, 5.0, 10.0)
_SMALLEST_SPAN = 1e-300


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from values to places; a span of nothing leads to the middle."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, inside the span."""
        span = self.high - self.low
        if not span > _SMALLEST_SPAN:
            return (self.begin + self.end) / 2
        share = min(1.0, max(0.0, (value - self.low) / span))
        return self.begin + share * (self.end - self.begin)


@dataclass(frozen=True, slots=True)
class LogScale:
    """The same by orders of magnitude, for values above 0."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, inside the span."""
        straight = Scale(math.log(self.low), math.log(self.high), self.begin, self.end)
        return straight(math.log(max(value, self.low)))


def ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """Round numbers inside a span, at most about so many."""
    span = high - low
    if not span > _SMALLEST_SPAN or not math.isfinite(span):
        return (low,)
    step = _nice_step(span / max(most, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(n * step for n in range(first, last + 1))


def round_span(low: float, high: float, most: int = 5) -> tuple[float, float]:
    """The next round numbers around a span."""
    if not high > low:
        low, high = low - abs(low) * 0.1 - 0.05, high + abs(high) * 0.1 + 0.05
    step = _nice_step((high - low) / max(most, 1))
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def apart(places: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as need be, in their order, so that no two are closer than a gap."""
    order = sorted(range(len(places)), key=lambda at: (places[at], at))
    moved = [places[at] for at in order]
    for at in range(1, len(moved)):
        moved[at] = max(moved[at], moved[at - 1] + gap)
    over = moved[-1] - high if moved else 0.0
    if over > 0:
        moved[-1] -= over
        for at in range(len(moved) - 2, -1, -1):
            moved[at] = min(moved[at], moved[at + 1] - gap)
    below = low - moved[0] if moved else 0.0
    if below > 0:
        moved = [place + below for place in moved]
    found = [0.0] * len(places)
    for place, at in zip(moved, order, strict=True):
        found[at] = place
    return found


def _nice_step(rough: float) -> float:
    """A round number that is no smaller."""
    size = 10.0 ** math.floor(math.log10(rough)) if rough > _SMALLEST_SPAN else 1.0
    return next(nice * size for nice in _NICE if nice * size >= rough * (1 - 1e-9))
