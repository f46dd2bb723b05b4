"""The folder of a transformer: settings in JSON, weights in safetensors, no pickle.

An encoder that stays as it was pretrained is not copied but named, with the fingerprint of its
weights; one that was trained, or that has no name, lies in the folder with its tokenizer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from safetensors.torch import load_file, save_file

from tacit.errors import BadFile
from tacit.predictors.pretrained.attention_head import AttentionHead
from tacit.predictors.pretrained.encoders import Encoder, read_folder, write_folder
from tacit.predictors.pretrained.text_network import TextNetwork

if TYPE_CHECKING:
    from tacit.predictors.transformer import Transformer

SCHEMA = 1
KIND = "transformer"
SETTINGS, HEAD, ENCODER = "transformer.json", "head.safetensors", "encoder"

T = TypeVar("T", bound="Transformer")


def save(predictor: Transformer, folder: Path) -> None:
    """Write a predictor into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    network = predictor.network_
    settings = predictor.settings()
    settings["encoder"] = _name(predictor.encoder)
    written = {"kind": KIND, "schema": SCHEMA, "settings": settings, "n_labels": None}
    if network is not None:
        encoder = predictor._tuned or predictor._pretrained()
        written["n_labels"] = network.head.n_labels
        written["is_tuned"] = predictor._tuned is not None
        save_file(
            {name: part.contiguous().cpu() for name, part in network.head.state_dict().items()},
            folder / HEAD,
        )
        if predictor._tuned is not None or settings["encoder"] is None:
            write_folder(encoder, folder / ENCODER)
        else:
            written["encoder_fingerprint"] = encoder.fingerprint
    text = json.dumps(written, indent=2, ensure_ascii=False)
    (folder / SETTINGS).write_text(text + "\n", encoding="utf-8")


def load(kind: type[T], folder: Path) -> T:
    """The predictor that lies in a folder."""
    written = _settings(folder)
    settings = dict(written["settings"])
    beside = read_folder(folder / ENCODER) if (folder / ENCODER).is_dir() else None
    if settings["encoder"] is None:
        settings["encoder"] = beside
    predictor = kind(**settings)
    if written["n_labels"] is None:
        return predictor
    encoder = beside or predictor._pretrained()
    _check(written.get("encoder_fingerprint"), encoder, folder)
    if written["is_tuned"]:  # a copy of its own, since a warm start will train it
        model = encoder.copy(predictor._placement())
        encoder = predictor._tuned = Encoder(model, encoder.tokenizer)
    predictor.network_ = _network(predictor, encoder, int(written["n_labels"]), folder / HEAD)
    return predictor


def _network(predictor: Transformer, encoder: Encoder, n_labels: int, weights: Path) -> TextNetwork:
    """The network, with the head that was saved."""
    placement = predictor._placement()
    head = AttentionHead(encoder.width, n_labels, predictor.context_dim)
    try:
        head.load_state_dict(load_file(weights))
    except (OSError, RuntimeError) as error:
        raise BadFile(f"{weights} does not hold the head of this transformer: {error}") from error
    tuned = predictor._tuned is not None
    model = encoder.model if tuned else encoder.placed(placement)
    network = TextNetwork(model, head, encoder.markers)
    return network.to(placement.device).eval()


def _settings(folder: Path) -> dict[str, Any]:
    """What is written about a predictor, checked."""
    path = folder / SETTINGS
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadFile(f"{path} cannot be read: {error}") from error
    if written.get("kind") != KIND or written.get("schema") != SCHEMA:
        raise BadFile(
            f"{path} is of the schema {written.get('schema')}; this version reads {SCHEMA}",
            remedy="load it with the version that wrote it",
        )
    return dict(written)


def _check(fingerprint: str | None, encoder: Encoder, folder: Path) -> None:
    """Refuse another encoder than that which the head was trained on."""
    if fingerprint is not None and fingerprint != encoder.fingerprint:
        raise BadFile(
            f"the encoder '{encoder.name}' is not the one that {folder} was trained with: "
            "its weights or its words differ",
            remedy="bring back the former encoder, or train again",
        )


def _name(encoder: Any) -> str | None:
    """What an encoder can be found by again."""
    return str(encoder) if isinstance(encoder, str | Path) else None
