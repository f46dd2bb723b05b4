"""Pages that only look, their JSON twins, second opinions, judging."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tacit.app.web.application import PAGES, make_app
from tacit.app.web.marking import marked
from tacit.app.web.summary import without_origin
from tacit.logic.program import Program
from tacit.review import Answer, Ledger
from tacit.review.sample_file import judging_questions
from tacit.review.sampling import Extraction, draw_sample
from tests.app.web.visiting import STAMP, Browser, Learner, feature, site_of

RULES = """\
label    sentiment(review) = neg | pos
observed token(review, word)
pos_fine: 2.2 token(r, "fine @ home") => sentiment(r) = pos @ fal score=0.5 by="ann"
neg_dull: 1.7 token(r, "dull") => sentiment(r) = neg @ sst score=0.9 round=1
"""


def answer(browser: Browser, choice: str = "pos", **more: str) -> str:
    question = str(browser.question()["question"]["id"])
    browser.fill("/answer", question=question, choice=choice, **more)
    return question


@pytest.mark.parametrize("path", [page.path for page in PAGES if page.in_navigation])
def test_every_page_has_a_json_twin(tmp_path: Path, path: str) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"), worker=Learner())
    browser = Browser(site).enter()
    answer(browser)
    page = browser.get(path)
    twin = re.search(r'<a href="([^"]*\.json[^"]*)">This page as JSON</a>', page.text)
    if page.status_code == 200:
        assert twin is not None
        data = browser.get(twin[1])
        assert data.headers["content-type"] == "application/json"
        assert isinstance(json.loads(data.text), dict)
    else:
        assert path == "/sample"  # nothing is judged here
        assert browser.get("/sample.json").json()["remedy"]


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    browser = Browser(site_of(tmp_path)).enter()
    assert browser.get("/nothing").status_code == 404
    assert "There is no such page" in browser.get("/nothing").text
    assert browser.get("/nothing.json").json()["error"] == "There is no such page"


def test_navigation_marks_the_page(tmp_path: Path) -> None:
    browser = Browser(site_of(tmp_path)).enter()
    page = browser.get("/history").text
    assert re.findall(r'href="([^"]*)" aria-current="page"', page) == ["/history"]
    assert 'href="/sample"' not in page
    assert 'href="#main"' in page  # the skip link, and where it leads
    assert '<main id="main"' in page


def test_history_is_newest_first_and_undoes_ones_own(tmp_path: Path) -> None:
    site = site_of(tmp_path, *map(feature, ("superb", "awful", "dull", "moving")))
    ann = Browser(site).enter()
    first = answer(ann, "pos", note="of course")
    answer(ann, "skip")
    bob = Browser(ann.app).enter()
    third = answer(bob, "neg")
    shown = ann.get("/history.json").json()["answers"]
    assert [(own["feature"], own["said"], own["who"], own["own"]) for own in shown] == [
        ("moving", "neg", "ann-2", False),
        ("awful", "skipped", "ann", True),
        ("superb", "pos", "ann", True),
    ]
    page = ann.get("/history").text
    assert page.count('action="/undo"') == 2
    assert "of course" in page
    assert "only they can take it back" in ann.fill("/undo", question=third).text
    assert site.ledger.answer_to(third) is not None
    assert "What does “superb” say" in ann.fill("/undo", question=first).text
    assert site.ledger.answer_to(first) is None
    assert ann.fill("/undo", question=first).status_code == 200  # a second click
    assert len(ann.get("/history.json").json()["answers"]) == 2


def test_long_histories_have_pages(tmp_path: Path) -> None:
    questions = [feature(f"word{number}") for number in range(60)]
    site = site_of(tmp_path, *questions)
    for question in questions:
        site.ledger.answer(Answer(question.id, "pos", "ann", 5.0))
    browser = Browser(site).enter()
    first, second = (browser.get(f"/history.json?page={n}").json() for n in (1, 2))
    assert (len(first["answers"]), len(second["answers"]), first["pages"]) == (50, 10, 2)
    assert browser.get("/history.json?page=99").json()["page"] == 2
    assert browser.get("/history.json?page=-1").json()["page"] == 1


def test_second_opinions_are_blind_and_agreement_is_counted(tmp_path: Path) -> None:
    site = site_of(tmp_path, *map(feature, ("superb", "awful", "dull")))
    ann = Browser(site).enter()
    for choice in ("pos", "pos", "reject"):
        answer(ann, choice)
    assert ann.get("/opinions.json").json()["question"] is None  # not on one's own
    bob = Browser(ann.app).enter()
    bob.get("/")
    for word, choice in (("superb", "pos"), ("awful", "neg"), ("dull", "skip")):
        shown = bob.get("/opinions.json").json()["question"]
        assert shown["feature"] == word
        page = bob.get("/opinions").text
        assert f"What does “{word}” say" in page
        assert "said" not in re.sub(r"<[^>]*>", "", page.split("<article")[1].split("</article")[0])
        told = bob.fill("/opinion", question=shown["id"], choice=choice).text
        assert f"“{word}”: you say" in told
    found = bob.get("/opinions.json").json()
    assert found["question"] is None
    (pair,) = found["agreement"]
    assert (pair["one"], pair["other"], pair["n"], pair["share"]) == ("ann", "ann-2", 2, 0.5)
    assert [own["about"] for own in found["disagreements"]] == ["“awful”"]
    assert site.ledger.answers()[feature("awful").id].choice == "pos"  # nothing has changed


def test_an_opinion_on_ones_own_answer_is_refused(tmp_path: Path) -> None:
    ann = Browser(site_of(tmp_path, feature("superb"))).enter()
    question = answer(ann)
    assert ann.fill("/opinion", question=question, choice="neg").status_code == 400


def test_results_tell_what_was_learned(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), files=(("ledger", "a/ledger.sqlite"),))
    browser = Browser(site).enter()
    question = answer(browser)
    program = Program.parse(RULES)
    site.ledger.add(program["pos_fine"], STAMP, question=question)
    site.ledger.add(program["neg_dull"], STAMP)
    rules = browser.get("/done.json").json()["summary"]["rules"]
    assert [(own["name"], own["by"]) for own in rules] == [("neg_dull", ""), ("pos_fine", "ann")]
    assert rules[1]["text"] == 'pos_fine: 2.2 token(r, "fine @ home") => sentiment(r) = pos'
    page = browser.get("/done").text
    assert "1 by answers" in page
    assert "1 by self-training" in page
    assert "a/ledger.sqlite" in page


def test_without_origin_leaves_other_lines_alone() -> None:
    assert without_origin("a: 1 p(r) => s(r) = neg") == "a: 1 p(r) => s(r) = neg"
    assert (
        without_origin('a: 1 p(r, "\\" @ b") => s(r) = x @ sst')
        == 'a: 1 p(r, "\\" @ b") => s(r) = x'
    )


@pytest.mark.parametrize("budget", [0, 1])
def test_no_more_is_asked_than_the_budget_allows(tmp_path: Path, budget: int) -> None:
    worker = Learner()
    open_questions = [feature("superb"), feature("awful"), feature("dull")]
    site = site_of(tmp_path, *open_questions, budget=budget, worker=worker)
    for question in open_questions[:budget]:
        site.ledger.answer(Answer(question.id, "pos", "bob", 2.0))
    browser = Browser(site).enter()
    data = browser.question()
    assert data["question"] is None
    assert data["state"] == ("finishing" if budget else "waiting")
    worker.said |= {"state": "done", "phase": "done"}
    page = browser.get("/").text
    assert ("All questions are answered" if budget else "Learning is done") in page
    assert "Go on asking" not in page


def test_a_smaller_budget_than_before_is_told_as_it_is(tmp_path: Path) -> None:
    questions = [feature(word) for word in ("superb", "awful", "dull")]
    site = site_of(tmp_path, *questions, budget=1, worker=Learner())
    for question in questions:
        site.ledger.answer(Answer(question.id, "pos", "bob", 2.0))
    page = Browser(site).enter().get("/").text
    assert "<strong>3</strong> of 3 answered" in page


def test_to_finish_is_said_at_once(tmp_path: Path) -> None:
    worker = Learner(phase="asking", line="9 questions waiting", is_finishing=True)
    site = site_of(tmp_path, feature("superb"), worker=worker)
    page = Browser(site).enter().get("/").text
    assert "Learning from your answers" in page  # and not: the next question is being prepared
    assert "9 questions waiting" not in page


def test_an_answer_wakes_whoever_learns(tmp_path: Path) -> None:
    worker = Learner()
    browser = Browser(site_of(tmp_path, feature("superb"), worker=worker)).enter()
    answer(browser)
    browser.fill("/undo")
    assert worker.told == ["wake", "wake"]
    browser.fill("/finish")
    worker.said |= {"phase": "finishing", "is_finishing": True}
    assert worker.told[-1] == "finish"
    page = browser.get("/").text
    assert "Learning from your answers" in page  # though a question waits
    worker.said |= {"state": "done", "phase": "done"}
    assert "Go on asking" in browser.get("/").text
    browser.fill("/learn")
    assert worker.told[-1] == "wake"


def test_judging(tmp_path: Path) -> None:
    systems = {
        name: [Extraction((f"drug{n}",), f"i{n}", f"text {n} of drug{n}") for n in range(3)]
        for name in ("system-a", "system-b")
    }
    sample = draw_sample(systems, 3, parts=("drug",), claim="treats = yes")
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        judging_questions(sample, ledger, now=1.0)
    browser = Browser(site_of(tmp_path, sample=sample)).enter()
    while browser.question()["question"] is not None:
        page = browser.get("/").text
        assert "system-a" not in page
        assert "system-b" not in page
        assert "treats = yes; drug: drug" in page
        answer(browser, "right")
    assert "Everything is judged" in browser.get("/").text
    assert browser.question()["progress"]["budget"] == 3
    rows = browser.get("/sample.json").json()["systems"]
    assert [(row["system"], row["precision"]) for row in rows] == [
        ("system-a", 1.0),
        ("system-b", 1.0),
    ]
    page = browser.get("/sample").text
    assert "100%" in page
    heads = re.findall(r'<th scope="col"[^>]*>([^<]+)', page)
    assert len(heads) == len(set(heads)) == 9
    assert 'href="/rounds"' not in page  # nothing is learned here


@pytest.mark.parametrize(
    ("text", "spans", "html"),
    [
        ("a <b> c", [(2, 5)], "a <mark>&lt;b&gt;</mark> c"),
        ("abcdef", [(4, 6), (0, 2), (1, 3)], "<mark>abc</mark>d<mark>ef</mark>"),
        ("abc", [(-5, 1), (2, 99), (1, 1)], "<mark>a</mark>b<mark>c</mark>"),
        ("a & b", [], "a &amp; b"),
        ("", [(0, 1)], ""),
    ],
)
def test_marked(text: str, spans: list[tuple[int, int]], html: str) -> None:
    assert str(marked(text, spans)) == html


def test_many_pages_at_once(tmp_path: Path) -> None:
    """One application can be asked by several threads."""
    from concurrent.futures import ThreadPoolExecutor

    app = make_app(site_of(tmp_path, *(feature(f"w{n}") for n in range(5))))
    browsers = [Browser(app).enter() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        codes = pool.map(lambda own: [own.get("/").status_code for _ in range(5)], browsers)
    assert {code for each in codes for code in each} == {200}
