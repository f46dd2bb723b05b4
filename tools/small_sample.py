"""The sample project, small: for browsers that should not have to wait for fits."""

from __future__ import annotations

import csv
import re
from collections.abc import Set
from pathlib import Path

from tacit.app.choices import Template
from tacit.app.new import new_project

QUICK = """\
[fit]
rounds = 1

[grow]
rounds = 0  # questions come after the first fit
at_once = 10
relations = ["token"]
"""


def make_small_sample(folder: Path, n_reviews: int = 450, **texts: str) -> Path:
    """Make the sample project of reviews with some of them; `texts` replace those of some ids."""
    new_project(folder, Template.REVIEWS, force=False)
    settings = folder / "tacit.toml"
    kept = re.split(r"^\[fit\]", settings.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]
    settings.write_text(kept + QUICK, encoding="utf-8")
    path = folder / "data" / "review.csv"
    heads, *reviews = _read(path)
    text = heads.index("text")
    for row in reviews:
        row[text] = texts.get(row[0], row[text])
    _write(path, [heads, *reviews])
    keep_reviews(folder, {row[0] for row in reviews[:n_reviews]})
    return folder


def keep_reviews(folder: Path, ids: Set[str]) -> None:
    """Leave only some of the reviews in the sample project, and what is known of them."""
    for name, columns in (("review", 1), ("about", 1), ("near", 2), ("gold", 1)):
        path = folder / "data" / f"{name}.csv"
        top, *rows = _read(path)
        _write(path, [top, *(row for row in rows if ids >= set(row[:columns]))])


def _read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
