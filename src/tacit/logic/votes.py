"""The relations of labelling functions: hard votes, and soft ones with their log probabilities."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from tacit.data.answers import Facts, read_values
from tacit.data.failures import declared_at
from tacit.data.predicates import Predicate
from tacit.data.table import Table
from tacit.errors import FunctionFailed, UnknownLabel, did_you_mean, listed

LABELLING_FUNCTION = "labelling function"  # what messages call it
LEAST_PROBABILITY = 1e-6  # a vote of 0 would be infinite evidence against a label
TOLERANCE = 1e-6  # how far the probabilities of a vote may miss a sum of one

Probabilities = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Votes(Predicate):
    """A labelling function as a predicate: its values are labels, with `soft` their log_p too."""

    labels: tuple[str, ...] = ()
    soft: bool = False  # answers probabilities

    @property
    def wanted(self) -> str:
        """What the function should answer for a row, in words."""
        if self.soft:
            return 'a dict of probabilities, such as {"pos": 0.8, "neg": 0.2}, or None'
        return "the name of a label or None (probabilities need soft=True)"

    def facts(self, answers: Any, table: Table) -> Facts:
        """The votes, refused where they are no labels or no probabilities."""
        if self.soft:
            return self._soft_facts(answers, table)
        votes = read_values(self, answers, table)
        self._check_labels(votes, table)
        return votes

    def describe(self) -> str:
        """Everything that decides the votes, as text for a fingerprint."""
        return f"{Predicate.describe(self)}\n{self.labels} {self.soft}"

    def _check_labels(self, votes: Facts, table: Table) -> None:
        """Refuse votes that are not labels, and several votes on one row."""
        import pyarrow.compute as pc

        (values,) = votes.columns
        if len(values) == 0:
            return
        at = 0  # a vote that is not even a text is wrong from the first row on
        if pat.is_large_string(values.type):
            known = pc.is_in(values, value_set=pa.array(self.labels, pa.large_string()))
            at = pc.index(known, False).as_py()
        if at >= 0:
            raise self._unknown(values[at].as_py(), int(votes.rows[at]), table)
        (again,) = np.nonzero(np.diff(votes.rows) == 0)
        if len(again):
            row = int(votes.rows[again[0]])
            raise self._failed("votes for several labels", row, table, "vote for one label or none")

    def _soft_facts(self, answers: Any, table: Table) -> Facts:
        """The log probability of every label, for each row on which the function votes."""
        p = (self._as_array if self.vectorised else self._from_dicts)(answers, table)
        self._check_distributions(p, table)
        (rows,) = np.nonzero(~np.isnan(p).any(axis=1))
        codes = np.tile(np.arange(len(self.labels)), len(rows))
        labels = pa.array(self.labels, pa.large_string()).take(pa.array(codes))
        log_p = np.log(np.maximum(p[rows], LEAST_PROBABILITY))
        return Facts(np.repeat(rows, len(self.labels)), (labels, pa.array(log_p.ravel())))

    def _from_dicts(self, answers: Sequence[Any], table: Table) -> Probabilities:
        """Each row's dict as probabilities in the order of the labels; NaN for None."""
        labels, known = self.labels, set(self.labels)
        abstains = [math.nan] * len(labels)
        flat = array("d")
        for row, answer in enumerate(answers):
            if answer is None:
                flat.extend(abstains)
                continue
            if not isinstance(answer, Mapping):
                raise self._failed(f"answers {answer!r:.60}", row, table, f"answer {self.wanted}")
            if not answer.keys() <= known:
                wrong = next(value for value in answer if value not in known)
                raise self._unknown(wrong, row, table)
            try:
                vote = [float(answer.get(value, 0.0)) for value in labels]
            except (TypeError, ValueError):
                vote = abstains
            if any(map(math.isnan, vote)):
                remedy = "a soft vote is numbers, or None"
                raise self._failed(f"answers {answer!r:.60}", row, table, remedy)
            flat.extend(vote)
        return np.array(flat).reshape(len(answers), len(labels))

    def _as_array(self, answers: Any, table: Table) -> Probabilities:
        """A vectorised function's answer, checked for its shape."""
        wanted = (table.n_rows, len(self.labels))
        try:
            p = np.asarray(answers, dtype=np.float64)
        except (TypeError, ValueError):
            p = np.zeros(0)
        if p.shape == wanted[:1] and np.isnan(p).all():  # None for every row
            return np.full(wanted, np.nan)
        if p.shape != wanted:
            raise FunctionFailed(
                f"{self.described} answers {type(answers).__name__} of shape "
                f"{np.shape(p)}, not probabilities of shape {wanted}",
                place=declared_at(self),
                remedy="answer an array (rows, labels), with rows of NaN where it abstains",
            )
        return p

    def _check_distributions(self, p: Probabilities, table: Table) -> None:
        """Refuse rows that are neither a distribution over the labels nor all NaN."""
        abstains = np.isnan(p).all(axis=1)
        with np.errstate(invalid="ignore"):
            good = (p >= 0).all(axis=1) & (np.abs(p.sum(axis=1) - 1) <= TOLERANCE)
        if (bad := np.flatnonzero(~(good | abstains))).size:
            row = int(bad[0])
            shown = ", ".join(f"{v} {x:g}" for v, x in zip(self.labels, p[row], strict=True))
            remedy = "a soft vote is probabilities of at least 0 that sum to 1, or None"
            raise self._failed(f"answers {shown}", row, table, remedy)

    def _unknown(self, vote: object, row: int, table: Table) -> UnknownLabel:
        """The error for a vote outside the label space."""
        near = did_you_mean(str(vote), self.labels) if isinstance(vote, str) else None
        return UnknownLabel(
            f"{self.described} votes {vote!r:.60} {_at(row, table)}; "
            f"the labels are: {listed(self.labels)}",
            place=declared_at(self),
            remedy=near or "answer the name of a label, or None to abstain",
        )

    def _failed(self, what: str, row: int, table: Table, remedy: str) -> FunctionFailed:
        """The error for an answer that is no vote."""
        message = f"{self.described} {what} {_at(row, table)}"
        return FunctionFailed(message, place=declared_at(self), remedy=remedy)


def _at(row: int, table: Table) -> str:
    """A row, counted from 0, as messages call it."""
    instance = table.column(table.columns[0])[row].as_py()
    return f"at {instance!r} (row {row + 1} of {table.described})"
