"""Second opinions: what another reviewer would have said, blind, and how far reviewers agree."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from tacit.app.web.guard import visit_of
from tacit.app.web.pages import Data, Page
from tacit.app.web.question_page import named
from tacit.app.web.site import Site
from tacit.app.web.wording import choice_in_words, shown_question
from tacit.errors import BadInput
from tacit.review.agreement import agreements, judgements


def opinions_data(site: Site, request: Request) -> Data:
    """A question that others have answered, without their answer; and the agreement so far."""
    who = visit_of(request).reviewer.name
    question = None if site.read_only else site.ledger.next_for_opinion(who)
    said = judgements(site.ledger)
    return {
        "who": who,
        "question": shown_question(question) if question else None,
        "given": sum(who in own for own in site.ledger.opinions().values()),
        "reviewers": sorted({name for own in said.values() for name in own}),
        "agreement": [own.as_dict() for own in agreements(said)],
        "disagreements": _disagreements(site, said),
        "notice": _notice(site, request, who),
    }


OPINIONS = Page("/opinions", "opinions.html", "Opinions", opinions_data)

MOST_DISAGREEMENTS = 50  # on one page


def _disagreements(site: Site, said: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """The questions to which reviewers say different things, the latest first."""
    apart = [own for own, choices in said.items() if len(set(choices.values())) > 1]
    return [
        {
            "question": own,
            "about": named(site.ledger.question(own)),
            "said": [
                {"who": who, "choice": choice_in_words(choice)}
                for who, choice in sorted(said[own].items())
            ],
        }
        for own in reversed(apart[-MOST_DISAGREEMENTS:])
    ]


def _notice(site: Site, request: Request, who: str) -> dict[str, Any] | None:
    """What has just been said, beside what was answered."""
    about = request.query_params.get("about", "")
    given = site.ledger.opinions(about).get(about, {}).get(who) if about else None
    if given is None:
        return None
    try:
        question, answer = site.ledger.question(about), site.ledger.answer_to(about)
    except BadInput:
        return None
    own = f"{named(question)}: you say {choice_in_words(given.choice)}"
    theirs = f", {answer.who} said {choice_in_words(answer.choice)}" if answer else ""
    return {"kind": "opinion", "about": about, "text": f"{own}{theirs}."}
