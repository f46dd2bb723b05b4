"""A proposal as a question to a person, with examples and what each answer would add."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from tacit.data import Task
from tacit.learning.views import Views
from tacit.logic.evidence import Evidence
from tacit.logic.program import Program
from tacit.logic.show import show_formula
from tacit.proposals import Candidates, Feature, Proposal
from tacit.proposals.features import WORDS
from tacit.review.questions import Example, Offer, Question

LONGEST = 600  # characters of an example: what a person reads in half a minute
AROUND = 250  # characters before the word, where a text is cut
QUESTIONS = 1024  # whose offers are read once only: more than one person answers


def question_of(proposal: Proposal, candidates: Candidates, views: Views, task: Task) -> Question:
    """Which label does this feature speak for, if any?"""
    label = candidates.label
    offers = tuple(
        Offer(
            value,
            f"{proposal.feature.words} => {value}",
            show_formula(proposal.feature.evidence(value, label=label).formula),
        )
        for value in proposal.offered
    )
    ids, texts = task.instances(label.domain).ids, _texts(task, label.domain)
    shares = views.together
    examples = tuple(
        _example(
            str(ids[row].as_py()),
            texts[row] if texts is not None else "",
            proposal.feature,
            tuple(zip(label.labels, np.round(shares[row], 4).tolist(), strict=True)),
        )
        for row in proposal.examples
    )
    at = candidates.features.index(proposal.feature)
    return Question(
        kind="feature",
        function=label.name,
        offers=offers,
        feature=proposal.feature.words,
        examples=examples,
        score=proposal.score,
        rule=proposal.rule,
        touched=int(candidates.n_of_feature[at]),
    )


@lru_cache(maxsize=QUESTIONS)
def offered(question: Question, program: Program) -> tuple[Evidence, ...]:
    """All that a question offers, as evidence of which one must not speak again."""
    names = [f"offer_{question.id}_{at}" for at in range(len(question.offers))]
    lines = [f"{n}: 1.0 {o.formula}" for n, o in zip(names, question.offers, strict=True)]
    declared = Program(program.declarations).show()
    return Program.parse("\n".join([declared, *lines]), source="a question").evidence


def _texts(task: Task, domain: str) -> list[str] | None:
    """What people read of the instances, if they have any text."""
    if all(reference.table != domain for reference in task.text):
        return None  # such instances are told by their ids
    return [str(text) for text in task.inputs(domain)]


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
