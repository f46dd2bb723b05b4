"""Texts as tokens of an encoder: tokenised once, kept flat, handed out in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.errors import BadInput
from tacit.predictors.pretrained.encoders import Encoder
from tacit.predictors.pretrained.text_words import Spans, TextWords, words_of_tokens
from tacit.predictors.pretrained.token_rows import Bools, Ints, Longs, bounds, grid, places

AT_ONCE = 1000  # texts tokenised in one call: enough to be quick, few enough to be small
SHORT = 60  # tokens beside the hidden ones: a sentence or two
SLOTS = 512  # on a GPU, packed batches are filled up to a multiple: few shapes, little waste


@dataclass(frozen=True, eq=False)
class TokenisedTexts:
    """All tokens of all texts, one text behind the other."""

    texts: tuple[str, ...]
    encoder: Encoder
    max_tokens: int
    ids: Ints  # (tokens of all texts)
    first: Longs  # (texts + 1) of tokens

    @cached_property
    def counts(self) -> Bools:
        """(tokens of all texts) whether a prediction looks at a token.

        Not at those that mark the begin and the end of a text: they stand for no word, and their
        share would be lost to the words. Where a text has nothing else, it looks at them.
        """
        counts = ~np.isin(self.ids, self.encoder.markers)
        text = np.repeat(np.arange(len(self.texts)), np.diff(self.first))
        none = np.bincount(text, counts, minlength=len(self.texts)) == 0
        return np.asarray(counts | none[text])

    @cached_property
    def first_counted(self) -> Longs:
        """(texts + 1) where the tokens of each text begin among those that count."""
        return np.concatenate([[0], np.cumsum(self.counts)])[self.first].astype(np.int64)

    @cached_property
    def digest(self) -> str:
        """The same for the same tokens."""
        found = hashlib.blake2b(self.ids.tobytes(), digest_size=16)
        found.update(self.first.tobytes())
        return found.hexdigest()

    @cached_property
    def words(self) -> TextWords:
        """The words of the texts, and to which of them each token belongs; found when asked for."""
        pairs = chain.from_iterable(chain.from_iterable(self._encoded(offsets=True)))
        flat: Spans = np.fromiter(chain.from_iterable(pairs), np.int64, 2 * len(self.ids))
        return words_of_tokens(self.texts, flat.reshape(-1, 2), self.first)

    def _encoded(self, *, offsets: bool) -> Iterator[list[Any]]:
        yield from _encoded(self.texts, self.encoder, self.max_tokens, offsets=offsets)


@dataclass(frozen=True, eq=False)
class PreparedTexts:
    """Some of the texts that were tokenised together."""

    source: TokenisedTexts
    rows: Longs
    hidden: Bools | None = None  # (tokens of all texts) those that training is not to see

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.rows)

    def take(self, rows: Longs) -> PreparedTexts:
        """Some of the texts, in this order."""
        return replace(self, rows=self.rows[np.asarray(rows)])

    def hiding(self, words: Sequence[str]) -> PreparedTexts:
        """The same texts, with these words, or n-grams, and no others hidden from training."""
        return replace(self, hidden=self.source.words.tokens_of(words) if words else None)

    def alone(self) -> PreparedTexts:
        """The same texts without those that were tokenised with them."""
        at = places(self.source.first, self.rows)
        return self._of_tokens(at, np.repeat(np.arange(len(self)), self.lengths))

    def with_gaps(self, dropout: float, random: np.random.Generator) -> PreparedTexts:
        """The same texts as training reads them: without some of their tokens, chosen by chance.

        Of a long text, all that is hidden is left out: the rest tells enough. In a short one little
        else may tell anything; there each token is left out with the probability `dropout`, which
        makes all of them count. In between, both happen in part. A text of which nothing would be
        left stays whole.
        """
        if not dropout and self.hidden is None:
            return self
        at = places(self.source.first, self.rows)
        text = np.repeat(np.arange(len(self)), self.lengths)
        droppable = ~np.isin(self.source.ids[at], self.source.encoder.markers)
        shown = droppable if self.hidden is None else droppable & ~self.hidden[at]
        shortness = np.exp(-((np.bincount(text, shown, minlength=len(self)) / SHORT) ** 2))
        left = random.random(len(at)) >= dropout * shortness[text]
        left &= shown | (random.random(len(self)) < shortness)[text]
        n_left = np.bincount(text, droppable & left, minlength=len(self))
        left |= ~droppable | (n_left == 0)[text]
        return self._of_tokens(at[left], text[left])

    def _of_tokens(self, at: Longs, text: Longs) -> PreparedTexts:
        """Nothing but some tokens of these texts; `text` says to which of them each belongs."""
        source = self.source
        ids, first = source.ids[at], bounds(np.bincount(text, minlength=len(self)))
        texts = tuple(source.texts[row] for row in self.rows)
        only = TokenisedTexts(texts, source.encoder, source.max_tokens, ids, first)
        return PreparedTexts(only, np.arange(len(texts)))

    @cached_property
    def lengths(self) -> Longs:
        """The tokens of each text."""
        return np.asarray(self.source.first[self.rows + 1] - self.source.first[self.rows])

    @property
    def n_tokens(self) -> int:
        """The tokens of all texts together."""
        return int(self.lengths.sum())


def tokenise_texts(inputs: Any, encoder: Encoder, max_tokens: int) -> PreparedTexts:
    """Texts as tokens; what lies behind the first `max_tokens` tokens of a text is cut off."""
    texts = as_texts(inputs)
    parts, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    for some in _encoded(texts, encoder, max_tokens, offsets=False):
        lengths.append(np.array([len(row) for row in some], dtype=np.int64))
        parts.append(np.array([token for row in some for token in row], dtype=np.int32))
    ids, first = np.concatenate(parts), bounds(np.concatenate(lengths))
    source = TokenisedTexts(texts, encoder, max_tokens, ids, first)
    return PreparedTexts(source, np.arange(len(texts)))


def as_texts(inputs: Any) -> tuple[str, ...]:
    """Texts from a sequence, a column or a series of them; a missing one is empty."""
    if isinstance(inputs, str | bytes):
        raise BadInput("the inputs are one text", remedy="a list of texts, if need be of one")
    values = inputs.to_pylist() if hasattr(inputs, "to_pylist") else list(inputs)
    for at, text in enumerate(values):
        if text is None:
            values[at] = ""
        elif not isinstance(text, str):
            raise BadInput(f"input {at} is no text but of the type {type(text).__name__}")
    return tuple(str(text) for text in values)


def _encoded(
    texts: Sequence[str], encoder: Encoder, max_tokens: int, *, offsets: bool
) -> Iterator[list[Any]]:
    """The ids (or the places in characters) of the tokens of some texts at a time."""
    for begin in range(0, len(texts), AT_ONCE):
        found = encoder.tokenizer(
            list(texts[begin : begin + AT_ONCE]),
            truncation=True,
            max_length=max_tokens,
            return_attention_mask=False,
            return_token_type_ids=False,
            return_offsets_mapping=offsets,
        )
        yield found["offset_mapping" if offsets else "input_ids"]


class PaddedBatch(NamedTuple):
    """Texts side by side, the short ones filled up."""

    ids: NDArray[np.int64]  # (texts, longest)
    mask: Bools  # (texts, longest) where there is a token


class PackedBatch(NamedTuple):
    """Texts one behind the other, filled up to a multiple of slots by one text of no one's."""

    ids: NDArray[np.int64]  # (slots)
    positions: NDArray[np.int64]  # (slots) in their texts
    owner: NDArray[np.int64]  # (slots) the text that looks at this token, or -1
    bounds: Ints  # (texts + 2) where texts begin; the last one is of no one


def padded_batch(texts: PreparedTexts, rows: Longs) -> PaddedBatch:
    """Some of the texts, side by side."""
    source = texts.source
    at, mask = grid(source.first, texts.rows[rows])
    filled = np.where(mask, source.ids[at], source.encoder.padding)
    return PaddedBatch(filled.astype(np.int64), mask)


def packed_batch(
    texts: PreparedTexts, rows: Longs, first_position: int = 0, multiple: int = SLOTS
) -> PackedBatch:
    """Some of the texts, one behind the other; the number of slots is a multiple of this."""
    source, rows = texts.source, texts.rows[rows]
    at = places(source.first, rows)
    lengths = source.first[rows + 1] - source.first[rows]
    n_slots = (len(at) // multiple + 1) * multiple  # one at least is of no one
    begins = bounds(np.append(lengths, n_slots - len(at)))
    ids = np.full(n_slots, source.encoder.padding, dtype=np.int64)
    owner = np.full(n_slots, -1, dtype=np.int64)
    ids[: len(at)] = source.ids[at]
    text = np.repeat(np.arange(len(rows)), lengths)
    owner[: len(at)] = np.where(source.counts[at], text, -1)
    positions = np.arange(n_slots) - np.repeat(begins[:-1], np.diff(begins))
    positions[len(at) :] = 0
    return PackedBatch(ids, positions + first_position, owner, begins.astype(np.int32))
