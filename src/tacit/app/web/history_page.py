"""The page of answers, the newest first, with an undo for one's own."""

from __future__ import annotations

from starlette.requests import Request

from tacit.app.web.guard import visit_of
from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.wording import choice_in_words

PER_PAGE = 50


def history_data(site: Site, request: Request) -> Data:
    """One page of answers."""
    who = visit_of(request).reviewer.name
    answers = list(reversed(site.ledger.answers().values()))
    last = max(1, -(-len(answers) // PER_PAGE))
    at = min(_number(request.query_params.get("page", "1")), last)
    shown = []
    for answer in answers[(at - 1) * PER_PAGE : at * PER_PAGE]:
        question = site.ledger.question(answer.question)
        offers = {offer.label: offer for offer in question.offers}
        chosen = offers.get(answer.choice)
        shown.append(
            {
                "question": answer.question,
                "kind": question.kind,
                "function": question.function,
                "feature": question.feature,
                "texts": [example.text for example in question.examples[:2]],
                "choice": answer.choice,
                "said": choice_in_words(answer.choice),
                "formula": chosen.formula if chosen else "",
                "who": answer.who,
                "when": answer.when,
                "note": answer.note,
                "own": answer.who == who and not site.read_only,
            }
        )
    notice = "others" if request.query_params.get("notice") == "others" else None
    return {"answers": shown, "total": len(answers), "page": at, "pages": last, "notice": notice}


HISTORY = Page("/history", "history.html", "History", history_data)


def _number(text: str) -> int:
    """The number of a page in an address; the first where it is none."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 9 else 1
