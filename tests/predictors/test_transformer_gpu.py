"""The transformer on a GPU: packed as padded, recorded as written, the same bits every time."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tacit.predictors.transformer import Transformer  # noqa: E402
from tests.predictors.tiny_encoder import tiny_encoder  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
]
TEXTS = ["the film was great", "", "awful !", "it was so very dull and boring , not good"] * 30
TARGET = np.eye(2)[[1, 0, 0, 1] * 30]


def made(**settings) -> Transformer:
    usual = {"max_tokens": 32, "batch_size": 16, "epochs": 8, "mode": "fine_tuned"}
    usual |= {"device": "cuda", "encoder_lr": 1e-3}
    return Transformer(tiny_encoder(dropout=0.1), **(usual | settings))


def test_recorded_steps_are_the_steps_bit_by_bit() -> None:
    found = [made(compile=how).fit_soft(TEXTS, TARGET) for how in ("graph", "graph", "none")]
    first, again, written = (predictor.log_probs(TEXTS) for predictor in found)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, written)
    assert found[0].network_.is_packed
    assert (first.argmax(axis=1) == TARGET.argmax(axis=1)).mean() > 0.95


@pytest.mark.parametrize("mode", ["frozen", "fine_tuned"])
def test_gpu_and_cpu_agree(mode: str, tmp_path) -> None:
    on_gpu = made(mode=mode).fit_soft(TEXTS, TARGET)
    on_gpu.save(tmp_path)
    on_cpu = Transformer.load(tmp_path)
    on_cpu.device = "cpu"
    on_cpu.save(tmp_path / "again")
    on_cpu = Transformer.load(tmp_path / "again")
    np.testing.assert_allclose(on_gpu.log_probs(TEXTS), on_cpu.log_probs(TEXTS), atol=0.2)
    shares = on_gpu.attention(TEXTS).share
    np.testing.assert_allclose(shares, on_cpu.attention(TEXTS).share, atol=0.05)


def test_a_loaded_network_trains_on(tmp_path) -> None:
    made(epochs=1, min_steps=5).fit_soft(TEXTS, TARGET).save(tmp_path)
    loaded = Transformer.load(tmp_path)
    before = loaded.log_probs(TEXTS)
    loaded.fit_soft(TEXTS, TARGET, warm_start=True).save(tmp_path / "again")
    again = Transformer.load(tmp_path / "again").log_probs(TEXTS)
    np.testing.assert_array_equal(again, loaded.log_probs(TEXTS))
    assert np.abs(again - before).max() > 1e-3
