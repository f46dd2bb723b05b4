"""The relations of labelling functions: hard votes, and soft ones with their log probabilities."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from tacit.data.evaluate import evaluate
from tacit.data.predicates import Predicate
from tacit.data.table import Table
from tacit.data.task import Task
from tacit.errors import FunctionFailed, TacitError, UnknownLabel, did_you_mean, listed

LEAST_PROBABILITY = 1e-6  # a vote of 0 would be infinite evidence against a label
TOLERANCE = 1e-6  # how far the probabilities of a vote may miss a sum of one

Probabilities = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Votes(Predicate):
    """A labelling function as a predicate: its values are labels."""

    labels: tuple[str, ...] = ()

    def check(self, task: Task) -> None:
        """Refuse votes that are not labels."""
        import pyarrow.compute as pc

        try:
            relation = task.table(self.name)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise FunctionFailed(
                f"labelling function '{self.name}' answers lists or dicts, not labels",
                remedy="answer a label or None; probabilities need soft=True",
            ) from None
        ids, values = (relation.column(name) for name in relation.columns)
        if len(values) == 0:
            return
        at = 0  # a vote that is not even a text is wrong from the first row on
        if pat.is_large_string(values.type):
            known = pc.is_in(values, value_set=pa.array(self.labels, pa.large_string()))
            at = pc.index(known, False).as_py()
        if at >= 0:
            row = task.instances(self.table).index_of(ids[at].as_py())
            raise self.unknown(values[at].as_py(), ids[at].as_py(), row)

    def unknown(self, vote: object, instance: object, row: int) -> UnknownLabel:
        """The error for a vote outside the label space."""
        near = did_you_mean(str(vote), self.labels) if isinstance(vote, str) else None
        return UnknownLabel(
            f"labelling function '{self.name}' votes {vote!r:.60} at {instance!r} "
            f"(row {row + 1} of table '{self.table}'); the labels are: {listed(self.labels)}",
            remedy=near or "answer the name of a label, or None to abstain",
        )


@dataclass(frozen=True, slots=True)
class SoftVotes:
    """The relation of a function that answers probabilities: (instance, class, log_p)."""

    votes: Votes

    @property
    def name(self) -> str:
        """What rules call the relation."""
        return self.votes.name

    @property
    def table(self) -> str:
        """The table whose rows it votes on."""
        return self.votes.table

    def compute(self, source: Table) -> pa.Table:
        """The log probability of every label, for each row on which the function votes."""
        answers = _answers(self.votes, source)
        if self.votes.vectorised:
            p = self._as_array(answers, source)
        else:
            p = self._from_dicts(answers, source)
        self._check_distributions(p, source)
        labels = self.votes.labels
        (rows,) = np.nonzero(~np.isnan(p).any(axis=1))
        log_p = np.log(np.maximum(p[rows], LEAST_PROBABILITY))
        ids = source.column(source.columns[0])
        return pa.table(
            {
                self.table: ids.take(pa.array(np.repeat(rows, len(labels)))),
                "class": pa.array(np.tile(np.array(labels, object), len(rows)), pa.large_string()),
                "log_p": pa.array(log_p.ravel()),
            }
        )

    def _from_dicts(self, answers: Sequence[Any], source: Table) -> Probabilities:
        """Each row's dict as probabilities in the order of the labels; NaN for None."""
        labels = self.votes.labels
        p = np.full((len(answers), len(labels)), np.nan)
        for row, answer in enumerate(answers):
            if answer is None:
                continue
            if not isinstance(answer, Mapping):
                raise self._failed(
                    f"answers {answer!r:.60}",
                    row,
                    source,
                    'a dict, such as {"pos": 0.8, "neg": 0.2}',
                )
            for value in answer:
                if value not in labels:
                    instance = source.column(source.columns[0])[row].as_py()
                    raise self.votes.unknown(value, instance, row)
            try:
                p[row] = [float(answer.get(value, 0.0)) for value in labels]
            except (TypeError, ValueError):
                raise self._failed(f"answers {answer!r:.60}", row, source, "numbers") from None
            if np.isnan(p[row]).any():
                raise self._failed(f"answers {answer!r:.60}", row, source, "numbers")
        return p

    def _as_array(self, answers: Any, source: Table) -> Probabilities:
        """A vectorised function's answer, checked for its shape."""
        wanted = (source.n_rows, len(self.votes.labels))
        try:
            p = np.asarray(answers, dtype=np.float64)
        except (TypeError, ValueError):
            p = np.zeros(0)
        if p.shape != wanted:
            raise FunctionFailed(
                f"labelling function '{self.name}' answers {type(answers).__name__} of shape "
                f"{np.shape(p)}, not probabilities of shape {wanted}",
                remedy="answer an array (rows, labels), with rows of NaN where it abstains",
            )
        return p

    def _check_distributions(self, p: Probabilities, source: Table) -> None:
        """Refuse rows that are neither a distribution over the labels nor all NaN."""
        abstains = np.isnan(p).all(axis=1)
        with np.errstate(invalid="ignore"):
            good = (p >= 0).all(axis=1) & (np.abs(p.sum(axis=1) - 1) <= TOLERANCE)
        if (bad := np.flatnonzero(~(good | abstains))).size:
            row = int(bad[0])
            shown = ", ".join(f"{v} {x:g}" for v, x in zip(self.votes.labels, p[row], strict=True))
            wanted = "probabilities of at least 0 that sum to 1"
            raise self._failed(f"answers {shown}", row, source, wanted)

    def _failed(self, what: str, row: int, source: Table, wanted: str) -> TacitError:
        instance = source.column(source.columns[0])[row].as_py()
        return FunctionFailed(
            f"labelling function '{self.name}' {what} at {instance!r} "
            f"(row {row + 1} of {source.described})",
            remedy=f"a soft vote is {wanted}, or None",
        )


def _answers(votes: Votes, source: Table) -> Any:
    """What the function answers for the rows, gathered on its way through the data layer.

    A predicate answers one value a row, which a dict is not; so the answers are kept aside, and the
    data layer does all else: finding the columns, calling, and reporting what raises.
    """
    kept: list[Any] = []

    @functools.wraps(votes.function)
    def keep(**columns: Any) -> Any:
        kept.append(None)
        kept[-1] = votes.function(**columns)
        return pa.nulls(source.n_rows) if votes.vectorised else None

    evaluate(replace(votes, function=keep), source)
    if not votes.vectorised:
        return kept
    abstained = np.full((source.n_rows, len(votes.labels)), np.nan)
    return abstained if kept[0] is None else kept[0]
