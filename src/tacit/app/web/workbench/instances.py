"""The list of instances: searched, filtered by label, those in doubt first.

A process that has loaded the saved run searches all of them. Until there is one, the list has the
few that the record has picked.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.wording import shares
from tacit.app.web.workbench.listing import Asked, instance_path, one_page, pages_of
from tacit.app.web.workbench.loading import loading, not_ready
from tacit.app.web.workbench.spans import spans_of
from tacit.report.record import FunctionRecord, InstanceRecord, RunRecord

PATH = "/instances"
INSTANCES = 25  # on one page: a person reads some
LONGEST = 280  # characters of a text in the list
ORDERS = {"doubt": "in doubt first", "sure": "surest first", "row": "as in the data"}


def instances_data(site: Site, request: Request) -> Data:
    """The instances that the address asks for."""
    record = site.record()
    if record is None:
        return not_ready(site)
    asked = Asked.of(request, PATH, ("find", "function", "label", "order", "page"))
    function = _function(record, asked.get("function"))
    label = asked.get("label") if asked.get("label") in function.labels else ""
    order = asked.get("order") if asked.get("order") in ORDERS else "doubt"
    state = loading(site)
    found = None
    if state.is_ready:
        found = _searched(site, function, asked, label, order)
    if found is None:
        found = _picked(record, function, asked, label, order)
    return {
        "ready": True,
        "loading": state.as_dict(),
        "find": asked.get("find"),
        "function": function.name,
        "functions": [
            {"name": own.name, "words": own.name, "count": own.n_instances}
            for own in record.functions
        ],
        "label": label,
        "labels": _labels(function),
        "order": order,
        "orders": ORDERS,
        "n_instances": function.n_instances,
        **found,
    }


def _function(record: RunRecord, name: str) -> FunctionRecord:
    """The label function of that name, or else the first."""
    return next((own for own in record.functions if own.name == name), record.functions[0])


def _labels(function: FunctionRecord) -> list[Data]:
    pairs = zip(function.labels, function.counts, strict=True)
    return [{"name": label, "words": label, "count": count} for label, count in pairs]


def _searched(
    site: Site, function: FunctionRecord, asked: Asked, label: str, order: str
) -> Data | None:
    """A page of all instances; None where the process could not answer."""
    find = asked.get("find")
    wanted = {"order": order, "label": label or None, "most": INSTANCES}
    offset = (asked.number("page") - 1) * INSTANCES
    answer = site.explainer.search(find, function.name, offset=offset, **wanted)
    if "error" in answer:
        return None
    pages = pages_of(int(answer["total"]), asked, INSTANCES)
    if pages["offset"] != offset:  # a page behind the last
        answer = site.explainer.search(find, function.name, offset=pages["offset"], **wanted)
    rows = [
        _row(function, str(own["id"]), own["text"], own["posterior"], own["gold"])
        for own in answer.get("rows", ())
    ]
    return {"all": True, "rows": [_with_spans(row, find) for row in rows], "pages": pages}


def _picked(
    record: RunRecord, function: FunctionRecord, asked: Asked, label: str, order: str
) -> Data:
    """A page of those that the record has picked, each with the reason."""
    words = asked.get("find").casefold()
    found = [
        one
        for one in record.instances
        if one.function == function.name
        and words in f"{one.id} {one.text}".casefold()
        and label in ("", _best(one, function))
    ]
    if order != "row":
        found.sort(key=lambda one: max(one.posterior), reverse=order == "sure")
    chosen, pages = one_page(found, asked, INSTANCES)
    rows = [
        {**_row(function, one.id, _cut(one.text), list(one.posterior), one.gold), "why": one.why}
        for one in chosen
    ]
    return {"all": False, "rows": [_with_spans(row, words) for row in rows], "pages": pages}


def _best(one: InstanceRecord, function: FunctionRecord) -> str:
    return function.labels[max(range(len(one.posterior)), key=one.posterior.__getitem__)]


def _row(
    function: FunctionRecord, key: str, text: str, posterior: list[float], gold: str | None
) -> Data:
    pairs = tuple(zip(function.labels, posterior, strict=True))
    label = max(pairs, key=lambda pair: pair[1])[0]
    found: dict[str, Any] = {
        "function": function.name,
        "id": key,
        "href": instance_path(function.name, key),
        "text": text,
        "label": label,
        "posterior": shares(pairs),
        "gold": gold,
        "why": "",
    }
    return found


def _with_spans(row: Data, find: str) -> Data:
    """A row with the places where what was searched for stands in its text."""
    return {**row, "spans": spans_of(row["text"], [find])}


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


PAGE = Page(PATH, "workbench/instances.html", "Instances", instances_data)
