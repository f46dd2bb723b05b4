"""The names that formulas may use, gathered from the declarations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tacit.logic.evidence import Declaration, Evidence, LabelFunction, Observed
from tacit.logic.formula import Atom
from tacit.logic.traverse import label_functions, walk


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Label functions, observed predicates and labels by name."""

    labels: dict[str, LabelFunction]
    observed: dict[str, Observed]  # those declared, and the table of each label function
    label_names: frozenset[str]  # of all label functions: a bare name among them is a constant
    presumed: frozenset[str] = frozenset()  # declared somehow, but not so that it could be read

    @classmethod
    def of(cls, declarations: Iterable[Declaration], presumed: Iterable[str] = ()) -> Vocabulary:
        """The vocabulary of some declarations.

        The table of a label function is a predicate of one argument without being declared, so
        that `review(r)` says "r is any review".
        """
        labels = {d.name: d for d in declarations if isinstance(d, LabelFunction)}
        observed = {d.domain: Observed(d.domain, (d.domain,)) for d in labels.values()}
        observed |= {d.name: d for d in declarations if isinstance(d, Observed)}
        names = frozenset(name for d in labels.values() for name in d.labels)
        return cls(labels, observed, names, frozenset(presumed))

    def presumes(self, evidence: Evidence) -> bool:
        """Whether the evidence uses a name whose declaration could not be read."""
        used = {node.predicate for node in walk(evidence.formula) if isinstance(node, Atom)}
        return bool(self.presumed & (used | set(label_functions(evidence.formula))))
