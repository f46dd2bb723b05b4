"""Why a formula may match nothing: constants that do not occur in their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow.compute as pc

from tacit.data import Task
from tacit.errors import did_you_mean
from tacit.logic import Atom, Constant, Evidence
from tacit.logic.traverse import walk

_MOST_COMPARED = 20_000  # distinct values among which the nearest is sought: a fraction of a second


def unmatched_note(evidence: Evidence, task: Task) -> str:
    """A note for a formula without groundings; it names what its tables lack."""
    head = f"formula '{evidence.name}' matches nothing"
    atoms = [node for node in walk(evidence.formula) if isinstance(node, Atom)]
    for atom in atoms:
        if task.table(atom.predicate).n_rows == 0:
            return f"{head}: '{atom.predicate}' holds for no row"
    for value, column, hint in _absent_constants(atoms, task):
        return f"{head}: {column} has no {value!r}; {hint or 'is it spelt as in the table?'}"
    return f"{head}: no rows of its tables fit together"


def _absent_constants(
    atoms: Iterable[Atom], task: Task
) -> Iterator[tuple[object, str, str | None]]:
    """Each constant that its column lacks, with that column and the nearest value."""
    for atom in atoms:
        table = task.table(atom.predicate)
        for term, column in zip(atom.terms, table.columns, strict=False):
            if not isinstance(term, Constant):
                continue
            values = table.column(column).unique()
            if pc.index(values, term.value).as_py() < 0:
                near = isinstance(term.value, str) and len(values) <= _MOST_COMPARED
                known = (str(value) for value in values.to_pylist() if value is not None)
                hint = did_you_mean(str(term.value), known) if near else None
                yield term.value, f"{table.name}.{column}", hint
