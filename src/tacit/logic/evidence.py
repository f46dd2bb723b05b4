"""Declarations, weights and evidence: what a program is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tacit.data.labels import LabelSpace
from tacit.errors import BadFormula, BadWeight, Place, TacitError
from tacit.logic.formula import Formula, Placed, Variable, require_identifier


@dataclass(frozen=True, slots=True)
class LabelFunction(Placed):
    """`label sentiment(review) = neg | pos`: a hidden label for each row of the table `review`."""

    name: str
    domain: str
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        require_identifier(self.name, "label function", self.place)
        require_identifier(self.domain, "table", self.place)
        try:
            LabelSpace(self.labels)
        except TacitError as error:
            raise type(error)(
                f"label function '{self.name}': {error.message}",
                place=self.place,
                remedy=error.remedy,
            ) from None

    @property
    def space(self) -> LabelSpace:
        """The labels as a space that encodes names to indices and back."""
        return LabelSpace(self.labels)


@dataclass(frozen=True, slots=True)
class Observed(Placed):
    """`observed token(review, word)`: a predicate whose arguments are its table's columns."""

    name: str
    domains: tuple[str, ...]

    def __post_init__(self) -> None:
        require_identifier(self.name, "predicate", self.place)
        for domain in self.domains:
            require_identifier(domain, "domain", self.place)
        if not self.domains:
            raise BadFormula(f"predicate '{self.name}' needs an argument", place=self.place)

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.domains)


Declaration = LabelFunction | Observed


def _require_finite(what: str, number: float, place: Place | None) -> None:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise BadWeight(f"the {what} is {number!r}", place=place, remedy="use a number")
    if not math.isfinite(number):
        raise BadWeight(
            f"the {what} is {number}",
            place=place,
            remedy="use a finite number, or 'hard' for a formula that must hold",
        )


@dataclass(frozen=True, slots=True)
class Learned(Placed):
    """A weight to be learned, starting here: `2.2`."""

    start: float

    def __post_init__(self) -> None:
        _require_finite("weight", self.start, self.place)


@dataclass(frozen=True, slots=True)
class Fixed(Placed):
    """A weight that stays as it is: `2.2!`."""

    value: float

    def __post_init__(self) -> None:
        _require_finite("weight", self.value, self.place)


@dataclass(frozen=True, slots=True)
class Hard(Placed):
    """An infinite weight: the formula always holds."""


@dataclass(frozen=True, slots=True)
class Expect(Placed):
    """No weight but a target: the formula holds for this share of its groundings, give or take."""

    share: float
    margin: float = 0.0

    def __post_init__(self) -> None:
        _require_finite("expectation", self.share, self.place)
        _require_finite("margin", self.margin, self.place)
        if not 0 <= self.share <= 1 or not 0 <= self.margin <= 1:
            raise BadWeight(
                f"expect {self.share} +- {self.margin} is not a share",
                place=self.place,
                remedy="use numbers from 0 to 1, such as expect 0.5 +- 0.05",
            )


Weight = Learned | Fixed | Hard | Expect


@dataclass(frozen=True, slots=True)
class Normal(Placed):
    """A normal prior on a learned weight: `2.2 ~ 1.0 +- 0.5`."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        _require_finite("prior's mean", self.mean, self.place)
        _require_finite("prior's deviation", self.deviation, self.place)
        if self.deviation <= 0:
            raise BadWeight("a prior's deviation must be above 0", place=self.place)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who or what proposed a piece of evidence: `@ sst round=3 score=0.91`."""

    kind: str = "expert"
    facts: tuple[tuple[str, str | int | float], ...] = ()

    def __post_init__(self) -> None:
        require_identifier(self.kind, "origin")
        for key, _ in self.facts:
            require_identifier(key, "fact of an origin")


EXPERT = Origin()


@dataclass(frozen=True, slots=True)
class Evidence(Placed):
    """A weighted formula: virtual evidence v = (f, w, alpha) with its name and its origin.

    With `scale`, each grounding counts as many times as the value of that numeric variable says
    (`1.0 * s`), so that soft votes and similarities are evidence like any other.
    """

    name: str
    formula: Formula
    weight: Weight
    prior: Normal | None = None
    scale: Variable | None = None
    origin: Origin = EXPERT

    def __post_init__(self) -> None:
        require_identifier(self.name, "formula", self.place)
        if not isinstance(self.formula, Formula):
            raise BadFormula(f"the formula of '{self.name}' is {self.formula!r}")
        if not isinstance(self.weight, Learned | Fixed | Hard | Expect):
            raise BadWeight(f"the weight of '{self.name}' is {self.weight!r}")
        if self.prior is not None and not isinstance(self.weight, Learned):
            raise BadWeight(
                f"formula '{self.name}' has a prior but no learned weight",
                place=self.prior.place,
                remedy="a prior belongs to a learned weight, such as 2.2 ~ 1.0 +- 0.5",
            )
        if self.scale is not None and not isinstance(self.weight, Learned | Fixed):
            raise BadWeight(
                f"formula '{self.name}' scales a weight that is not a number", place=self.place
            )
