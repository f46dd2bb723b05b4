"""Climbing: the highest point of a smooth function within bounds, by a quasi-Newton method.

The direction of a step is the slope times an estimate of the inverse curvature from the last steps
(L-BFGS), among the parameters that no bound holds back; what a step would carry beyond a bound
stays there (two-metric projection). The first step is short, and steps grow while the slope stays
as steep, so that the climb ends near where it starts.

There is no product of matrices in it: BLAS's threads, once awake, wait busily for more, and would
keep cores from the kernels that compute the function.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tacit.learning.votes import Floats, Truths

Function = Callable[[Floats], tuple[float, Floats]]  # its value and its slope

RISES = 1e-3  # a step gains at least this share of what the slope promised
STEEP = 0.9  # a step after which more than this share of the slope is left was too short
LONGER = 16.0  # at most, as a multiple of a step that was too short
MAX_TRIALS = 20  # of lengths of a step
FLAT = 1e-4  # of the slope, where the climb ends
PROMISING = 8  # times the tolerance: a step that gains little of so much does not end the climb
SHORT = 10_000  # numbers
ROUNDING = 1e-12  # of a height: no step is seen to gain less


@dataclass(frozen=True, slots=True)
class Place:
    """A point with what the function is there."""

    at: Floats
    height: float
    slope: Floats


@dataclass(frozen=True, slots=True)
class Climb:
    """Where a climb ended, and how high it was after each step."""

    top: Place
    heights: tuple[float, ...]
    settled: bool


@dataclass(frozen=True, slots=True)
class Step:
    """How far a step went, and how much the slope fell."""

    moved: Floats
    bent: Floats
    curvature: float  # the product of the two
    sharpness: float  # the square of the latter

    @staticmethod
    def of(moved: Floats, bent: Floats) -> Step | None:
        """A step; none where the slope did not fall, of which nothing can be learned."""
        curvature, sharpness = _dot(moved, bent), _dot(bent, bent)
        if curvature <= np.finfo(float).eps * sharpness:
            return None
        return Step(moved, bent, curvature, sharpness)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the most that each parameter may be."""

    low: Floats
    high: Floats

    def within(self, at: Floats) -> Floats:
        """The nearest point within the bounds."""
        return np.minimum(np.maximum(at, self.low), self.high)

    def free(self, place: Place) -> Truths:
        """The parameters that may follow the slope."""
        up, down = place.slope > 0, place.slope < 0
        held = ((place.at <= self.low) & down) | ((place.at >= self.high) & up)
        return np.asarray(~held)


def climbed(
    function: Function,
    start: Floats,
    bounds: Bounds,
    *,
    max_steps: int,
    tolerance: float,
    memory: int = 20,
) -> Climb:
    """Climb from a point on; parameters should be about as steep as each other.

    The climb ends with a step that gains less than the tolerance, or where it is flat.
    """
    at = bounds.within(start)
    place = Place(at, *function(at))
    heights: list[float] = []
    steps: deque[Step] = deque(maxlen=memory)

    def ended(settled: bool) -> Climb:
        return Climb(place, tuple(heights), settled)

    while len(heights) < max_steps:
        free = bounds.free(place)
        uphill = np.where(free, place.slope, 0.0)
        if np.abs(uphill).max(initial=0.0) <= FLAT:
            return ended(True)
        direction = _direction(uphill, free, steps)
        promised = _dot(uphill, direction)
        length = 1.0 if steps else 1 / max(1.0, np.sqrt(promised))
        found = _step(function, place, direction, length, bounds)
        if found is None:
            least = tolerance + ROUNDING * abs(place.height)
            if not steps or promised <= least:
                return ended(promised <= least)
            steps.clear()  # what was learned of the curvature misleads
            continue
        gained = found.height - place.height
        if (step := Step.of(found.at - place.at, place.slope - found.slope)) is not None:
            steps.append(step)
        place = found
        heights.append(place.height)
        if gained <= tolerance and promised <= PROMISING * tolerance:
            return ended(True)
    return ended(False)


def _direction(uphill: Floats, free: Truths, steps: Iterable[Step]) -> Floats:
    """The slope times the inverse curvature that the last steps suggest (two-loop recursion)."""
    if not free.all():
        among = (Step.of(each.moved * free, each.bent * free) for each in steps)
        steps = [each for each in among if each is not None]
    direction, shares = uphill.copy(), []
    for step in reversed(known := list(steps)):
        shares.append(_dot(step.moved, direction) / step.curvature)
        direction -= shares[-1] * step.bent
    if known:
        direction *= known[-1].curvature / known[-1].sharpness
    for step, share in zip(known, reversed(shares), strict=True):
        direction += (share - _dot(step.bent, direction) / step.curvature) * step.moved
    return direction


def _step(
    function: Function, place: Place, direction: Floats, length: float, bounds: Bounds
) -> Place | None:
    """A point in a direction that is high enough; nothing if there is none.

    Too long a step is cut to where its slope, as if it changed evenly, would be 0.
    """
    rise = _dot(place.slope, direction)
    reached: Place | None = None
    for _ in range(MAX_TRIALS):
        at = bounds.within(place.at + length * direction)
        trial = Place(at, *function(at))
        promised = RISES * _dot(place.slope, at - place.at)
        rise_there = _dot(trial.slope, direction)
        if trial.height >= place.height + promised > place.height:
            if reached is not None and trial.height <= reached.height:
                return reached
            if rise_there <= STEEP * rise:
                return trial
            reached = trial
            ahead = 0.5 * rise / max(rise - rise_there, 1e-3 * rise)  # half way to the top
            length *= min(max(ahead, 2.0), LONGER)
        elif reached is not None:
            return reached
        else:
            cut = rise / (rise - rise_there) if rise_there < rise else 0.5
            length *= min(max(cut, 0.1), 0.5) if np.isfinite(cut) else 0.1
    return reached


def _dot(one: Floats, other: Floats) -> float:
    """The sum of products; BLAS has one thread for short vectors only."""
    return float(one @ other if len(one) < SHORT else (one * other).sum())
