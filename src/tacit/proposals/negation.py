"""Negated words: those that stand shortly behind "not" and its kin, as a relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tacit.data.predicates import Predicate
from tacit.data.task import Task
from tacit.data.tokens import tokenise
from tacit.errors import BadInput
from tacit.proposals.features import NEGATED

NEGATIONS = frozenset({"not", "no", "never", "cannot"})  # and whatever ends in n't
REACH = 3  # words behind a negation that it turns round


def with_negated(task: Task, table: str, *, reach: int = REACH, name: str = NEGATED) -> Task:
    """A task with the relation `negated(review, word)`: the words behind not, no, never or n't.

    Candidates are made of it like of any other relation; a program that uses it declares
    `observed negated(review, word)`.
    """
    column = next((ref.column for ref in task.text if ref.table == table), None)
    if column is None:
        raise BadInput(
            f"the task does not say which text of table '{table}' is read",
            remedy=f'Task(..., text="{table}.text")',
        )
    relation = Predicate(
        name=name,
        function=NegatedWords(reach),
        table=table,
        keys=(),
        parameters=(column,),
        vectorised=True,
        values=("word",),
        what="relation",
        only_text=True,
    )
    return task.with_predicates(relation)


@dataclass(frozen=True, slots=True)
class NegatedWords:
    """Finds the negated words of texts; its field is what a fingerprint covers."""

    reach: int = REACH

    def __call__(self, /, **columns: Any) -> pa.Array:
        """The negated words of each text of the one column, each once, in their order."""
        (texts,) = columns.values()
        found = [negated_words(text or "", self.reach) for text in texts.to_pylist()]
        return pa.array(found, pa.large_list(pa.large_string()))


def negated_words(text: str, reach: int = REACH) -> list[str]:
    """The words within reach behind a negation, each once; negations themselves are none."""
    found: dict[str, None] = {}
    left = 0
    for word in tokenise(text):
        if word in NEGATIONS or word.endswith("n't"):
            left = reach
        elif left:
            found[word] = None
            left -= 1
    return list(found)
