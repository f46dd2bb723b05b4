"""Settling: which components still change, so that the others are left in peace; and damping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.kernels import components as kernel
from tacit.inference.links import Link

ROUNDING = 1e-9  # changes of messages that are no swinging
OFTEN = 4  # sweeps between two looks at what has settled


@dataclass(frozen=True, slots=True)
class Stretches:
    """The components that the chunks of one link touch: (chunk, component) pairs."""

    chunk: Longs
    component: Ints


def stretches(link: Link, first_variable: Ints, of_variable: Ints) -> Stretches:
    """Where, along a link's factors, chunk or component changes."""
    chunk, component = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    n = kernel.stretches(first_variable, of_variable, link.chunks, chunk, component)
    chunk, component = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int32)
    kernel.stretches(first_variable, of_variable, link.chunks, chunk, component)
    return Stretches(chunk, component)


class Settling:
    """Residuals by component over the sweeps of one run."""

    def __init__(self, links: tuple[Link, ...], where: tuple[Stretches, ...], n_components: int):
        self.links = links
        self.where = where
        self.residuals = np.full(n_components, np.inf)
        self.active = [np.arange(len(link.chunks)) for link in links]

    def note(self, changed: list[Floats], tolerance: float) -> None:
        """Take in the residuals of the chunks that were swept, and let settled components rest."""
        moving = self.residuals > tolerance
        latest = np.zeros(len(self.residuals))
        for at, where in enumerate(self.where):
            by_chunk = np.zeros(len(self.links[at].chunks))
            by_chunk[self.active[at]] = changed[at]
            np.maximum.at(latest, where.component, by_chunk[where.chunk])
        self.residuals[moving] = latest[moving]
        moving = self.residuals > tolerance
        for at, where in enumerate(self.where):
            is_active = np.zeros(len(self.links[at].chunks), dtype=bool)
            is_active[where.chunk[moving[where.component]]] = True
            self.active[at] = np.flatnonzero(is_active)

    def chunks(self, at: int) -> Longs:
        """The chunks of a link that are still worked on."""
        link = self.links[at]
        every = len(self.active[at]) == len(link.chunks)
        return link.chunks if every else link.chunks[self.active[at]]


class Damping:
    """The share of old messages that is kept: raised when messages swing instead of settling."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.looked_at, self.before = 0, np.inf

    def note(self, sweep: int, residual: float) -> None:
        """Look at the residual every ten sweeps; it should have fallen since the last look."""
        if sweep - self.looked_at < 10:
            return
        if residual > max(0.9 * self.before, ROUNDING):
            self.share = 0.5 + 0.5 * self.share
        self.looked_at, self.before = sweep, residual
