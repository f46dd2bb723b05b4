"""A proposal as a question to a person, with examples and what each answer would add."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from tacit.data import Task
from tacit.learning.views import Views
from tacit.logic.evidence import Evidence
from tacit.logic.program import Program
from tacit.logic.show import show_formula
from tacit.proposals import Candidates, Feature, Proposal, lifted_share
from tacit.proposals.features import WORDS
from tacit.proposals.frequency import Longs
from tacit.review.questions import Effect, Example, Offer, Question

LONGEST = 600  # characters of an example: what a person reads in half a minute
AROUND = 250  # characters before the word, where a text is cut


def question_of(
    proposal: Proposal, candidates: Candidates, views: Views, task: Task, weight: float
) -> Question:
    """Which label does this feature speak for, if any? A yes would have this weight."""
    label, at = candidates.label, candidates.features.index(proposal.feature)
    rows = candidates.instances(at)
    effect = dict(zip(label.labels, effects(rows, views, weight), strict=True))
    offers = tuple(
        Offer(
            value,
            f"{proposal.feature.words} => {value}",
            show_formula(proposal.feature.evidence(value, label=label).formula),
            effect[value],
        )
        for value in proposal.offered
    )
    ids, texts = task.instances(label.domain).ids, _texts(task, label.domain)
    shares = views.together
    examples = tuple(
        _example(
            str(ids[row].as_py()),
            "" if texts is None else str(texts[row]),
            proposal.feature,
            tuple(zip(label.labels, np.round(shares[row], 4).tolist(), strict=True)),
        )
        for row in proposal.examples
    )
    (share,) = lifted_share(candidates.by_feature[:, [at]].tocsr(), shares)
    return Question(
        kind="feature",
        function=label.name,
        offers=offers,
        feature=proposal.feature.words,
        examples=examples,
        score=proposal.score,
        rule=proposal.rule,
        touched=int(candidates.n_of_feature[at]),
        guess=label.labels[int(share.argmax())],
    )


def effects(rows: Longs, views: Views, weight: float) -> list[Effect]:
    """What evidence of that weight on some instances would change, for each label.

    As if nothing were learned anew: the log-odds of the label rise by the weight, on these rows
    alone. A label then overtakes the most probable one if its share is more than exp(-weight) of
    that one's.
    """
    shares = views.together[rows]  # (instances, labels)
    best = shares.argmax(axis=1)
    most = shares.max(axis=1, initial=0.0)
    covered = int(np.count_nonzero(~views.has_evidence[rows]))
    overtakes = shares > most[:, None] * np.exp(-weight)
    flipped = [int(np.count_nonzero(own & (best != k))) for k, own in enumerate(overtakes.T)]
    return [Effect(len(rows), own, covered) for own in flipped]


def offered(question: Question, program: Program) -> tuple[Evidence, ...]:
    """All that a question offers, as evidence of which one must not speak again."""
    names = [f"offer_{question.id}_{at}" for at in range(len(question.offers))]
    lines = [f"{n}: 1.0 {o.formula}" for n, o in zip(names, question.offers, strict=True)]
    declared = Program(program.declarations).show()
    return Program.parse("\n".join([declared, *lines]), source="a question").evidence


def _texts(task: Task, domain: str) -> pa.ChunkedArray | None:
    """What people read of the instances, if they have any text."""
    if all(reference.table != domain for reference in task.text):
        return None  # such instances are told by their ids
    return task.inputs(domain)


def _example(
    instance: str, text: str, feature: Feature, posterior: tuple[tuple[str, float], ...]
) -> Example:
    """An instance with the words of the feature marked; a long text is cut around the first."""
    spans = _spans(text, feature)
    if len(text) > LONGEST:
        start = max(0, (spans[0][0] if spans else 0) - AROUND)
        cut = text[start : start + LONGEST]
        before, behind = "..." * (start > 0), "..." * (start + LONGEST < len(text))
        text, spans = f"{before}{cut}{behind}", _spans(cut, feature)
        spans = tuple((low + len(before), high + len(before)) for low, high in spans)
    return Example(instance, text, spans, posterior)


def _spans(text: str, feature: Feature) -> tuple[tuple[int, int], ...]:
    """Where the words of a feature stand in a text."""
    found = []
    for part in feature.parts:
        if part.predicate in WORDS and part.constants:
            words = map(re.escape, str(part.constants[0]).split())
            pattern = r"(?<!\w)" + r"\W+".join(words) + r"(?!\w)"
            found += [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    return tuple(sorted(found))
