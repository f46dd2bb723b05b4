"""One instance: its text, what is believed of it, and why, as a sum of contributions."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request

from tacit.app.web.pages import Data, NotThere, Page
from tacit.app.web.site import Site
from tacit.app.web.wording import shares
from tacit.app.web.workbench.listing import instance_of, instance_path
from tacit.app.web.workbench.loading import Loading, loading
from tacit.app.web.workbench.spans import spans_of, words_of
from tacit.report.pictures import contributions, has_neighbours, neighbourhood
from tacit.report.record import Json, RunRecord

PATH = "/instance/{function}/{id:anything}"


class Anything(PathConvertor):
    """An id in an address; ids of people's tables may have slashes, and even line breaks."""

    regex = "(?s:.*)"


register_url_convertor("anything", Anything())


def instance_data(site: Site, request: Request) -> Data:
    """The instance that the address names."""
    function = str(request.path_params["function"])
    key = instance_of(str(request.path_params["id"]))
    record, state = site.record(), loading(site)
    found = _explained(site, function, key) if state.is_ready else None
    if found is None:
        found = _recorded(record, function, key)
    if found is None:
        return _absent(state, function, key)
    labels = _labels(record, function, found["posterior"])
    return {
        "state": "here",
        "function": function,
        "id": key,
        "loading": state.as_dict(),
        "text": found["text"],
        "spans": spans_of(found["text"], words_of(found["explanation"]), whole=True),
        "label": max(found["posterior"], key=found["posterior"].__getitem__),
        "posterior": shares(tuple((own, found["posterior"][own]) for own in labels)),
        "network": _network(found.get("network"), labels),
        "gold": found["gold"],
        "why": found.get("why", ""),
        "explanation": found["explanation"],
        "neighbours": neighbours(found["explanation"]),
        "pictures": _pictures(found["explanation"], record),
    }


def neighbours(explanation: Json) -> list[Data]:
    """The instances that formulas tie this one to, each once, with the formulas' names."""
    found: dict[tuple[str, str], Data] = {}
    for part in explanation.get("parts") or ():
        for own in part.get("neighbours") or ():
            at = str(own["function"]), str(own["instance"])
            one = found.setdefault(
                at,
                {
                    "function": at[0],
                    "id": at[1],
                    "href": instance_path(*at),
                    "label": own["label"],
                    "probability": own["probability"],
                    "by": [],
                },
            )
            if part["name"] not in one["by"]:
                one["by"].append(part["name"])
    return list(found.values())


def _explained(site: Site, function: str, key: str) -> Data | None:
    """What the process that has loaded the run says of it."""
    answer: Data = site.explainer.explain(key, function)
    return None if "error" in answer else answer


def _recorded(record: RunRecord | None, function: str, key: str) -> Data | None:
    """The same of an instance that the record has picked."""
    if record is None:
        return None
    labels = {own.name: own.labels for own in record.functions}
    for one in record.instances:
        if (one.function, one.id) == (function, key) and function in labels:
            return {
                "text": one.text,
                "posterior": dict(zip(labels[function], one.posterior, strict=True)),
                "gold": one.gold,
                "why": one.why,
                "explanation": dict(one.explanation),
            }
    return None


def _absent(state: Loading, function: str, key: str) -> Data:
    """What to say of an instance that nobody here knows, or not yet."""
    if state.state == "loading":
        return {"state": "loading", "function": function, "id": key, "loading": state.as_dict()}
    if state.state == "failed":
        raise NotThere(f"{key} cannot be explained: {state.error}", remedy=state.remedy or None)
    if state.is_ready:
        raise NotThere(f"{function} has no instance '{key}'", remedy="search for it: Instances")
    raise NotThere(
        f"nothing is known of '{key}' yet",
        remedy="all instances can be looked at when a run is saved; until then, those picked",
    )


def _labels(record: RunRecord | None, function: str, posterior: Mapping[str, float]) -> list[str]:
    """Labels in the order that gives them their colours."""
    own = [one.labels for one in record.functions if one.name == function] if record else []
    known = own[0] if own and set(own[0]) == set(posterior) else tuple(posterior)
    return list(known)


def _network(network: Mapping[str, float] | None, labels: list[str]) -> list[Data] | None:
    return None if network is None else shares(tuple((own, network[own]) for own in labels))


def _pictures(explanation: Json, record: RunRecord | None) -> dict[str, str | None]:
    """The sum of contributions; and the neighbourhood, where others have a say."""
    others = None
    if has_neighbours(explanation):
        others = neighbourhood(explanation, record.functions if record else ())
    return {"contributions": contributions(explanation), "neighbourhood": others}


PAGE = Page(PATH, "workbench/instance.html", "Instance", instance_data)
