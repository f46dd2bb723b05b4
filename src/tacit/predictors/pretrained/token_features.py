"""States of tokens under an encoder that stays as it is: computed once, kept in half precision.

Only tokens that count are kept, without padding. A small set lies in memory, a large one in a file
that is mapped into it, or on the GPU where that has room. Predictors that are fresh copies of one
another share one cache: rounds, folds and heads all read the same states.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import disk_usage
from typing import IO

import numpy as np
import torch
from torch import Tensor

from tacit.errors import TooLarge
from tacit.predictors.pretrained.attention_head import AttentionHead
from tacit.predictors.pretrained.encoders import Encoder
from tacit.predictors.pretrained.placement import Placement
from tacit.predictors.pretrained.text_network import BatchReader, TextNetwork
from tacit.predictors.pretrained.token_batches import PreparedTexts, TokenisedTexts
from tacit.predictors.pretrained.token_rows import by_length, grid, places
from tacit.predictors.protocol import Longs

TOKENS_AT_ONCE = {"cpu": 8_192, "cuda": 65_536}  # in one batch: bounds the memory of prediction
SHARE_OF_GPU = 0.5  # of the free memory that states may take
MOST_SETS = 8  # kept at a time, the last used ones


@dataclass(frozen=True, eq=False)
class TokenFeatures:
    """The states of the tokens that count, text behind text."""

    states: Tensor  # (tokens, width) float16
    first: Longs  # (texts + 1)

    def batch(self, rows: Longs, device: torch.device) -> tuple[Tensor, Tensor]:
        """States (rows, longest, width) in float32 and the mask of those that are there."""
        at, mask = grid(self.first, rows)
        index = torch.from_numpy(at).to(self.states.device)
        return self.states[index].to(device).float(), torch.from_numpy(mask).to(device)

    @cached_property
    def means(self) -> np.ndarray:
        """(texts, width): the mean state of each text."""
        means = np.empty((len(self.first) - 1, self.states.shape[1]))
        for rows in by_length(np.diff(self.first), 4096, 65_536):
            states, mask = self.batch(rows, self.states.device)
            share = mask.float() / mask.sum(dim=1, keepdim=True).clamp(min=1)
            mean = torch.matmul(share.unsqueeze(1), states).squeeze(1)
            means[rows] = mean.double().cpu().numpy()
        return means

    @cached_property
    def token_spread(self) -> float:
        """The standard deviation of a number of a single token's state, all taken together."""
        some = self.states[:: max(1, len(self.states) // 10_000)].float()
        return float((some - some.mean(dim=0)).square().mean().sqrt()) or 1.0


class FeatureCache:
    """The last used sets of states, by encoder and tokens."""

    def __init__(self, folder: str | Path | None = None, memory_limit: float = 2e9) -> None:
        self._folder = Path(folder or tempfile.gettempdir())
        self._limit = memory_limit
        self._kept: OrderedDict[tuple[str, str, str], TokenFeatures] = OrderedDict()

    def features(
        self, source: TokenisedTexts, encoder: Encoder, placement: Placement
    ) -> TokenFeatures:
        """The states of texts: those kept, or new ones."""
        key = (encoder.fingerprint, source.digest, f"{placement.device}{placement.dtype}")
        if key not in self._kept:
            self._kept[key] = encode(source, encoder, placement, self.room)
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and (
            len(self._kept) > MOST_SETS or self._in_memory > self._limit
        ):
            self._kept.popitem(last=False)
        return self._kept[key]

    @property
    def _in_memory(self) -> float:
        """The bytes of all sets that lie in the host's memory."""
        held = [kept.states for kept in self._kept.values() if kept.states.device.type == "cpu"]
        sizes = (states.numel() * 2 for states in held)
        return sum(size for size in sizes if size <= self._limit)

    def room(self, n_tokens: int, width: int, device: torch.device) -> Tensor:
        """Room for states: on the GPU, in memory, or in a file."""
        size = n_tokens * width * 2
        if device.type == "cuda" and size < SHARE_OF_GPU * torch.cuda.mem_get_info(device)[0]:
            return torch.empty((n_tokens, width), dtype=torch.float16, device=device)
        if size <= self._limit:
            return torch.empty((n_tokens, width), dtype=torch.float16)
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self._folder) as file:  # goes with the last who maps it
            self._take_room(file, size)
            shape = (n_tokens, width)
            return torch.from_numpy(np.memmap(file, dtype=np.float16, mode="r+", shape=shape))

    def _take_room(self, file: IO[bytes], size: int) -> None:
        """Make a file that large: all of it at once where the system can.

        To write into a hole of a mapped file kills the process when the disk is full.
        """
        try:
            if sys.platform == "linux":
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
        except OSError as error:
            free = disk_usage(self._folder).free
            raise TooLarge(
                f"states of tokens need {size / 1e9:,.1f} GB in {self._folder}, "
                f"where {free / 1e9:,.1f} GB are free",
                remedy="set cache_folder to a folder with more room, or max_tokens lower",
            ) from error


@torch.inference_mode()
def encode(
    source: TokenisedTexts,
    encoder: Encoder,
    placement: Placement,
    room: Callable[[int, int, torch.device], Tensor] | None = None,
) -> TokenFeatures:
    """The states of all tokens that count, in the room that is given for them."""
    texts = PreparedTexts(source, np.arange(len(source.texts)))
    first = source.first_counted
    room = room or FeatureCache(memory_limit=float("inf")).room
    states = room(int(first[-1]), encoder.width, placement.device)
    reader = reader_of(encoder, texts, placement)
    for rows in by_length(texts.lengths, 4096, TOKENS_AT_ONCE[placement.device.type]):
        found, mask = reader.states(reader.on_device(reader.batch(rows)))
        counted = found[mask.any(dim=0)] if found.ndim == 2 else found[mask]
        at = torch.from_numpy(places(first, rows)).to(states.device)
        states[at] = counted.to(states.device, torch.float16)
    return TokenFeatures(states, first)


def reader_of(encoder: Encoder, texts: PreparedTexts, placement: Placement) -> BatchReader:
    """A reader of texts with an encoder as it is; it has no head to speak of."""
    head = AttentionHead(encoder.width, n_labels=2)
    network = TextNetwork(encoder.placed(placement), head, encoder.markers)
    return BatchReader(network.to(placement.device), texts, placement)
