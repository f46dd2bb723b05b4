"""A site with a record that has everything in it, and a browser on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tacit.logic.program import Program
from tacit.report.record import RunRecord, record_text
from tacit.review import Answer, Ledger, Stamp
from tests.app.web.visiting import Browser, feature, site_of
from tests.report.records_for_tests import HOSTILE, SEEDS, example_record

ADDED = """\
s1: 1.7 token(r, "tender") => sentiment(r) = pos @ sst score=0.91 round=1
s2: 1.7 token(r, "luck") => sentiment(r) = pos @ sst score=0.88 round=1
s3: 2.2 token(r, "witty") => sentiment(r) = pos @ fal score=0.69 by="ada"
"""
Visit = Callable[[RunRecord | None], Browser]


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    """Opens the pages of a record."""

    def open_site(record: RunRecord | None) -> Browser:
        file = tmp_path / "record.json"
        if record is not None:
            file.write_text(record_text(record), encoding="utf-8")
        return Browser(site_of(tmp_path, record_file=file)).enter()

    return open_site


@pytest.fixture
def bench(visit: Visit) -> Browser:
    """The pages of a record with everything in it."""
    return visit(example_record())


def fill(ledger: Ledger) -> None:
    """A ledger with an event of every kind but the last."""
    ledger.start(Program.parse(SEEDS), Stamp("tacit", 10.0))
    s1, s2, s3 = Program.parse(SEEDS + ADDED).evidence[-3:]
    ledger.note("health", Stamp("tacit", 11.0), {"before": {"coverage": 0.3, "agreement": 0.9}})
    facts = {"round": 1, "borne_out": 0.9}
    for one in (s1, s2):
        ledger.add(one, Stamp("tacit", 12.0), health=facts)
    ledger.roll_back("s2", Stamp("tacit", 13.0), {"round": 1, "why": "seeds were forgotten"})
    ledger.note("health", Stamp("tacit", 14.0), {"settled": "labels have settled"})
    for at, word in enumerate(("witty", "plot", HOSTILE)):
        question = feature(word)
        ledger.propose(question, Stamp("tacit", 20.0 + at))
        if at < 2:
            choice = ("pos", "reject")[at]
            ledger.answer(Answer(question.id, choice, "ada", 30.0 + at))
        if at == 0:
            ledger.add(s3, Stamp("tacit", 40.0), question=question.id)
