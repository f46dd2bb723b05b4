"""Word vectors of the biomedical example: information by the definition, and what is written."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.bio.vectors import (
    VectorConfig,
    flattened,
    information,
    nearest,
    neighbours,
    word_vectors,
    write_vectors,
)
from tacit.predictors.recurrent.word_vectors import read_vectors


def by_definition(flat: list[int], n_words: int, shares: list[float], *, apart: bool) -> np.ndarray:
    """Positive pointwise mutual information with plain loops."""
    near = np.zeros((n_words, 2 * n_words if apart else n_words))
    for i, one in enumerate(flat):
        for j, other in enumerate(flat):
            if 0 < abs(i - j) <= len(shares) and one >= 0 and other >= 0:
                near[one, other + n_words * (apart and j > i)] += shares[abs(i - j) - 1]
    total = near.sum(1)
    smoothed = near.sum(0) ** 0.75
    found = np.zeros_like(near)
    for one, other in zip(*near.nonzero(), strict=True):
        expected = total[one] * smoothed[other] / smoothed.sum()
        found[one, other] = max(0.0, log(near[one, other] / expected))
    return found


@given(
    st.lists(st.integers(-1, 4), min_size=2, max_size=25),
    st.lists(st.floats(0.1, 1), min_size=1, max_size=3),
    st.booleans(),
)
def test_information_is_that_of_the_definition(
    flat: list[int], shares: list[float], apart: bool
) -> None:
    found = information(neighbours(np.array(flat), 5, shares, apart=apart)).toarray()
    np.testing.assert_allclose(found, by_definition(flat, 5, shares, apart=apart), atol=1e-9)


TEXTS = [
    f"{verb} {drug} for the {place} tumour today"
    for verb in ("Give", "Take")
    for drug in ("gefitinib", "imatinib")
    for place in ("lung", "skin")
] * 5


def test_words_in_like_company_are_neighbours_and_all_repeats(tmp_path: Path) -> None:
    config = VectorConfig(dim=4, min_count=2)
    words, vectors = word_vectors(TEXTS, config)
    assert nearest("gefitinib", words, vectors, 1) == ["imatinib"]
    assert nearest("lung", words, vectors, 1) == ["skin"]
    assert vectors.std() == pytest.approx(config.spread, rel=1e-4)
    write_vectors(tmp_path / "one", words, vectors)
    write_vectors(tmp_path / "two", *word_vectors(TEXTS, config))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    read = read_vectors(tmp_path / "one", ["lung", "heart"])
    assert read.found.tolist() == [True, False]
    np.testing.assert_allclose(read.table[0], vectors[words.index("lung")], atol=1e-4)


def test_rare_words_are_left_out_and_windows_end_with_the_text() -> None:
    words, _ = word_vectors(["a B c", "a b", "c d"], VectorConfig(dim=2, min_count=2))
    assert words == ["a", "b", "c"]
    flat = flattened([["a", "b", "c"], ["a", "b"], ["c", "d"]], words, window=2)
    assert flat.tolist() == [0, 1, 2, -1, -1, 0, 1, -1, -1, 2, -1, -1, -1]
