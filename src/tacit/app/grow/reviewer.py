"""Who answers the questions of `tacit grow`."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tacit.app.choices import Reviewing
from tacit.errors import BadInput
from tacit.review.reviewers import ReviewerLeft, first_answer, n_ahead

if TYPE_CHECKING:
    from tacit.app.grow.progress import GrowProgress
    from tacit.review.ledger import Ledger
    from tacit.review.questions import Answer, Question
    from tacit.review.reviewers import Reviewer

MakeReviewer = Callable[["Ledger"], "Reviewer"]


def reviewer_for(
    asked: Reviewing | None, budget: int, *, asked_for: bool, stop: Callable[[], bool]
) -> MakeReviewer | None:
    """The person at the terminal, those at the queue, or nobody where no question may be asked.

    `asked_for` says that the budget stands on the command line: then somebody must be there.
    `stop` ends the wait for a queue.
    """
    if budget <= 0:
        return None
    if asked is Reviewing.NONE:
        if asked_for:
            raise BadInput(
                f"--budget {budget} with --reviewer none: nobody is there to be asked",
                remedy="leave one of them out",
            )
        return None
    if asked is Reviewing.QUEUE:
        return lambda ledger: _queue(ledger, stop)
    if asked is None and not sys.stdin.isatty():
        raise BadInput(
            f"{budget} questions may be asked, but the input is no terminal",
            remedy="run it in a terminal, or without questions: --reviewer none",
        )
    return _at_the_terminal


def _queue(ledger: Ledger, stop: Callable[[], bool]) -> Reviewer:
    from tacit.review.reviewers import QueueReviewer

    return QueueReviewer(ledger, wait_s=float("inf"), stop=stop)


def _at_the_terminal(_ledger: Ledger) -> Reviewer:
    from tacit.review.terminal import TerminalReviewer

    # The answer of the command goes to the output, so the questions do not.
    return TerminalReviewer(sys.stdin, sys.stderr, who=user_name())


class Watched:
    """A reviewer of whom those who look on are told when questions are put, and answered."""

    def __init__(self, reviewer: Reviewer, progress: GrowProgress) -> None:
        self.reviewer, self.progress = reviewer, progress
        self.ahead = n_ahead(reviewer)

    def ask(self, question: Question) -> Answer:
        """The reviewer's answer."""
        answer = self.ask_any([question])
        while answer is None:
            answer = self.ask_any([question])
        return answer

    def ask_any(self, questions: Sequence[Question]) -> Answer | None:
        """The answer to whichever of some questions is answered first; None to ask again."""
        self.progress.show.asking(len(questions))
        try:
            answer = first_answer(self.reviewer, questions)
        except ReviewerLeft:
            self.progress.show.left()
            raise
        self.progress.show.answered()
        return answer


def user_name() -> str:
    """The name of whoever runs the command, as ledgers hold it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may have no name for its user
        return "terminal"
