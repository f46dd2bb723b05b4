"""A transformer as ONNX says what it says in torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra `neural`")
pytest.importorskip("transformers", reason="networks need the extra `neural`")
pytest.importorskip("onnxscript", reason="the extra `onnx` is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra `onnx` is not installed")

from tacit.errors import BadInput, MissingExtra  # noqa: E402
from tacit.predictors import onnx_export  # noqa: E402
from tacit.predictors.linear import Linear  # noqa: E402
from tacit.predictors.onnx_export import export_onnx  # noqa: E402
from tacit.predictors.transformer import Transformer  # noqa: E402

from .tiny_encoder import tiny_encoder  # noqa: E402

TEXTS = ["a superb film", "so very awful and bad", "", "it was not fine, it was great!", "dull"]
TARGET = np.array([[0.1, 0.9], [0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.8, 0.2]])


def trained(kind: str = "bert", mode: str = "frozen") -> Transformer:
    settings: dict[str, Any] = {"max_tokens": 12, "head_steps": 20, "min_steps": 5, "epochs": 1}
    made = Transformer(tiny_encoder(kind), mode=mode, device="cpu", **settings)
    return made.fit_soft(TEXTS, TARGET)


def said(folder: Path, texts: list[str]) -> Any:
    """What the exported files alone say of texts."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    read = tokenizer(texts, padding=True, truncation=True, return_tensors="np")
    names = [given.name for given in session.get_inputs()]
    assert names == ["input_ids", "attention_mask"]
    return session.run(["log_probs"], {name: read[name] for name in names})[0]


@pytest.mark.parametrize(("kind", "mode"), [("bert", "frozen"), ("distilbert", "fine_tuned")])
def test_the_same_numbers_for_any_number_of_texts(kind: str, mode: str, tmp_path: Path) -> None:
    predictor = trained(kind, mode)
    before = predictor.log_probs(TEXTS)
    export_onnx(predictor, tmp_path / "made" / "model.onnx")
    assert np.array_equal(predictor.log_probs(TEXTS), before)
    long = " ".join(TEXTS)  # longer than is read
    for texts in (TEXTS, TEXTS[:1], [*TEXTS, *TEXTS, long], [long]):
        expected = predictor.log_probs(texts)
        assert np.abs(said(tmp_path / "made", texts) - expected).max() < 1e-4


def test_what_cannot_be_exported_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="a Linear has no ONNX form"):
        export_onnx(Linear(), tmp_path / "model.onnx")
    with pytest.raises(BadInput, match="has learned nothing yet"):
        export_onnx(Transformer(tiny_encoder()), tmp_path / "model.onnx")
    with pytest.raises(BadInput, match=r"not the name of an \.onnx file"):
        export_onnx(Transformer(tiny_encoder()), tmp_path / "model")
    monkeypatch.setattr(onnx_export, "PACKAGES", ("no_such_package",))
    with pytest.raises(MissingExtra, match=r"tacit\[onnx\]"):
        export_onnx(Transformer(tiny_encoder()), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
