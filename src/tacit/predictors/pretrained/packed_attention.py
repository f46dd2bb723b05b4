"""Self-attention of an encoder over packed texts: no padding is computed, and all shapes are few.

Texts stand one behind the other as one long row; `cu_seq_lens_q` says where each begins. The
function is given to transformers under a name of its own, which an encoder's config then names.
"""

from __future__ import annotations

from inspect import signature
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from tacit.predictors.pretrained.placement import Placement

NAME = "tacit_packed"

# Encoders whose attention is plain: every token of a text to every other, positions by number.
PLAIN = ("bert", "roberta", "distilbert", "electra", "xlm-roberta", "camembert")


def can_pack(model: Any, placement: Placement) -> bool:
    """Whether an encoder can read packed texts: a plain one, on a GPU, in half precision."""
    return placement.on_gpu and placement.dtype is not None and is_plain(model)


def is_plain(model: Any) -> bool:
    """Whether an encoder's attention can be replaced by this one."""
    config = model.config
    heads = getattr(config, "num_attention_heads", 0)
    return (
        getattr(config, "model_type", None) in PLAIN
        and bool(getattr(model, "_supports_attention_backend", False))
        and "position_ids" in signature(model.forward).parameters
        and not getattr(config, "is_decoder", False)
        and (config.hidden_size // heads) % 8 == 0
    )


def pack(model: Any) -> None:
    """Make an encoder read packed texts, and nothing else, from now on."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, packed_attention)
    model.config._attn_implementation = NAME


def packed_attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    cu_seq_lens_q: Tensor,
    max_length_q: int,
    dropout: float = 0.0,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Attention within each text; query, key and value are (1, heads, tokens, width of a head)."""
    if not query.is_cuda:
        return _one_by_one(query, key, value, cu_seq_lens_q, dropout, scaling), None
    flat = [states[0].transpose(0, 1) for states in (query, key, value)]
    found = torch.ops.aten._flash_attention_forward(
        *flat, cu_seq_lens_q, cu_seq_lens_q, max_length_q, max_length_q, dropout, False, False,
        scale=scaling,
    )  # fmt: skip
    return found[0].unsqueeze(0), None


def _one_by_one(
    query: Tensor, key: Tensor, value: Tensor, begins: Tensor, dropout: float, scale: float | None
) -> Tensor:
    """The same, text by text: slow, and right."""
    attend = torch.nn.functional.scaled_dot_product_attention
    parts = []
    for begin, end in pairwise(begins.tolist()):
        q, k, v = (states[:, :, begin:end] for states in (query, key, value))
        parts.append(attend(q, k, v, dropout_p=dropout, scale=scale))
    return torch.cat(parts, dim=2).transpose(1, 2)
