"""Oracle tokens: what a simulated expert would name, chosen by a model of the gold labels.

As in the chapter, they are the tokens with the largest weights in an L1-regularised unigram model,
as many for each label. It takes the 100 highest a label; so the strength of L1 is the greatest that
leaves so many, which looks at no accuracy. scikit-learn is needed, but not to read tokens back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dpl_sets import Corpus
from tacit.data.tokens import tokenise

N_EACH = 100
WEAKEST, STRONGEST = 1e-4, 10.0  # C, the inverse of L1's strength
HALVINGS = 14  # of its logarithm: to within a thousandth

Tokens = dict[str, tuple[str, ...]]  # by label, the strongest first


def oracle_tokens(corpus: Corpus, n_each: int = N_EACH) -> Tokens:
    """The strongest tokens of each of two labels."""
    from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]

    counted = CountVectorizer(analyzer=tokenise, binary=True, min_df=3)
    present = counted.fit_transform(corpus.train.texts)
    weights = _sparsest(present, corpus.train.gold, n_each)
    words = counted.get_feature_names_out()
    order = np.argsort(weights, kind="stable")
    first, second = corpus.labels
    sides = {first: order[:n_each], second: order[::-1][:n_each]}
    return {
        label: tuple(str(words[at]) for at in own if weights[at] != 0)
        for label, own in sides.items()
    }


def _sparsest(present: Any, gold: Any, n_each: int) -> Any:
    """The weights of the sparsest model with so many tokens for each label, by bisection on C."""
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    def weights(log_c: float) -> Any:
        c = float(np.exp(log_c))
        model = LogisticRegression(l1_ratio=1, solver="liblinear", C=c, random_state=0)
        return model.fit(present, gold).coef_[0]

    low, high = np.log(WEAKEST), np.log(STRONGEST)
    best = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = weights(middle)
        if min((found > 0).sum(), (found < 0).sum()) >= n_each:
            best, high = found, middle
        else:
            low = middle
    return weights(high) if best is None else best  # few texts may not have so many


def write_tokens(tokens: dict[str, Tokens], path: Path) -> None:
    """Put the tokens of several sets into a file."""
    path.write_text(json.dumps(tokens, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_tokens(path: Path) -> dict[str, Tokens]:
    """What `write_tokens` wrote."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: {label: tuple(words) for label, words in own.items()} for name, own in found.items()
    }


def strongest(tokens: Tokens, n_tokens: int) -> Tokens:
    """So many tokens in all, as many for each label."""
    return {label: words[: n_tokens // len(tokens)] for label, words in tokens.items()}
