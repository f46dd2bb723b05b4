"""Words, vocabulary and features against twins written with plain loops."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.tokens import tokenise
from tacit.errors import BadInput
from tacit.predictors.regression.ngrams import Vocabulary, count_ngrams, features, learn_vocabulary
from tacit.predictors.regression.words import read_words
from tests.oracles.linear import documents_of, features_of, ngrams_of

WORDS = st.sampled_from(["a", "b", "c", "dd", "don't", "é"])
TEXTS = st.lists(st.lists(WORDS, max_size=7).map(" ".join), max_size=8)
LENGTHS = st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)])


def learned(texts: list[str], ngrams: tuple[int, int], min_count: int = 1) -> Vocabulary:
    words = read_words(texts)
    return learn_vocabulary(words, ngrams=ngrams, min_count=min_count, max_features=10**6)


@settings(max_examples=60, deadline=None)
@given(TEXTS, LENGTHS, st.integers(1, 3))
def test_the_vocabulary_equals_its_twin(
    texts: list[str], ngrams: tuple[int, int], min_count: int
) -> None:
    vocabulary = learned(texts, ngrams, min_count)
    documents = [int(n) for level in vocabulary.counted for n in level.documents]
    found = dict(zip(vocabulary.names.to_pylist(), documents, strict=True))
    assert found == documents_of(texts, *ngrams, min_count)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, LENGTHS, st.integers(1, 2))
def test_features_equal_their_twin(
    texts: list[str], others: list[str], ngrams: tuple[int, int], min_count: int
) -> None:
    vocabulary = learned(texts, ngrams, min_count)
    names = vocabulary.names.to_pylist()
    documents = documents_of(texts, *ngrams, min_count)
    for read in (texts, others):  # others have words that nobody has seen
        matrix = features(read_words(read), vocabulary).toarray()
        for row, text in zip(matrix, read, strict=True):
            wanted = features_of(text, documents, len(texts), ngrams[1])
            found = {name: value for name, value in zip(names, row, strict=True) if value}
            assert found == pytest.approx(wanted, rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(TEXTS, LENGTHS, st.integers(1, 12))
def test_only_the_most_frequent_are_kept(
    texts: list[str], ngrams: tuple[int, int], most: int
) -> None:
    words = read_words(texts)
    capped = learn_vocabulary(words, ngrams=ngrams, min_count=1, max_features=most)
    documents = documents_of(texts, *ngrams, 1)
    ranked = sorted(documents, key=lambda ngram: (-documents[ngram], ngram.count(" "), ngram))
    assert set(capped.names.to_pylist()) == set(ranked[:most])
    counts = count_ngrams(words, capped).toarray()
    for row, text in zip(counts, texts, strict=True):
        for name, count in zip(capped.names.to_pylist(), row, strict=True):
            assert count == ngrams_of(text, *ngrams).count(name)


@given(st.permutations(["a b a", "b c", "a b c", "c d d"]))
@settings(deadline=None)
def test_the_vocabulary_does_not_depend_on_the_order_of_texts(texts: list[str]) -> None:
    wanted = learned(["a b a", "b c", "a b c", "c d d"], (1, 2)).names
    assert learned(texts, (1, 2)).names == wanted


@pytest.mark.parametrize(
    "given",
    [
        ["One two", None, "two"],
        ("One two", None, "two"),
        np.array(["One two", None, "two"], dtype=object),
        pd.Series(["One two", None, "two"]),
        pd.Series(["One two", np.nan, "two"], dtype=object),
        pd.Series(["One two", pd.NA, "two"], dtype="string"),
        pa.array(["One two", None, "two"]),
        pa.chunked_array([["One two"], [None, "two"]]),
        (text for text in ["One two", None, "two"]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_texts_come_in_many_forms(given: object) -> None:
    words = read_words(given)
    assert words.words == ("one", "two")
    assert words.first.tolist() == [0, 2, 2, 3]
    assert words.code.tolist() == [0, 1, 1]


@pytest.mark.parametrize("given", ["a single text", 3, [1, 2], [["a"]], [b"bytes"]])
def test_what_is_no_text_is_refused(given: object) -> None:
    with pytest.raises(BadInput):
        read_words(given)


@given(TEXTS, st.data())
@settings(max_examples=30, deadline=None)
def test_words_of_some_texts(texts: list[str], data: st.DataObject) -> None:
    words = read_words(texts)
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1))) if texts else []
    taken = words.take(np.array(rows, dtype=np.int64))
    for at, row in enumerate(rows):
        found = [taken.words[code] for code in taken.code[taken.first[at] : taken.first[at + 1]]]
        assert found == tokenise(texts[row])
