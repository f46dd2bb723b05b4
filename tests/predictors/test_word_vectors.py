"""Word vectors from files in word2vec's and GloVe's formats."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import BadFile
from tacit.predictors.recurrent.word_vectors import read_vectors

LINES = "egfr 1 2 3\nbinds 0.5 -1e-2 7\nthe 0 0 1\n"
WORDS = ("binds", "unheard", "egfr")


def written(folder: Path, text: str) -> Path:
    path = folder / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        f"3 3\n{LINES}",
        LINES.replace("\n", " \n"),  # as word2vec itself writes it
        LINES.replace("\n", "\r\n"),
        f"{LINES}. . . 9 9 9\n",  # a word with spaces
        f"{LINES}\n",
    ],
)
def test_both_formats_are_read(tmp_path: Path, text: str) -> None:
    vectors = read_vectors(written(tmp_path, text), WORDS)
    assert vectors.found.tolist() == [True, False, True]
    assert (vectors.n_found, vectors.dim) == (2, 3)
    np.testing.assert_array_equal(vectors.table[2], [1, 2, 3])
    np.testing.assert_array_equal(vectors.table[1], 0)
    np.testing.assert_allclose(vectors.table[0], [0.5, -0.01, 7])


def test_compressed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    assert read_vectors(path, WORDS).n_found == 2


def test_the_exact_word_goes_before_one_in_capitals(tmp_path: Path) -> None:
    text = "EGFR 1 1\negfr 2 2\nEgfr 3 3\nKRAS 4 4\nKras 5 5\n"
    table = read_vectors(written(tmp_path, text), ("egfr", "kras")).table
    assert table.tolist() == [[2, 2], [4, 4]]


@pytest.mark.parametrize(
    ("text", "dim", "line", "message"),
    [
        (LINES, 4, 1, "has 3 numbers; 4 were expected"),
        (f"3 3\n{LINES}", 4, 1, "has 3 numbers; 4 were expected"),
        (LINES + "more 1 2\n", None, 4, "has 2 numbers; 3 were expected"),
        (LINES + "more 1 2 3 4\n", None, 4, "has 4 numbers; 3 were expected"),
        (LINES + "more\n", None, 4, "no numbers"),
        ("egfr 1 x 3\n", None, 1, "'egfr' holds something"),
        ("\negfr 1 nan 3\n", None, 2, "'egfr' holds something"),
    ],
)
def test_bad_lines_are_named(
    tmp_path: Path, text: str, dim: int | None, line: int, message: str
) -> None:
    with pytest.raises(BadFile, match=message) as caught:
        read_vectors(written(tmp_path, text), WORDS, dim=dim)
    assert caught.value.place is not None
    assert caught.value.place.line == line


def test_absent_and_empty_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        read_vectors(tmp_path / "none.txt", WORDS)
    with pytest.raises(BadFile, match="is empty"):
        read_vectors(written(tmp_path, ""), WORDS)
