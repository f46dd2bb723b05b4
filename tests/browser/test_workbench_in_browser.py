"""The workbench in a browser: every page fits, in light and dark; lists answer while one types."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.report.record import record_text
from tests.app.web.visiting import feature
from tests.report.records_for_tests import HOSTILE, example_record

from .conftest import Contexts, Serve

PATHS = ("/evidence", "/instances", "/instance/sentiment/r17", "/rounds", "/scores", "/program")
FITS = "document.documentElement.scrollWidth <= innerWidth"
PHONE, TABLET, DESK = ({"width": width, "height": 800} for width in (360, 800, 1200))


@pytest.fixture
def address(serve: Serve, tmp_path: Path) -> str:
    file = tmp_path / "record.json"
    file.write_text(record_text(example_record()), encoding="utf-8")
    return serve(feature("good"), feature(HOSTILE), record_file=file)


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (TABLET, "light"), (DESK, "dark")])
def test_every_page_fits(
    address: str, contexts: Contexts, size: dict[str, int], scheme: str
) -> None:
    page = contexts(viewport=size, color_scheme=scheme).new_page()
    page.goto(address)
    origin = address.partition("/?")[0]
    for path in (*PATHS, "/ledger"):
        page.goto(origin + path)
        assert page.evaluate(FITS), path
        unnamed = "main table th:not([scope]), main select:not([id]), main img:not([alt])"
        assert page.locator(unnamed).count() == 0, path


def test_the_list_of_evidence_answers_while_one_types(address: str, contexts: Contexts) -> None:
    from playwright.sync_api import expect

    page = contexts().new_page()
    page.goto(address)
    page.goto(address.partition("/?")[0] + "/evidence")
    page.evaluate("window.same = true")
    names = page.locator("tbody summary")
    assert names.count() == 15
    page.fill("#find", "hollow")
    expect(names).to_have_count(1)
    assert names.inner_text() == "hollow"
    page.fill("#find", "")
    expect(names).to_have_count(15)
    page.click("thead a:has-text('Weight')")
    page.wait_for_selector("th[aria-sort=descending]:has-text('Weight')")
    assert names.first.inner_text() == "gold"
    page.select_option("#choice-origin", "fal")
    expect(names).to_have_count(3)
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Weight")
    assert page.evaluate("window.same"), "the page was never left"
    assert page.url.endswith("/evidence?origin=fal&sort=-weight"), "the address can be shared"
    names.first.click()
    assert page.locator("details[open] code").first.is_visible()


def test_lists_work_without_script(address: str, contexts: Contexts) -> None:
    page = contexts(java_script_enabled=False).new_page()
    page.goto(address)
    page.goto(address.partition("/?")[0] + "/evidence")
    page.fill("#find", "neg")
    page.click("form.search button")
    found = page.locator("tbody tr").count()
    assert 0 < found < 15
    page.click("thead a:has-text('Weight')")
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Weight")
    assert page.locator("tbody tr").count() == found
    assert page.input_value("#find") == "neg"


def test_neighbours_and_lists_lead_to_instances(address: str, contexts: Contexts) -> None:
    page = contexts().new_page()
    page.goto(address)
    page.goto(address.partition("/?")[0] + "/instances")
    page.click("text=r2044")
    assert HOSTILE in page.inner_text(".instance-text")
    page.click("text=All instances")
    page.click("text=r17")
    assert page.locator(".neighbours a").count() == 5
