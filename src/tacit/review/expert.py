"""What a simulated expert knows, from gold labels and as in the chapter: words, and similar pairs.

Words are those with the largest weights in an L1-regularised unigram model. Its strength is the
greatest that leaves so many words for each label, which looks at no accuracy. Pairs are those that
a network of gold labels has brought together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.data.tokens import tokenise
from tacit.errors import BadInput, MissingExtra, listed
from tacit.predictors.protocol import Adapting, Longs, Predictor
from tacit.predictors.registry import name_of
from tacit.proposals.similar_pairs import similar_pairs

N_WORDS = 100  # a label, as in the chapter
N_PAIRS = 100  # as in the chapter
LEAST_TEXTS = 3  # a word of fewer texts is not one that an expert would name
WEAKEST, STRONGEST = 1e-4, 10.0  # C, the inverse of L1's strength
HALVINGS = 14  # of its logarithm: to within a thousandth

Floats = np.ndarray[Any, np.dtype[np.float64]]


def oracle_words(
    texts: Sequence[str], gold: Sequence[str], labels: Sequence[str], n: int = N_WORDS
) -> dict[str, tuple[str, ...]]:
    """The n strongest words of each label, the strongest first; few texts may have fewer.

    A word belongs to the label for which it speaks most. With three labels or more, each is told
    from all others.
    """
    absent = [label for label in labels if label not in set(gold)]
    if absent or len(labels) < 2:
        raise BadInput(
            f"a simulated expert needs gold texts of two labels or more; missing: {listed(absent)}"
        )
    words, present = _present(texts)
    weights = _sparsest(present, np.asarray(gold, dtype=object), labels, n)
    return {
        label: tuple(words[at] for at in np.argsort(-own, kind="stable")[:n] if own[at] > 0)
        for label, own in zip(labels, weights, strict=True)
    }


def oracle_pairs(
    predictor: Predictor,
    inputs: Any,
    gold: Sequence[str],
    labels: Sequence[str],
    n: int = N_PAIRS,
) -> Longs:
    """The n pairs of inputs whose similarity grows most when a predictor learns the gold labels.

    (pairs, 2) rows of the inputs, the greatest growth first; no input is in two of them. The
    predictor is one that was pretrained, such as "transformer", and it is trained here.
    """
    if not isinstance(predictor, Adapting):
        raise BadInput(
            f"a {name_of(predictor)} was not pretrained, and so cannot tell what gold has changed",
            remedy='give a predictor such as "transformer"',
        )
    unknown = sorted(set(gold) - set(labels))
    if unknown:
        raise BadInput(f"gold labels that are no labels: {listed(unknown)}")
    prepared = predictor.prepare(inputs)
    predictor.fit_soft(prepared, np.eye(len(labels))[[labels.index(own) for own in gold]])
    return similar_pairs(*predictor.adapted(prepared)).each_once(n).pairs


def _present(texts: Sequence[str]) -> tuple[list[str], Any]:
    """The words, and which text has which."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra(
            "a simulated expert needs scikit-learn, which is not installed",
            remedy="pip install scikit-learn",
        ) from None
    counted = CountVectorizer(analyzer=tokenise, binary=True, min_df=min(LEAST_TEXTS, len(texts)))
    present = counted.fit_transform(texts)
    return [str(word) for word in counted.get_feature_names_out()], present


def _sparsest(present: Any, gold: Any, labels: Sequence[str], n: int) -> Floats:
    """The weights (labels, words) of the sparsest model with n words a label, by bisection on C."""
    low, high = np.log(WEAKEST), np.log(STRONGEST)
    best = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = _weights(present, gold, labels, float(np.exp(middle)))
        if (found > 0).sum(axis=1).min() >= n:
            best, high = found, middle
        else:
            low = middle
    return _weights(present, gold, labels, STRONGEST) if best is None else best


def _weights(present: Any, gold: Any, labels: Sequence[str], c: float) -> Floats:
    """The weight of each word for the label for which it speaks most, and 0 for the others."""
    if len(labels) == 2:
        second = _against_the_rest(present, gold == labels[1], c)
        weights = np.stack([-second, second])
    else:
        weights = np.stack([_against_the_rest(present, gold == label, c) for label in labels])
    return np.where(weights == weights.max(axis=0), weights, 0.0)


def _against_the_rest(present: Any, own: Any, c: float) -> Floats:
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    # scikit-learn 1.8 renamed the way to ask for L1
    asked = {"penalty": "l1"} if LogisticRegression().penalty == "l2" else {"l1_ratio": 1}
    model = LogisticRegression(solver="liblinear", C=c, random_state=0, **asked)
    weights: Floats = model.fit(present, own).coef_[0]
    return weights
