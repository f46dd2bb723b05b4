"""What was learned, written as other programs read it."""

from __future__ import annotations

from tacit.report.exports.labelled import Labelled
from tacit.report.exports.votes_matrix import VoteMatrix, vote_matrix

__all__ = ["Labelled", "VoteMatrix", "vote_matrix"]
