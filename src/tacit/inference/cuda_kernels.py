"""GPU kernels for binary pairs, in Triton: one pass over the factors, one over the variables.

No kernel adds with atomics: each variable sums its messages in a fixed order, so that the same
input gives the same bits. The formulas are those of `kernels/pairs.py`.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

FACTORS = 512  # a program's share of the factors: measured best on one H200, by little
VARIABLES = 128


@triton.jit
def _send(  # type: ignore[no-untyped-def]
    first, second, potential, coupling, messages, log_odds, residuals, n_factors, damping,
    MAXIMISE: tl.constexpr, BLOCK: tl.constexpr,  # noqa: N803
):  # fmt: skip
    """New messages along a block of factors; those to the second ends lie behind the others."""
    factor = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = factor < n_factors
    i = tl.load(first + factor, mask=inside, other=0)
    j = tl.load(second + factor, mask=inside, other=0)
    strength = tl.load(coupling + tl.load(potential + factor, mask=inside, other=0))
    old_i = tl.load(messages + factor, mask=inside, other=0.0)
    old_j = tl.load(messages + n_factors + factor, mask=inside, other=0.0)
    to_i = tl.load(log_odds + j, mask=inside, other=0.0) - old_j
    to_j = tl.load(log_odds + i, mask=inside, other=0.0) - old_i
    if MAXIMISE:
        size_i = tl.minimum(tl.abs(to_i), tl.abs(strength))
        size_j = tl.minimum(tl.abs(to_j), tl.abs(strength))
    else:
        fade = tl.exp(-tl.abs(strength))
        e_i = tl.exp(-tl.abs(to_i))
        e_j = tl.exp(-tl.abs(to_j))
        size_i = tl.log((1.0 + e_i * fade) / (e_i + fade))
        size_j = tl.log((1.0 + e_j * fade) / (e_j + fade))
    step_i = tl.where((to_i > 0) == (strength > 0), size_i, -size_i) - old_i
    step_j = tl.where((to_j > 0) == (strength > 0), size_j, -size_j) - old_j
    tl.store(messages + factor, old_i + (1.0 - damping) * step_i, mask=inside)
    tl.store(messages + n_factors + factor, old_j + (1.0 - damping) * step_j, mask=inside)
    largest = tl.maximum(tl.abs(step_i), tl.abs(step_j))
    tl.store(residuals + tl.program_id(0), tl.max(tl.where(inside, largest, 0.0), axis=0))


@triton.jit
def _add_up(  # type: ignore[no-untyped-def]
    unary, first_slot, last_slot, slots, messages, log_odds, n_positions,
    BLOCK: tl.constexpr,  # noqa: N803
):  # fmt: skip
    """The log-odds of a block of positions: what is known of them alone, plus their messages."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n_positions
    total = tl.load(unary + at, mask=inside, other=0.0)
    begin = tl.load(first_slot + at, mask=inside, other=0)
    end = tl.load(last_slot + at, mask=inside, other=0)
    most = tl.max(end - begin, axis=0)
    for k in range(most):
        more = inside & (begin + k < end)
        slot = tl.load(slots + begin + k, mask=more, other=0)
        total += tl.load(messages + slot, mask=more, other=0.0)
    tl.store(log_odds + at, total, mask=inside)


def send(
    ends: torch.Tensor,
    potential: torch.Tensor,
    coupling: torch.Tensor,
    messages: torch.Tensor,
    log_odds: torch.Tensor,
    residuals: torch.Tensor,
    damping: float,
    maximise: bool,
) -> None:
    """Update the messages (2, factors); `residuals` takes the largest change of each block."""
    n_factors = len(potential)
    grid: Any = (triton.cdiv(n_factors, FACTORS),)
    _send[grid](
        ends[0], ends[1], potential, coupling, messages, log_odds, residuals, n_factors,
        damping, MAXIMISE=maximise, BLOCK=FACTORS, num_warps=8,
    )  # fmt: skip


def add_up(
    unary: torch.Tensor,
    first_slot: torch.Tensor,
    last_slot: torch.Tensor,
    slots: torch.Tensor,
    messages: torch.Tensor,
    log_odds: torch.Tensor,
) -> None:
    """Write the log-odds: unary potentials plus each position's messages, in a fixed order."""
    n_positions = len(unary)
    grid: Any = (triton.cdiv(n_positions, VARIABLES),)
    _add_up[grid](
        unary,
        first_slot,
        last_slot,
        slots,
        messages,
        log_odds,
        n_positions,
        BLOCK=VARIABLES,
        num_warps=4,
    )
