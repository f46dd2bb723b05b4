"""The page of the evidence: how far each piece reaches, and how far it is trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.workbench.listing import Asked, heads, in_order, one_page, origin_words
from tacit.app.web.workbench.loading import not_ready
from tacit.report.pictures import evidence_overview
from tacit.report.record import Json

PATH = "/evidence"
ROWS = 100  # on one page: what a browser lays out at once
COLUMNS = (
    ("name", "Evidence", "text"),
    ("labels", "Speaks for", "text"),
    ("coverage", "Covers", "number"),
    ("overlap", "Overlap", "number"),
    ("conflict", "Conflict", "number"),
    ("weight", "Weight", "number"),
    ("implied_accuracy", "Thought right", "number"),
    ("empirical_accuracy", "Truly right", "number"),
    ("state", "State", "text"),
    ("origin", "Origin", "text"),
)
ALWAYS = ("name", "labels", "coverage", "weight", "state", "origin")  # others only where they tell
MOST_DRAWN = 500  # pieces of evidence in the picture: more would only cover each other
DEFAULT_SORT = "-coverage"
HARD = "hard"


def evidence_data(site: Site, request: Request) -> Data:
    """The evidence in the record, as the address asks for it."""
    record = site.record()
    if record is None:
        return not_ready(site)
    asked = Asked.of(request, PATH, ("find", "origin", "sort", "page"))
    columns = [own for own in COLUMNS if own[0] in ALWAYS or _tells(record.evidence, own[0])]
    sort = asked.get("sort", DEFAULT_SORT)
    if sort.removeprefix("-") not in [name for name, _, _ in columns]:
        sort = DEFAULT_SORT
    found = [row for row in record.evidence if _is_found(row, asked)]
    column = sort.removeprefix("-")
    ordered = in_order(found, lambda row: _key(row, column), descending=sort[0] == "-")
    rows, pages = one_page(ordered, asked, ROWS)
    return {
        "ready": True,
        "find": asked.get("find"),
        "sort": sort,
        "origin": asked.get("origin"),
        "origins": _origins(record.evidence),
        "kept": asked.kept("find", "origin"),
        "columns": heads(columns, asked, sort),
        "several_functions": len(record.functions) > 1,
        "rows": [_shown(row) for row in rows],
        "pages": pages,
        "n_evidence": len(record.evidence),
        "n_drawn": min(len(found), MOST_DRAWN),
        "pictures": {"overview": evidence_overview(_drawn(found))},
    }


def _drawn(rows: Sequence[Json]) -> Sequence[Json]:
    """Those that decide most: they reach far, and weigh much."""
    if len(rows) <= MOST_DRAWN:
        return rows
    return sorted(rows, key=_decides, reverse=True)[:MOST_DRAWN]


def _decides(row: Json) -> float:
    if row["state"] == HARD:
        return float("inf")
    return float(row["coverage"] or 0.0) * abs(float(row["weight"] or 0.0))


def _tells(rows: Sequence[Json], column: str) -> bool:
    """Whether a column has anything to tell."""
    return any(row.get(column) for row in rows)


def _is_found(row: Json, asked: Asked) -> bool:
    """Whether a row has all the words that are looked for, and the origin."""
    origin = asked.get("origin")
    if origin and row["origin"] != origin:
        return False
    told = " ".join([row["name"], row["formula"], *row["labels"], row["state"]]).casefold()
    return all(word in told for word in asked.get("find").casefold().split())


def _key(row: Json, column: str) -> Any:
    """By what a row is ordered; a hard formula weighs more than any other."""
    value = row.get(column)
    if column == "weight" and row["state"] == HARD:
        return float("inf")
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)).casefold()
    return value.casefold() if isinstance(value, str) else value


def _shown(row: Json) -> Data:
    """A row with its origin in words."""
    return {**row, "origin_words": origin_words(row["origin"])}


def _origins(rows: Sequence[Json]) -> list[Data]:
    """The origins that there are, the most frequent first."""
    counts = Counter(str(row["origin"]) for row in rows)
    return [
        {"name": name, "words": origin_words(name), "count": count}
        for name, count in counts.most_common()
    ]


PAGE = Page(PATH, "workbench/evidence.html", "Evidence", evidence_data)
