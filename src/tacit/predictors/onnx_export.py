"""A trained transformer as ONNX, for places where there is no torch.

    model.onnx       input_ids, attention_mask (texts, tokens) -> log_probs (texts, labels)
    tokenizer files  beside it, as the package transformers reads them

Texts of any number and length may be given at once: what the tokenizer makes of them, with padding.
A frozen encoder's states are kept in half precision here and computed in full there, so that its
log-probabilities differ by up to a thousandth or so.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor, nn

from tacit.errors import BadInput, MissingExtra
from tacit.predictors.pretrained.text_network import TextNetwork
from tacit.predictors.protocol import Predictor
from tacit.predictors.transformer import Transformer

OPSET = 18  # what torch's exporter writes of itself
PACKAGES = ("onnx", "onnxscript")


class Exported(nn.Module):
    """The network as others call it: masks are numbers, as tokenizers make them."""

    def __init__(self, network: TextNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """(texts, labels): log-probabilities."""
        network, mask = self.network, attention_mask != 0
        return network.head(network.states(input_ids, mask), self.counts(input_ids, mask))  # type: ignore[no-any-return]

    def counts(self, ids: Tensor, mask: Tensor) -> Tensor:
        """What the network's own `counts` says, in words that ONNX Runtime knows."""
        is_marker = (ids.unsqueeze(-1) == self.network.markers).any(dim=-1)
        counts = mask & ~is_marker
        return counts | (mask & ~counts.any(dim=-1, keepdim=True))


def export_onnx(predictor: Predictor, path: str | os.PathLike[str]) -> None:
    """Write a trained `Transformer` as an .onnx file, and its tokenizer into the same folder."""
    target = Path(path)
    if not isinstance(predictor, Transformer):
        raise BadInput(
            f"a {type(predictor).__name__} has no ONNX form here",
            remedy="export a Transformer, the predictor 'transformer'",
        )
    if target.suffix != ".onnx":
        raise BadInput(f"{target} is not the name of an .onnx file", remedy="such as model.onnx")
    for package in PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra(
                f"to export to ONNX needs {package}, which is not installed",
                remedy='pip install "tacit[onnx]"',
            )
    network = Exported(_on_cpu(predictor))
    target.parent.mkdir(parents=True, exist_ok=True)
    with _quiet():
        _export(network, target)
    tokenizer = deepcopy((predictor._tuned or predictor._pretrained()).tokenizer)
    tokenizer.model_max_length = predictor.max_tokens
    tokenizer.save_pretrained(target.parent)


def _on_cpu(predictor: Transformer) -> TextNetwork:
    """A copy of the network that reads padded texts in float32."""
    network = deepcopy(predictor._trained()).cpu().float().eval()
    network.encoder.set_attn_implementation("eager")
    return network


def _export(network: Exported, target: Path) -> None:
    """Trace the network on two texts; nothing in it depends on how many there are."""
    markers = network.network.markers
    ids = torch.ones((2, 7), dtype=torch.long) * int(markers[0])
    texts, tokens = torch.export.Dim("texts"), torch.export.Dim("tokens")
    shape = {0: texts, 1: tokens}
    torch.onnx.export(
        network,
        (ids, torch.ones_like(ids)),
        target,
        input_names=["input_ids", "attention_mask"],
        output_names=["log_probs"],
        dynamic_shapes=(shape, shape),
        opset_version=OPSET,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter from telling of its inner life."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
