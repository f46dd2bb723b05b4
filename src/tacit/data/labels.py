"""The labels of a label function, and the codes that stand for them in arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from tacit.data.canonical import canonical_column
from tacit.data.columns import column_from_values
from tacit.errors import BadInput, DuplicateName, UnknownLabel, did_you_mean, listed

MISSING = -1  # the code of an instance without a label


@dataclass(frozen=True, slots=True)
class LabelSpace:
    """The distinct labels that one label function can take; their order gives their codes."""

    labels: tuple[str, ...]

    def __init__(self, labels: Sequence[str]) -> None:
        """Check that the labels are distinct texts."""
        if isinstance(labels, str):
            raise BadInput(f"labels={labels!r} is one text", remedy=f"give a list: [{labels!r}]")
        object.__setattr__(self, "labels", tuple(labels))
        _check_labels(self.labels)

    def __len__(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    def __iter__(self) -> Iterator[str]:
        """The labels in order."""
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        """Whether this is one of the labels."""
        return label in self.labels

    def index(self, label: str) -> int:
        """The code of a label."""
        if label not in self.labels:
            raise self._unknown(f"there is no label {label!r}", label)
        return self.labels.index(label)

    def encode(self, values: Any, *, missing: bool = False) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The code of each value; None, null and "" become -1 if `missing` allows them.

        Whole numbers count as their text: a file whose labels are 0 and 1 is read as integers.
        """
        import pyarrow.compute as pc

        text = _as_text(values)
        given = pc.fill_null(pc.not_equal(text, ""), False)
        codes = pc.index_in(text, value_set=pa.array(self.labels, pa.large_string()))
        unknown = pc.is_null(codes) if not missing else pc.and_(pc.is_null(codes), given)
        at = pc.index(unknown, True).as_py()
        if at >= 0:
            value = text[at].as_py()
            if not value:
                raise UnknownLabel(
                    f"row {at + 1} has no label",
                    remedy=f"pass missing=True to code such rows as {MISSING}",
                )
            raise self._unknown(f"row {at + 1} has the label {value!r}", value)
        return np.asarray(pc.fill_null(codes, MISSING), dtype=np.int32)

    def decode(self, indices: Iterable[int]) -> list[str]:
        """The label of each code."""
        codes = np.asarray(indices if hasattr(indices, "__len__") else list(indices))
        if codes.size and codes.dtype.kind not in "iu":
            raise BadInput(f"codes are whole numbers, not {codes.dtype}", remedy="take the argmax")
        if (wrong := np.flatnonzero((codes < 0) | (codes >= len(self)))).size:
            at = int(wrong[0])
            raise BadInput(
                f"row {at + 1} has the code {codes[at]}; the codes are 0 to {len(self) - 1}",
                remedy=f"leave out rows without a label ({MISSING}) first",
            )
        return [self.labels[code] for code in codes]

    def _unknown(self, what: str, label: object) -> UnknownLabel:
        """The error for a label outside this space."""
        remedy = did_you_mean(str(label), self.labels)
        return UnknownLabel(f"{what}; the labels are: {listed(self.labels)}", remedy=remedy)


def _check_labels(labels: tuple[Any, ...]) -> None:
    """Refuse an empty list of labels, labels that are not text or are blank, and repeated ones."""
    if not labels:
        raise BadInput("a label space needs at least one label", remedy='such as ["neg", "pos"]')
    for label in labels:
        if not isinstance(label, str) or not label.strip():
            raise BadInput(
                f"{label!r} cannot be a label", remedy="labels are texts that are not empty"
            )
    if twice := [label for label, count in Counter(labels).items() if count > 1]:
        raise DuplicateName(f"the label {twice[0]!r} is listed twice", remedy="list it once")


def _as_text(values: Any) -> pa.ChunkedArray:
    """The values as one column of text."""
    column = canonical_column(column_from_values("labels", "label", values))
    if pat.is_int64(column.type) or pat.is_boolean(column.type):
        return column.cast(pa.large_string())
    if not pat.is_large_string(column.type):
        raise BadInput(f"labels are texts, not {column.type}", remedy="give label names")
    return column
