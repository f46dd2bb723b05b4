"""Hard evidence on single labels: what it leaves possible, and where it leaves nothing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Contradiction
from tacit.grounding.blocks import Alike
from tacit.grounding.factors import LabelVariables
from tacit.logic.evidence import Evidence


class HardEvidence:
    """The labels that hard formulas still allow each instance."""

    def __init__(self, variables: LabelVariables) -> None:
        self.variables = variables
        self.allowed: dict[str, NDArray[np.bool_]] = {}
        self.sources: dict[str, list[tuple[Evidence, Alike]]] = {}

    def take_over(self, possible: Mapping[str, NDArray[np.bool_]]) -> None:
        """Begin with what was possible before; instances that were added can have any label."""
        for function, before in possible.items():
            allowed = self._everything(function, before.shape[1])
            allowed[: len(before)] = before
            self.allowed[function] = allowed

    def narrow(self, evidence: Evidence, group: Alike) -> None:
        """Take into account that a hard formula holds for each of its groundings."""
        (function,) = group.functions
        n_labels = len(self.variables.labels[function])
        allowed = self.allowed.setdefault(function, self._everything(function, n_labels))
        rows = group.items[0]
        allowed[rows] &= group.truth
        self.sources.setdefault(function, []).append((evidence, group))
        stuck = rows[~allowed[rows].any(axis=1)]
        if len(stuck):
            self._refuse(function, int(stuck[0]), len(np.unique(stuck)))

    def _everything(self, function: str, n_labels: int) -> NDArray[np.bool_]:
        at = [f.name for f in self.variables.functions].index(function)
        return np.ones((len(self.variables.instances[at]), n_labels), dtype=bool)

    def _refuse(self, function: str, row: int, how_many: int) -> None:
        at = [f.name for f in self.variables.functions].index(function)
        instance = self.variables.instances[at].ids[row].as_py()
        involved = [e for e, g in self.sources[function] if (g.items[0] == row).any()]
        names = " and ".join(f"'{name}'" for name in dict.fromkeys(e.name for e in involved))
        if len(involved) == 1:
            names += " and hard evidence that was grounded before"
        raise Contradiction(
            f"hard evidence contradicts itself: {names} leave {function}({instance!r}) no label"
            + (f", nor {how_many - 1} other instances" if how_many > 1 else ""),
            place=involved[-1].place,
            remedy="correct the rows, or give one of the formulas a finite weight",
        )
