"""Reports: scores and the baselines that every result stands beside."""

from __future__ import annotations

from tacit.report.baselines import covered, majority_vote
from tacit.report.metrics import accuracy

__all__ = ["accuracy", "covered", "majority_vote"]
