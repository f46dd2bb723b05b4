"""The benchmark of matching measures what it says."""

import os
from pathlib import Path

import pytest

from benchmarks.bio_jobs import Setting
from benchmarks.bio_matching import (
    MATCHING,
    OPTIONS,
    by_expressions,
    coverage,
    names_in_pool,
    touched,
)
from tacit.data.text import Lexicon

DATA = Path(os.environ.get("TACIT_DATA", "no data"))
needs_data = pytest.mark.skipif(not (DATA / "bio").is_dir(), reason="TACIT_DATA has no bio")


def test_spans_that_touch_share_a_character() -> None:
    assert touched({(0, 3)}, {(3, 5), (2, 4)}) == 1
    assert touched(set(), {(0, 1)}) == 0


def test_shares_are_of_gold_and_of_what_was_found() -> None:
    found = [{(0, 3), (5, 7)}, {(1, 2)}, set()]
    gold = [{(0, 3), (6, 9), (20, 21)}, set(), {(1, 2)}]
    shares = coverage(found, gold)
    assert shares == {"covered": 2 / 4, "exact": 1 / 4, "precision": 2 / 3}
    assert coverage([set()], [set()])["covered"] == 0


def test_the_peer_finds_what_the_lexicon_finds() -> None:
    names, texts = ["EGFR", "a-b", "b"], ["EGFR, a-b ab", "xEGFR b_EGFR"]
    matches = Lexicon({"x": names}, min_length=1).find_all(texts, overlapping=True)
    assert by_expressions(names, texts) == len(matches) == 5


@needs_data
def test_a_quick_run_covers_most_gold_genes() -> None:
    setting = Setting(DATA, quick=True)
    assert {*OPTIONS, "mutations", "part: re"} <= {job.row for job in MATCHING.jobs(setting)}
    figures = names_in_pool(setting, OPTIONS["ignore case"])
    assert set(MATCHING.columns) - {"x_tacit"} <= set(figures)
    assert figures["covered"] > 0.7
    assert figures["total_s"] < 20
