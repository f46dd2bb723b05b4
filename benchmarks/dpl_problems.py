"""What is to be solved: a set's train texts with what is known of them, as task and program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import tacit
from benchmarks.dpl_sets import Corpus
from benchmarks.dpl_tokens import Tokens, strongest
from benchmarks.label_model_sets import Floats, LabelledSet, Longs
from tacit.learning.baselines import covered, majority_vote, votes_on
from tacit.learning.votes import Truths, Votes
from tacit.report.snorkel import label_matrix


@dataclass(frozen=True, eq=False)
class Problem:
    """A set with one body of knowledge."""

    name: str
    corpus: Corpus
    task: tacit.Task
    program: tacit.Program

    @cached_property
    def votes(self) -> Votes:
        """What the evidence says of each train text."""
        (found,) = votes_on(self.task, self.program).values()
        return found

    @cached_property
    def has_evidence(self) -> Truths:
        """Of which train texts anything is said."""
        return covered(self.votes)

    @cached_property
    def matrix(self) -> Longs:
        """The same evidence as a label matrix."""
        return label_matrix(self.votes, np.ones(int(self.votes.weights.max()) + 1))

    def majority(self) -> Floats:
        """The labels with the most votes."""
        return majority_vote(self.votes)

    def for_peers(self) -> LabelledSet:
        """What peers are given: the votes, and no gold."""
        return LabelledSet(
            name=self.name,
            about="",
            votes=self.matrix,
            gold=np.zeros(0, dtype=np.int64),
            n_labels=len(self.corpus.labels),
        )


def problem_of_tokens(corpus: Corpus, tokens: Tokens, n_tokens: int) -> Problem:
    """A set with so many oracle tokens."""
    return problem_of_words(f"{corpus.name}_{n_tokens}", corpus, strongest(tokens, n_tokens))


def given_problem(corpus: Corpus) -> Problem:
    """A set with the votes that come with it, or with keywords."""
    if corpus.votes is None:
        return problem_of_words(corpus.name, corpus, dict(corpus.keywords or {}))
    task, program = tacit.text_classification(corpus.train.texts, labels=corpus.labels)
    (label,) = program.labels.values()
    votes = tacit.label_matrix(corpus.votes, label=label)
    return Problem(corpus.name, corpus, *tacit.assemble(task, program, votes))


def problem_of_words(name: str, corpus: Corpus, words: Tokens) -> Problem:
    """A set with some words for each label."""
    made = tacit.text_classification(corpus.train.texts, labels=corpus.labels, keywords=words)
    return Problem(name, corpus, *made)
