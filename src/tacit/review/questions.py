"""Questions to a person and their answers: plain values that JSON can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, get_args

from tacit.errors import BadInput, UnknownLabel, did_you_mean, listed

Kind = Literal["feature", "pair", "group", "undo-check", "extraction"]
KINDS: tuple[str, ...] = get_args(Kind)
REJECT, SKIP, UNDO = "reject", "skip", "undo"
_DIGITS = 16  # of an id: 64 bits, so that no two questions share one


@dataclass(frozen=True, slots=True)
class Effect:
    """What accepting an offer would change, as far as can be told without learning anew."""

    touched: int  # instances of which the formula speaks
    flipped: int  # of these, those whose most probable label would be another
    covered: int  # of these, those that no evidence speaks of yet


@dataclass(frozen=True, slots=True)
class Offer:
    """What one choice would add: the formula in words and as program text."""

    label: str
    words: str
    formula: str
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """An instance that the question speaks of, and what is believed of it now."""

    instance: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()  # where the feature stands: from, up to
    posterior: tuple[tuple[str, float], ...] = ()  # each label with its probability


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question: which of these formulas, if any, is right?

    A pair or a group has its members as examples, and an extraction the text it was found in. An
    undo-check offers the label of evidence that is in force: to choose it is to keep that evidence.
    """

    kind: Kind
    function: str  # the label function
    offers: tuple[Offer, ...]
    feature: str = ""  # the word or words that are asked about
    examples: tuple[Example, ...] = ()
    score: float = 0.0
    rule: str = ""  # what proposed it
    touched: int = 0  # how many instances it speaks of
    guess: str = ""  # the likeliest of the labels on offer, before anyone was asked

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput(f"{self.kind!r} is no kind of question; there are: {listed(KINDS)}")
        taken = {REJECT, SKIP, UNDO} & set(self.labels)
        if taken or not self.offers or len(set(self.labels)) < len(self.labels):
            raise BadInput(
                f"a question cannot offer these labels: {listed(self.labels)}",
                remedy=f"offer each label once, at least one, and none called {listed(taken)}",
            )

    @property
    def id(self) -> str:
        """A hash of what is asked; scores, effects and the order of offers do not change it.

        Nor do examples, unless the question is about them.
        """
        offers = sorted((offer.label, offer.formula) for offer in self.offers)
        about = self.examples if self._is_about_examples else ()
        members = [example.instance for example in about]
        asked = json.dumps([self.kind, self.function, self.feature, offers, sorted(members)])
        return sha256(asked.encode()).hexdigest()[:_DIGITS]

    @property
    def _is_about_examples(self) -> bool:
        return self.kind in ("pair", "group", "extraction")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels on offer."""
        return tuple(offer.label for offer in self.offers)

    def check(self, choice: str) -> None:
        """Refuse a choice that is neither on offer nor one of reject, skip and undo."""
        allowed = (*self.labels, REJECT, SKIP, UNDO)
        if choice not in allowed:
            raise UnknownLabel(
                f"'{choice}' is no answer to question {self.id}; it has: {listed(allowed)}",
                remedy=did_you_mean(choice, allowed),
            )

    def as_dict(self) -> dict[str, Any]:
        """The question as JSON holds it."""
        return {"id": self.id, **asdict(self)}

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> Question:
        """The inverse of `as_dict`."""
        fields = {key: value for key, value in given.items() if key != "id"}
        fields["offers"] = tuple(map(_offer, given["offers"]))
        fields["examples"] = tuple(map(_example, given["examples"]))
        return Question(**fields)


@dataclass(frozen=True, slots=True)
class Answer:
    """What someone said to a question: one of its labels, "reject", "skip" or "undo".

    "undo" takes evidence back in an undo-check. To another question it is no answer but a wish: to
    take back the answer before.
    """

    question: str  # its id
    choice: str
    who: str
    when: float  # seconds since 1970, UTC
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON holds it."""
        return asdict(self)

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> Answer:
        """The inverse of `as_dict`."""
        return Answer(**given)


def _offer(given: Mapping[str, Any]) -> Offer:
    effect = given.get("effect")  # ledgers of before have none
    return Offer(
        given["label"], given["words"], given["formula"], Effect(**effect) if effect else None
    )


def _example(given: Mapping[str, Any]) -> Example:
    return Example(
        given["instance"],
        given["text"],
        tuple((int(start), int(end)) for start, end in given["spans"]),
        tuple((str(label), float(share)) for label, share in given["posterior"]),
    )
