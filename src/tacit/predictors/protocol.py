"""What a predictor is: a model with a softmax, trained on probabilities of labels.

Inputs are a sequence of whatever the predictor reads: texts for most, sentences with mentions for
some. `prepare` turns them into what is computed once (words counted, text tokenised); every other
method takes either, so that a loop prepares once and a user never needs to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.errors import BadInput

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

# Told after each piece of training: steps done, steps in all, the loss of late.
Report = Callable[[int, int, float], None]


@runtime_checkable
class Prepared(Protocol):
    """Inputs of which all that is computed once has been computed."""

    def __len__(self) -> int:
        """How many inputs there are."""

    def take(self, rows: Longs) -> Prepared:
        """Some of the inputs, in this order."""


@runtime_checkable
class Predictor(Protocol):
    """P(label given input), learned from probabilities.

    The constructor only stores settings. Training is deterministic: the same settings, inputs and
    targets (and, with `warm_start`, the same state) give the same model.
    """

    def prepare(self, inputs: Any) -> Prepared:
        """What is computed once from inputs. What is prepared already comes back as it is.

        A predictor that has a vocabulary and has not seen any input yet takes it from these.
        """

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Lower the cross-entropy -sum_i w_i sum_y target_i(y) log Psi(x_i, y).

        It begins anew, or with `warm_start` where the last training ended; the optimiser is new.
        One that has learned nothing yet may be told to go on, too: then labels come from another
        network that did, and are known of most inputs.
        """

    def log_probs(self, inputs: Any) -> Floats:
        """(inputs, labels): the log-probability of each label; rows are normalised."""

    def fresh(self, random_state: int) -> Self:
        """A predictor with the same settings (and vocabulary) that has learned nothing yet."""

    def save(self, folder: Path) -> None:
        """Write settings and all that was learned: JSON, safetensors, Parquet; no pickle."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` has written."""


@runtime_checkable
class Attending(Protocol):
    """A predictor that can say which words of an input it looked at."""

    def attention(self, inputs: Any) -> Attention:
        """How much each word of each input counted."""


@runtime_checkable
class Memorising(Protocol):
    """A predictor that can say whether it learns single inputs by heart."""

    @property
    def memorises(self) -> bool:
        """Whether what it says of an input that it was trained on mostly repeats its target."""


def memorises(predictor: object) -> bool:
    """Whether a predictor learns single inputs by heart; one that does not say so does not."""
    return isinstance(predictor, Memorising) and predictor.memorises


@runtime_checkable
class InStages(Protocol):
    """A predictor that learns in stages: little and quickly at first, then all of it."""

    def first_stage(self) -> Predictor | None:
        """One that never goes beyond the first stage, with nothing learned; None if it has none."""


def first_stage_of(predictor: object) -> Predictor | None:
    """The first stage of a predictor; None if it learns all at once."""
    return predictor.first_stage() if isinstance(predictor, InStages) else None


@runtime_checkable
class Hiding(Protocol):
    """A predictor that can learn from texts without being shown certain words of theirs."""

    def hiding(self, inputs: Any, words: Sequence[str]) -> Prepared:
        """Prepared inputs, which training reads without these words, or n-grams, if it can.

        Predictions read all words. What was hidden before is so no longer.
        """


@runtime_checkable
class Embedding(Protocol):
    """A predictor that places inputs in a space where alike ones are near."""

    def embeddings(self, inputs: Any) -> NDArray[np.float32]:
        """(inputs, dimensions), as the task has made them."""


@runtime_checkable
class Adapting(Protocol):
    """A predictor that was pretrained, and can say what the task has made of that."""

    def adapted(self, inputs: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(inputs, dimensions) twice: as the task has made them, and as pretraining had."""


@dataclass(frozen=True, slots=True)
class Attention:
    """How much each word of each input counted; the shares of an input add up to 1.

    Words are those of `tacit.data.tokens.tokenise`, in their order; the words of input i stand at
    `first[i]:first[i + 1]`. Where an input is cut off, the words behind have the share 0.
    """

    first: Longs  # (inputs + 1)
    word: Longs  # (words of all inputs) which of `words`
    share: NDArray[np.float32]  # (words of all inputs)
    words: tuple[str, ...]  # each distinct word once


def checked_target(n_inputs: int, target: Any, sample_weight: Any = None) -> tuple[Floats, Floats]:
    """Targets and weights as arrays of the right shape, or an error that says what is wrong."""
    target = np.asarray(target, dtype=np.float64)
    if target.ndim != 2 or target.shape[1] < 2 or len(target) != n_inputs:
        raise BadInput(
            f"the target has the shape {target.shape}; there are {n_inputs} inputs",
            remedy="one row for each input and one column for each of two labels or more",
        )
    if not n_inputs:
        raise BadInput("there is nothing to learn from: no inputs")
    if not np.isfinite(target).all() or (target < 0).any():
        raise BadInput("the target holds a number that is no probability")
    if np.abs(target.sum(axis=1) - 1).max() > 1e-4:
        row = int(np.abs(target.sum(axis=1) - 1).argmax())
        raise BadInput(f"row {row} of the target adds up to {target[row].sum():.4g}, not to 1")
    weight = np.ones(n_inputs) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weight.shape != (n_inputs,) or not np.isfinite(weight).all() or (weight < 0).any():
        raise BadInput(
            f"the sample weights have the shape {weight.shape}; there are {n_inputs} inputs",
            remedy="one number of at least 0 for each input",
        )
    if not weight.any():
        raise BadInput("there is nothing to learn from: every sample weight is 0")
    return target, weight
