"""What can be sent back: an answer, an undo, another name. Each ends on a page to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from tacit.app.web.guard import name_cookie
from tacit.app.web.names import Names, Reviewer, clean_name
from tacit.app.web.site import Site
from tacit.errors import BadInput
from tacit.review import Answer, Stamp
from tacit.review.ledger import LEASE_S, QuestionTaken

Form = Mapping[str, str]
Action = Callable[[Site, Names, Reviewer, Form], Response]
LONGEST_NOTE = 1000  # characters


def answer(site: Site, _names: Names, reviewer: Reviewer, form: Form) -> Response:
    """Record an answer: it is on the disk before the next question is shown."""
    question, choice = _field(form, "question"), _field(form, "choice")
    note = form.get("note", "").strip()[:LONGEST_NOTE]
    given = Answer(question, choice, reviewer.name, site.clock(), note)
    try:
        site.ledger.answer(given)
    except QuestionTaken:
        return _to("/", notice="taken", about=question)
    _wake(site)
    return _to("/", notice="saved", about=question)


def opinion(site: Site, _names: Names, reviewer: Reviewer, form: Form) -> Response:
    """Record what this reviewer would have said; the program stays as it is."""
    question, choice = _field(form, "question"), _field(form, "choice")
    note = form.get("note", "").strip()[:LONGEST_NOTE]
    site.ledger.give_opinion(Answer(question, choice, reviewer.name, site.clock(), note))
    return _to("/opinions", about=question)


def undo(site: Site, _names: Names, reviewer: Reviewer, form: Form) -> Response:
    """Take back one of the reviewer's own answers: the one named, or else the last."""
    ledger, now = site.ledger, site.clock()
    question = form.get("question") or ledger.last_answered(reviewer.name)
    if question is None:
        return _to("/", notice="nothing")
    with ledger.together():
        before = ledger.answer_to(question)
        if before is None:
            return _to("/", notice="undone", about=question)  # a second click, or an old page
        if before.who != reviewer.name:
            return _to("/history", notice="others", about=question)
        ledger.take_back(question, Stamp(reviewer.name, now))
        ledger.lease(question, reviewer.name, now=now, until=now + LEASE_S)
    _wake(site)
    return _to("/", question=question, notice="undone", about=question)


def finish(site: Site, _names: Names, _reviewer: Reviewer, _form: Form) -> Response:
    """No more questions: learn from the answers that there are."""
    if site.worker is not None:
        site.worker.finish()
    return _to("/")


def learn(site: Site, _names: Names, _reviewer: Reviewer, _form: Form) -> Response:
    """Try again to learn, after a failure or for more questions."""
    _wake(site)
    return _to("/")


def name(site: Site, names: Names, reviewer: Reviewer, form: Form) -> Response:
    """Another name for whoever sits before this browser."""
    wanted = clean_name(_field(form, "name"))
    if not names.is_free(wanted, reviewer.browser) and not form.get("share"):
        return _to("/", notice="name", about=wanted)
    renamed = names.rename(reviewer, wanted)
    if names.is_free(reviewer.name, renamed.browser):  # nobody else goes by the old name
        site.ledger.hand_over(reviewer.name, renamed.name, now=site.clock())
    answer = _to("/", notice="renamed")
    answer.headers.append("set-cookie", name_cookie(renamed))
    return answer


ACTIONS: dict[str, Action] = {
    "/answer": answer,
    "/opinion": opinion,
    "/undo": undo,
    "/finish": finish,
    "/learn": learn,
    "/name": name,
}


def _wake(site: Site) -> None:
    """Whoever learns may have ended, and has something to learn from now."""
    if site.worker is not None:
        site.worker.wake()


def _field(form: Form, name: str) -> str:
    if not form.get(name):
        raise BadInput(f"the form has no '{name}'", remedy="go back to the question")
    return form[name]


def _to(path: str, **query: str) -> Response:
    return RedirectResponse(f"{path}?{urlencode(query)}" if query else path, status_code=303)
