"""Programs: declarations and the evidence in force, as one immutable value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from tacit.errors import BadInput, did_you_mean, listed, raise_all
from tacit.logic.evidence import Declaration, Evidence, LabelFunction, Observed
from tacit.logic.show import show_program
from tacit.logic.wellformed import problems


@dataclass(frozen=True)
class Program:
    """The declarations and the evidence in force. A program that exists is well formed."""

    declarations: tuple[Declaration, ...]
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        raise_all(problems(self.declarations, self.evidence))

    @staticmethod
    def parse(text: str, source: str = "<text>") -> Program:
        """Read a program from its text; every mistake in the text is reported at once."""
        from tacit.logic.parser import parse  # the grammar is loaded when it is needed

        return parse(text, source)

    def show(self) -> str:
        """The program as text that parses back to an equal program."""
        return show_program(self.declarations, self.evidence)

    @cached_property
    def labels(self) -> Mapping[str, LabelFunction]:
        """The label functions by name."""
        return {d.name: d for d in self.declarations if isinstance(d, LabelFunction)}

    @cached_property
    def observed(self) -> Mapping[str, Observed]:
        """The observed predicates by name."""
        return {d.name: d for d in self.declarations if isinstance(d, Observed)}

    def __getitem__(self, name: str) -> Evidence:
        """The evidence of that name."""
        for evidence in self.evidence:
            if evidence.name == name:
                return evidence
        names = [evidence.name for evidence in self.evidence]
        raise BadInput(
            f"the program has no formula '{name}'; it has: {listed(names)}",
            remedy=did_you_mean(name, names),
        )

    def with_evidence(self, *evidence: Evidence) -> Program:
        """A larger program; the given evidence comes last."""
        return replace(self, evidence=(*self.evidence, *evidence))

    def without(self, *names: str) -> Program:
        """A smaller program, without the evidence of these names."""
        gone = {self[name].name for name in names}
        return replace(self, evidence=tuple(e for e in self.evidence if e.name not in gone))

    def __add__(self, other: Program) -> Program:
        """Both programs in one; declarations that say the same are merged."""
        if not isinstance(other, Program):
            return NotImplemented
        new = tuple(d for d in other.declarations if d not in self.declarations)
        return Program((*self.declarations, *new), (*self.evidence, *other.evidence))

    def __str__(self) -> str:
        return self.show()
