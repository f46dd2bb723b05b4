"""Settling: which components still change, so that the others are left in peace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.links import Link

OFTEN = 4  # sweeps between two looks at what has settled


@dataclass(frozen=True, slots=True)
class Stretches:
    """The components that the chunks of one link touch: (chunk, component) pairs."""

    chunk: Longs
    component: Ints


def stretches(link: Link, component_of_factor: Ints) -> Stretches:
    """Where, along a link's factors, chunk or component changes."""
    sizes = link.chunks[:, 1] - link.chunks[:, 0]
    chunk = np.repeat(np.arange(len(sizes)), sizes)
    begins = np.ones(len(chunk), dtype=bool)
    begins[1:] = np.diff(chunk) != 0
    begins[1:] |= np.diff(component_of_factor) != 0
    return Stretches(chunk[begins], component_of_factor[begins])


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


def order_by_component(component: Ints) -> Longs | None:
    """The order that brings the factors of a component together; None: they lie well as they are.

    One component that has nearly all factors gains nothing from it.
    """
    if not len(component) or (np.diff(component) >= 0).all():
        return None
    if np.bincount(component).max() > 0.9 * len(component):
        return None
    return np.argsort(component, kind="stable")
