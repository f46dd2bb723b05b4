"""Links on a GPU: the kernels' formulas as array operations, for all factors of a block at once.

Each link keeps its messages and hands on what they add to the log-odds, one number for each target
(`targets.py`), which the variables then sum in a fixed order. The formulas are explained in the
kernels of the same names.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad, softplus

from tacit.graph.factor_graph import Floats
from tacit.inference.kernels import agreement, any_of, counting, pairs
from tacit.inference.kernels.maths import HARD
from tacit.inference.links import Link


class DeviceLink(Protocol):
    """The factors of one block, on a device."""

    messages: Tensor

    def sweep(self, log_odds: Tensor, damping: float, maximise: bool) -> Tensor:
        """Update the messages; returns changes, the largest among them."""

    def said(self) -> Tensor:
        """What the messages add to the log-odds, target by target."""


def device_link(link: Link, values: Floats, dtype: torch.dtype, device: torch.device) -> DeviceLink:
    """A link moved to a device, with what its potentials are worth."""
    if link.kernel is pairs:
        return Pairs(link, values, dtype, device)
    if link.kernel is agreement:
        return Agreements(link, values, dtype, device)
    if link.kernel is any_of:
        return AnyOf(link, values, dtype, device)
    if link.kernel is counting:
        return Sums(link, values, dtype, device)
    return Tables(link, values, dtype, device)


class Mover:
    """Puts arrays on a device."""

    def __init__(self, dtype: torch.dtype, device: torch.device) -> None:
        self.dtype, self.device = dtype, device

    def indices(self, array: Any) -> Tensor:
        """Index arrays, as 64-bit integers."""
        return torch.as_tensor(np.array(array), device=self.device).long()

    def numbers(self, array: Any) -> Tensor:
        """Numbers, in the precision of the run."""
        return torch.as_tensor(np.array(array), device=self.device).to(self.dtype)


def moved(old: Tensor, new: Tensor, damping: float) -> Tensor:
    """Take a damped step from old to new messages in place; returns the sizes of full steps."""
    step = new - old
    old.add_(step, alpha=1.0 - damping)
    return step.abs() if step.numel() else step.new_zeros(1)


class Pairs:
    """Two binary variables; on a CUDA device one fused kernel, elsewhere the same in steps."""

    def __init__(self, link: Link, values: Floats, dtype: torch.dtype, device: torch.device):
        to = Mover(dtype, device)
        ends = link.layout[0].T.copy()
        self.ends = torch.as_tensor(ends, device=device)  # (2, factors), 32 bits for bandwidth
        self.potential = torch.as_tensor(np.array(link.potential), device=device)
        self.coupling = to.numbers(values)
        self.messages = torch.zeros((2, len(link.potential)), dtype=dtype, device=device)
        n_blocks = -(-len(link.potential) // 512)
        self.residuals = torch.zeros(n_blocks, dtype=dtype, device=device)

    def sweep(self, log_odds: Tensor, damping: float, maximise: bool) -> Tensor:
        """Update the messages; returns changes, the largest among them."""
        if self.messages.is_cuda:
            from tacit.inference.cuda_kernels import send

            send(
                self.ends, self.potential, self.coupling, self.messages, log_odds,
                self.residuals, damping, maximise,
            )  # fmt: skip
            return self.residuals
        strength = self.coupling[self.potential.long()]
        x = (log_odds[self.ends.long()] - self.messages).flip(0)
        if maximise:
            size = torch.minimum(x.abs(), strength.abs())
        else:
            fade, e = torch.exp(-strength.abs()), torch.exp(-x.abs())
            size = torch.log((1 + e * fade) / (e + fade))
        return moved(self.messages, torch.where((x > 0) == (strength > 0), size, -size), damping)

    def said(self) -> Tensor:
        """What the messages add to the log-odds, target by target."""
        return self.messages.reshape(-1)


class Agreements:
    """Two variables of the same labels, more than two."""

    def __init__(self, link: Link, values: Floats, dtype: torch.dtype, device: torch.device):
        to = Mover(dtype, device)
        n_odds = link.message_shape[2]
        ends = link.layout[0][:, :, None] + np.arange(n_odds)
        self.positions = to.indices(ends)  # (factors, 2, labels - 1)
        self.strength = to.numbers(values[link.potential])[:, None, None]
        self.messages = torch.zeros(link.message_shape, dtype=dtype, device=device)
        self.others = 1.0 - torch.eye(n_odds + 1, dtype=dtype, device=device)

    def sweep(self, log_odds: Tensor, damping: float, maximise: bool) -> Tensor:
        """Update the messages; returns changes, the largest among them."""
        x = pad(log_odds[self.positions] - self.messages, (1, 0)).flip(1)
        x = x - x.amax(dim=2, keepdim=True)
        if maximise:
            apart = (x[..., None] + torch.log(self.others)).amax(dim=2)
            new = torch.maximum(x + self.strength, apart)
        else:
            p, fade = x.exp(), torch.exp(-self.strength.abs())
            apart = p @ self.others  # not by subtraction, which loses small sums
            new = torch.log(torch.where(self.strength > 0, p + fade * apart, fade * p + apart))
        return moved(self.messages, new[..., 1:] - new[..., :1], damping)

    def said(self) -> Tensor:
        """What the messages add to the log-odds, target by target."""
        return self.messages.reshape(-1)


class Tables:
    """Any truth table, soft or hard: every cell of every factor at once."""

    def __init__(self, link: Link, values: Floats, dtype: torch.dtype, device: torch.device):
        to = Mover(dtype, device)
        shape, states, truth, ends = link.layout
        self.positions = [
            to.indices(ends[:, axis, None] + np.arange(size - 1)) for axis, size in enumerate(shape)
        ]
        self.states = [to.indices(states[:, axis]) for axis in range(len(shape))]
        self.shape = [int(size) for size in shape]
        own = values[link.potential][:, None]
        worth = np.where(np.isinf(own), np.where(truth, 0.0, -np.inf), np.where(truth, own, 0.0))
        self.worth = to.numbers(worth)  # (factors, cells)
        self.messages = torch.zeros(link.message_shape, dtype=dtype, device=device)

    def sweep(self, log_odds: Tensor, damping: float, maximise: bool) -> Tensor:
        """Update the messages; returns changes, the largest among them."""
        believed, first = [], 0
        for position, size in zip(self.positions, self.shape, strict=True):
            old = self.messages[:, first : first + size - 1]
            believed.append(torch.log_softmax(pad(log_odds[position] - old, (1, 0)), dim=1))
            first += size - 1
        cells = self.worth
        for x, state in zip(believed, self.states, strict=True):
            cells = cells + x[:, state]
        new = []
        for x, state, size in zip(believed, self.states, self.shape, strict=True):
            columns = [cells[:, state == s] for s in range(size)]
            if maximise:
                out = torch.stack([column.amax(dim=1) for column in columns], dim=1) - x
            else:
                out = torch.stack([column.logsumexp(dim=1) for column in columns], dim=1) - x
            new.append(odds_of(out))
        return moved(self.messages, torch.cat(new, dim=1), damping)

    def said(self) -> Tensor:
        """What the messages add to the log-odds, target by target."""
        return self.messages.reshape(-1)


def odds_of(log_values: Tensor) -> Tensor:
    """Messages by state (..., states) as log-odds against the first, impossible ones at a limit."""
    high = log_values.amax(dim=-1, keepdim=True)
    below = torch.where(high > -torch.inf, (log_values - high).clamp(min=-HARD), 0.0)
    return below[..., 1:] - below[..., :1]


class AnyOf:
    """At least one member counts."""

    def __init__(self, link: Link, values: Floats, dtype: torch.dtype, device: torch.device):
        to = Mover(dtype, device)
        renormalise, first_member, positions, _, gains, kind = link.layout
        sizes = np.diff(first_member)
        self.sizes = to.indices(sizes)
        self.group = to.indices(np.repeat(np.arange(len(sizes)), sizes))
        n_odds = positions[:, 1] - positions[:, 0]
        widest = int(n_odds.max(initial=1))
        at = np.minimum(np.arange(widest), np.maximum(n_odds[:, None] - 1, 0))
        self.positions = to.indices(np.minimum(positions[:, :1] + at, positions[:, 1:].max() - 1))
        real = np.arange(widest + 1) <= n_odds[:, None]
        counts = (gains[kind][:, : widest + 1] > 0) & real
        self.inside = torch.as_tensor(counts, device=device)
        self.outside = torch.as_tensor(real & ~counts, device=device)
        worth = np.full(len(sizes), np.inf) if renormalise[0] else values[link.potential]
        self.worth = to.numbers(worth)
        self.messages = torch.zeros(len(kind), dtype=dtype, device=device)
        member = np.repeat(np.arange(len(kind)), n_odds)
        step = np.arange(len(member)) - np.repeat(np.cumsum(n_odds) - n_odds, n_odds)
        sign = counts[member, step + 1].astype(float) - counts[member, 0]
        self.member, self.sign = to.indices(member), to.numbers(sign)

    def odds_of_counting(self, log_odds: Tensor, maximise: bool) -> Tensor:
        """Whether each member counts, as log-odds without this factor."""
        x = pad(log_odds[self.positions], (1, 0))
        inside = x.masked_fill(~self.inside, -torch.inf)
        outside = x.masked_fill(~self.outside, -torch.inf)
        if maximise:
            y = inside.amax(dim=1) - outside.amax(dim=1)
        else:
            y = inside.logsumexp(dim=1) - outside.logsumexp(dim=1)
        return y.clamp(-HARD, HARD) - self.messages

    def sweep(self, log_odds: Tensor, damping: float, maximise: bool) -> Tensor:
        """Update the messages; returns changes, the largest among them."""
        y = self.odds_of_counting(log_odds, maximise)
        other = self._highest_of_others(y)
        worth = self.worth[self.group]
        if maximise:
            rest = (self._sum(y.clamp(min=0))[self.group] - y.clamp(min=0)).clamp(min=0)
            worth = worth.clamp(max=HARD)
            without = torch.where(other >= 0, rest, other)
            new = rest + worth - (without + worth).clamp(min=0)
        else:
            own = softplus(y)
            log_none = (own - self._sum(own)[self.group]).clamp(max=0)
            some = torch.log(-torch.expm1(log_none))
            some = torch.where(some > -600, some, other.clamp(max=0))
            positive = -torch.logaddexp(some, log_none - worth)
            negative = worth - torch.logaddexp(some + worth, log_none)
            new = torch.where(worth >= 0, positive, negative)
        return moved(self.messages, new.clamp(-HARD, HARD), damping)

    def _sum(self, values: Tensor) -> Tensor:
        return torch.segment_reduce(values, "sum", lengths=self.sizes, unsafe=True)

    def _highest_of_others(self, y: Tensor) -> Tensor:
        """For each member the highest of the others in its group."""
        best = torch.segment_reduce(y, "max", lengths=self.sizes, unsafe=True)[self.group]
        order = torch.arange(len(y), device=y.device)
        place = torch.where(y == best, order, len(y))
        first = torch.segment_reduce(place.double(), "min", lengths=self.sizes, unsafe=True)
        is_first = order == first.long()[self.group]
        rest = torch.where(is_first, -torch.inf, y)
        second = torch.segment_reduce(rest, "max", lengths=self.sizes, unsafe=True)[self.group]
        return torch.where(is_first, second, best)

    def said(self) -> Tensor:
        """What the messages add to the log-odds, target by target."""
        return self.messages[self.member] * self.sign


class Sums:
    """A chain of running sums, for all the groups at once, member after member."""

    def __init__(self, link: Link, values: Floats, dtype: torch.dtype, device: torch.device):
        to = Mover(dtype, device)
        truth, first_member, positions, gains, kind, first_message = link.layout
        sizes = np.diff(first_member)
        self.length, self.n_sums = int(sizes.max(initial=0)), len(truth)
        n_odds = positions[:, 1] - positions[:, 0]
        widest = int(n_odds.max(initial=0))
        step = np.arange(widest)
        real = step < n_odds[:, None]
        # Padded to (groups, length of the longest, states); a padded member adds nothing for sure.
        group = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(kind)) - first_member[group]
        shape = (len(sizes), self.length, widest)
        self.positions = to.indices(_padded(shape, group, place, positions[:, :1] + step, 0, real))
        self.message = to.indices(
            _padded(shape, group, place, first_message[:-1, None] + step, -1, real)
        )
        self.real = self.message >= 0
        gain = np.zeros((len(sizes), self.length, widest + 1), dtype=np.int64)
        gain[group, place] = gains[kind][:, : widest + 1]
        self.gain = to.indices(gain)
        own = values[link.potential][:, None]
        worth = np.where(np.isinf(own), np.where(truth, 0.0, -np.inf), np.where(truth, own, 0.0))
        self.worth = to.numbers(worth)
        self.messages = torch.zeros(link.message_shape, dtype=dtype, device=device)
        sums = torch.arange(self.n_sums, device=device)
        self.after = (sums[:, None] + sums).clamp(max=self.n_sums - 1)  # (sum, gain) -> sum

    def sweep(self, log_odds: Tensor, damping: float, maximise: bool) -> Tensor:
        """Update the messages; returns changes, the largest among them."""

        def join(x: Tensor) -> Tensor:
            return x.amax(dim=-1) if maximise else x.logsumexp(dim=-1)

        old = torch.where(self.real, self.messages[self.message.clamp(min=0)], 0.0)
        x = torch.where(self.real, log_odds[self.positions] - old, -torch.inf)
        x = pad(x, (1, 0))
        x = x - join(x)[..., None]
        by_gain = [join(x.masked_fill(self.gain != g, -torch.inf)) for g in range(self.n_sums)]
        levels = torch.stack(by_gain, dim=-1)  # (groups, members, gains)
        after = [self.worth]
        for m in range(self.length - 1, 0, -1):
            after.append(join(after[-1][:, self.after] + levels[:, m, None, :]))
        before = torch.full_like(self.worth, -torch.inf)
        before[:, 0] = 0.0
        new = torch.zeros_like(old)
        for m in range(self.length):
            out = join((before[:, :, None] + after[-1 - m][:, self.after]).transpose(1, 2))
            new[:, m] = odds_of(out.gather(1, self.gain[:, m]))
            paths = before[:, :, None] + levels[:, m, None, :]
            ends = [paths.masked_fill(self.after != n, -torch.inf) for n in range(self.n_sums)]
            before = torch.stack([join(end.flatten(1)) for end in ends], dim=1)
        flat = self.messages.clone()
        flat[self.message[self.real]] = new[self.real]
        return moved(self.messages, flat, damping)

    def said(self) -> Tensor:
        """What the messages add to the log-odds, target by target."""
        return self.messages


def _padded(
    shape: tuple[int, ...], group: Any, place: Any, values: Any, empty: int, real: Any
) -> Any:
    """Rows of members laid out by group and place."""
    padded = np.full(shape, empty, dtype=np.int64)
    padded[group, place] = np.where(real, values, empty)
    return padded
