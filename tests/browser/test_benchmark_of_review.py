"""The benchmark of the review page runs, and says what it promises to say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.review import GOAL_MS, as_text
from benchmarks.review_project import SEEDS, drawn_texts
from tools.browser import NoBrowser, chromium_path

ROOT = Path(__file__).parents[2]


def test_it_ends_with_one_json_object() -> None:
    try:
        chromium_path()
    except NoBrowser as why:
        pytest.skip(str(why))
    command = [sys.executable, "-m", "benchmarks.review", "--quick", "--json"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout.splitlines()[-1])
    assert report["page_ms"]["n"] == report["server_ms"]["n"] == 5
    for name in ("page_ms", "server_ms", "reload_ms"):
        assert 0 < report[name]["p50"] <= report[name]["p95"] <= report[name]["max"]
    assert report["server_ms"]["p50"] < report["page_ms"]["p50"]
    assert report["is_reached"] == (report["page_ms"]["p95"] < GOAL_MS)
    assert set(report["meanings"]) <= set(report)
    assert "page_ms" in as_text(report)


def test_drawn_texts_lean_to_their_seeds() -> None:
    texts = drawn_texts(400)
    assert texts == drawn_texts(400)
    sides = [{w for w in own if w in text.split()} for text in texts for own in SEEDS.values()]
    pos, neg = (np.array([len(own) for own in sides[at::2]]) for at in (0, 1))
    both = np.mean((pos > 0) & (neg > 0))
    assert both < np.mean(pos > 0) * np.mean(neg > 0), "seeds of two labels avoid each other"
