"""Belief propagation on a GPU (or wherever PyTorch runs): the same messages, the same answers.

Pairs and agreements run in single precision, which is what a GPU is fast at; graphs with groups,
tables or hard evidence in double. Variables sum their messages in a fixed order, so the same input
gives the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from tacit.errors import BadInput, NotFinite
from tacit.graph import FactorGraph
from tacit.inference.bp import BPConfig, Passing, favouring, solution_of
from tacit.inference.device_links import DeviceLink, device_link
from tacit.inference.kernels import agreement, pairs
from tacit.inference.links import Link
from tacit.inference.messages import Messages
from tacit.inference.potentials import LogPotentials
from tacit.inference.settling import Damping
from tacit.inference.solution import Solution
from tacit.inference.targets import targets

LOOK = 4  # sweeps between two looks at the residual: each look waits for the device
HUB = 256  # a position with more messages is summed by a program of its own


class DevicePassing:
    """Message passing on a device."""

    def __init__(self, passing: Passing, device: str, dtype: torch.dtype | None = None) -> None:
        self.device = torch.device(device)
        simple = all(link.kernel in (pairs, agreement) for link in passing.links)
        # Single precision has exp(-87), and no more than seven digits for sums.
        largest = max((float(np.abs(v).max(initial=0.0)) for v in passing.values), default=0.0)
        fits = largest <= 80.0 and float(np.abs(passing.unary).max(initial=0.0)) < 1e4
        self.dtype = dtype or (torch.float32 if simple and fits else torch.float64)
        self.passing = passing
        self.links: list[DeviceLink] = [
            device_link(link, values, self.dtype, self.device)
            for link, values in zip(passing.links, passing.values, strict=True)
        ]
        self.unary = self._numbers(passing.unary)
        self.log_odds = self.unary.clone()
        self.sums = Summing(passing.links, len(passing.unary), self.device)
        self._start()

    def _numbers(self, array: Any) -> Tensor:
        return torch.as_tensor(array, device=self.device).to(self.dtype)

    def _start(self) -> None:
        """Begin with the messages that the passing begins with."""
        for link, layout, messages in zip(
            self.links, self.passing.links, self.passing.messages, strict=True
        ):
            own = messages.T if layout.kernel is pairs else messages
            link.messages.copy_(self._numbers(np.ascontiguousarray(own)))
        if any(messages.any() for messages in self.passing.messages):
            self.sums.add_up(self.unary, self.links, self.log_odds)

    def run(self, config: BPConfig) -> tuple[int, float, bool]:
        """Sweep until messages settle; returns the sweeps, the last residual and if it settled."""
        if not self.links:
            return 0, 0.0, True
        damping, residual = Damping(config.damping), np.inf
        for sweep in range(1, config.max_sweeps + 1):
            changes = [
                link.sweep(self.log_odds, damping.share, self.passing.maximise)
                for link in self.links
            ]
            self.sums.add_up(self.unary, self.links, self.log_odds)
            if sweep % LOOK and sweep < config.max_sweeps:
                continue
            residual = max(float(change.max()) for change in changes)
            if not np.isfinite(residual):
                raise NotFinite("a message is no finite number", remedy="try device='cpu'")
            if residual <= config.tolerance:
                return sweep, residual, True
            damping.note(sweep, residual)
        return config.max_sweeps, residual, False

    def bring_back(self) -> None:
        """Put messages and log-odds where the CPU's measuring finds them."""
        for at, (link, layout) in enumerate(zip(self.links, self.passing.links, strict=True)):
            own = link.messages.T if layout.kernel is pairs else link.messages
            self.passing.messages[at] = own.double().cpu().contiguous().numpy()
        self.passing.log_odds = self.log_odds.double().cpu().numpy()


class Summing:
    """Sums messages by position: each position's in a fixed order."""

    def __init__(self, links: tuple[Link, ...], n_positions: int, device: torch.device) -> None:
        position = [_positions(link) for link in links]
        flat = np.concatenate(position or [np.empty(0, np.int64)])
        self.position = torch.as_tensor(flat, device=device)
        order = torch.argsort(self.position, stable=True)
        counts = torch.bincount(self.position, minlength=n_positions)
        first = torch.zeros(n_positions + 1, dtype=torch.int64, device=device)
        first[1:] = torch.cumsum(counts, 0)
        self.slots = order.int() if len(flat) < 2**31 else order
        self.hubs = torch.nonzero(counts > HUB).flatten()
        self.first = first
        end = first[1:].clone()
        end[self.hubs] = first[:-1][self.hubs]
        kind = self.slots.dtype
        self.begin, self.end = first[:-1].to(kind), end.to(kind)

    def add_up(self, unary: Tensor, links: list[DeviceLink], log_odds: Tensor) -> None:
        """Write the log-odds: unary potentials plus all messages."""
        said = [link.said() for link in links]
        flat = said[0] if len(said) == 1 else torch.cat(said)
        if not flat.is_cuda:
            torch.index_add(unary, 0, self.position, flat, out=log_odds)
            return
        from tacit.inference.cuda_kernels import add_up

        add_up(unary, self.begin, self.end, self.slots, flat, log_odds)
        for hub in self.hubs.tolist():
            low, high = self.first[hub], self.first[hub + 1]
            log_odds[hub] += flat[self.slots[low:high].long()].sum()


def _positions(link: Link) -> Any:
    to = targets(link).position
    if link.kernel is pairs:  # a device keeps all messages to first ends before the others
        return to.reshape(-1, 2).T.reshape(-1)
    return to


def solve_on_device(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: BPConfig,
    device: str,
    maximise: bool = False,
    start: Messages | None = None,
) -> Solution:
    """Belief propagation with the messages on a device, and the last reckoning on the CPU."""
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise BadInput("no CUDA device was found", remedy="use device='cpu'")
    noisy_or = config.at_least_one == "noisy_or"
    worth = favouring(potentials) if maximise else potentials
    passing = Passing(graph, worth, maximise=maximise, noisy_or=noisy_or, start=start)
    if not len(passing.unary):  # every label is certain
        return solution_of(passing, potentials, *passing.run(config))
    on_device = DevicePassing(passing, device)
    ran = on_device.run(config)
    on_device.bring_back()
    return solution_of(passing, potentials, *ran)
