"""The page of the evidence: every column, order, search and filter; nothing needs a script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.app.web.visiting import Browser
from tests.report.records_for_tests import HOSTILE, bare_record, evidence_row, example_record

from .conftest import Visit


def rows(bench: Browser, query: str = "") -> list[dict[str, Any]]:
    return bench.get(f"/evidence.json{query}").json()["rows"]


def names(bench: Browser, query: str = "") -> list[str]:
    return [row["name"] for row in rows(bench, query)]


def test_it_shows_all_that_is_known_of_each(bench: Browser) -> None:
    known = {row["name"]: row for row in example_record().evidence}
    shown = rows(bench)
    assert {row["name"] for row in shown} == set(known)
    for row in shown:
        assert {key: row[key] for key in known[row["name"]]} == known[row["name"]]
    page = bench.get("/evidence").text
    for word in ("hollow", "2.20", "± 0.06", "16.2%", "self-training", "4,420 ties", "unused"):
        assert word in page


@pytest.mark.parametrize("column", ["coverage", "weight", "conflict", "implied_accuracy"])
def test_numbers_are_ordered_and_what_has_none_comes_last(bench: Browser, column: str) -> None:
    for sort, descending in ((f"-{column}", True), (column, False)):
        values = [
            float("inf") if column == "weight" and row["state"] == "hard" else row[column]
            for row in rows(bench, f"?sort={sort}")
        ]
        there = [value for value in values if value is not None]
        assert there == sorted(there, reverse=descending)
        assert values[: len(there)] == there


def test_names_are_ordered_whatever_their_case(visit: Visit) -> None:
    every = tuple(evidence_row(name) for name in ("b", "C", "a"))
    bench = visit(replace(example_record(), evidence=every))
    assert names(bench, "?sort=name") == ["a", "b", "C"]
    assert names(bench, "?sort=-name") == ["C", "b", "a"]


def test_an_unknown_order_is_the_usual_one(bench: Browser) -> None:
    assert names(bench, "?sort=nonsense") == names(bench, "?sort=-") == names(bench)


def test_a_second_click_turns_the_order_round(bench: Browser) -> None:
    def link(query: str) -> str:
        columns = bench.get(f"/evidence.json{query}").json()["columns"]
        return next(own["href"] for own in columns if own["name"] == "weight")

    assert link("?find=o") == "/evidence?find=o&sort=-weight"
    assert link("?find=o&sort=-weight") == "/evidence?find=o&sort=weight"
    assert link("?find=o&sort=weight&page=2") == "/evidence?find=o&sort=-weight"


def test_search_finds_names_formulas_labels_and_states(bench: Browser) -> None:
    assert names(bench, "?find=HOLL") == ["hollow"]
    assert names(bench, "?find=near(r,") == ["agree"]
    assert set(names(bench, "?find=neg+stale")) == {"stale"}
    assert names(bench, "?find=hard") == ["gold"]
    assert names(bench, "?find=nothing+like+this") == []
    assert "No evidence matches" in bench.get("/evidence?find=nothing+like+this").text


def test_the_origin_filters(bench: Browser) -> None:
    assert {row["origin"] for row in rows(bench, "?origin=fal")} == {"fal"}
    assert len(rows(bench, "?origin=sst")) == 6
    counts = {own["name"]: own["count"] for own in bench.get("/evidence.json").json()["origins"]}
    assert counts == {"sst": 6, "expert": 6, "fal": 3}


def test_columns_that_tell_nothing_are_left_out(visit: Visit) -> None:
    def titles(bench: Browser) -> list[str]:
        return [own["title"] for own in bench.get("/evidence.json").json()["columns"]]

    assert "Truly right" in titles(visit(example_record()))
    plain = tuple(evidence_row("a", empirical_accuracy=None, conflict=0.0) for _ in range(2))
    assert {"Truly right", "Conflict"}.isdisjoint(
        titles(visit(replace(example_record(), evidence=plain)))
    )


def test_many_rows_come_in_pages_that_keep_what_was_asked(visit: Visit) -> None:
    every = tuple(evidence_row(f"w{at:03}", coverage=at / 1000) for at in range(250))
    bench = visit(replace(example_record(), evidence=every))
    first = bench.get("/evidence.json?find=w&sort=coverage").json()
    assert first["pages"]["next"] == "/evidence?find=w&sort=coverage&page=2"
    seen, address = [], "/evidence?find=w&sort=coverage"
    while address:
        page = bench.get(address.replace("?", ".json?")).json()
        seen += [row["name"] for row in page["rows"]]
        address = page["pages"]["next"]
    assert seen == [row["name"] for row in every]
    for odd in ("0", "-1", "x", "999999999999", "7"):
        assert bench.get(f"/evidence?page={odd}").status_code == 200


def test_the_picture_has_those_that_decide_most(visit: Visit) -> None:
    every = tuple(evidence_row(f"w{at}", coverage=at / 1000, weight=1.0) for at in range(700))
    data = visit(replace(example_record(), evidence=every)).get("/evidence.json").json()
    assert data["n_drawn"] == 500
    picture = data["pictures"]["overview"]
    assert "w699" in picture
    assert "w199" not in picture


def test_hostile_names_are_text(bench: Browser) -> None:
    page = bench.get("/evidence?find=<script>").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert rows(bench, "?find=<script>alert('x')")[0]["name"] == HOSTILE


def test_a_record_without_evidence(visit: Visit) -> None:
    assert "No evidence matches" in visit(bare_record()).get("/evidence").text
