"""Who answers the questions of `tacit grow`."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING

from tacit.app.choices import Reviewing
from tacit.errors import BadInput

if TYPE_CHECKING:
    from tacit.review.reviewers import Reviewer


def reviewer_for(asked: Reviewing | None, budget: int, *, asked_for: bool) -> Reviewer | None:
    """The person at the terminal, or nobody where no question may be asked.

    `asked_for` says that the budget stands on the command line: then somebody must be there.
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
    if asked is None and not sys.stdin.isatty():
        raise BadInput(
            f"{budget} questions may be asked, but the input is no terminal",
            remedy="run it in a terminal, or without questions: --reviewer none",
        )
    from tacit.review.terminal import TerminalReviewer

    # The answer of the command goes to the output, so the questions do not.
    return TerminalReviewer(sys.stdin, sys.stderr, who=user_name())


def user_name() -> str:
    """The name of whoever runs the command, as ledgers hold it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may have no name for its user
        return "terminal"
