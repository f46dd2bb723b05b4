"""The label matrices of the label model's benchmark that come from published data sets.

Gold labels score the models. They also choose the tokens of `imdb` and `sst2`, which stand for an
expert's (the chapter's simulated one): the tokens with the largest weights, half of them for each
label, in an L1-regularised logistic regression on gold labels. Beyond that, gold chooses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy import sparse

from benchmarks.label_model_sets import LabelledSet, Longs

QUICK_ROWS = 1000
N_TOKENS = (6, 20, 40)
N_SENTIMENTS = 2


def real_sets(folder: Path, *, quick: bool) -> dict[str, Callable[[], LabelledSet]]:
    """How to read each set; `quick` reads some of the rows."""
    n_rows = QUICK_ROWS if quick else None
    makers: dict[str, Callable[[], LabelledSet]] = {}
    for name, n_labels in (("youtube_spam_wrench", 2), ("trec_rules", 6)):
        makers[name] = partial(many_functions, folder / name, n_labels, n_rows)
        makers[f"{name}_test"] = partial(held_out, folder / name, n_labels, n_rows)
    makers["agnews"] = partial(one_function, folder / "agnews", 0, 4, n_rows)
    makers["chemprot_cosine"] = partial(one_function, folder / "chemprot_cosine", 1, 10, n_rows)
    for name in ("imdb", "sst2"):
        for n_tokens in N_TOKENS:
            makers[f"{name}_{n_tokens}"] = partial(oracle_tokens, folder / name, n_tokens, n_rows)
    return makers


def columns(path: Path, names: tuple[str, ...], n_rows: int | None) -> Iterator[Any]:
    """Columns of a Parquet file, of all rows or of so many at even distances."""
    if not path.exists():
        raise FileNotFoundError(f"there is no {path.parent.name}/{path.name} in the data folder")
    table = pq.read_table(path, columns=list(names))
    if n_rows is not None and n_rows < len(table):
        table = table.take(np.linspace(0, len(table) - 1, n_rows).astype(np.int64))
    return (table[name] for name in names)


def matrix_and_gold(path: Path, n_rows: int | None) -> tuple[Longs, Longs]:
    """The votes of several functions, and the gold labels."""
    votes, gold = columns(path, ("weak_labels", "label"), n_rows)
    return np.array(votes.to_pylist(), dtype=np.int64), gold.to_numpy().astype(np.int64)


def many_functions(folder: Path, n_labels: int, n_rows: int | None) -> LabelledSet:
    """A set with the votes of several functions: learned from, and asked about, its train rows."""
    votes, gold = matrix_and_gold(folder / "train.parquet", n_rows)
    return LabelledSet(
        name=folder.name, about="train rows", votes=votes, gold=gold, n_labels=n_labels
    )


def held_out(folder: Path, n_labels: int, n_rows: int | None) -> LabelledSet:
    """The same, asked about its test rows."""
    votes, _ = matrix_and_gold(folder / "train.parquet", n_rows)
    asked, gold = matrix_and_gold(folder / "test.parquet", n_rows)
    return LabelledSet(
        name=f"{folder.name}_test",
        about="learned from train rows, asked about test rows",
        votes=votes,
        asked=asked,
        gold=gold,
        n_labels=n_labels,
    )


def one_function(folder: Path, first: int, n_labels: int, n_rows: int | None) -> LabelledSet:
    """A set whose only function is a majority vote made elsewhere; labels count from `first`."""
    vote, label = columns(folder / "train.parquet", ("weak_majority", "label"), n_rows)
    votes, gold = vote.to_numpy().astype(np.int64), label.to_numpy().astype(np.int64)
    kept = gold >= first
    votes = np.where(votes < 0, -1, votes - first)[kept, None]
    return LabelledSet(
        name=folder.name,
        about="train rows, one function",
        votes=votes,
        gold=gold[kept] - first,
        n_labels=n_labels,
    )


def oracle_tokens(folder: Path, n_tokens: int, n_rows: int | None) -> LabelledSet:
    """Each of the strongest tokens votes for its label wherever it occurs; train rows."""
    present, weights, gold = token_weights(folder, n_rows)
    order = np.argsort(weights, kind="stable")
    half = n_tokens // 2
    votes = np.full((len(gold), n_tokens), -1, dtype=np.int64)
    for label, chosen in enumerate((order[:half], order[::-1][:half])):
        occurs = present[:, chosen].toarray() > 0
        votes[:, label * half : (label + 1) * half][occurs] = label
    return LabelledSet(
        name=f"{folder.name}_{n_tokens}",
        about=f"train rows, {n_tokens} oracle tokens",
        votes=votes,
        gold=gold,
        n_labels=N_SENTIMENTS,
    )


@cache
def token_weights(folder: Path, n_rows: int | None) -> tuple[sparse.csr_matrix, Any, Longs]:
    """Which tokens occur in which text, the weight of each towards label 1, and gold labels."""
    from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    text, label = columns(folder / "train.parquet", ("text", "label"), n_rows)
    gold = label.to_numpy().astype(np.int64)
    present = CountVectorizer(binary=True, min_df=3).fit_transform(text.to_pylist())
    model = LogisticRegression(l1_ratio=1, solver="liblinear", C=0.1, random_state=0)
    return sparse.csr_matrix(present), model.fit(present, gold).coef_[0], gold
