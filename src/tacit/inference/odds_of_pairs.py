"""Odds of pairs: where all factors tie two binary variables, messages are passed as odds.

That is plain arithmetic (see `kernels/odds.py`) and so faster than log-odds. It is done where it
gives the same answer: undamped sums over flooding sweeps, with potentials that products can bear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from tacit.graph.factor_graph import Floats, Longs
from tacit.inference.kernels import odds as kernel
from tacit.inference.kernels import pairs
from tacit.inference.links import Link, Measured

Kept = NDArray[Any]  # (2, factors) what is kept of messages: float64, or int32 for large graphs

STRONGEST = 8.0  # potentials; beyond, tanh is so near to 1 that digits are lost
LOUDEST = 160.0  # log-odds that all the messages to one variable may add up to
FAR = 370.0  # log-odds beyond this are taken for it: they stay certain, whatever messages say
CERTAIN = 300.0  # the same where no message changes any more, and two odds are multiplied

LARGE = 2**22  # factors from which on four bytes a message are kept instead of eight
SMALL_STRENGTH = 4.0  # potentials up to which four bytes hold log-odds to 1e-8
FINEST = 1e-8  # tolerance of a run that four bytes allow


def can_speak_odds(links: Sequence[Link], values: Sequence[Floats]) -> bool:
    """Whether factors and what they are worth can be passed on as odds."""
    if not links or any(link.kernel is not pairs for link in links):
        return False
    strongest = [float(np.abs(own).max(initial=0.0)) for own in values]
    if max(strongest) > STRONGEST:
        return False
    loudest = sum(link.busiest * own for link, own in zip(links, strongest, strict=True))
    return loudest <= LOUDEST


def silent(links: Sequence[Link], values: Sequence[Floats], tolerance: float) -> list[Kept]:
    """Messages that say nothing, in as many bytes as they need.

    A tolerance below 0 asks for so many sweeps, and for no precision.
    """
    small = not 0.0 <= tolerance < FINEST
    small &= sum(len(link.potential) for link in links) >= LARGE
    small &= max(float(np.abs(own).max(initial=0.0)) for own in values) <= SMALL_STRENGTH
    kind = np.int32 if small else np.float64
    return [np.zeros((2, len(link.potential)), dtype=kind) for link in links]


def kept_of(link: Link, values: Floats, messages: Floats) -> Kept | None:
    """What is kept of log-odds messages; None where they say more than the factors now can."""
    strength = np.tanh(values / 2.0)[link.potential][:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        told = np.tanh(messages / 2.0) / strength
    told[messages == 0.0] = 0.0
    if not (np.abs(told) <= 1.0 + 1e-9).all():
        return None
    return np.ascontiguousarray(np.clip(told, -1.0, 1.0).T)


def said_by(link: Link, values: Floats, kept: Kept) -> Floats:
    """The log-odds messages that something was kept of."""
    strength = np.tanh(values / 2.0)[link.potential]
    return np.ascontiguousarray(2.0 * np.arctanh(kept.T * (strength / scale_of(kept))[:, None]))


def add_said(link: Link, values: Floats, kept: Kept, log_odds: Floats) -> None:
    """Add what messages say to log-odds."""
    strength = np.tanh(values / 2.0)
    kernel.add_kept(link.layout[0], link.potential, strength, kept, scale_of(kept), log_odds)


def measured(
    link: Link, values: Floats, kept: Kept, log_odds: Floats, odds: Floats, n_slots: int
) -> Measured:
    """What the factors of a link say, given what was kept of messages; `odds` are written."""
    agree = np.zeros((n_slots, link.n_potentials))
    odds[:] = log_odds
    kernel.to_odds(odds, CERTAIN)
    totals = kernel.measure(
        link.layout[0], link.potential, values, kept, scale_of(kept), odds, agree
    )
    return Measured(float(totals.sum()), link.holding(agree, log_odds), 0.0, 0)


def scale_of(kept: Kept) -> float:
    """What 1 is kept as."""
    return kernel.WHOLE if kept.dtype == np.int32 else 1.0


class Odds:
    """Beliefs as odds, in the place of log-odds, for as long as sweeps last."""

    def __init__(
        self,
        links: Sequence[Link],
        values: Sequence[Floats],
        kept: Sequence[Kept],
        log_odds: Floats,
    ) -> None:
        self.links, self.kept = links, kept
        self.strengths = [np.tanh(own / 2.0) for own in values]
        self.far = np.flatnonzero(np.abs(log_odds) > FAR)
        self.beyond = log_odds[self.far] - np.copysign(FAR, log_odds[self.far])
        self.odds = log_odds
        kernel.to_odds(self.odds, FAR)
        self.changes = np.ones((numba.get_num_threads(), len(log_odds)))

    def sweep(self, chunks: Sequence[Longs]) -> tuple[list[Floats], float]:
        """Send along some chunks of each link; returns the largest change in each, and a total.

        The total is finite if all odds are.
        """
        changed = []
        for at, link in enumerate(self.links):
            residuals = np.zeros(len(chunks[at]))
            kernel.sweep(
                link.layout[0], link.potential, self.strengths[at], self.kept[at],
                scale_of(self.kept[at]), self.odds, self.changes, chunks[at], residuals,
            )  # fmt: skip
            changed.append(residuals)
        return changed, float(kernel.multiply_changes(self.odds, self.changes))

    def end(self) -> None:
        """Turn odds back into log-odds."""
        kernel.to_log_odds(self.odds)
        self.odds[self.far] += self.beyond
