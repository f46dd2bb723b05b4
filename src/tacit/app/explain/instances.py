"""The instances of a label function beside their labels: found by id, searched, put in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacit.data import Task
from tacit.errors import BadInput, UnknownLabel, did_you_mean, listed

LONGEST = 280  # characters of a text in a list
BEFORE = 60  # of them before what was searched for
MOST = 500  # rows in one answer

Order = Literal["doubt", "sure", "id", "row"]


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is looked for among the instances of a label function, and how much of it is told."""

    find: str = ""  # part of a text or of an id, in whatever case
    label: str | None = None  # only instances with this label
    order: Order = "doubt"  # the least sure label first; "row": as in the data
    offset: int = 0
    most: int = 50

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.order not in get_args(Order):
            raise BadInput(
                f"there is no order {self.order!r}; there are: {listed(get_args(Order))}",
                remedy=did_you_mean(str(self.order), get_args(Order)),
            )
        for name in ("offset", "most"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int) or given < 0:
                raise BadInput(f"{name} is {given!r}", remedy="give a whole number, 0 or more")


@dataclass(frozen=True)  # no slots: what is costly is kept once it was asked for
class LabelledInstances:
    """The instances of one label function, with what is believed of each."""

    function: str
    labels: tuple[str, ...]
    ids: pa.Array
    texts: pa.Array  # what people read of each
    posterior: NDArray[np.float64]  # (instances, labels)
    gold: Mapping[str, str]  # true labels by id, as far as they are known

    def __len__(self) -> int:
        return len(self.ids)

    def row_of(self, instance: object) -> int:
        """The row of an instance, by its id as people write it."""
        row = self._find(instance)
        if row < 0:
            known = self.written_ids
            raise BadInput(
                f"there is no instance '{instance}' of {self.function}",
                remedy=did_you_mean(str(instance), known)
                or f"its ids begin with {listed(known[:4])}",
            )
        return row

    def has(self, instance: object) -> bool:
        """Whether there is an instance with this id."""
        return self._find(instance) >= 0

    @property
    def written_ids(self) -> list[str]:
        """The ids as people write them."""
        return list(self._id_texts.to_pylist())

    def _find(self, instance: object) -> int:
        return int(pc.index(self._id_texts, _text(str(instance))).as_py())

    def search(self, asked: Search) -> tuple[list[dict[str, Any]], int]:
        """One page of what is looked for, and how many instances there are of it in all."""
        chosen = np.ones(len(self), dtype=bool)
        if asked.find:
            chosen &= self._holding(asked.find)
        if asked.label is not None:
            chosen &= self._best == self._label(asked.label)
        order = self._order(asked.order)
        found = order[chosen[order]]
        page = found[asked.offset : asked.offset + min(asked.most, MOST)]
        return [self.told(int(row), asked.find) for row in page], len(found)

    def told(self, row: int, find: str = "") -> dict[str, Any]:
        """What a list tells of an instance."""
        best = int(self._best[row])
        return {
            "id": self.ids[row].as_py(),
            "text": cut_around(self.texts[row].as_py() or "", find),
            "label": self.labels[best],
            "probability": float(self.posterior[row, best]),
            "posterior": self.posterior[row].tolist(),
            "gold": self.gold.get(str(self.ids[row].as_py())),
        }

    def _holding(self, part: str) -> NDArray[np.bool_]:
        """Which instances have this in their text or their id."""
        hits = [
            pc.fill_null(pc.match_substring(values, part, ignore_case=True), False)
            for values in (self.texts, self._id_texts)
        ]
        return np.asarray(pc.or_(*hits).to_numpy(zero_copy_only=False))

    def _label(self, name: str) -> int:
        if name not in self.labels:
            raise UnknownLabel(
                f"{self.function} has no label '{name}'; it has: {listed(self.labels)}",
                remedy=did_you_mean(name, self.labels),
            )
        return self.labels.index(name)

    def _order(self, order: Order) -> NDArray[np.int64]:
        if order == "row":
            return np.arange(len(self))
        if order == "id":
            return self._by_id
        return self._by_doubt if order == "doubt" else self._by_doubt[::-1]

    @cached_property
    def _best(self) -> NDArray[np.int64]:
        return np.asarray(self.posterior.argmax(axis=1))

    @cached_property
    def _by_doubt(self) -> NDArray[np.int64]:
        return np.argsort(self.posterior.max(axis=1), kind="stable")

    @cached_property
    def _by_id(self) -> NDArray[np.int64]:
        return np.asarray(pc.sort_indices(self.ids).to_numpy(), dtype=np.int64)

    @cached_property
    def _id_texts(self) -> pa.Array:
        return self.ids.cast(pa.large_string())


def texts_of(task: Task, domain: str) -> pa.Array:
    """What people read of the instances of a table: its text, or else its other columns."""
    table = task.table(domain)
    read = [reference.column for reference in task.text if reference.table == domain]
    if read:
        return _as_texts(table.column(read[0]))
    others = [
        pc.binary_join_element_wise(_text(f"{name}:"), _as_texts(table.column(name)), _text(" "))
        for name in table.columns[1:]
    ]
    if not others:
        return pa.array([""] * table.n_rows, pa.large_string())
    return pc.binary_join_element_wise(*others, _text("; "))


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def _as_texts(column: pa.ChunkedArray) -> pa.Array:
    """A column as texts, whatever it holds."""
    if pa.types.is_nested(column.type):
        texts = pa.array([str(value) for value in column.to_pylist()], pa.large_string())
    else:
        texts = column.cast(pa.large_string()).combine_chunks()
    whole = pa.concat_arrays(texts.chunks) if isinstance(texts, pa.ChunkedArray) else texts
    return pc.fill_null(whole, "")


def cut_around(text: str, find: str = "", longest: int = LONGEST) -> str:
    """A text on one line and no longer than this, cut around what was searched for."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    at = line.lower().find(" ".join(find.lower().split())) if find else 0
    start = max(0, min(at - BEFORE, len(line) - longest))
    part = line[start : start + longest]
    return f"{'…' * (start > 0)}{part}{'…' * (start + longest < len(line))}"
