"""The section [grow] of a `tacit.toml`: how a program grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.app.section_values import Places, Section, value_problems
from tacit.errors import TacitError

if TYPE_CHECKING:
    from tacit.learning.dpl import DPL
    from tacit.s4.estimator import S4

RELATIONS = "relations"

# Each key of the section, as a new project's tacit.toml explains it.
MEANING = {
    "rounds": "of self-training, at most",
    "batch": "rules that a round adds for each label",
    "budget": "questions to a person, in all",
    "ask": '"likely": what would be added next; "entropy": what is most in doubt',
    "at_once": "questions between two fits, so that a person need not wait for each",
    "score": 'what is added first: by "lift", "entropy" or "attention"',
    "weight": "of a rule that was added; 1.7: right 85 times in 100",
    "asked_weight": "of a rule that a person said yes to; 2.2: right 9 times in 10",
    "borne_out": "a round is added while the network bears it out so much; 0 to 1",
    "company": "a word's texts, read without it, must be so much like your rules'",
    "settled": "it ends when a smaller share of labels changes",
    "guard": "whether a round is taken back that leads astray:",
    "most_forgotten": "- when the network forgets more of what your rules say",
    "most_unlearned": "- when it recognises less of their texts; standard errors",
    "most_shifted": "- when its labels become more unequal than this",
    "warm_start": 'whether the network is heard on new rules: "auto", "always" or "never"',
    "relations": "what rules are made of; empty: words, and all that your rules use",
    "conjunctions": "so many pairs of words, and the like, may become rules too",
    "pairs": "pairs of similar instances that a round ties; for transformers",
}


def grow_keys() -> dict[str, Any]:
    """What may stand under [grow], with its default."""
    from tacit.s4.config import DEFAULT

    return {key: getattr(DEFAULT, key) for key in MEANING} | {RELATIONS: []}


def grow_problems(given: Mapping[str, Any], place: Places) -> Iterator[TacitError]:
    """Everything that is wrong with the section, each at its place."""
    if given:
        yield from value_problems(Section("grow", grow_keys(), _check), given, place)


def _check(key: str, value: Any) -> None:
    """Refuse a value that means nothing."""
    from tacit.s4.config import S4Config

    S4Config(**{key: grow_value(key, value)})


def grow_value(key: str, value: Any) -> Any:
    """A value of [grow] as `S4` takes it."""
    return (tuple(value) or None) if key == RELATIONS else value


def growing_model(dpl: DPL, given: Mapping[str, Any], **asked: int | None) -> S4:
    """The S4 that the settings ask for; what the command line asks for goes first."""
    from tacit.s4.estimator import S4

    settings = {key: grow_value(key, own) for key, own in given.items()}
    settings |= {key: own for key, own in asked.items() if own is not None}
    return S4(dpl.predictor, dpl=dpl, random_state=dpl.random_state, **settings)
