"""A recurrent network that reads words both ways and looks at some more than at others.

The chapter's entity linker: a BiLSTM over the ten words before and after a mention, with attention.
With h_j the state of the network at word j of an input,

    u_j = tanh(A h_j + a),   share_j = softmax over j of (v . u_j),   pooled = sum_j share_j h_j,

and labels are scored by a linear map of `pooled`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tacit.predictors.protocol import Attention
from tacit.predictors.recurrent.mentions import (
    RESERVED,
    Passage,
    Reading,
    passages,
    reading,
    shares_of_words,
)
from tacit.predictors.recurrent.neural_predictor import Network, NeuralPredictor
from tacit.predictors.recurrent.soft_training import portions
from tacit.predictors.recurrent.vocabulary import Vocabulary


class BiLSTMAttention(NeuralPredictor[Reading, "AttentionNetwork"]):
    """The chapter's entity linker, and a text classifier for moderate sizes.

    Inputs are texts, or mentions in texts: see `tacit.predictors.recurrent.mentions`.
    """

    KIND: ClassVar[str] = "bilstm_attention"
    READ: ClassVar[type] = Reading

    def __init__(
        self,
        *,
        window: int = 10,  # words on either side of a mention: the chapter's
        max_words: int = 256,  # of a text without a mention; recurrent networks take time by length
        dim: int | None = None,  # of word vectors; None: the file's, or 100
        vectors: str | Path | None = None,  # a file of word vectors to begin with
        hidden: int = 100,  # the state, in each direction
        min_count: int = 2,  # a word seen once teaches nothing about a word
        dropout: float = 0.3,  # few inputs are covered at first, and labels are noisy
        epochs: int = 5,
        min_steps: int = 300,
        max_epochs: int = 100,
        batch_size: int = 64,
        lr: float = 1e-3,
        held_out: float = 0.0,  # with 0.1, training ends when a tenth of the inputs gains no more
        random_state: int = 0,
        device: str = "auto",
    ) -> None:
        super().__init__()
        self.window, self.max_words, self.min_count = window, max_words, min_count
        self.dim, self.hidden, self.dropout = dim, hidden, dropout
        self.vectors = None if vectors is None else str(vectors)
        self.epochs, self.min_steps, self.max_epochs = epochs, min_steps, max_epochs
        self.batch_size, self.lr, self.held_out = batch_size, lr, held_out
        self.random_state, self.device = random_state, device

    def attention(self, inputs: Any) -> Attention:
        """How much each word counted. A mention's marker shares its part among its words."""
        network, read = self._learned(), self.prepare(inputs)
        shares = np.zeros(len(read.read.value), np.float32)
        with torch.no_grad():
            for rows in portions(read.lengths):
                part = read.take(rows)
                table = network.shares(*network.states(part)).cpu().numpy()
                entry = read.read.first[rows][part.read.row] + part.read.place
                shares[entry] = table[part.read.row, part.read.place]
        return Attention(
            read.text.first, read.text.value, shares_of_words(read, shares), read.words
        )

    def _parsed(self, inputs: Iterable[Any]) -> list[Passage]:
        return passages(inputs)

    def _look(self, records: list[Passage]) -> Vocabulary:
        self._check("window", "max_words")
        words = (word for each in records for word in each.words)
        return Vocabulary.of(words, RESERVED, self.min_count)

    def _encoded(self, records: list[Passage], vocabulary: Vocabulary) -> Reading:
        return reading(records, vocabulary, window=self.window, max_words=self.max_words)

    def _network(self, n_words: int, dim: int, n_labels: int) -> AttentionNetwork:
        return AttentionNetwork(n_words, dim, self.hidden, n_labels, self.dropout)


class AttentionNetwork(Network):
    """Word vectors, a BiLSTM, attention, and a linear map to labels."""

    def __init__(self, n_words: int, dim: int, hidden: int, n_labels: int, dropout: float) -> None:
        super().__init__(n_words, dim, width=2 * hidden, n_labels=n_labels)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.project = nn.Linear(2 * hidden, hidden)
        self.context = nn.Linear(hidden, 1, bias=False)
        self.label = nn.Linear(2 * hidden, n_labels)
        self.dropout = nn.Dropout(dropout)

    def states(self, read: Reading) -> tuple[Tensor, Tensor]:
        """(inputs, words, 2 hidden) the states, and (inputs, words) which are no padding."""
        numbers = torch.tensor(read.read.padded(), device=self.device)
        lengths = torch.tensor(read.lengths)
        vectors = self.dropout(self.word_vectors(numbers))
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        places = torch.arange(states.shape[1], device=self.device)
        return states, places < lengths.to(self.device)[:, None]

    def shares(self, states: Tensor, real: Tensor) -> Tensor:
        """(inputs, words): how much each word counts."""
        looks = self.context(torch.tanh(self.project(states)))[..., 0]
        return torch.softmax(looks.masked_fill(~real, -torch.inf), dim=1)

    def pooled(self, read: Reading) -> Tensor:
        """(inputs, 2 hidden): the states, by their shares."""
        states, real = self.states(read)
        return torch.einsum("ij,ijh->ih", self.shares(states, real), states)

    def scores(self, pooled: Tensor) -> Tensor:
        """(inputs, labels): raw scores."""
        scores: Tensor = self.label(self.dropout(pooled))
        return scores
