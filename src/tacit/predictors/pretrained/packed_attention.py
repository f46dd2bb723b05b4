"""Self-attention of an encoder over packed texts, so that nothing else computes any padding.

Texts stand one behind the other as one long row; `cu_seq_lens_q` says where each begins. The
function is given to transformers under a name of its own, which an encoder's config then names.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import torch
from torch import Tensor

from tacit.predictors.pretrained.placement import Placement

NAME = "tacit_packed"
SIDE_BY_SIDE = 16  # texts padded to one length: fewer are slow to launch, more are mostly padding

# Encoders whose attention is plain: every token of a text to every other, positions by number.
PLAIN = ("bert", "roberta", "distilbert", "electra", "xlm-roberta", "camembert")


def can_pack(model: Any, placement: Placement) -> bool:
    """Whether an encoder can read packed texts: a plain one; on a GPU, only in half precision."""
    return is_plain(model) and (not placement.on_gpu or placement.dtype is not None)


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
        return _side_by_side(query, key, value, cu_seq_lens_q, dropout, scaling), None
    flat = [states[0].transpose(0, 1) for states in (query, key, value)]
    found = torch.ops.aten._flash_attention_forward(
        *flat, cu_seq_lens_q, cu_seq_lens_q, max_length_q, max_length_q, dropout, False, False,
        scale=scaling,
    )  # fmt: skip
    return found[0].unsqueeze(0), None


def _side_by_side(
    query: Tensor, key: Tensor, value: Tensor, begins: Tensor, dropout: float, scale: float | None
) -> Tensor:
    """The same on a CPU: a few texts of like lengths at a time, padded for attention alone."""
    attend = torch.nn.functional.scaled_dot_product_attention
    flat = [states[0].transpose(0, 1) for states in (query, key, value)]
    lengths = begins.diff().long()
    found, places = [], []
    for texts in torch.split(lengths.argsort(), SIDE_BY_SIDE):
        along = torch.arange(int(lengths[texts[-1]]))
        mask = along < lengths[texts].unsqueeze(1)  # (texts, longest) where there is a token
        at = (begins[texts].unsqueeze(1) + along)[mask]
        room = mask.flatten().nonzero().squeeze(1)
        q, k, v = (_padded(states.index_select(0, at), room, mask.shape) for states in flat)
        seen = attend(q, k, v, mask[:, None, None], dropout_p=dropout, scale=scale)
        found.append(seen.transpose(1, 2).flatten(0, 1).index_select(0, room))
        places.append(at)
    back = torch.cat(places).argsort()
    return torch.cat(found).index_select(0, back).unsqueeze(0)


def _padded(states: Tensor, room: Tensor, shape: torch.Size) -> Tensor:
    """(texts, heads, longest, width of a head): states, each in its room, and zeros beside."""
    wide = states.new_zeros(shape.numel(), *states.shape[1:])
    return wide.index_copy(0, room, states).view(*shape, *states.shape[1:]).transpose(1, 2)
