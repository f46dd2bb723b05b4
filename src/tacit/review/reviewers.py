"""Reviewers: those who answer questions. A simulated expert, a script, a queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tacit.data.tokens import tokenise
from tacit.errors import BadInput, TacitError
from tacit.review.events import Stamp
from tacit.review.questions import REJECT, UNDO, Answer, Question

if TYPE_CHECKING:
    from tacit.review.ledger import Ledger

Clock = Callable[[], float]  # seconds since 1970, UTC
POLL_S = 0.2  # how often a queue is looked at: quick for a person, cheap for a disk
# Questions that wait at a time. One takes a person some ten seconds, and a fit goes on for a minute
# or two, so that a few people do not run out of them. More would be chosen without the answers.
AHEAD = 10


class NotAnsweredYet(TacitError):
    """A question that waits for its answer; the run can go on when it has come."""


class ReviewerLeft(TacitError):
    """The reviewer wants to go on another time."""


@runtime_checkable
class Reviewer(Protocol):
    """Whoever answers questions, one at a time."""

    def ask(self, question: Question) -> Answer:
        """The answer to a question."""
        ...


@runtime_checkable
class SeveralReviewers(Reviewer, Protocol):
    """Those who answer several questions that wait, in whatever order."""

    ahead: int  # how many questions may wait at a time

    def ask_any(self, questions: Sequence[Question]) -> Answer | None:
        """The answer to whichever of some questions is answered first.

        None where others than these wait now, or were answered: look again, and ask again.
        """
        ...


def n_ahead(reviewer: Reviewer) -> int:
    """How many questions may wait for a reviewer at a time."""
    return reviewer.ahead if isinstance(reviewer, SeveralReviewers) else 1


def first_answer(reviewer: Reviewer, questions: Sequence[Question]) -> Answer | None:
    """The answer to whichever of some questions is answered first; None to ask again."""
    if isinstance(reviewer, SeveralReviewers):
        return reviewer.ask_any(questions)
    return reviewer.ask(questions[0])


class OracleReviewer:
    """A simulated expert, who knows some words of each label: `{"pos": ["superb"], "neg": [...]}`.

    A feature gets the label whose list holds it, and is rejected otherwise. Pairs and groups are
    judged by the gold labels of their members, if given.
    """

    def __init__(
        self,
        words: Mapping[str, Iterable[str]],
        *,
        gold: Mapping[str, str] | None = None,
        who: str = "oracle",
        clock: Clock = time.time,
    ) -> None:
        self.words = {label: frozenset(map(_normal, own)) for label, own in words.items()}
        self.gold, self.who, self.clock = dict(gold or {}), who, clock

    def ask(self, question: Question) -> Answer:
        """The first label on offer that the expert agrees to, or a rejection."""
        agrees = {"pair": self._same, "group": self._among}.get(question.kind, self._knows)
        no = UNDO if question.kind == "undo-check" else REJECT
        choice = next((label for label in question.labels if agrees(question, label)), no)
        return Answer(question.id, choice, self.who, self.clock())

    def _knows(self, question: Question, label: str) -> bool:
        return _normal(question.feature) in self.words.get(label, ())

    def _same(self, question: Question, _label: str) -> bool:
        found = self._members(question)
        return None not in found and len(set(found)) == 1

    def _among(self, question: Question, label: str) -> bool:
        return label in self._members(question)

    def _members(self, question: Question) -> list[str | None]:
        return [self.gold.get(example.instance) for example in question.examples]


class ScriptedReviewer:
    """Gives answers that are known beforehand: for tests, and for running a ledger again.

    An `Answer` is given to its question; a plain choice to whichever question comes next.
    """

    def __init__(
        self, answers: Iterable[Answer | str], *, who: str = "script", clock: Clock = time.time
    ) -> None:
        answers = list(answers)
        self._by_question = {a.question: a for a in answers if isinstance(a, Answer)}
        self._next = iter([choice for choice in answers if isinstance(choice, str)])
        self.who, self.clock = who, clock

    def ask(self, question: Question) -> Answer:
        """The answer that was written for this question, or else the next choice."""
        answer = self._by_question.get(question.id)
        if answer is None:
            choice = next(self._next, None)
            if choice is None:
                raise NotAnsweredYet(f"the script has no answer to question {question.id}")
            answer = Answer(question.id, choice, self.who, self.clock())
        question.check(answer.choice)
        return answer


class QueueReviewer:
    """Puts questions into a ledger's queue, and waits for anyone to answer them there.

    `wait_s` says for how long; `stop` is asked now and then whether to wait no longer.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        ahead: int = AHEAD,
        wait_s: float = 0.0,
        stop: Callable[[], bool] = lambda: False,
        data: str = "",
        program: str = "",
        who: str = "queue",
        clock: Clock = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if wait_s < 0:
            raise BadInput(f"wait_s is {wait_s}", remedy="use 0 to raise at once, or inf to wait")
        if ahead < 1:
            raise BadInput(f"ahead is {ahead}: no question could wait", remedy="at least 1")
        self.ledger, self.ahead, self.wait_s, self.stop = ledger, ahead, wait_s, stop
        self.data, self.program, self.who = data, program, who
        self.clock, self.sleep = clock, sleep

    def ask(self, question: Question) -> Answer:
        """The answer in the ledger; `NotAnsweredYet` if none has come in time."""
        answer = self._wait([question], lambda: False)
        assert answer is not None
        return answer

    def ask_any(self, questions: Sequence[Question]) -> Answer | None:
        """The oldest answer in the ledger to any of the questions; see `ask`.

        None where someone has taken an answer back, so that its question waits too.
        """
        n_answered = self.ledger.n_answered
        known = self.ledger.open_ids() | {question.id for question in questions}

        def has_changed() -> bool:
            others = self.ledger.open_ids() - known
            return bool(others) or self.ledger.n_answered != n_answered

        return self._wait(questions, has_changed)

    def _wait(
        self, questions: Sequence[Question], has_changed: Callable[[], bool]
    ) -> Answer | None:
        begun = self.clock()
        for question in questions:
            self.ledger.propose(question, Stamp(self.who, begun, self.data, self.program))
        ids = [question.id for question in questions]
        while (answer := self.ledger.first_answer(ids)) is None:
            if has_changed():
                return None
            if self.stop():
                raise ReviewerLeft("no more answers are waited for")
            if self.clock() - begun >= self.wait_s:
                raise NotAnsweredYet(
                    f"{_named(ids)} in the queue of {self.ledger.path}",
                    remedy="answer it, then go on with the same command",
                )
            self.sleep(POLL_S)
        return answer


def _named(ids: Sequence[str]) -> str:
    one = f"question {ids[0]} is"
    return one if len(ids) == 1 else f"{one}, with {len(ids) - 1} more,"


def _normal(feature: str) -> str:
    """A word or n-gram as the tokeniser sees it, so that case does not matter."""
    return " ".join(tokenise(feature)) or feature
