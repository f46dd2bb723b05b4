"""Parts of speech: a small tagger for scientific English, in cased and in lower-cased text.

A greedy averaged perceptron (Collins, 2002) learned from the GENIA corpus by
`tools/train_tagger.py`; its weights are shipped. Tags are those of the Penn treebank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.text.tagger_kernels import (
    FEATURES,
    Hashes,
    Places,
    Weights,
    folded_and_kinds,
    parts_of_words,
    tag_words,
)
from tacit.errors import BadInput

SHIPPED = Path(__file__).with_name("tagger.npz")


@dataclass(frozen=True, slots=True)
class Tagger:
    """Gives each word of a sentence its tag."""

    tags: tuple[str, ...]
    weights: Weights  # (rows, tags); a feature's hash picks the row, rows are a power of two

    def __post_init__(self) -> None:
        """Check that the weights fit the tags and that hashes can pick their rows."""
        rows = len(self.weights)
        if self.weights.ndim != 2 or self.weights.shape[1] != len(self.tags) or rows & (rows - 1):
            raise BadInput(
                f"weights of shape {self.weights.shape} do not fit {len(self.tags)} tags",
                remedy="a row for each hash (a power of two) and a column for each tag",
            )
        self.weights.flags.writeable = False

    @classmethod
    def load(cls, path: Path | str = SHIPPED) -> Tagger:
        """The tagger that is shipped, or one saved by `tools/train_tagger.py`."""
        with np.load(path, allow_pickle=False) as saved:
            return cls(tuple(saved["tags"].tolist()), saved["weights"])

    def save(self, path: Path) -> None:
        """Write the tagger so that `load` can read it."""
        held: dict[str, Any] = {"tags": np.array(self.tags), "weights": self.weights}
        np.savez_compressed(path, **held)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The Penn tag of each word of each sentence: [["EGFR", "binds"]] gives [["NN", "VBZ"]].

        A bracket's tag is the round bracket, a stop's ".", a dash's and a colon's ":".
        """
        parts, starts = parts_of(sentences)
        bits = len(self.weights).bit_length() - 1
        numbers = tag_words(parts, starts, FEATURES, self.weights, bits).tolist()
        names = list(map(self.tags.__getitem__, numbers))
        ends = starts.tolist()
        return [names[start:end] for start, end in pairwise(ends)]


def parts_of(sentences: Sequence[Sequence[str]]) -> tuple[Hashes, Places]:
    """What kernels read of some sentences: the parts of all words, and where sentences begin."""
    if any(isinstance(sentence, str) for sentence in sentences):
        raise BadInput(
            "a text was given where a list of words is expected", remedy="cut it into words first"
        )
    words = list(chain.from_iterable(sentences))
    points = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return parts_of_words(*folded_and_kinds(points), _starts(words)), _starts(sentences)


def _starts(sized: Sequence[Sequence[Any]]) -> Places:
    """Where each of some sequences begins if they are put one behind the other, and the end."""
    lengths = np.fromiter(map(len, sized), dtype=np.int64, count=len(sized))
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
