"""Training of the head alone, on states of an encoder that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tacit.predictors.pretrained.attention_head import AttentionHead
from tacit.predictors.pretrained.mean_pool import start_at_mean_pool
from tacit.predictors.pretrained.token_features import TokenFeatures
from tacit.predictors.pretrained.training_pace import Pulse, endless_rows, pace
from tacit.predictors.protocol import Floats, Longs, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadTraining:
    """How a head is trained."""

    head_steps: int
    batch_size: int
    head_lr: float
    warm_up: float
    prior_spread: float
    random_state: int


def start_head(
    head: AttentionHead,
    features: TokenFeatures,
    rows: Longs,
    target: Floats,
    weight: Floats,
    prior_spread: float,
) -> None:
    """Put a head at the solution for the mean state of each text, with nearly even attention."""
    means = features.means[rows]
    start_at_mean_pool(head, means, features.token_spread, target, weight, prior_spread)


def train_head(
    head: AttentionHead,
    features: TokenFeatures,
    rows: Longs,
    target: Floats,
    weight: Floats,
    training: HeadTraining,
    report: Report | None = None,
) -> None:
    """Lower the cross-entropy over some rows of the features, less the log of the prior.

    The sum is over all rows and the prior counts once: the loss of a step is that of its batch, a
    sample of the mean, plus the prior over the sum of all weights.
    """
    device = head.context.device
    wanted, share, prior_share = loss_parts(target, weight, device)
    optimiser = torch.optim.Adam(head.parameters(), lr=training.head_lr, fused=True)
    batches = endless_rows(len(rows), training.batch_size, training.random_state)
    pulse, total = Pulse(report, training.head_steps), torch.zeros((), device=device)
    head.train()
    for step in range(training.head_steps):
        for group in optimiser.param_groups:
            group["lr"] = training.head_lr * pace(step, training.head_steps, training.warm_up)
        batch = next(batches)
        at = torch.from_numpy(batch).to(device)
        loss = soft_loss(head(*features.batch(rows[batch], device)), wanted[at], share[at])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        head.add_prior(training.prior_spread, prior_share)
        optimiser.step()
        total += loss.detach()
        pulse.beat(step + 1, total)
    head.eval()


def soft_loss(log_probs: Tensor, target: Tensor, share: Tensor) -> Tensor:
    """The mean over a batch of the cross-entropy with soft targets, each as much as it weighs."""
    return -((target * log_probs).sum(dim=1) * share).mean()


def loss_parts(
    target: Floats, weight: Floats, device: torch.device
) -> tuple[Tensor, Tensor, float]:
    """Targets, weights whose mean is 1, and how much the prior counts beside the mean loss."""
    wanted = torch.as_tensor(target, dtype=torch.float32, device=device)
    share = torch.as_tensor(weight / weight.mean(), dtype=torch.float32, device=device)
    return wanted, share, 1.0 / float(weight.sum())
