"""Features: observed facts about one instance that may speak for a label."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.logic.evidence import EXPERT, Evidence, LabelFunction, Origin, Weight
from tacit.logic.formula import And, Atom, Constant, Formula, Implies, Value, Variable
from tacit.logic.naming import as_weight, identifier, label_is, variables_for
from tacit.logic.show import show_formula
from tacit.logic.words import WORD_WEIGHT

WORDS = ("token", "ngram")  # relations whose facts are told by the words alone
NEGATED = "negated"


@dataclass(frozen=True, slots=True)
class Feature:
    """`token(r, "superb")`: a predicate, and the constants behind the instance.

    With `also`, a second feature that the instance must have too.
    """

    predicate: str
    constants: tuple[Value, ...] = ()
    also: Feature | None = None

    @property
    def parts(self) -> tuple[Feature, ...]:
        """The features of one fact each: one, or two."""
        if self.also is None:
            return (self,)
        return (Feature(self.predicate, self.constants), *self.also.parts)

    @property
    def words(self) -> str:
        """The feature as people read it: `superb`, `not ... good`, `dose(high)`, `dry & wit`."""
        return " & ".join(part._own_words for part in self.parts)

    @property
    def key(self) -> str:
        """The feature as program text, `token(x, "superb")`: different for different features."""
        return show_formula(self.condition(Variable("x")))

    def condition(self, item: Variable) -> Formula:
        """What must be true of an instance: an atom, or two."""
        atoms = tuple(
            Atom(part.predicate, (item, *map(Constant, part.constants))) for part in self.parts
        )
        return And(atoms) if len(atoms) > 1 else atoms[0]

    def evidence(
        self,
        value: str,
        *,
        label: LabelFunction,
        weight: float | Weight = WORD_WEIGHT,
        origin: Origin = EXPERT,
        name: str | None = None,
    ) -> Evidence:
        """`pos_superb: 2.2  token(r, "superb") => sentiment(r) = pos`, as if it had been written.

        Without a `name`, it is called after the label and the feature.
        """
        (item,) = variables_for(label, (label.domain,))
        formula = Implies(self.condition(item), label_is(label, item, value))
        return Evidence(
            name or identifier(value, self.words), formula, as_weight(weight), origin=origin
        )

    @property
    def _own_words(self) -> str:
        """The words of the first fact."""
        told = ", ".join(map(str, self.constants))
        if self.predicate in WORDS:
            return told
        return f"not ... {told}" if self.predicate == NEGATED else f"{self.predicate}({told})"
