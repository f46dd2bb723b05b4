"""An encoder and the attention over its tokens, as one network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tacit.predictors.pretrained.attention_head import AttentionHead
from tacit.predictors.pretrained.encoders import first_position
from tacit.predictors.pretrained.packed_attention import NAME
from tacit.predictors.pretrained.placement import Placement
from tacit.predictors.pretrained.token_batches import (
    SLOTS,
    PreparedTexts,
    packed_batch,
    padded_batch,
)
from tacit.predictors.protocol import Longs


class TextNetwork(nn.Module):
    """From the ids of tokens to log-probabilities of labels."""

    markers: Tensor

    def __init__(self, encoder: Any, head: AttentionHead, markers: Sequence[int]) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = head
        ids = torch.tensor(markers, dtype=torch.long, device=head.context.device)
        self.register_buffer("markers", ids, persistent=False)

    @property
    def is_packed(self) -> bool:
        """Whether the encoder reads packed texts (and no padded ones)."""
        return bool(self.encoder.config._attn_implementation == NAME)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(texts, labels): log-probabilities of padded texts; `mask` is where there is a token."""
        return self.head(self.states(ids, mask), self.counts(ids, mask))  # type: ignore[no-any-return]

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(texts, tokens, width): the states of padded texts."""
        found = self.encoder(input_ids=ids, attention_mask=mask.long())
        return found.last_hidden_state  # type: ignore[no-any-return]

    def counts(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Which tokens count: all but markers; in a text of nothing but markers, these."""
        is_marker = (ids.unsqueeze(-1) == self.markers).any(dim=-1)
        counts = mask & ~is_marker
        return torch.where(counts.any(dim=-1, keepdim=True), counts, mask)

    def packed_states(self, ids: Tensor, positions: Tensor, begins: Tensor, longest: int) -> Tensor:
        """(slots, width): the states of packed texts."""
        found = self.encoder(
            input_ids=ids.unsqueeze(0),
            position_ids=positions.unsqueeze(0),
            cu_seq_lens_q=begins,
            cu_seq_lens_k=begins,
            max_length_q=longest,
            max_length_k=longest,
        )
        return found.last_hidden_state[0]  # type: ignore[no-any-return]


class BatchReader:
    """Reads rows of prepared texts with a network, packed or padded as its encoder wants them."""

    def __init__(self, network: TextNetwork, texts: PreparedTexts, placement: Placement) -> None:
        self.network = network
        self.texts = texts
        self.placement = placement
        self._first_position = first_position(network.encoder)
        self._longest = max(SLOTS, texts.source.max_tokens)

    def batch(self, rows: Longs) -> tuple[Tensor, ...]:
        """What the network reads of some rows, on the host."""
        return self.batch_of(self.texts.take(rows))

    def batch_of(self, texts: PreparedTexts) -> tuple[Tensor, ...]:
        """What the network reads of texts, no longer than those of this reader, on the host."""
        rows = np.arange(len(texts))
        if self.network.is_packed:
            multiple = SLOTS if self.placement.on_gpu else 1
            found = packed_batch(texts, rows, self._first_position, multiple)
            return tuple(torch.from_numpy(part) for part in found)
        return tuple(torch.from_numpy(part) for part in padded_batch(texts, rows))

    def states(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """The states of a batch in float32, and the mask that the head takes with them."""
        network = self.network
        with self.placement.autocast():
            if not network.is_packed:
                ids, mask = batch
                return network.states(ids, mask).float(), network.counts(ids, mask)
            ids, positions, owner, begins = batch
            states = network.packed_states(ids, positions, begins, self._longest)
        text = torch.arange(len(begins) - 2, device=owner.device)
        return states.float(), owner == text.unsqueeze(1)

    def pinned(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """A batch from where the device can fetch it while the host goes on."""
        return tuple(part.pin_memory() for part in batch) if self.placement.on_gpu else batch

    def on_device(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """A batch where the network is; the host does not wait for the copy."""
        return tuple(part.to(self.placement.device, non_blocking=True) for part in batch)
