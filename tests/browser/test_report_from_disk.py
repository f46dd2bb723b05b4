"""A report is one file: it opens from disk, asks nobody for anything and complains of nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tacit.app.report.run import ReportOptions, run_report
from tacit.report.record import RECORD, record_text
from tests.report.records_for_tests import HOSTILE, bare_record, example_record
from tools.browser import Complaints

from .conftest import Contexts

if TYPE_CHECKING:
    from tacit.report.record import RunRecord


@pytest.mark.parametrize("record", [example_record(), bare_record()], ids=["whole", "bare"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_from_disk(
    tmp_path: Path, contexts: Contexts, complaints: Complaints, record: RunRecord, scheme: str
) -> None:
    (tmp_path / RECORD).write_text(record_text(record), encoding="utf-8")
    file = tmp_path / "report.html"
    assert run_report(tmp_path, ReportOptions(out=file), as_json=True) == 0
    page = contexts(color_scheme=scheme, viewport={"width": 390, "height": 844}).new_page()
    page.goto(file.as_uri())
    assert complaints.requested == [file.as_uri()]
    assert record.name in page.inner_text("h1")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "fits a phone"
    if record.kind == "grow":
        assert HOSTILE in page.inner_text("body")
        assert page.locator("svg").count() > 5
