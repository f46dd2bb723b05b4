"""Instances with the probabilities of their labels: what most exports write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.errors import BadInput

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Progress = Callable[[int, int, str], None]  # rows written, rows in all, what is written

ID, LABEL, SHARE = "id", "label", "p_"  # names of columns; p_pos is the probability of pos
ROWS = 10_000  # at once: few enough for any memory, many enough for quick columns
DIGITS = 6  # of a probability, where it is written as text
_UNUSUAL = re.compile(r"[^a-z0-9_]+")
_NO_LETTERS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows, column by column; texts are empty where they are missing."""

    ids: list[Any]
    texts: dict[str, list[Any]]
    chosen: Longs  # the most probable label of each
    probs: Floats  # (rows, labels)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Labelled:
    """The instances of a label function, what they say, and how probable each label is."""

    function: str
    labels: tuple[str, ...]
    ids: pa.Array
    texts: Mapping[str, pa.ChunkedArray]  # by the name of the column
    probs: Floats  # (instances, labels)
    about: Mapping[str, Any]  # where all this comes from, as JSON can hold it

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        n = len(self.ids)
        wrong = [name for name, column in self.texts.items() if len(column) != n]
        if self.probs.shape != (n, len(self.labels)) or wrong:
            raise BadInput(
                f"{n} ids, probabilities of the shape {self.probs.shape} and "
                f"{len(self.labels)} labels do not fit together",
                remedy="one row for each instance, and one column for each label",
            )

    def __len__(self) -> int:
        """How many instances there are."""
        return len(self.ids)

    @property
    def chosen(self) -> Longs:
        """The most probable label of each instance; the first of those that are equal."""
        return np.asarray(self.probs.argmax(axis=1))

    def text_names(self) -> dict[str, str]:
        """What each text column is called beside the columns that are written with it."""
        taken = {ID, LABEL, *self.share_names()}
        return {name: f"text_{name}" if name in taken else name for name in self.texts}

    def share_names(self) -> list[str]:
        """What the columns of probabilities are called, in the order of labels."""
        return [f"{SHARE}{label}" for label in self.labels]

    def parts(self, progress: Progress | None = None, n_rows: int = ROWS) -> Iterator[Part]:
        """All rows, so many at once."""
        chosen = self.chosen
        for first in range(0, len(self), n_rows):
            if progress is not None:
                progress(first, len(self), "rows")
            rows = slice(first, first + n_rows)
            yield Part(
                self.ids[rows].to_pylist(),
                {n: _present(column.slice(first, n_rows)) for n, column in self.texts.items()},
                chosen[rows],
                self.probs[rows],
            )


def _present(column: pa.ChunkedArray) -> list[Any]:
    """Values, with an empty text for what is missing."""
    values = column.to_pylist()
    return ["" if value is None else value for value in values] if column.null_count else values


def plain_names(
    names: Iterable[str], *, any_script: bool = False, taken: Iterable[str] = ()
) -> dict[str, str]:
    """Names of small letters, digits and underscores, which every program takes; all different.

    `any_script`: letters other than a to z stay too. None is one that is taken.
    """
    found: dict[str, str] = {}
    taken = tuple(taken)
    unusual = _NO_LETTERS if any_script else _UNUSUAL
    for name in names:
        plain = unusual.sub("_", name.lower()).strip("_") or "field"
        number, free = 2, plain
        while free in (*taken, *found.values()):
            number, free = number + 1, f"{plain}_{number}"
        found[name] = free
    return found


def as_text(value: Any) -> str:
    """A value of a text column as text: what is no text (a list, say) as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def rounded(probs: Floats) -> list[list[float]]:
    """Probabilities as they are written in texts, row by row."""
    values: list[list[float]] = np.round(probs, DIGITS).tolist()
    return values
