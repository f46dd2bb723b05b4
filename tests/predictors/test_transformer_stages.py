"""A transformer that is trained in stages: the head first, and the encoder when it goes on."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tacit.predictors.ensemble import Ensemble  # noqa: E402
from tacit.predictors.transformer import Transformer  # noqa: E402
from tests.predictors.tiny_encoder import tiny_encoder  # noqa: E402

TEXTS = ["the film was great", "awful and dull", "a superb movie", "so boring it was sad"] * 6
TARGET = np.eye(2)[[1, 0, 1, 0] * 6]


def made(mode: str) -> Transformer:
    torch.set_num_threads(1)
    settings = {"max_tokens": 32, "head_steps": 10, "min_steps": 6, "epochs": 1, "batch_size": 8}
    return Transformer(tiny_encoder(), mode=mode, device="cpu", encoder_lr=3e-3, **settings)


def test_it_begins_as_if_it_were_frozen() -> None:
    staged, frozen = (made(mode).fit_soft(TEXTS, TARGET) for mode in ("staged", "frozen"))
    assert np.array_equal(staged.log_probs(TEXTS), frozen.log_probs(TEXTS))


@pytest.mark.parametrize("mode", ["auto", "frozen", "staged", "fine_tuned"])
def test_the_first_stage_is_one_that_stays_frozen(mode: str) -> None:
    whole = made(mode)
    first = whole.first_stage()
    if mode != "staged":  # on a CPU, "auto" is frozen
        assert first is None
        return
    assert first is not None
    assert not first.memorises
    assert first.settings() == whole.settings() | {"mode": "frozen"}
    assert first._cached() is whole._cached()  # the states of texts are computed once for both


def test_the_first_stage_of_an_ensemble_is_that_of_its_members() -> None:
    whole = Ensemble(["linear", made("staged")], held_out=0.2, random_state=3)
    first = whole.first_stage()
    assert first is not None
    assert first.members[0] is not whole.members[0]  # what one learns, the other must not know
    assert [own.mode for own in (*first.members, *whole.members) if hasattr(own, "mode")] == [
        "frozen",
        "staged",
    ]
    assert (first.held_out, first.random_state) == (0.2, 3)
    assert Ensemble(["linear", made("frozen")]).first_stage() is None


def test_going_on_trains_the_encoder_and_leaves_the_pretrained_one_as_it_was() -> None:
    staged = made("staged").fit_soft(TEXTS, TARGET)
    before = {k: v.clone() for k, v in staged._pretrained().model.state_dict().items()}
    first = staged.log_probs(TEXTS)
    staged.fit_soft(TEXTS, TARGET, warm_start=True)
    assert not np.allclose(staged.log_probs(TEXTS), first)
    assert all(
        torch.equal(v, before[k]) for k, v in staged._pretrained().model.state_dict().items()
    )
    assert any(not torch.equal(v, before[k]) for k, v in staged._tuned.model.state_dict().items())
    staged.fit_soft(TEXTS, TARGET)  # beginning anew forgets all of it
    assert np.array_equal(staged.log_probs(TEXTS), first)


@pytest.mark.parametrize("epochs", [0.5, 2])
def test_one_that_goes_on_from_nothing_trains_its_encoder_at_once(epochs: float) -> None:
    """As another network has told most labels by then; in all passes, if texts are many."""
    staged, tuned = made("staged"), made("fine_tuned")
    tuned.epochs = staged.epochs = epochs
    tuned.min_steps = staged.min_steps // 2
    staged.fit_soft(TEXTS, TARGET, warm_start=True)
    tuned.fit_soft(TEXTS, TARGET)
    assert np.array_equal(staged.log_probs(TEXTS), tuned.log_probs(TEXTS))


@pytest.mark.parametrize("n_fits", [1, 2])
def test_a_saved_stage_goes_on_to_the_same_bits(n_fits: int, tmp_path: Path) -> None:
    staged = made("staged")
    for at in range(n_fits):
        staged.fit_soft(TEXTS, TARGET, warm_start=at > 0)
    staged.save(tmp_path / "run")
    loaded = Transformer.load(tmp_path / "run")
    assert np.array_equal(loaded.log_probs(TEXTS), staged.log_probs(TEXTS))
    both = [one.fit_soft(TEXTS, TARGET, warm_start=True) for one in (staged, loaded)]
    assert np.array_equal(both[0].log_probs(TEXTS), both[1].log_probs(TEXTS))


def test_each_stage_takes_half_the_steps() -> None:
    told: list[int] = []
    for mode in ("staged", "fine_tuned"):
        predictor = made(mode).fit_soft(TEXTS, TARGET)
        told.clear()
        predictor.fit_soft(TEXTS, TARGET, warm_start=True, report=lambda *of: told.append(of[1]))
        assert set(told) == {3 if mode == "staged" else 6}


@pytest.mark.parametrize(
    ("mode", "memorises"),
    [("frozen", False), ("auto", False), ("staged", True), ("fine_tuned", True)],
)
def test_an_encoder_that_is_trained_learns_by_heart(mode: str, memorises: bool) -> None:
    assert made(mode).memorises is memorises  # "auto" is frozen on a CPU
    assert Ensemble(["linear", made(mode)]).memorises is memorises


def test_on_a_cpu_encoders_are_left_alone_by_default() -> None:
    predictor = made("auto").fit_soft(TEXTS, TARGET).fit_soft(TEXTS, TARGET, warm_start=True)
    assert predictor._tuned is None
