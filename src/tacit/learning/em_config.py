"""The settings of Algorithm 1, each default with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tacit.errors import BadInput
from tacit.learning.predictor_step import Doubtful, Folds


@dataclass(frozen=True, slots=True, kw_only=True)
class EMConfig:
    """Settings of Algorithm 1. The measurements behind the defaults are in docs/dpl.md."""

    rounds: int = 3  # as in the chapter; more gain on long texts and lose on short ones
    settled: float = 0.01  # it ends when a smaller share of labels changes
    learn_weights: bool = True
    labels: Literal["soft", "hard"] = "soft"  # hard ones went astray where labels are skewed
    hard_above: float = 0.5  # with hard labels: those that are at least so probable
    # Spread of the network's log-odds: 4 to 8 are alike, and taking it at its word gains little.
    sharpness: float | None = 6.0
    # An instance counts as far as its label is known, and so not at all where nothing is said of
    # it. To learn doubt from it as well costs 2 points.
    doubtful: Doubtful = "less"
    # Keywords speak of some labels more often than these are: the network must not learn that.
    # "auto": unless the program says how common labels are.
    balance: Literal["auto", "always", "never"] = "auto"
    # Cross-fitting. A network that learns by heart confirms what it was told, and nothing changes
    # after the second round; "auto" gives such ones two folds, unless instances are few. Those that
    # a prior holds back gain nothing by it.
    folds: Folds = "auto"
    # An encoder that sees the words by which texts were labelled learns to look for these.
    hide_words: bool = True
    # A network that knows little likes a label, learns its own votes, and likes it better still. By
    # texts of the evidence, networks are held to how common labels are.
    hold_shares: bool = True
    # Each round goes on with the network of the last; but those that learn by heart begin anew.
    warm_start: bool = True

    @property
    def holds_shares(self) -> bool:
        """Whether votes are to be held to shares: those of networks taken at their word are not."""
        return self.hold_shares and self.sharpness is not None and self.rounds > 1

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        choices = {
            "labels": ("soft", "hard"),
            "doubtful": ("less", "alike", "leave_out"),
            "balance": ("auto", "always", "never"),
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise BadInput(f"{name}={getattr(self, name)!r}", remedy=f"use one of {known}")
        for name in ("learn_weights", "hide_words", "hold_shares", "warm_start"):
            if getattr(self, name) not in (True, False):
                raise BadInput(f"{name}={getattr(self, name)!r}", remedy="use True or False")
        for name, low, high in (("rounds", 1, 10**6), ("settled", 0, 1)):
            if not low <= getattr(self, name) <= high:
                raise BadInput(f"{name}={getattr(self, name)!r} must be from {low} to {high}")
        if self.folds != "auto" and not (isinstance(self.folds, int) and 1 <= self.folds <= 1000):
            raise BadInput(f'folds={self.folds!r} must be from 1 to 1000, or "auto"')
        if not 0 <= self.hard_above <= 1:
            raise BadInput(f"hard_above={self.hard_above!r} is no probability")
        if self.sharpness is not None and not self.sharpness > 0:
            raise BadInput(f"sharpness={self.sharpness!r} must be above 0, or None")


DEFAULT = EMConfig()
