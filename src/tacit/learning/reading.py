"""Reads texts of instances without some of their words, by networks that have not seen them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.data import Task
from tacit.data.tokens import without_words
from tacit.learning.votes import Floats, Longs

Group = tuple[Longs, tuple[str, ...]]  # rows, and what is left out beside the words of evidence
# (altered texts, of which instances) -> (texts, labels), as log-probabilities
Say = Callable[[Sequence[str], Longs], Floats]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads texts without the words of evidence, by networks that have not seen them."""

    say: Say
    texts: Sequence[str]
    hidden: tuple[str, ...]

    def means(self, groups: Sequence[Group]) -> Floats:
        """(groups, labels): the mean probability of each label over the texts of a group.

        That of no texts is not a number.
        """
        said = np.exp(self.log_probs(groups))
        sizes = np.array([len(rows) for rows, _ in groups])
        total = np.zeros((len(groups), said.shape[1]))
        np.add.at(total, np.repeat(np.arange(len(groups)), sizes), said)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / sizes[:, None])

    def log_probs(self, groups: Sequence[Group]) -> Floats:
        """(texts, labels): what is said of the texts of all groups, one group behind the other."""
        altered = [
            without_words(self.texts[row], (*self.hidden, *also))
            for rows, also in groups
            for row in rows.tolist()
        ]
        return self.say(altered, np.concatenate([rows for rows, _ in groups]))


def plain_texts(task: Task, domain: str) -> list[str] | None:
    """What is read of the instances; None if that is no text that words can be left out of."""
    if all(reference.table != domain for reference in task.text):
        return None
    found = ["" if text is None else text for text in task.inputs(domain).to_pylist()]
    plain = all(isinstance(text, str) and not _is_json(text) for text in found)
    return found if plain else None


def _is_json(text: str) -> bool:
    """Whether it is a mention, or a graph, rather than a text."""
    return text.startswith("{") and text.endswith("}")


def evenly_spread(rows: Longs, most: int) -> Longs:
    """So many of the rows, or all if there are no more."""
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]
