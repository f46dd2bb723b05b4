"""The page of sample precision: how right each system is, by what was judged so far."""

from __future__ import annotations

from starlette.requests import Request

from tacit.app.web.pages import Data, NotThere, Page
from tacit.app.web.site import Site
from tacit.report.sample_precision import precision_table


def sample_data(site: Site, _request: Request) -> Data:
    """The table, as it stands."""
    if site.sample is None:
        raise NotThere(
            "nothing is judged here", remedy="judge with: tacit review --judge NAME=FILE"
        )
    return precision_table(site.sample, site.ledger)


def _is_for_judging(site: Site) -> bool:
    return site.sample is not None


SAMPLE = Page("/sample", "sample.html", "Precision", sample_data, shown=_is_for_judging)
