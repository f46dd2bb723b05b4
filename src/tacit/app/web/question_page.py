"""The page of questions: one at a time, the next one ready before this one is answered."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from tacit.app.web.guard import visit_of
from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.summary import summary
from tacit.app.web.wording import choice_in_words, short, shown_question
from tacit.errors import BadInput
from tacit.review.ledger import LEASE_S
from tacit.review.questions import Question


def question_data(site: Site, request: Request) -> Data:
    """The question that this reviewer should see now, or why there is none."""
    who = visit_of(request).reviewer.name
    wanted = request.query_params.get("question", "")
    question = _wanted(site, who, wanted) or _next(site, who)
    worker, now = _worker(site), _state(site, question)
    return {
        "state": now,
        "who": who,
        "question": shown_question(question) if question else None,
        "progress": progress(site),
        "worker": worker,
        "notice": notice(site, request),
        "can_undo": not site.read_only and site.ledger.last_answered(who) is not None,
        "judging": site.sample is not None,
        "summary": summary(site) if now in ("done", "empty") else None,
    }


QUESTION = Page("/", "question.html", "Review", question_data)


def state(site: Site, who: str) -> Data:
    """What a page that waits wants to know, and nothing that takes long."""
    found = _state(site, _next(site, who))
    return {"state": found, "worker": _worker(site), "progress": progress(site)}


def progress(site: Site) -> dict[str, int]:
    """How far the questions are; what was skipped cost none."""
    ledger = site.ledger
    asked, answered, waiting = len(ledger.asked_ids()), ledger.n_answered, ledger.n_pending
    skipped = max(0, asked - answered - waiting)
    if site.sample is not None:  # who cannot tell has judged too
        answered, budget = answered + skipped, asked
    else:
        budget = max(site.budget, answered)  # a smaller one than before takes nothing back
    return {"answered": answered, "skipped": skipped, "waiting": waiting, "budget": budget}


def notice(site: Site, request: Request) -> dict[str, Any] | None:
    """What has just happened, told only if it is true."""
    kind, about = (request.query_params.get(name, "") for name in ("notice", "about"))
    who = visit_of(request).reviewer.name
    if kind == "name":
        return {"kind": kind, "about": about, "text": f"{about} is the name of another browser."}
    if kind == "renamed":
        return {"kind": kind, "about": who, "text": f"You are {who} now."}
    if kind == "nothing":
        return {"kind": kind, "about": "", "text": "There is no answer of yours to take back."}
    return _of_question(site, kind, about, who) if about else None


def _of_question(site: Site, kind: str, about: str, who: str) -> dict[str, Any] | None:
    """What has just happened to a question."""
    try:
        question = site.ledger.question(about)
    except BadInput:
        return None  # an address that somebody has typed
    answer, name = site.ledger.answer_to(about), named(question)
    if kind == "saved" and answer and answer.who == who:
        said = choice_in_words(answer.choice)
        return {"kind": kind, "about": about, "text": f"Saved: {name}, {said}."}
    if kind == "taken" and answer:
        said = choice_in_words(answer.choice)
        text = f"{name} was answered by {answer.who}: {said}. Nothing was changed."
        return {"kind": kind, "about": about, "text": text}
    if kind == "taken" and 0 < site.budget <= site.ledger.n_answered:
        text = f"All {site.budget} questions are answered. Nothing was changed."
        return {"kind": kind, "about": about, "text": text}
    if kind == "taken":
        text = f"Another reviewer is looking at {name}. Nothing was changed."
        return {"kind": kind, "about": about, "text": text}
    if kind == "undone" and answer is None:
        return {"kind": kind, "about": about, "text": f"Taken back: {name}."}
    return None


def named(question: Question) -> str:
    """A question in a few words."""
    if question.feature:
        return f"“{short(question.feature)}”"
    return {"pair": "a pair", "group": "a group"}.get(question.kind, f"question {question.id}")


def _wanted(site: Site, who: str, question_id: str) -> Question | None:
    """The question that was asked for, if it is open and no one else looks at it."""
    if not question_id or site.read_only:
        return None
    try:
        now = site.clock()
        if site.ledger.lease(question_id, who, now=now, until=now + LEASE_S):
            return site.ledger.question(question_id)
    except BadInput:
        pass
    return None


def _next(site: Site, who: str) -> Question | None:
    """The next question; where nothing can be answered, whichever waits, without a lease."""
    worker = _worker(site)
    if worker is not None and (worker["is_finishing"] or _is_spent(site)):
        return None  # someone has said that it is enough, or how many are
    if site.read_only:
        pending = site.ledger.pending()
        return pending[0] if pending else None
    return site.ledger.next_question(who, now=site.clock())


def _worker(site: Site) -> dict[str, Any] | None:
    """What the worker does; it looks at the queue now and then, so it may not know of an answer."""
    if site.worker is None:
        return None
    status = site.worker.status()
    if status["phase"] == "asking" and (status["is_finishing"] or not site.ledger.n_pending):
        status |= {"line": "taking up the answers"}
    return status


def _is_spent(site: Site) -> bool:
    """Whether as many questions were answered as may be asked."""
    return site.ledger.n_answered >= site.budget


def _state(site: Site, question: Question | None) -> str:
    """What the page shows: "question", "waiting", "finishing", "done", "failed" or "empty"."""
    if question is not None:
        return "question"
    worker = _worker(site)
    if worker is None:
        return "done" if site.sample is not None else "empty"
    if worker["state"] == "working":
        is_last = worker["is_finishing"] or worker["phase"] == "finishing"
        return "finishing" if is_last or (site.budget and _is_spent(site)) else "waiting"
    return str(worker["state"])
