"""The predictors of the benchmark of deep probabilistic logic, made to prepare texts only once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit.predictors.protocol import (
    Adapting,
    Attending,
    Attention,
    Floats,
    Hiding,
    Predictor,
    Prepared,
    Report,
    first_stage_of,
    memorises,
)
from tacit.predictors.registry import predictor_named

BY_CHANCE = {
    "linear": False,
    "frozen": True,
    "staged": True,
    "transformer": True,
    "ensemble": True,
}
NAMES = tuple(BY_CHANCE)


def make_predictor(
    name: str, device: str, *, at_once: bool = False, **settings: float
) -> Remembering:
    """A predictor as it comes, on a device; `at_once`: to be trained once, and not in rounds.

    Settings are those of a transformer, where there is one.

    By default a transformer learns in stages on a GPU: its head in the first round, all of it in
    later ones; "staged" does so on a CPU too. One that is trained once is trained whole.
    """
    if name == "linear":
        return Remembering(predictor_named("linear"))
    mode = name if name in ("frozen", "staged") else "auto"
    if at_once and (mode == "staged" or (mode == "auto" and _has_gpu(device))):
        mode = "fine_tuned"
    network = predictor_named("transformer", mode=mode, device=device, **settings)
    if name != "ensemble":
        return Remembering(network)
    return Remembering(predictor_named("ensemble", members=["linear", network]))


def _has_gpu(device: str) -> bool:
    import torch

    return device != "cpu" and torch.cuda.is_available()


def bag_of_words() -> Remembering:
    """The words of a text, each by itself."""
    return Remembering(predictor_named("linear", ngrams=(1, 1)))


class Remembering:
    """A predictor that prepares the same texts once, for all that are made from it."""

    def __init__(
        self, inner: Predictor, known: dict[tuple[str, ...], Prepared] | None = None
    ) -> None:
        self.inner = inner
        self.known: dict[tuple[str, ...], Prepared] = {} if known is None else known
        if isinstance(inner, Adapting):  # else it would be taken for pretrained
            setattr(self, "adapted", self._adapted)  # noqa: B010

    def prepare(self, inputs: Any) -> Prepared:
        """What is computed once from texts; prepared ones come back as they are."""
        is_column = hasattr(inputs, "to_pylist")
        if not is_column and not isinstance(inputs, list | tuple):
            return self.inner.prepare(inputs)
        texts = tuple(inputs.to_pylist() if is_column else inputs)
        if texts not in self.known:
            self.known[texts] = self.inner.prepare(texts)
        return self.known[texts]

    def hiding(self, inputs: Any, words: Sequence[str]) -> Prepared:
        """Texts that the predictor inside learns from without these words, if it can."""
        prepared = self.prepare(inputs)
        return self.inner.hiding(prepared, words) if isinstance(self.inner, Hiding) else prepared

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Train."""
        prepared = self.prepare(inputs)
        self.inner.fit_soft(prepared, target, sample_weight, warm_start=warm_start, report=report)
        return self

    def log_probs(self, inputs: Any) -> Floats:
        """(texts, labels): the log-probability of each label."""
        return self.inner.log_probs(self.prepare(inputs))

    def attention(self, inputs: Any) -> Attention:
        """How much each word of each text counted; all predictors here can tell."""
        assert isinstance(self.inner, Attending)
        return self.inner.attention(self.prepare(inputs))

    def _adapted(self, inputs: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Embeddings as the task has made them, and as pretraining had; for those that can tell."""
        assert isinstance(self.inner, Adapting)
        return self.inner.adapted(self.prepare(inputs))

    @property
    def memorises(self) -> bool:
        """Whether the predictor inside learns by heart."""
        return memorises(self.inner)

    def first_stage(self) -> Self | None:
        """The first stage of the predictor inside, if it has any; what is prepared is shared."""
        first = first_stage_of(self.inner)
        return None if first is None else type(self)(first, self.known)

    @property
    def random_state(self) -> int | None:
        """The seed of the predictor inside, for those that are made from it."""
        return getattr(self.inner, "random_state", None)

    def fresh(self, random_state: int) -> Self:
        """The same, with nothing learned; what is prepared is shared."""
        return type(self)(self.inner.fresh(random_state), self.known)

    def save(self, folder: Path) -> None:
        """Write the predictor inside."""
        self.inner.save(folder)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Not needed here."""
        raise NotImplementedError
