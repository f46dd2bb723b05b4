"""Observed relations as matrices: which instance has which constants in its facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy import sparse

from tacit.data.canonical import ColumnKind
from tacit.data.table import Table
from tacit.data.task import Task
from tacit.logic.evidence import LabelFunction, Observed
from tacit.logic.formula import Value
from tacit.logic.program import Program
from tacit.proposals.frequency import Frequency, Longs
from tacit.proposals.negation import NegatedWords

MOST_CONSTANTS = 2
USABLE = (ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.BOOLEAN)  # measured numbers hardly recur


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The constants of one relation, and which instances they occur with."""

    relation: Observed
    constants: list[tuple[Value, ...]]
    matrix: sparse.csr_array  # (instances, constants) of 0 and 1


def relations(task: Task, program: Program, label: LabelFunction) -> Iterator[Observed]:
    """The relations that features of a label's instances are made of.

    They are the words and n-grams of the text, negated words where the task has them, and every
    predicate of the program whose first argument is the instance, with at most two behind it that
    are not instances themselves.
    """
    declared = {*program.observed, *program.labels, label.domain}
    for rule in task.word_tables:
        if rule.table == label.domain and rule.name not in declared:
            words = "word" if rule.ngrams == (1, 1) else "words"
            yield Observed(rule.name, (label.domain, words))
    for predicate in task.predicates:
        negates = isinstance(predicate.function, NegatedWords) and predicate.table == label.domain
        if negates and predicate.name not in declared:
            yield Observed(predicate.name, (label.domain, "word"))
    for relation in program.observed.values():
        item, *others = relation.domains
        if item == label.domain and len(others) <= MOST_CONSTANTS and item not in others:
            yield relation


def occurrences(
    task: Task, relation: Observed, label: LabelFunction, frequency: Frequency
) -> Occurrences | None:
    """The facts of a relation that are frequent enough; None where a column holds no constants."""
    table, instances = task.table(relation.name), task.instances(label.domain)
    columns = table.columns[: relation.arity]
    if any(table.kinds[column] not in USABLE for column in columns[1:]):
        return None
    row = instances.indices_of(table.column(columns[0]))
    code, constants = _coded(table, columns[1:])
    whole = (row >= 0) & (code >= 0)
    row, code = row[whole], code[whole]
    # Most words are rare: they go before the matrix is made. Facts given twice are one.
    common = np.bincount(code, minlength=len(constants)) >= frequency.least(len(instances))
    chosen = common[code]
    shape = (len(instances), len(constants))
    ones = np.ones(int(chosen.sum()))
    matrix = sparse.csr_array((ones, (row[chosen], code[chosen])), shape=shape)
    matrix.data[:] = 1.0
    (kept,) = np.nonzero(frequency.keeps(n_of_column(matrix), len(instances)))
    return Occurrences(relation, [constants[at] for at in kept], matrix[:, kept])


def n_of_column(matrix: sparse.csr_array) -> Longs:
    """How many instances have each feature."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1]).astype(np.int64)


def _coded(table: Table, columns: tuple[str, ...]) -> tuple[Longs, list[tuple[Value, ...]]]:
    """For each row which distinct constants it holds, -1 where one is missing; and which they are.

    Without columns, every row holds the same: no constants.
    """
    code = np.zeros(table.n_rows, dtype=np.int64)
    constants: list[tuple[Value, ...]] = [()]
    for column in columns:
        own, values = _encoded(table.column(column))
        missing = (own < 0) | (code < 0)
        both = np.where(missing, -1, code * max(len(values), 1) + own)
        distinct, code = np.unique(both, return_inverse=True)
        n_missing = int(np.count_nonzero(distinct < 0))
        code = code.reshape(-1) - n_missing
        heads, tails = np.divmod(distinct[n_missing:], max(len(values), 1))
        constants = [(*constants[h], values[t]) for h, t in zip(heads, tails, strict=True)]
    return code, constants


def _encoded(column: pa.ChunkedArray) -> tuple[Longs, list[Value]]:
    """For each row which distinct value it holds, -1 for null; and the values."""
    import pyarrow.compute as pc

    whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    encoded = whole.dictionary_encode()
    indices = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return indices, encoded.dictionary.to_pylist()
