"""Which word each token of an encoder belongs to: words are attended to, and hidden, as wholes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.predictors.pretrained.token_rows import Bools, Longs, bounds, places, row_sums
from tacit.predictors.protocol import Attention

Spans = NDArray[np.int64]  # (things, 2): begin and end in a text, in characters


@dataclass(frozen=True, slots=True)
class TextWords:
    """The words of texts, and the word that each token belongs to."""

    first: Longs  # (texts + 1) of words
    word: Longs  # (words of all texts) which of `words`
    words: tuple[str, ...]
    place_of_token: Longs  # (tokens of all texts) which of all words, or -1

    def tokens_of(self, entries: Iterable[str]) -> Bools:
        """(tokens of all texts) which tokens belong to one of these words, or n-grams."""
        code_of_word = {word: code for code, word in enumerate(self.words)}
        text = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        sequences = [[code_of_word.get(w, -1) for w in entry.split(" ")] for entry in entries]
        found = np.isin(self.word, [codes[0] for codes in sequences if len(codes) == 1])
        for codes in (own for own in sequences if len(own) > 1):
            n_starts = max(len(self.word) - len(codes) + 1, 0)
            starts = text[:n_starts] == text[len(codes) - 1 :]
            for behind, code in enumerate(codes):
                starts &= self.word[behind : behind + n_starts] == code
            for behind in range(len(codes)):
                found[behind : behind + n_starts] |= starts
        return np.append(found, False)[self.place_of_token]  # those of no word are at place -1

    def attention(self, rows: Longs, first_token: Longs, share: NDArray[np.float32]) -> Attention:
        """How much the words of some texts count, where `share` is by token of all texts.

        What falls between words (on punctuation) is left out, and the rest made to add up to 1.
        """
        at_word = places(self.first, rows)
        first = bounds(self.first[rows + 1] - self.first[rows])
        tokens = places(first_token, np.unique(rows))
        tokens = tokens[self.place_of_token[tokens] >= 0]
        total = np.zeros(len(self.word))
        np.add.at(total, self.place_of_token[tokens], share[tokens])
        of_word = total[at_word]
        sums = np.repeat(row_sums(of_word, first), np.diff(first))
        of_word = np.divide(of_word, sums, out=np.zeros_like(of_word), where=sums > 0)
        return Attention(first, self.word[at_word], of_word.astype(np.float32), self.words)


def words_of_tokens(texts: Sequence[str], spans: Spans, first_token: Longs) -> TextWords:
    """Find the words of texts, and the first word that each token overlaps."""
    from tacit.data.tokens import token_spans  # here, since it takes a while to load

    code_of_word: defaultdict[str, int] = defaultdict()
    code_of_word.default_factory = code_of_word.__len__
    codes: list[int] = []
    lengths: list[int] = []
    place_of_token = np.full(len(spans), -1, dtype=np.int64)
    for i, text in enumerate(texts):
        words, begin, end = token_spans(text)
        mine = spans[first_token[i] : first_token[i + 1]]
        near = np.searchsorted(end, mine[:, 0], side="right")  # the first word that ends behind
        inside = np.append(begin, len(text) + 1)[near] < mine[:, 1]
        found = np.where(inside, near + len(codes), -1)
        place_of_token[first_token[i] : first_token[i + 1]] = found
        codes.extend(code_of_word[word] for word in words)
        lengths.append(len(words))
    first = bounds(np.array(lengths, dtype=np.int64))
    return TextWords(first, np.array(codes, dtype=np.int64), tuple(code_of_word), place_of_token)
