"""Texts as words and as n-gram features: what is computed once for predictors on n-grams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse

from tacit.predictors.protocol import Longs
from tacit.predictors.regression.ngrams import Vocabulary, features, learn_vocabulary
from tacit.predictors.regression.words import Words, read_words

MIN_COUNT = 2  # what stands in one text only says nothing about the others
MAX_FEATURES = 1_000_000  # a ceiling on memory; the most frequent are kept


@dataclass(frozen=True, eq=False)
class PreparedTexts:
    """Texts as words and as features, by one vocabulary."""

    words: Words
    vocabulary: Vocabulary
    matrix: sparse.csr_array  # (texts, columns) of float32

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.words)

    def take(self, rows: Longs) -> PreparedTexts:
        """Some of the texts, in this order."""
        return PreparedTexts(self.words.take(rows), self.vocabulary, self.matrix[rows])


def prepare_texts(
    inputs: Any,
    vocabulary: Vocabulary | None,
    *,
    ngrams: tuple[int, int] = (1, 2),
    min_count: int = MIN_COUNT,
    max_features: int = MAX_FEATURES,
) -> PreparedTexts:
    """Texts by a vocabulary; where there is none, by their own.

    Prepared texts come back as they are, unless their vocabulary is another one.
    """
    if isinstance(inputs, PreparedTexts):
        if vocabulary is None or inputs.vocabulary is vocabulary:
            return inputs
        words = inputs.words
    else:
        words = read_words(inputs)
    if vocabulary is None:
        vocabulary = learn_vocabulary(
            words, ngrams=ngrams, min_count=min_count, max_features=max_features
        )
    return PreparedTexts(words, vocabulary, features(words, vocabulary))
