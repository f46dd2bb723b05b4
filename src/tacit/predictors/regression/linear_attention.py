"""What a linear model looked at: the share of each word in what speaks for or against labels."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tacit.predictors.protocol import Attention, Floats
from tacit.predictors.regression.ngrams import Vocabulary, count_ngrams
from tacit.predictors.regression.words import Words


def linear_attention(
    words: Words, vocabulary: Vocabulary, matrix: sparse.csr_array, coef: Floats
) -> Attention:
    """The share of each word of each text.

    An n-gram moves the scores of labels by value x weights, of which the length over labels is
    taken (with two labels: the move of the log-odds). That is spread equally over the words it is
    made of, wherever it stands in the text. Where nothing moves, all words have the same share.
    """
    strength = np.linalg.norm(coef, axis=1)
    each = matrix.astype(np.float64)
    each.data *= strength[each.indices]
    # Both have the same cells in the same order.
    each.data /= count_ngrams(words, vocabulary).data
    text, moved = words.text, np.zeros(len(words.code))
    for length, place, column in vocabulary.places(words):
        share = np.asarray(each[text[place], column]).ravel() / length
        for inside in range(length):
            moved[place + inside] += share
    return Attention(words.first, words.code.astype(np.int64), _shares(words, moved), words.words)


def _shares(words: Words, moved: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Numbers for each word, scaled to add up to 1 in each text; all equal where all are 0."""
    text, lengths = words.text, np.diff(words.first)
    total = np.bincount(text, moved, minlength=len(words))
    equal = 1 / np.maximum(lengths, 1)
    known = total[text] > 0
    share = np.where(known, moved / np.where(known, total[text], 1.0), equal[text])
    return share.astype(np.float32)
