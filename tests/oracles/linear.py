"""Slow twins of the linear predictor, written from the definitions with plain loops."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.data.tokens import tokenise

Floats = NDArray[np.float64]


def ngrams_of(text: str, shortest: int, longest: int) -> list[str]:
    """All n-grams of a text, with repetitions."""
    words = tokenise(text)
    return [
        " ".join(words[start : start + length])
        for length in range(shortest, longest + 1)
        for start in range(len(words) - length + 1)
    ]


def documents_of(texts: list[str], shortest: int, longest: int, min_count: int) -> dict[str, int]:
    """In how many texts each n-gram stands that stands in enough."""
    documents = Counter(
        ngram for text in texts for ngram in set(ngrams_of(text, shortest, longest))
    )
    return {ngram: n for ngram, n in documents.items() if n >= min_count}


def features_of(
    text: str, documents: dict[str, int], n_texts: int, longest: int
) -> dict[str, float]:
    """The value of each n-gram of a text."""
    counts = Counter(ngram for ngram in ngrams_of(text, 1, longest) if ngram in documents)
    value = {
        ngram: (1 + math.log(n)) * (math.log((1 + n_texts) / (1 + documents[ngram])) + 1)
        for ngram, n in counts.items()
    }
    length = math.sqrt(sum(v * v for v in value.values()))
    return {ngram: v / length for ngram, v in value.items()}


def loss(dense: Floats, target: Floats, weight: Floats, l2: float, at: Floats) -> float:
    """The penalised cross-entropy at weights (columns + 1, labels), input by input."""
    total = l2 / 2 * float((at[:-1] ** 2).sum())
    for i in range(len(dense)):
        scores = dense[i] @ at[:-1] + at[-1]
        log_total = math.log(sum(math.exp(score) for score in scores))
        for label in range(target.shape[1]):
            total -= weight[i] * target[i, label] * (scores[label] - log_total)
    return total


def optimum(dense: Floats, target: Floats, weight: Floats, l2: float) -> Floats:
    """Where the penalised cross-entropy is lowest, by a general method and its own differences."""
    shape = (dense.shape[1] + 1, target.shape[1])
    found = minimize(
        lambda flat: loss(dense, target, weight, l2, flat.reshape(shape)),
        np.zeros(math.prod(shape)),
        method="BFGS",
        options={"gtol": 1e-6},
    )
    at = found.x.reshape(shape)
    at[-1] -= at[-1].mean()  # one number for all labels changes nothing
    return at
