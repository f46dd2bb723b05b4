"""The pages of a run: rounds, scores, program and ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tacit.app.web.workbench import PAGES
from tacit.logic.program import Program
from tests.app.web.visiting import Browser, Learner, site_of
from tests.report.records_for_tests import HOSTILE, SEEDS, bare_record, example_record

from .conftest import ADDED, Visit, fill

PLAIN = [page for page in PAGES if page.in_navigation]


@pytest.mark.parametrize(
    ("worker", "words"),
    [
        (Learner(), "for the first time"),
        (Learner(state="failed"), "Learning has stopped"),
        (None, "Nothing was learned from these rules yet"),
    ],
)
def test_without_a_record_pages_say_whether_to_wait(
    tmp_path: Path, worker: Learner | None, words: str
) -> None:
    browser = Browser(site_of(tmp_path, worker=worker)).enter()
    for page in PLAIN:
        answer = browser.get(page.path)
        assert answer.status_code == 200
        assert (words if page.path != "/ledger" else "Nothing has happened yet") in answer.text
        is_loading = "data-loading" in answer.text  # the script looks again, and only then
        assert is_loading is (worker is not None and words == "for the first time") or (
            page.path == "/ledger"
        )


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.path)
@pytest.mark.parametrize("record", [example_record(), bare_record()], ids=["whole", "bare"])
def test_pages_of_any_record_have_twins_heads_and_nothing_inline(
    visit: Visit, page: object, record: object
) -> None:
    path = page.path  # type: ignore[attr-defined]
    bench = visit(record)  # type: ignore[arg-type]
    answer = bench.get(path)
    assert answer.status_code == 200
    assert bench.get(f"{path}.json").json()
    html = answer.text
    assert HOSTILE not in html
    assert " style=" not in html
    assert "<style" not in html
    assert "onclick" not in html
    assert html.count("<th ") == html.count('scope="')


class TestRounds:
    def test_every_fit_is_told(self, bench: Browser) -> None:
        data = bench.get("/rounds.json").json()
        titles = [one["title"] for one in data["snapshots"]]
        assert titles[:2] == ["seeds", "round 1"]
        assert titles[-1] == "20 answers"
        assert data["snapshots"][0]["moved"] is None
        first = example_record().snapshots[1]
        flow = first.flow["sentiment"] if first.flow else ()
        moved = (flow[0][1] + flow[1][0]) / sum(map(sum, flow))
        assert data["snapshots"][1]["moved"] == pytest.approx(moved)
        page = bench.get("/rounds").text
        assert "Self-training ended: labels have settled" in page
        assert page.count("<svg") >= 4

    def test_a_round_that_was_taken_back_is_marked(self, visit: Visit) -> None:
        record = example_record()
        gone = replace(record.snapshots[2], taken_back=True)
        page = visit(replace(record, snapshots=(*record.snapshots[:2], gone))).get("/rounds").text
        assert page.count("taken back</span>") == 1

    def test_a_program_that_did_not_grow(self, visit: Visit) -> None:
        assert "has not grown" in visit(bare_record()).get("/rounds").text


class TestScores:
    def test_with_gold(self, bench: Browser) -> None:
        sentiment, topic = bench.get("/scores.json").json()["functions"]
        assert sentiment["gold"]["accuracy"] == pytest.approx(2220 / 2500)
        assert sentiment["labels"][0]["n_gold"] == 1140
        assert sentiment["labels"][0]["precision"] == pytest.approx(980 / 1100)
        assert {"confusion", "calibration"} <= set(sentiment["pictures"])
        assert topic["gold"] is None
        assert {"confusion", "calibration"}.isdisjoint(topic["pictures"])

    def test_without_gold_it_says_how_to_get_scores(self, bench: Browser) -> None:
        page = bench.get("/scores").text
        assert page.count("No true labels are known") == 1
        assert "[gold]" in page


class TestProgram:
    def test_rules_with_weights_and_origins(self, visit: Visit) -> None:
        bench = visit(replace(example_record(), program=SEEDS + ADDED))
        data = bench.get("/program.json").json()
        assert [rule["name"] for rule in data["expert"]] == ["praise", "blame", "agree", "gold"]
        assert [rule["name"] for rule in data["learned"]] == ["s1", "s2", "s3"]
        assert data["learned"][2]["facts"] == {"score": 0.69, "by": "ada"}
        assert data["expert"][0]["weight"] == 2.31  # as learned, not as written
        assert Program.parse(data["text"]).show() == Program.parse(SEEDS + ADDED).show()
        page = bench.get("/program").text
        assert "2.31" in page
        assert "hard" in page
        assert "self-training" in page

    def test_a_rule_with_many_weights_leads_to_them(self, visit: Visit) -> None:
        record = example_record()
        row = dict(record.evidence[0])
        many = tuple({**row, "name": f"praise[{word}]"} for word in ("a", "b", "c"))
        page = visit(replace(record, evidence=many)).get("/program").text
        assert 'href="/evidence?find=praise">3 weights' in page


class TestLedger:
    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Browser:
        site = site_of(tmp_path)
        fill(site.ledger)
        return Browser(site).enter()

    def test_every_event_the_newest_first(self, ledger: Browser) -> None:
        data = ledger.get("/ledger.json").json()
        numbers = [event["sequence"] for event in data["events"]]
        assert numbers == sorted(numbers, reverse=True)
        assert len(numbers) == data["n_events"]
        words = " / ".join(event["words"] for event in data["events"])
        assert "“witty” is pos, says ada" in words
        assert "ada rejected “plot”" in words
        assert "The guard took s2 out: seeds were forgotten" in words
        assert "Self-training ended: labels have settled" in words

    def test_kinds_and_words_filter(self, ledger: Browser) -> None:
        def found(query: str) -> list[str]:
            return [e["kind"] for e in ledger.get(f"/ledger.json?{query}").json()["events"]]

        assert found("kind=answered") == ["answered", "answered"]
        assert found("find=witty+ADA") == ["added", "answered"]
        assert found("kind=answered&find=plot") == ["answered"]
        assert found("find=s2") == ["rolled_back", "added"]
        assert "No event matches" in ledger.get("/ledger?find=nothing").text

    def test_what_is_in_force_and_how_to_undo_it(self, ledger: Browser) -> None:
        data = ledger.get("/ledger.json").json()
        assert [one["name"] for one in data["in_force"]] == ["s3", "s1"]
        assert [one["name"] for one in data["taken_out"]] == ["s2"]
        page = ledger.get("/ledger").text
        assert "tacit grow --undo s3" in page
        assert "tacit grow --undo s2" not in page

    def test_long_ledgers_come_in_pages(self, tmp_path: Path) -> None:
        from tests.app.web.visiting import feature

        ledger = Browser(site_of(tmp_path, *(feature(f"w{n}") for n in range(120)))).enter()
        seen, address = [], "/ledger.json?kind=proposed"
        while address:
            data = ledger.get(address).json()
            seen += [event["sequence"] for event in data["events"]]
            address = (data["pages"]["next"] or "").replace("?", ".json?")
        assert len(seen) == len(set(seen)) == 120

    def test_payloads_are_text(self, ledger: Browser) -> None:
        page = ledger.get("/ledger").text
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page
