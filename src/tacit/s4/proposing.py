"""What S4 may add or ask next: candidates, their scores, and whether the network bears them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tacit.data import Task
from tacit.learning.dpl import DPL
from tacit.learning.predictor_step import certainty
from tacit.learning.views import Views
from tacit.learning.votes import Floats
from tacit.logic.evidence import Evidence
from tacit.logic.formula import Constant, LabelIs
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.proposals import (
    CandidateConfig,
    Candidates,
    Proposal,
    Scores,
    by_attention,
    by_entropy,
    by_lift,
    candidates,
    lifted_share,
    propose_fal,
    propose_sst,
)
from tacit.proposals.relations import relations
from tacit.proposals.said import said, truth_tables
from tacit.proposals.scores import entropy_score
from tacit.s4.config import S4Config

TOKEN = "token"
OF_A_LABEL = 5 / 7  # of what a round must be borne out by, so much each label of it must be, too


@dataclass(frozen=True, slots=True)
class Batch:
    """What a round of self-training would add for one label function."""

    candidates: Candidates
    proposals: tuple[Proposal, ...]
    borne_out: float  # how much better than guessing the network's labels agree with them

    def __len__(self) -> int:
        return len(self.proposals)


def candidate_config(
    task: Task, program: Program, function: str, config: S4Config
) -> CandidateConfig:
    """What features are made of: words, and every relation that the program speaks of."""
    names = config.relations
    if names is None:
        label = program.labels[function]
        usable = {TOKEN, *program.observed} - truth_tables(program, label)
        names = tuple(r.name for r in relations(task, program, label) if r.name in usable)
    return CandidateConfig(
        relations=names, frequency=config.frequency, conjunctions=config.conjunctions
    )


def all_candidates(
    task: Task, program: Program, functions: Iterable[str], config: S4Config
) -> dict[str, Candidates]:
    """The candidates of each label function, before anything was proposed."""
    return {
        name: candidates(task, program, name, config=candidate_config(task, program, name, config))
        for name in functions
    }


def still_new(every: Candidates, spoken_of: Iterable[Evidence], program: Program) -> Candidates:
    """The candidates of which no evidence, now or ever before, has spoken."""
    ever = Program(program.declarations, tuple(spoken_of))
    known = said(ever, every.label)
    return every.without([feature for feature in every.features if known.covers(feature)])


def propose_batch(
    model: DPL,
    views: Views,
    left: Candidates,
    expected: Floats,
    config: S4Config,
    among: Callable[[Scores], Scores] = lambda scores: scores,
) -> Batch:
    """PropSST: the best features for each label, equally many for all labels that are borne out.

    `expected` are the shares of labels as seeds tell them; see `expected_shares`. `among` says what
    may be proposed at all; see `in_good_company`.
    """
    scores = among(score(model, views, left, expected, config))
    proposals = propose_sst(scores, left, config.batch, balanced=True) if len(left) else ()
    borne_out = _borne_out(views, left, proposals, expected)
    if config.guard:
        proposals, borne_out = _of_labels_borne_out(proposals, borne_out, config)
    return Batch(left, proposals, float(np.mean(borne_out)) if proposals else 0.0)


def propose_question(
    views: Views, left: Candidates, known: Iterable[Evidence], config: S4Config
) -> Proposal | None:
    """PropFAL: the feature to ask about.

    By entropy, the one whose instances are most in doubt, as in the chapter. By default, a likely
    sign of the label of which the known evidence says least. A person's yes makes sure evidence of
    it, and a no stops a mistake. To prefer frequent ones gets more yes answers, and worse networks.
    """
    if not len(left):
        return None
    if config.ask == "entropy":
        worth, _ = entropy_score(left.matrix, views.together)
    else:
        share = lifted_share(left.matrix, views.together)
        worth = certainty(share)
        worth[share.argmax(axis=1) != _least_said(known, left)] -= worth.max() + 1
    (found,) = propose_fal(worth, left, 1) or (None,)
    return found


def _least_said(known: Iterable[Evidence], left: Candidates) -> int:
    """The label of which the fewest formulas speak."""
    label = left.label
    goals = [
        node.value.value
        for evidence in known
        for node in walk(evidence.formula)
        if isinstance(node, LabelIs)
        and node.subject.label == label.name
        and isinstance(node.value, Constant)
    ]
    return int(np.argmin([goals.count(name) for name in label.labels]))


def score(model: DPL, views: Views, left: Candidates, expected: Floats, config: S4Config) -> Scores:
    """How much speaks for each candidate, by the score that was chosen."""
    if config.score == "attention":
        return by_attention(left, model.attention(left.label.name), views.together)
    if config.score == "entropy":
        return by_entropy(left, views.together)
    return by_lift(left, views.together, expected)


def _borne_out(
    views: Views, left: Candidates, proposals: tuple[Proposal, ...], expected: Floats
) -> Floats:
    """How much more of each proposal's instances than by guessing get its label from the network.

    As if the network gave all labels as often as they are expected.
    """
    place = {feature: at for at, feature in enumerate(left.features)}
    features = [place[proposal.feature] for proposal in proposals]
    labels = [left.label.labels.index(str(proposal.label)) for proposal in proposals]
    share = lifted_share(left.matrix[:, features], views.by_network, expected)
    chance = 1 / share.shape[1]
    return np.asarray((share[np.arange(len(labels)), labels] - chance) / (1 - chance))


def _of_labels_borne_out(
    proposals: tuple[Proposal, ...], borne_out: Floats, config: S4Config
) -> tuple[tuple[Proposal, ...], Floats]:
    """Only the proposals of labels that are borne out; all, and by how little, where these are few.

    A label that is rare in truth has few signs, and what is proposed beyond them teaches the
    network to see it everywhere. Signs of a single label would teach it to see nothing else.
    """
    label = np.array([proposal.label for proposal in proposals])
    mean = {own: float(borne_out[label == own].mean()) for own in dict.fromkeys(label.tolist())}
    least, needed = config.borne_out * OF_A_LABEL, min(2, len(mean))
    if sum(own >= least for own in mean.values()) < needed:
        return proposals, np.minimum(borne_out, sorted(mean.values())[-needed:][0])
    kept = [at for at, own in enumerate(label.tolist()) if mean[own] >= least]
    return tuple(proposals[at] for at in kept), borne_out[kept]
