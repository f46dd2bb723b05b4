"""The page of the program: every rule with its learned weight and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from starlette.requests import Request

from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.workbench.listing import origin_words
from tacit.app.web.workbench.loading import not_ready
from tacit.logic.evidence import EXPERT, Evidence
from tacit.logic.program import Program
from tacit.logic.show import show_declaration, show_formula, show_weight
from tacit.report.record import Json

PROGRAMS = 2  # that are kept parsed: the one now and the one before


def program_data(site: Site, _request: Request) -> Data:
    """The program as it was learned: the expert's rules, and those that joined them."""
    record = site.record()
    if record is None:
        return not_ready(site)
    program = _parsed(record.program)
    rules = [_rule(one, record.evidence) for one in program.evidence]
    return {
        "ready": True,
        "declarations": [show_declaration(own) for own in program.declarations],
        "expert": [rule for rule in rules if rule["origin"] == EXPERT.kind],
        "learned": [rule for rule in rules if rule["origin"] != EXPERT.kind],
        "text": record.program,
        "fingerprint": record.made.program,
    }


@lru_cache(maxsize=PROGRAMS)
def _parsed(text: str) -> Program:
    return Program.parse(text, source="the record")


def _rule(one: Evidence, evidence: Sequence[Json]) -> Data:
    """A rule with its weight; one that has a weight for each word or label tells how many."""
    own = [row for row in evidence if row["name"] == one.name or _is_of(row["name"], one.name)]
    alone = own[0] if len(own) == 1 else None
    return {
        "name": one.name,
        "formula": show_formula(one.formula),
        "written": show_weight(one),
        "weight": alone["weight"] if alone else None,
        "error": alone["error"] if alone else None,
        "state": alone["state"] if alone else None,
        "n_weights": len(own),
        "origin": one.origin.kind,
        "origin_words": origin_words(one.origin.kind),
        "facts": dict(one.origin.facts),
    }


def _is_of(weight: str, name: str) -> bool:
    """Whether a weight belongs to a rule that has several: `seeds[superb, pos]`."""
    return weight.startswith(f"{name}[")


PAGE = Page("/program", "workbench/program.html", "Program", program_data)
