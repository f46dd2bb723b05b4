"""The settings of S4, each default with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Literal, get_args

from tacit.errors import BadInput
from tacit.logic.words import WORD_WEIGHT
from tacit.proposals.frequency import Frequency

Score = Literal["lift", "entropy", "attention"]
Ask = Literal["likely", "entropy"]
WarmStart = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class S4Config:
    """Settings of Algorithm 2. The measurements behind the defaults are in docs/results.md."""

    # Of self-training, at most. The guard ends most runs before ten; from weak seeds, labels take
    # eight to twenty to settle, or longer.
    rounds: int = 20
    batch: int = 5  # features that a round adds for each label; one at a time gains no more
    score: Score = "lift"  # "entropy" and "attention" are the chapter's
    # Log-odds of 85%, as much as a round must be borne out for two labels. The chapter's 2.2 (90%)
    # claims more than most words hold that no expert has looked at.
    weight: float = 1.7
    asked_weight: float = WORD_WEIGHT  # of what a person has said yes to: as of a seed
    # A round is added while the network gives its labels to so much more of its instances than
    # guessing would: 85% with two labels. Below that, words were wrong as often as the network.
    borne_out: float = 0.7
    # A feature is added if the texts that have it, read without it, lean to its label at least so
    # much of what the texts of the seeds do, read without these. Half: what is right in 70 of 100,
    # where seeds are in 90. A network may like a word for what it means elsewhere.
    company: float = 0.5
    settled: float = 0.01  # the chapter's: it ends when fewer labels change by the evidence alone
    budget: int = 0  # questions to a person
    ask: Ask = "likely"
    at_once: int = 5  # questions between two fits: a person need not wait for the next one
    guard: bool = True
    # What the guard allows before it takes a round back; both in shares, against the start.
    # Of what the seeds say, by the network. "auto": 0.02; but 0.05 where networks are held to
    # shares of labels. Then it shows otherwise if labels go astray, and seeds are wrong in one text
    # of ten: to forget half of that is as likely a gain as a loss.
    most_forgotten: float | Literal["auto"] = "auto"
    # Standard errors, of how much less of the seeds' texts networks recognise without the seeds'
    # words than a round before. With two, chance alone blames a round in forty. "auto": two; but
    # none where another network learns in the end. That will know more than what grows, so that
    # words must show that they are of use: nothing is lost without them.
    most_unlearned: float | Literal["auto"] = "auto"
    most_shifted: float = 0.1  # of instances, away from labels that are alike common
    # Whether the network of a program is heard when the next, larger one begins, or the evidence
    # alone. "auto": where it learns by heart and votes on what it has not seen. Such a network
    # knows more than words, and tells which new ones to trust; others only repeat themselves.
    warm_start: WarmStart = "auto"
    relations: tuple[str, ...] | None = None  # what features are made of; None: see `proposing`
    frequency: Frequency = field(default_factory=Frequency)
    conjunctions: int = 0
    # Similar pairs that a round adds for each label function, beside its words. Off: only a network
    # that was pretrained can tell them, and no gain by them was measured yet.
    pairs: int = 0

    def where(self, *, another_learns_last: bool = False, held: bool = False) -> S4Config:
        """The same, with numbers for what is "auto"."""
        unlearned, forgotten = self.most_unlearned, self.most_forgotten
        if unlearned == "auto":
            unlearned = 0.0 if another_learns_last else 2.0
        if forgotten == "auto":
            forgotten = 0.05 if held else 0.02
        return replace(self, most_unlearned=unlearned, most_forgotten=forgotten)

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        choices = {"score": Score, "ask": Ask, "warm_start": WarmStart}
        for name, known in ((name, get_args(own)) for name, own in choices.items()):
            if getattr(self, name) not in known:
                raise BadInput(f"{name}={getattr(self, name)!r}", remedy=f"use one of {known}")
        is_auto = [own for own in _MAY_BE_AUTO if getattr(self, own) == "auto"]
        for name in (own for own in (*_LEAST, *_SHARES, *_WEIGHTS) if own not in is_auto):
            if not isinstance(getattr(self, name), Real):
                raise BadInput(f"{name}={getattr(self, name)!r} is no number")
        for name, least in _LEAST.items():
            if name not in is_auto and not getattr(self, name) >= least:
                raise BadInput(f"{name}={getattr(self, name)!r} must be at least {least}")
        for name in _SHARES:
            if name not in is_auto and not 0 <= getattr(self, name) <= 1:
                raise BadInput(f"{name}={getattr(self, name)!r} is no share", remedy="from 0 to 1")
        for name in _WEIGHTS:
            if not getattr(self, name) > 0:
                raise BadInput(f"{name}={getattr(self, name)!r} must be above 0")


_SHARES = ("borne_out", "company", "settled", "most_forgotten", "most_shifted")
_MAY_BE_AUTO = ("most_forgotten", "most_unlearned")
_WEIGHTS = ("weight", "asked_weight")
_LEAST = {
    "most_unlearned": 0,
    "rounds": 0,
    "batch": 1,
    "budget": 0,
    "at_once": 1,
    "conjunctions": 0,
    "pairs": 0,
}

DEFAULT = S4Config()
