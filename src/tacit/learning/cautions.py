"""Cautions: what a label model should be told about, before and after it learns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tacit.data import Task
from tacit.errors import BadInput, TacitWarning, listed
from tacit.learning.baselines import best_label, clear_winner
from tacit.learning.fitting import Fitted
from tacit.learning.votes import Floats, Truths, Votes
from tacit.logic.formula import Atom
from tacit.logic.program import Program
from tacit.logic.traverse import label_functions, walk

MUCH = 0.2  # a larger share of labels other than a majority vote's is worth a word
FEW = 10  # instances of which a keyword may well speak every time
DROPPED = 0.25  # a network that gives a label less than this part of its share in the evidence
AT_BOUND = 1e-3  # a weight that a bound holds pushes at least so hard against it, an instance


def warn_of_evidence(
    votes: Mapping[str, Votes],
    labels: Mapping[str, tuple[str, ...]],
    weight_names: Sequence[str],
    is_learned: Truths,
) -> None:
    """Say what is wrong with evidence before anything is learned from it."""
    for name, own in votes.items():
        if own.n_instances and not len(own.weights):
            _warn(f"nothing is said of any instance of {name}: all its labels are equally likely")
            continue
        overlaps = (np.diff(own.spoke.indptr) > 1).any()
        if is_learned[own.weights].any() and not overlaps:
            _warn(
                f"no instance of {name} has evidence from two sources, so that nothing can be "
                "learned about weights: they stay as they were given"
            )
        constant = np.unique(own.parts.weight[own.is_constant[own.parts.event]])
        if len(constant) and own.n_instances > FEW:
            said = listed(weight_names[i] for i in constant.tolist())
            _warn(f"says the same of every instance of {name}, which tells them not apart: {said}")
        if never := _never_supported(own, labels[name]):
            _warn(f"no evidence on {name} ever speaks for: {listed(never)}")


def _never_supported(votes: Votes, labels: Sequence[str]) -> list[str]:
    """The labels that nothing speaks for, unless something speaks against others."""
    adds = np.concatenate([votes.parts.add, votes.standing.add])
    if (adds < 0).any():
        return []
    supported = set(np.concatenate([votes.parts.label, votes.standing.label])[adds > 0].tolist())
    return [label for k, label in enumerate(labels) if k not in supported]


def groundable(program: Program, task: Task) -> Program:
    """What a program says of tables that a task has; what is left out is named.

    A label function whose instances the task does not have goes with all that speaks of it.
    """
    domains = {name: function.domain for name, function in program.labels.items()}
    gone = {name for name, domain in domains.items() if not task.has(domain)}
    if len(gone) == len(domains):
        raise BadInput(
            f"the task has no instances: there is no table {listed(domains.values())}",
            remedy="give it the tables that the model was fitted on, with other rows",
        )
    absent = {}
    for one in program.evidence:
        read = [atom.predicate for atom in walk(one.formula) if isinstance(atom, Atom)]
        read += [domains[name] for name in label_functions(one.formula)]
        if missing := {table for table in read if not task.has(table)}:
            absent[one.name] = missing
    if absent or gone:
        tables = {domains[name] for name in gone}.union(*absent.values())
        _warn(
            f"left out, since this task has no table {listed(sorted(tables))}: "
            f"{listed([*sorted(gone), *absent])}",
        )
    kept = tuple(one for one in program.declarations if one.name not in gone)
    return replace(program.without(*absent), declarations=kept)


def warn_of_polarity(names: Sequence[str], start: Floats, fitted: Fitted) -> None:
    """Name the weights that data contradict: held at 0, or turned."""
    weights = fitted.point.weights
    held = (weights == 0) & (start != 0) & (fitted.slope * np.sign(start) < -AT_BOUND)
    turned = np.isfinite(weights) & (weights * start < 0)
    for which, what in ((held, "is held at 0"), (turned, "has turned its sign")):
        if which.any():
            called = listed(names[i] for i in np.flatnonzero(which).tolist())
            _warn(
                f"the other evidence contradicts {called}, whose weight {what}; look at what it "
                "says, or fix the weight (2.2!) if you are sure"
            )


def warn_of_common(names: Sequence[str], too_sure: Truths) -> None:
    """Name evidence that speaks of too many instances to be as sure as its weight says."""
    if too_sure.any():
        called = listed(names[i] for i in np.flatnonzero(too_sure).tolist())
        _warn(
            f"speaks of so many instances that it tells little, and gets a lower weight: {called}; "
            "if labels are not alike common, say so: `expect 0.8 +- 0.1: ...`"
        )


def warn_of_silence(name: str, labels: Sequence[str]) -> None:
    """Say that weights stay as given, as learning would leave nothing that speaks for a label."""
    _warn(
        f"learning would explain away all that speaks for {listed(labels)} of {name}, so the "
        "weights of its keywords stay as given; words that are surer signs of one label would help"
    )


def warn_of_difference(name: str, votes: Votes, start: Floats, posterior: Floats) -> None:
    """Say when learned labels, by pattern, are far from a majority vote's."""
    vote, learned = clear_winner(votes, start), best_label(posterior)
    clear = vote >= 0
    differs = clear & (learned != vote)
    n_clear = float(votes.n_of_pattern[clear].sum())
    share = float(votes.n_of_pattern[differs].sum()) / max(1.0, n_clear)
    if share > MUCH:
        _warn(
            f"{share:.0%} of the labels of {name} differ from a majority vote's; analysis() shows "
            "which evidence is trusted least"
        )


def warn_of_shares(name: str, labels: Sequence[str], evidence: Floats, network: Floats) -> None:
    """Say when a network all but drops a label that evidence speaks for.

    `evidence` are probabilities of instances with evidence, `network` what it adds to all labels.
    """
    votes = network[np.ptp(network, axis=1) > 0].argmax(axis=1)
    if not len(evidence) or not len(votes):
        return
    told = evidence.mean(axis=0)
    found = np.bincount(votes, minlength=len(labels)) / len(votes)
    dropped = [k for k in range(len(labels)) if found[k] < told[k] * DROPPED]
    if dropped:
        each = [f"{labels[k]} ({found[k]:.0%}, evidence {told[k]:.0%})" for k in dropped]
        _warn(
            f"the network all but drops labels of {name}: {listed(each)}; if you know how common "
            f"labels are, say so: `expect 0.5 +- 0.1: {name}(x) = {labels[dropped[0]]}`"
        )


def _warn(message: str) -> None:
    """Warn where the user called the model, which is five calls away."""
    warnings.warn(message, TacitWarning, stacklevel=5)
