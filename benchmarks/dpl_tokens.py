"""Oracle tokens: what a simulated expert would name, chosen by a model of the gold labels.

scikit-learn is needed, but not to read tokens back.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.dpl_sets import Corpus
from tacit.review.expert import N_WORDS, oracle_words

Tokens = dict[str, tuple[str, ...]]  # by label, the strongest first


def oracle_tokens(corpus: Corpus, n_each: int = N_WORDS) -> Tokens:
    """The strongest tokens of each label."""
    gold = [corpus.labels[label] for label in corpus.train.gold]
    return oracle_words(corpus.train.texts, gold, corpus.labels, n_each)


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
