"""Training of the encoder and the head together.

The texts of a batch are packed, so that no padding is computed. On a GPU a small encoder spends
most of its time waiting for the host to launch the next of some thousand kernels; so shapes are
kept few, and one whole step, from the tokens to the optimiser, is recorded once for each shape and
replayed thereafter. To time it, watch `report` and divide `PreparedTexts.n_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tacit.predictors.pretrained.frozen import loss_parts, soft_loss
from tacit.predictors.pretrained.placement import Placement
from tacit.predictors.pretrained.recorded_steps import RecordedSteps, fuse_layers, unhurried
from tacit.predictors.pretrained.text_network import BatchReader, TextNetwork
from tacit.predictors.pretrained.token_batches import PreparedTexts
from tacit.predictors.pretrained.training_pace import Pulse, endless_rows, pace
from tacit.predictors.protocol import Floats, Longs, Report

OF_GAPS = 1  # chooses what is left out of texts, apart from the order in which they come
WORTH_RECORDING = 30  # steps: fewer are over before all shapes are recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How an encoder and a head are trained together."""

    epochs: float
    min_steps: int
    batch_size: int
    encoder_lr: float
    head_lr: float
    warm_up: float
    clip_norm: float
    weight_decay: float
    prior_spread: float
    token_dropout: float
    random_state: int
    compile: str

    def n_steps(self, n_rows: int) -> int:
        """How many steps so many rows get: passes over all of them, but never too few."""
        return max(self.min_steps, int(np.ceil(self.epochs * n_rows / self.batch_size)))


def fine_tune(
    network: TextNetwork,
    texts: PreparedTexts,
    target: Floats,
    weight: Floats,
    tuning: Tuning,
    placement: Placement,
    report: Report | None = None,
) -> None:
    """Lower the cross-entropy over texts by training all of a network."""
    n_steps = tuning.n_steps(len(texts))
    step = TuningStep(network, texts, target, weight, tuning, placement)
    batches = endless_rows(len(texts), tuning.batch_size, tuning.random_state)
    network.train()
    with placement.seeded(tuning.random_state), unhurried(placement):
        pulse = Pulse(report, n_steps)
        take = step.recorded() if _is_recorded(network, tuning, n_steps) else step
        for at in range(n_steps):
            step.set_pace(pace(at, n_steps, tuning.warm_up))
            take(step.batch(next(batches)))
            pulse.beat(at + 1, step.total)
    network.eval().zero_grad(set_to_none=True)


def _is_recorded(network: TextNetwork, tuning: Tuning, n_steps: int) -> bool:
    """Whether steps are to be recorded: never on a CPU, nor where batches are of any shape."""
    if not network.is_packed or not network.head.context.is_cuda:
        return False
    return tuning.compile in ("graph", "fused") or (
        tuning.compile == "auto" and n_steps >= WORTH_RECORDING
    )


class TuningStep:
    """One step of the optimiser. Nothing in it waits for the device.

    In half precision, a copy of the encoder in half as many bits is what computes; the network
    itself keeps all bits, takes the steps, and tells its copy where it went.
    """

    def __init__(
        self,
        network: TextNetwork,
        texts: PreparedTexts,
        target: Floats,
        weight: Floats,
        tuning: Tuning,
        placement: Placement,
    ) -> None:
        self.network = network
        self.texts = texts
        self.tuning = tuning
        self.random = np.random.default_rng([tuning.random_state, OF_GAPS])
        self.working = _working_copy(network, placement)
        self._pairs = list(_pairs(network, self.working))
        self.reader = BatchReader(self.working, texts, placement.in_full())
        host = torch.device("cpu")
        self.wanted, self.share, self.prior_share = loss_parts(target, weight, host)
        self.total = torch.zeros((), device=placement.device)
        self.optimiser = _optimiser(network, tuning, placement)

    def recorded(self) -> RecordedSteps:
        """The same step, recorded once for each shape; if it is to be, of fused kernels."""
        if self.tuning.compile == "fused":
            fuse_layers(self.working.encoder)
        return RecordedSteps(self)

    def batch(self, rows: Longs) -> tuple[Tensor, ...]:
        """All that a step reads, on the host: targets, weights, then what the network reads."""
        at, dropout = torch.from_numpy(rows), self.tuning.token_dropout
        read = self.reader.batch_of(self.texts.take(rows).with_gaps(dropout, self.random))
        return self.reader.pinned((self.wanted[at], self.share[at], *read))

    def set_pace(self, share: float) -> None:
        """Set the learning rates to a share of the full ones."""
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(group["full_lr"] * share)
            else:
                group["lr"] = group["full_lr"] * share

    def __call__(self, batch: tuple[Tensor, ...]) -> None:
        """Take one step down the gradient."""
        wanted, share, *tokens = self.reader.on_device(batch)
        head = self.network.head
        loss = soft_loss(head(*self.reader.states(tuple(tokens))), wanted, share)
        self.network.zero_grad(set_to_none=True)
        self.working.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self._take_gradients()
        head.add_prior(self.tuning.prior_spread, self.prior_share)
        nn.utils.clip_grad_norm_(self.network.parameters(), self.tuning.clip_norm)
        self.optimiser.step()
        self._hand_weights()
        self.total += loss.detach()

    def _used(self) -> list[tuple[nn.Parameter, nn.Parameter]]:
        """The encoder's numbers that have a gradient, each with the copy's that stands for it."""
        return [(mine, half) for mine, half in self._pairs if half.grad is not None]

    def _take_gradients(self) -> None:
        pairs = self._used()
        for mine, _ in pairs:
            mine.grad = torch.empty_like(mine)
        if pairs:
            room: list[Any] = [mine.grad for mine, _ in pairs]
            found: list[Any] = [half.grad for _, half in pairs]
            torch._foreach_copy_(room, found)

    @torch.no_grad()
    def _hand_weights(self) -> None:
        pairs = self._used()
        if pairs:
            torch._foreach_copy_([half for _, half in pairs], [mine for mine, _ in pairs])


def _working_copy(network: TextNetwork, placement: Placement) -> TextNetwork:
    """What computes: the network itself, or one with its head and its encoder in half precision."""
    if placement.dtype is None:
        return network
    encoder = deepcopy(network.encoder).to(placement.dtype)
    return TextNetwork(encoder, network.head, network.markers.tolist()).to(placement.device).train()


def _pairs(
    network: TextNetwork, working: TextNetwork
) -> Iterator[tuple[nn.Parameter, nn.Parameter]]:
    """Each of the encoder's numbers with that of its copy, where there is one."""
    if working is not network:
        yield from zip(network.encoder.parameters(), working.encoder.parameters(), strict=True)


def _optimiser(network: TextNetwork, tuning: Tuning, placement: Placement) -> torch.optim.Optimizer:
    """AdamW with rates of their own for encoder and head; the head has a prior, and no decay.

    On a GPU its rates are numbers on the device, so that recorded steps read them anew.
    """

    def group(parameters: Iterator[nn.Parameter], lr: float, decay: float) -> dict[str, object]:
        full = torch.tensor(lr, device=placement.device) if placement.on_gpu else lr
        return {"params": list(parameters), "lr": full, "full_lr": lr, "weight_decay": decay}

    encoder = list(network.encoder.parameters())
    # Biases and the scales of normalisation are not pulled to 0: they are no weights of inputs.
    groups = [
        group((p for p in encoder if p.ndim > 1), tuning.encoder_lr, tuning.weight_decay),
        group((p for p in encoder if p.ndim <= 1), tuning.encoder_lr, 0.0),
        group(network.head.parameters(), tuning.head_lr, 0.0),
    ]
    return torch.optim.AdamW(groups, fused=True, capturable=placement.on_gpu)
