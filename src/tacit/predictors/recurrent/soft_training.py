"""Training of a network on probabilities of labels: the one loop that all networks share.

The loss is the cross-entropy -sum_i w_i sum_y target_i(y) log Psi(x_i, y), over sum_i w_i. Training
is counted in steps of the optimiser: where only a few instances have a label yet, five passes over
them would be five steps, and no network learns anything in five.

Labels here are noisy, and a network that passes over them often enough learns the noise by heart.
With `held_out`, training ends when it no longer helps with instances that are not learned from:
they are judged by the same noisy labels, so nobody needs to know the true ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from tacit.errors import BadInput, NotFinite
from tacit.predictors.protocol import Floats, Longs, Report

SMALLEST_BATCH = 8
A_PASS = 8  # batches that a pass over few inputs should have at least
POOL = 16  # batches' worth of inputs among which those of like length are put together
JITTER = 0.25  # lengths are taken with this error, so that batches differ from pass to pass
AT_ONCE = 16_384  # words that are predicted from together: bounds the memory
BETWEEN_REPORTS = 20  # steps: each report waits for the device
FEWEST_WATCHED = 50  # inputs that are held out; what fewer say is chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long to train, and how fast."""

    epochs: int = 5  # the chapter's, for each round of learning
    min_steps: int = 300  # small sets pass more often: Adam moves a number by about lr a step
    max_epochs: int = 100  # but no more often: ten inputs would only be learned by heart
    batch_size: int = 64  # the chapter's; small sets have smaller batches
    lr: float = 1e-3  # the chapter's
    weight_decay: float = 0.01
    clip: float = 5.0  # the longest gradient; recurrent networks have a few that explode
    held_out: float = 0.0  # the share of inputs that tell when to stop; 0: it is never told
    patience: int = 2  # passes without gain before it stops

    def __post_init__(self) -> None:
        for name in ("epochs", "max_epochs", "batch_size"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name}={getattr(self, name)!r}: it must be at least 1")
        if self.min_steps < 0 or not self.lr > 0 or not self.clip > 0 or self.weight_decay < 0:
            raise BadInput(
                f"min_steps={self.min_steps}, lr={self.lr}, clip={self.clip}, "
                f"weight_decay={self.weight_decay}: lr and clip must be above 0, no other below"
            )
        if not 0 <= self.held_out < 1:
            raise BadInput(f"held_out={self.held_out!r}: it must be at least 0, and below 1")

    def batch_for(self, n_inputs: int) -> int:
        """How many inputs go together: fewer where there are few, for more steps in a pass."""
        return min(self.batch_size, max(SMALLEST_BATCH, n_inputs // A_PASS))

    def n_steps(self, n_inputs: int) -> int:
        """How many steps so many inputs get."""
        an_epoch = -(-n_inputs // self.batch_for(n_inputs))
        return min(max(self.epochs * an_epoch, self.min_steps), self.max_epochs * an_epoch)


def train(
    network: nn.Module,
    logits_of: Callable[[Longs], Tensor],
    lengths: Longs,
    target: Floats,
    weight: Floats,
    *,
    plan: Plan,
    seed: int,
    held_out_by: int = 0,
    report: Report | None = None,
) -> int:
    """Train a network; returns the steps taken.

    `logits_of` gives the network's raw scores of some rows, (rows, labels). Rows of weight 0 are
    left out beforehand, so that they change nothing at all. Which rows are held out depends on the
    seed `held_out_by`: those that trained a network before must not judge it now.
    """
    rows = np.flatnonzero(weight > 0)
    watched = rows[:0]
    if plan.held_out:
        is_held_out = np.random.default_rng(held_out_by).random(len(weight)) < plan.held_out
        rows, watched = rows[~is_held_out[rows]], rows[is_held_out[rows]]
        if len(watched) < FEWEST_WATCHED:
            rows, watched = np.flatnonzero(weight > 0), watched[:0]
    n_steps = plan.n_steps(len(rows))
    device = next(network.parameters()).device
    share = _tensor(weight / weight[rows].mean(), device)
    wanted = _tensor(target, device)
    a_pass = -(-len(rows) // plan.batch_for(len(rows)))

    def loss_of(batch: Longs) -> Tensor:
        at = torch.as_tensor(batch, device=device)
        return soft_cross_entropy(logits_of(batch), wanted[at], share[at])

    watch = Watch(network, watched, lengths, loss_of, plan.patience) if len(watched) else None
    optimiser = torch.optim.AdamW(network.parameters(), lr=plan.lr, weight_decay=plan.weight_decay)
    rng = np.random.default_rng(seed)
    stream = endless_batches(lengths[rows], plan.batch_for(len(rows)), rng)
    losses: list[Tensor] = []
    network.train()
    for step, picked in zip(range(1, n_steps + 1), stream, strict=False):
        loss = loss_of(rows[picked])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), plan.clip)
        optimiser.step()
        losses.append(loss.detach())
        if step % BETWEEN_REPORTS == 0 or step == n_steps:
            _tell(report, step, n_steps, losses)
            losses.clear()
        if watch is not None and step % a_pass == 0 and watch.is_enough():
            break
    if watch is not None:
        watch.restore()
    network.eval()
    return step


class Watch:
    """Looks at inputs that are not learned from, and keeps the network that did best on them."""

    def __init__(
        self,
        network: nn.Module,
        rows: Longs,
        lengths: Longs,
        loss_of: Callable[[Longs], Tensor],
        patience: int,
    ) -> None:
        self.network, self.rows, self.patience = network, rows, patience
        self.portions = [rows[own] for own in portions(lengths[rows])]
        self.loss_of = loss_of
        self.lowest, self.waited = np.inf, 0
        self.best: dict[str, Tensor] = {}
        self.is_enough()  # what a warm start brings counts too

    def is_enough(self) -> bool:
        """Whether training has not helped for some passes."""
        loss = self._loss()
        self.waited += 1
        if loss < self.lowest:
            self.lowest, self.waited = loss, 0
            state = self.network.state_dict()
            self.best = {name: value.clone() for name, value in state.items()}
        return self.waited >= self.patience

    def restore(self) -> None:
        """Put the best network back."""
        self.network.load_state_dict(self.best)

    def _loss(self) -> float:
        self.network.eval()
        with torch.no_grad():
            total = sum(float(self.loss_of(own)) * len(own) for own in self.portions)
        self.network.train()
        return total / len(self.rows)


def soft_cross_entropy(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """The mean over rows of -w sum_y target(y) log softmax(logits)(y)."""
    log_probs = torch.log_softmax(logits, dim=1)
    return -(weight * (target * log_probs).sum(dim=1)).mean()


def endless_batches(lengths: Longs, size: int, rng: np.random.Generator) -> Iterator[Longs]:
    """Batches of rows for ever: each pass has every row once, and alike lengths go together.

    A batch takes as long as its longest input. So, of each `POOL` batches' worth of shuffled rows,
    those of about the same length are put together; then the batches are shuffled.
    """
    while True:
        order = rng.permutation(len(lengths))
        noisy = lengths[order] * rng.uniform(1 - JITTER, 1 + JITTER, len(order))
        pool = np.arange(len(order)) // (POOL * size)
        order = order[np.lexsort((noisy, pool))]
        batches = [order[at : at + size] for at in range(0, len(order), size)]
        for at in rng.permutation(len(batches)):
            yield batches[at]


def portions(lengths: Longs) -> Iterator[Longs]:
    """All rows in portions of like lengths, so large that memory holds them."""
    order = np.argsort(-lengths, kind="stable")
    at = 0
    while at < len(order):
        size = max(1, AT_ONCE // max(int(lengths[order[at]]), 1))
        yield order[at : at + size]
        at += size


def seed_of(random_state: int, training: int) -> int:
    """A seed for each training: a warm start must not repeat the shuffles of the one before."""
    return int(np.random.SeedSequence([random_state, training]).generate_state(1)[0])


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Torch's own random numbers (first weights, dropout) begin at a seed, and are put back after.

    Whoever else draws from them must not notice.
    """
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def device_called(name: str) -> torch.device:
    """A device by name; "auto" is the GPU where there is one."""
    has_gpu = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda", torch.cuda.current_device()) if has_gpu else torch.device("cpu")
    if name.startswith("cuda") and not has_gpu:
        raise BadInput("no CUDA device was found", remedy="use device='cpu' or device='auto'")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise BadInput(f"device={name!r} is not known", remedy="'auto', 'cpu' or 'cuda'") from error


def _tensor(array: Floats, device: torch.device) -> Tensor:
    return torch.as_tensor(array, dtype=torch.float32, device=device)


def _tell(report: Report | None, step: int, n_steps: int, losses: list[Tensor]) -> None:
    """Look at the losses of late, and pass their mean on."""
    loss = float(torch.stack(losses).mean())
    if not np.isfinite(loss):
        raise NotFinite(
            f"the loss is no finite number after {step} steps", remedy="try a smaller lr"
        )
    if report is not None:
        report(step, n_steps, loss)
