"""The network of the dependency parser: scores of heads and of kinds of edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import embedding, pad
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

REACH = 8  # words; heads further away than this are all alike to `ParserNet.far`

Numbers = tuple[list[int], list[int]]  # of the words and tags of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserConfig:
    """Sizes that one core trains in two or three minutes; on a GPU, take two layers of 256."""

    word_dim: int = 100
    tag_dim: int = 32
    hidden: int = 128  # a direction
    layers: int = 1
    arc_dim: int = 128
    kind_dim: int = 128
    dropout: float = 0.33
    epochs: int = 8
    batch: int = 16  # sentences
    learning_rate: float = 2e-3
    min_count: int = 2  # of words; rarer ones are unknown
    min_kind: int = 10  # of kinds; rarer ones are "dep"


class ParserNet(nn.Module):
    """Scores of heads and kinds; of n words, head n stands for the root and n + 1 for none."""

    def __init__(self, n_words: int, n_tags: int, n_kinds: int, config: ParserConfig) -> None:
        super().__init__()
        self.words = nn.Embedding(n_words, config.word_dim)
        self.tags = nn.Embedding(n_tags, config.tag_dim)
        self.lstm = nn.LSTM(
            config.word_dim + config.tag_dim,
            config.hidden,
            config.layers,
            bidirectional=True,
            batch_first=True,
            dropout=config.dropout if config.layers > 1 else 0.0,
        )
        self.special = nn.Parameter(torch.randn(2, 2 * config.hidden) * 0.1)
        self.dropout = nn.Dropout(config.dropout)

        def layer(dim: int) -> nn.Module:
            return nn.Sequential(nn.Linear(2 * config.hidden, dim), nn.LeakyReLU(0.1), self.dropout)

        self.arc_of, self.arc_head = layer(config.arc_dim), layer(config.arc_dim)
        self.arc = nn.Parameter(torch.zeros(config.arc_dim + 1, config.arc_dim))
        self.far = nn.Parameter(torch.zeros((2 * REACH + 1) * n_tags * n_tags, 1))
        self.kind_of, self.kind_head = layer(config.kind_dim), layer(config.kind_dim)
        self.kind = nn.Linear(3 * config.kind_dim, n_kinds)

    def states(self, words: Tensor, tags: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, words, 2 hidden) of dependents, and (batch, words + 2, 2 hidden) of heads."""
        read = self.dropout(torch.cat([self.words(words), self.tags(tags)], 2))
        packed = pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        states = self.dropout(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])
        return states, torch.cat([states, self.special.expand(len(states), -1, -1)], 1)

    def arcs(self, of: Tensor, heads: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """(batch, words, words + 2): scores of heads; -inf for the word itself and for padding.

        What two tags and the way between them say has a table of its own: it is learned fast.
        """
        n, n_tags = of.shape[1], self.tags.num_embeddings
        at = torch.arange(n, device=of.device)
        way = (at[None] - at[:, None]).clamp(-REACH, REACH) + REACH
        far = embedding((way * n_tags + tags[:, :, None]) * n_tags + tags[:, None], self.far)
        one = self.arc_of(of)
        one = torch.cat([one, torch.ones_like(one[..., :1])], 2)  # some heads are likelier than all
        scores = one @ self.arc @ self.arc_head(heads).transpose(1, 2) + pad(far[..., 0], (0, 2))
        absent = pad(at >= lengths.to(of.device)[:, None], (0, 2))
        itself = torch.eye(n, n + 2, dtype=torch.bool, device=of.device)
        masked: Tensor = scores.masked_fill(absent[:, None] | itself, float("-inf"))
        return masked

    def kinds(self, of: Tensor, heads: Tensor) -> Tensor:
        """(edges, kinds): scores, from the states of dependents and of their heads."""
        one, other = self.kind_of(of), self.kind_head(heads)
        scores: Tensor = self.kind(torch.cat([one, other, one * other], 1))
        return scores


def tree(scores: NDArray[np.float32]) -> list[int]:
    """Heads of a sentence's words, from scores (words, words + 2): one root, and no cycles.

    The main word is the one for which being the root beats all else by most. Words that are best
    without a head are no one's head. The others take their heads in order of score, each the best
    one that does not hang from the word itself.
    """
    n = len(scores)
    root, none = n, n + 1
    rest = np.delete(scores, root, 1)
    main = int((scores[:, root] - rest.max(1)).argmax())
    heads = [none if rest[at].argmax() == n and at != main else -1 for at in range(n)]
    heads[main] = root
    rest = rest[:, :n].copy()
    rest[:, [head == none for head in heads]] = -np.inf
    for word in np.argsort(-rest.max(1), kind="stable").tolist():
        if heads[word] < 0:
            ranked = np.argsort(-rest[word], kind="stable").tolist()
            free = (at for at in ranked if at != word and heads[at] != none)
            heads[word] = next(at for at in free if not _hangs(at, word, heads))
    return heads


def _hangs(at: int, word: int, heads: Sequence[int]) -> bool:
    """Whether a word hangs, by one or more steps, from another."""
    while 0 <= at < len(heads) and at != word:
        at = heads[at]
    return at == word


def rows_of(states: Tensor, line: Tensor, at: Tensor) -> Tensor:
    """Some rows of (batch, words, dim). Looked up so that a GPU adds their gradients in order."""
    return embedding(line * states.shape[1] + at, states.flatten(0, 1))


def batches(
    lengths: Sequence[int], size: int, rng: np.random.Generator | None = None
) -> Iterator[list[int]]:
    """Sentences of like length together; with a generator, in random order."""
    noise = np.zeros(len(lengths)) if rng is None else rng.random(len(lengths)) * 4
    order = np.argsort(np.asarray(lengths) + noise, kind="stable")
    cut = [order[at : at + size].tolist() for at in range(0, len(order), size)]
    yield from cut if rng is None else (cut[i] for i in rng.permutation(len(cut)))


def padded(rows: Sequence[Sequence[int]], value: int, device: torch.device) -> Tensor:
    """Rows of numbers as a rectangle."""
    longest = max(map(len, rows))
    table = [[*row, *[value] * (longest - len(row))] for row in rows]
    return torch.tensor(table, device=device)


def read_batch(lines: Sequence[Numbers], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Words, tags (batch, words) and lengths (batch,) of some sentences."""
    words, tags = ([line[i] for line in lines] for i in (0, 1))
    lengths = torch.tensor([len(line) for line in words])  # packing wants them on the CPU
    return padded(words, 0, device), padded(tags, 0, device), lengths
