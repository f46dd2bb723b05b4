"""Origins of learned evidence: who or what proposed it, when, with what score, who accepted it.

They stand behind the formula: `@ fal score=0.69 proposed="2026-01-31T12:00:00Z" by="ann"`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tacit.logic.evidence import Origin
from tacit.review.questions import Answer


def proposed_by(
    rule: str, *, score: float, when: float, facts: dict[str, str | int | float] | None = None
) -> Origin:
    """The origin of evidence that a rule proposed; `facts` may hold the round and the like."""
    own = {"score": round(float(score), 4), **(facts or {}), "proposed": time_text(when)}
    return Origin(rule, tuple(own.items()))


def accepted_by(origin: Origin, answer: Answer) -> Origin:
    """The origin with the person who accepted the proposal, and the question that was asked."""
    told = (("by", answer.who), ("accepted", time_text(answer.when)), ("question", answer.question))
    return replace(origin, facts=(*origin.facts, *told))


def time_text(when: float) -> str:
    """A time as people and machines read it: 2026-01-31T12:00:00Z."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
