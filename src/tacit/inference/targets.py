"""Targets: which log-odds each message adds to, written out link by link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.graph.factor_graph import Floats, Longs
from tacit.inference.kernels import any_of, counting, tables
from tacit.inference.links import Link


@dataclass(frozen=True, slots=True)
class Targets:
    """For each number that a message adds somewhere: whence, where to, and with which sign."""

    factor: Longs
    message: Longs  # place in the flattened messages
    position: Longs  # place in the log-odds
    sign: Floats


def targets(link: Link) -> Targets:
    """Where the messages of a link go."""
    if link.kernel is any_of:
        return _of_members(link)
    if link.kernel is counting:
        return _of_sums(link)
    sizes = link.layout[0] - 1 if link.kernel is tables else _even_sizes(link)
    ends = link.layout[-1].astype(np.int64)
    steps = np.concatenate([np.arange(size) for size in sizes])
    axis = np.repeat(np.arange(len(sizes)), sizes)
    position = (ends[:, axis] + steps).reshape(-1)
    factor = np.repeat(np.arange(len(ends)), len(steps))
    return Targets(factor, np.arange(len(position)), position, np.ones(len(position)))


def _even_sizes(link: Link) -> Longs:
    n_odds = link.message_shape[2] if len(link.message_shape) == 3 else 1
    return np.full(2, n_odds, dtype=np.int64)


def _of_members(link: Link) -> Targets:
    """One number a member: it raises the states that count, or lowers the others."""
    _, first_member, positions, _, gains, kind = link.layout
    sizes = positions[:, 1] - positions[:, 0]
    member = np.repeat(np.arange(len(kind)), sizes)
    begin = np.repeat(np.cumsum(sizes) - sizes, sizes)
    step = np.arange(len(member)) - begin
    counts = gains[kind[member], step + 1] > 0
    first_counts = gains[kind[member], 0] > 0
    sign = counts.astype(float) - first_counts
    factor = np.repeat(np.arange(len(first_member) - 1), np.diff(first_member))[member]
    return Targets(factor, member, positions[member, 0] + step, sign)


def _of_sums(link: Link) -> Targets:
    _, first_member, positions, _, _, first_message = link.layout
    sizes = np.diff(first_message)
    member = np.repeat(np.arange(len(sizes)), sizes)
    step = np.arange(len(member)) - first_message[member]
    factor = np.repeat(np.arange(len(first_member) - 1), np.diff(first_member))[member]
    position = positions[member, 0] + step
    return Targets(factor, np.arange(len(member)), position, np.ones(len(member)))
