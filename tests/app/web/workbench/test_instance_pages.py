"""The pages of instances: those that a record has picked, and all of a saved run."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tacit.app.cli import main
from tacit.app.explain.explainer import Explainer
from tacit.app.web.site import Site
from tacit.app.web.workbench.spans import spans_of, words_of
from tests.app.growing import write_growing_project
from tests.app.web.visiting import Browser, site_of
from tests.report.records_for_tests import HOSTILE, bare_record, tied_explanation

from .conftest import Visit


class TestPicked:
    """Before a run is saved there is only what the record has picked."""

    def ids(self, bench: Browser, query: str = "") -> list[str]:
        data = bench.get(f"/instances.json{query}").json()
        assert data["all"] is False
        return [row["id"] for row in data["rows"]]

    def test_those_in_doubt_come_first(self, bench: Browser) -> None:
        assert self.ids(bench) == ["r2044", "r17", "r9"]
        assert self.ids(bench, "?order=sure") == ["r9", "r17", "r2044"]
        assert self.ids(bench, "?order=row") == ["r17", "r2044", "r9"]
        assert self.ids(bench, "?order=nonsense") == ["r2044", "r17", "r9"]

    def test_search_and_labels(self, bench: Browser) -> None:
        assert self.ids(bench, "?find=SUPERB") == ["r17"]
        assert self.ids(bench, "?find=r9") == ["r9"]
        assert self.ids(bench, "?label=neg") == []
        assert len(self.ids(bench, "?label=pos")) == 3
        assert len(self.ids(bench, "?label=of-another-function")) == 3
        assert self.ids(bench, "?function=topic") == []
        assert "No instance matches" in bench.get("/instances?label=neg").text

    def test_what_was_found_is_marked(self, bench: Browser) -> None:
        page = bench.get("/instances?find=superb").text
        assert "A <mark>superb</mark> film" in page

    def test_one_instance(self, bench: Browser) -> None:
        data = bench.get("/instance/sentiment/r17.json").json()
        assert data["label"] == data["gold"] == "pos"
        assert [own["label"] for own in data["posterior"]] == ["neg", "pos"]
        assert data["explanation"] == tied_explanation()
        page = bench.get("/instance/sentiment/r17").text
        assert "A <mark>superb</mark> film" in page
        assert "sure of pos" in page
        assert "+2.31" in page
        assert page.count("<svg") > 2

    def test_neighbours_are_links(self, bench: Browser) -> None:
        data = bench.get("/instance/sentiment/r17.json").json()
        assert [own["id"] for own in data["neighbours"]] == [f"r{n}" for n in range(100, 105)]
        assert data["neighbours"][4]["by"] == ["same_author"]
        assert 'href="/instance/sentiment/r100"' in bench.get("/instance/sentiment/r17").text

    def test_hard_evidence(self, bench: Browser) -> None:
        page = bench.get("/instance/sentiment/r9").text
        assert "hard evidence rules neg out" in page

    def test_texts_are_text(self, bench: Browser) -> None:
        page = bench.get("/instance/sentiment/r2044").text
        assert HOSTILE not in page
        assert "&lt;script&gt;alert" in page

    @pytest.mark.parametrize(
        "path", ["sentiment/none", "topic/r17", "nothing/r17", "sentiment/a/b"]
    )
    def test_what_is_not_known_says_so(self, bench: Browser, path: str) -> None:
        answer = bench.get(f"/instance/{path}")
        assert answer.status_code == 404
        assert "when a run is saved" in answer.text
        assert bench.get(f"/instance/{path}.json").json()["error"]

    def test_a_bare_record(self, visit: Visit) -> None:
        assert "No instance matches" in visit(bare_record()).get("/instances").text


ID = "a/b 5%'\nc.json"  # none of it may be lost in an address


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("films")
    (folder / "data").mkdir()
    write_growing_project(folder)
    rows = (folder / "data" / "review.csv").read_text().splitlines()
    rows[1] = f'"{ID}",superb {HOSTILE}'
    (folder / "data" / "review.csv").write_text("\n".join(rows) + "\n")
    assert main(["fit", str(folder), "--predictor", "linear", "--json"]) == 0
    run = folder / "runs" / "linear"
    explainer = Explainer(folder, run)
    yield site_of(folder, record_file=run, explainer=explainer)
    explainer.close()


class TestWholeRun:
    """When a run is saved, a process that has loaded it answers."""

    @pytest.fixture
    def bench(self, site: Site) -> Browser:
        bench = Browser(site).enter()
        until = time.monotonic() + 60
        while not bench.get("/instances.json").json()["all"]:  # which starts the process
            assert time.monotonic() < until, site.explainer.status()
            time.sleep(0.1)
        return bench

    def test_all_instances_in_pages(self, bench: Browser) -> None:
        seen, address = [], "/instances.json?order=row"
        while address:
            data = bench.get(address).json()
            seen += [row["id"] for row in data["rows"]]
            address = (data["pages"]["next"] or "").replace("?", ".json?")
        assert len(seen) == len(set(seen)) == data["n_instances"] == 180
        assert bench.get("/instances.json?page=99").json()["pages"]["number"] == 8
        assert bench.get("/instances.json?page=99").json()["rows"]

    def test_search_finds_all_texts(self, bench: Browser) -> None:
        rows = bench.get("/instances.json?find=WITTY&label=pos").json()["rows"]
        assert rows
        assert all("witty" in row["text"] and row["label"] == "pos" for row in rows)
        assert rows[0]["text"][slice(*rows[0]["spans"][0])] == "witty"

    def test_any_instance_is_explained(self, bench: Browser) -> None:
        data = bench.get("/instance/sentiment/r150.json").json()
        assert data["state"] == "here"
        assert data["network"]
        parts = [part["contribution"] for part in data["explanation"]["parts"]]
        assert sum(parts) == pytest.approx(data["explanation"]["log_odds"])
        assert bench.get("/instance/sentiment/r150").status_code == 200

    def test_ids_may_look_like_anything(self, bench: Browser) -> None:
        row = bench.get("/instances.json?order=row").json()["rows"][0]
        assert row["id"] == ID
        page = bench.get(row["href"])
        twin = bench.get(row["href"] + ".json").json()
        assert page.status_code == 200
        assert twin["id"] == ID
        link = re.search(r'<a href="([^"]+)">This page as JSON', page.text)
        assert link is not None
        assert bench.get(unescape(link[1])).json()["id"] == ID
        assert HOSTILE not in page.text

    def test_what_is_not_there(self, bench: Browser) -> None:
        answer = bench.get("/instance/sentiment/r9999")
        assert answer.status_code == 404
        assert "has no instance" in answer.text

    def test_a_run_that_cannot_be_loaded_says_why(self, site: Site, tmp_path: Path) -> None:
        run = tmp_path / "runs" / "broken"
        run.mkdir(parents=True)
        (run / "run.json").write_text("{}")
        explainer = Explainer(site.explainer.project, run)
        own = site_of(tmp_path, record_file=site.record_file, explainer=explainer)
        bench = Browser(own).enter()
        until = time.monotonic() + 60
        while bench.get("/instances.json").json()["loading"]["state"] == "loading":
            assert time.monotonic() < until
            time.sleep(0.1)
        told = bench.get("/instances.json").json()
        explainer.close()
        assert told["loading"]["state"] == "failed"
        assert told["loading"]["error"]
        assert told["all"] is False


def test_spans_are_whole_words_in_any_case() -> None:
    text = "Good, not goods: GOOD\nwill hunting"
    assert spans_of(text, ["good"], whole=True) == [[0, 4], [17, 21]]
    assert spans_of(text, ["good will"], whole=True) == [[17, 26]]
    assert len(spans_of(text, ["good"])) == 3
    assert spans_of(text, ["", " "]) == []
    assert spans_of("a.b", ["."]) == [[1, 2]]


def test_words_are_those_of_evidence_alone() -> None:
    words = words_of(tied_explanation())
    assert "superb" in words
    assert "r17" not in words
