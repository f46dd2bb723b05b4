"""Review: questions to a person, those who answer them, and the ledger of all that happened.

The ledger is loaded when it is first used: it needs SQLite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.review.events import Event, Stamp
from tacit.review.origins import accepted_by, proposed_by
from tacit.review.questions import (
    REJECT,
    SKIP,
    UNDO,
    Answer,
    Effect,
    Example,
    Offer,
    Question,
)
from tacit.review.reviewers import (
    NotAnsweredYet,
    OracleReviewer,
    QueueReviewer,
    Reviewer,
    ReviewerLeft,
    ScriptedReviewer,
)

if TYPE_CHECKING:
    from tacit.review.agreement import Agreement, agreements, judgements
    from tacit.review.expert import oracle_pairs, oracle_words
    from tacit.review.ledger import Ledger, QuestionTaken
    from tacit.review.replaying import replay
    from tacit.review.terminal import TerminalReviewer

_HOME = {
    "Agreement": "agreement",
    "agreements": "agreement",
    "judgements": "agreement",
    "Ledger": "ledger",
    "QuestionTaken": "ledger",
    "TerminalReviewer": "terminal",
    "oracle_pairs": "expert",
    "oracle_words": "expert",
    "replay": "replaying",
}

__all__ = [
    "REJECT",
    "SKIP",
    "UNDO",
    "Agreement",
    "Answer",
    "Effect",
    "Event",
    "Example",
    "Ledger",
    "NotAnsweredYet",
    "Offer",
    "OracleReviewer",
    "Question",
    "QuestionTaken",
    "QueueReviewer",
    "Reviewer",
    "ReviewerLeft",
    "ScriptedReviewer",
    "Stamp",
    "TerminalReviewer",
    "accepted_by",
    "agreements",
    "judgements",
    "oracle_pairs",
    "oracle_words",
    "proposed_by",
    "replay",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.review' has no attribute {name!r}")
    return getattr(import_module(f"tacit.review.{_HOME[name]}"), name)
