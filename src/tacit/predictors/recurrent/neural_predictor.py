"""What all predictors that are networks with word vectors share: training, prediction, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tacit.errors import BadFile, BadInput
from tacit.predictors.protocol import Floats, Longs, Report, checked_target
from tacit.predictors.recurrent.neural_files import Saved, read_saved, write_saved
from tacit.predictors.recurrent.soft_training import (
    Plan,
    device_called,
    portions,
    seed_of,
    seeded,
    train,
)
from tacit.predictors.recurrent.vocabulary import Vocabulary
from tacit.predictors.recurrent.word_vectors import WordVectors, read_vectors

DIM = 100  # of word vectors, where neither a setting nor a file says otherwise
SPREAD = 0.3  # of the first word vectors; so small that training soon outweighs chance


class Read(Protocol):
    """Prepared inputs of a network: they know the vocabulary that their numbers are from."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Whose numbers these are."""

    @property
    def lengths(self) -> Longs:
        """(inputs) how many words are read of each."""

    def __len__(self) -> int: ...

    def take(self, rows: Longs) -> Self:
        """Some of the inputs, in this order."""


class Network(nn.Module, ABC):
    """A network with word vectors that sums each input up in a vector and scores labels by it."""

    def __init__(self, n_words: int, dim: int, width: int, n_labels: int) -> None:
        super().__init__()
        self.word_vectors = nn.Embedding(n_words, dim, padding_idx=0)
        self.width = width  # of the vector that an input is summed up in
        self.n_labels = n_labels

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return self.word_vectors.weight.device

    @abstractmethod
    def pooled(self, read: Any) -> Tensor:
        """(inputs, width): each input as one vector."""

    @abstractmethod
    def scores(self, pooled: Tensor) -> Tensor:
        """(inputs, labels): raw scores of labels."""


R = TypeVar("R", bound=Read)
N = TypeVar("N", bound=Network)


class NeuralPredictor(ABC, Generic[R, N]):
    """A predictor that is a network with a vocabulary.

    The vocabulary (and all else that inputs tell about the network's shape) is taken from the first
    inputs that are prepared, and stays. `steps_` counts the optimiser's steps of the last training.
    """

    KIND: ClassVar[str]
    READ: ClassVar[type]  # what `prepare` gives

    dim: int | None
    vectors: str | None
    hidden: int
    min_count: int
    dropout: float
    epochs: int
    min_steps: int
    max_epochs: int
    batch_size: int
    lr: float
    held_out: float
    random_state: int
    device: str

    def __init__(self) -> None:
        self.vocabulary_: Vocabulary | None = None
        self.word_vectors_: WordVectors | None = None
        self.network_: N | None = None
        self.steps_ = 0
        self.trainings_ = 0  # each has random numbers of its own, also after a warm start

    @abstractmethod
    def _parsed(self, inputs: Iterable[Any]) -> list[Any]:
        """Inputs of any form as records."""

    @abstractmethod
    def _look(self, records: list[Any]) -> Vocabulary:
        """Take vocabulary and shape from the first inputs."""

    @abstractmethod
    def _encoded(self, records: list[Any], vocabulary: Vocabulary) -> R:
        """Inputs by number."""

    @abstractmethod
    def _network(self, n_words: int, dim: int, n_labels: int) -> N:
        """A new network."""

    def _shape(self) -> dict[str, Any]:
        """What else the first inputs told, as JSON."""
        return {}

    def _set_shape(self, shape: dict[str, Any]) -> None:
        """Take back what `_shape` gave."""

    def prepare(self, inputs: Any) -> R:
        """Inputs as numbers of words; the first ones give the vocabulary."""
        if isinstance(inputs, self.READ):
            read: R = inputs  # type: ignore[assignment]
            if read.vocabulary != self.vocabulary_:
                raise BadInput(
                    "these inputs were prepared by a predictor with another vocabulary",
                    remedy="prepare them with this one, or make this one by the other's fresh()",
                )
            return read
        if isinstance(inputs, str):
            raise BadInput("one text was given for a sequence of inputs", remedy="put it in a list")
        records = self._parsed(inputs.to_pylist() if hasattr(inputs, "to_pylist") else inputs)
        if self.vocabulary_ is None:
            vocabulary = self._look(records)
            if self.vectors is not None:
                self.word_vectors_ = read_vectors(self.vectors, vocabulary.words, dim=self.dim)
            self.vocabulary_ = vocabulary
        return self._encoded(records, self.vocabulary_)

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Train on probabilities of labels, anew or from where the last training ended."""
        plan = self._plan()
        read = self.prepare(inputs)
        target, weight = checked_target(len(read), target, sample_weight)
        warm_start = warm_start and self.network_ is not None
        trainings = self.trainings_ + 1 if warm_start else 1
        device, seed = device_called(self.device), seed_of(self.random_state, trainings)
        with seeded(seed, device):
            network = self._resumed(target.shape[1]) if warm_start else self._begun(target.shape[1])
            network.to(device)
            steps = train(
                network,
                lambda rows: network.scores(network.pooled(read.take(rows))),
                read.lengths,
                target,
                weight,
                plan=plan,
                seed=seed,
                held_out_by=self.random_state,
                report=report,
            )
        self.network_, self.steps_, self.trainings_ = network, steps, trainings
        return self

    def log_probs(self, inputs: Any) -> Floats:
        """(inputs, labels): the log-probability of each label."""
        network = self._learned()
        pooled = torch.from_numpy(self.embeddings(inputs)).to(network.device)
        with torch.no_grad():
            scores = network.scores(pooled)
        log_probs: Floats = scores.double().log_softmax(dim=1).cpu().numpy()
        return log_probs

    def embeddings(self, inputs: Any) -> NDArray[np.float32]:
        """(inputs, dimensions): the vectors that labels are scored by."""
        network, read = self._learned(), self.prepare(inputs)
        placed = np.zeros((len(read), network.width), np.float32)
        with torch.no_grad():
            for rows in portions(read.lengths):
                placed[rows] = network.pooled(read.take(rows)).cpu().numpy()
        return placed

    def fresh(self, random_state: int) -> Self:
        """A predictor with the same settings and vocabulary that has learned nothing yet."""
        other = type(self)(**self._settings() | {"random_state": random_state})
        other.vocabulary_, other.word_vectors_ = self.vocabulary_, self.word_vectors_
        if self.vocabulary_ is not None:
            other._set_shape(self._shape())
        return other

    def save(self, folder: Path) -> None:
        """Write settings, vocabulary and all that was learned."""
        network = self._learned()
        weights = {name: value.cpu().numpy() for name, value in network.state_dict().items()}
        facts = {
            "settings": self._settings(),
            "shape": self._shape(),
            "n_labels": network.n_labels,
            "trainings": self.trainings_,
        }
        assert self.vocabulary_ is not None
        saved = Saved(self.KIND, facts, self.vocabulary_, self.word_vectors_, weights)
        write_saved(Path(folder), saved)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` has written."""
        saved = read_saved(Path(folder), cls.KIND)
        settings = saved.facts["settings"]
        if not torch.cuda.is_available() and settings["device"].startswith("cuda"):
            settings["device"] = "auto"  # trained where there is a GPU, used where there is none
        loaded = cls(**settings)
        loaded.vocabulary_, loaded.word_vectors_ = saved.vocabulary, saved.word_vectors
        loaded._set_shape(saved.facts["shape"])
        loaded.trainings_ = saved.facts["trainings"]
        with seeded(0, torch.device("cpu")):
            network = loaded._empty(saved.facts["n_labels"])
        weights = {name: torch.from_numpy(value) for name, value in saved.weights.items()}
        try:
            network.load_state_dict(weights)
        except RuntimeError as error:
            raise BadFile(f"the weights in {folder} are of another network: {error}") from error
        loaded.network_ = network.to(device_called(loaded.device)).eval()
        return loaded

    def _check(self, *counts: str) -> None:
        """Raise an error where one of these settings, or one that all networks have, is wrong."""
        for name in (*counts, "hidden", "min_count", "dim"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"{name}={value!r}: it must be at least 1")
        if not 0 <= self.dropout < 1:
            raise BadInput(f"dropout={self.dropout!r}: it must be at least 0, and below 1")

    def _settings(self) -> dict[str, Any]:
        """The constructor's arguments, by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def _plan(self) -> Plan:
        return Plan(
            epochs=self.epochs,
            min_steps=self.min_steps,
            max_epochs=self.max_epochs,
            batch_size=self.batch_size,
            lr=self.lr,
            held_out=self.held_out,
        )

    def _empty(self, n_labels: int) -> N:
        """A network of the right shape."""
        assert self.vocabulary_ is not None
        found = self.word_vectors_
        dim = found.dim if found is not None else DIM if self.dim is None else self.dim
        return self._network(len(self.vocabulary_), dim, n_labels)

    def _begun(self, n_labels: int) -> N:
        """A network that has learned nothing but the word vectors of the file."""
        network, found = self._empty(n_labels), self.word_vectors_
        table = network.word_vectors.weight.data
        table.normal_(0, SPREAD)
        if found is not None and found.n_found:
            known = torch.from_numpy(found.table[found.found])
            table.mul_(float(known.std()) / SPREAD)
            behind = len(table) - len(found.found)
            table[behind + torch.from_numpy(np.flatnonzero(found.found))] = known
        table[0] = 0
        return network

    def _resumed(self, n_labels: int) -> N:
        network = self._learned()
        if network.n_labels != n_labels:
            raise BadInput(
                f"the last training had {network.n_labels} labels, this target has {n_labels}",
                remedy="train with warm_start=False",
            )
        return deepcopy(network)  # should training fail, what was learned stays

    def _learned(self) -> N:
        if self.network_ is None:
            raise BadInput("this predictor has not been trained yet", remedy="call fit_soft first")
        return self.network_
