"""Proposals: what might be added to a program, how promising it is, and what to add or ask next.

Everything here is a pure function of the task, the program and the beliefs that it is given; the
loop that adds and asks is elsewhere.
"""

from __future__ import annotations

from tacit.proposals.candidates import CandidateConfig, Candidates, candidates
from tacit.proposals.features import Feature
from tacit.proposals.negation import with_negated
from tacit.proposals.pairs import PairProposal, pairs_said, propose_pairs
from tacit.proposals.propose import Proposal, propose_fal, propose_sst
from tacit.proposals.scores import (
    Scores,
    by_attention,
    by_entropy,
    by_lift,
    lifted_share,
    relative_similarity,
)
from tacit.proposals.similar_pairs import SimilarPairs, nearest_pairs, similar_pairs

__all__ = [
    "CandidateConfig",
    "Candidates",
    "Feature",
    "PairProposal",
    "Proposal",
    "Scores",
    "SimilarPairs",
    "by_attention",
    "by_entropy",
    "by_lift",
    "candidates",
    "lifted_share",
    "nearest_pairs",
    "pairs_said",
    "propose_fal",
    "propose_pairs",
    "propose_sst",
    "relative_similarity",
    "similar_pairs",
    "with_negated",
]
