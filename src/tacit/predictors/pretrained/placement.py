"""Where a network computes, and with how many bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import torch

from tacit.errors import BadInput

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class Placement:
    """A device, and the type in which matrices are multiplied on it (None: float32)."""

    device: torch.device
    dtype: torch.dtype | None

    @staticmethod
    def of(device: str = "auto", precision: str = "auto") -> Placement:
        """The GPU where there is one, in bfloat16 where it can; else the CPU, in float32."""
        if device == "cuda" and not torch.cuda.is_available():
            raise BadInput("no CUDA device was found", remedy="device='cpu', or device='auto'")
        on_gpu = device != "cpu" and torch.cuda.is_available()
        halved = precision == "bfloat16"
        if precision == "auto":
            halved = on_gpu and torch.cuda.is_bf16_supported()
        where = torch.device("cuda", torch.cuda.current_device()) if on_gpu else torch.device("cpu")
        return Placement(where, torch.bfloat16 if halved else None)

    @property
    def on_gpu(self) -> bool:
        """Whether it is a GPU."""
        return self.device.type == "cuda"

    def for_training(self, precision: str = "auto") -> Placement:
        """The same device; where precision is free, in bfloat16 on a CPU that has it built in."""
        halved = precision == "auto" and not self.on_gpu and _has_bfloat16()
        return Placement(self.device, torch.bfloat16 if halved else self.dtype)

    def in_full(self) -> Placement:
        """The same device, for a network that brings its own precision."""
        return Placement(self.device, None)

    def autocast(self) -> AbstractContextManager[object]:
        """Multiply matrices in the type of this placement."""
        return torch.autocast(self.device.type, self.dtype, enabled=self.dtype is not None)

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Draw random numbers (of dropout) from a seed, and leave others' draws as they were."""
        with torch.random.fork_rng([self.device] if self.on_gpu else []):
            torch.manual_seed(seed)
            yield


def _has_bfloat16() -> bool:
    """Whether the CPU has instructions that multiply in bfloat16; without, it is slow."""
    can: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(can.get("avx512_bf16") or can.get("amx_bf16"))
