"""Questions on the page: shown, answered, skipped, taken back, refused."""

from __future__ import annotations

import re
import sqlite3
from html import unescape
from pathlib import Path

import pytest

from tacit.review import Answer
from tests.app.web.visiting import Browser, Clock, Learner, feature, of_kind, site_of

SCRIPT = "<script>alert(1)</script>"


def said(browser: Browser, answer) -> str:
    """The notice on a page."""
    found = re.search(r'<div class="said">\s*<p>(.*?)</p>', answer.text, re.DOTALL)
    return unescape(found[1]) if found else ""


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    words = ("superb", "awful", "dull", "moving")
    return Browser(site_of(tmp_path, *map(feature, words), worker=Learner())).enter()


def asked(browser: Browser) -> str:
    return browser.question()["question"]["feature"]


def answer(browser: Browser, choice: str, **more: str):
    return browser.fill(
        "/answer", question=browser.question()["question"]["id"], choice=choice, **more
    )


def test_what_a_question_shows(browser: Browser) -> None:
    page = browser.get("/").text
    assert "What does “superb” say about sentiment?" in page
    assert "“superb” speaks for “pos”" in page
    assert "token(r, &#34;superb&#34;) =&gt; sentiment(r) = pos" in page  # as a formula
    assert "What a <mark>superb</mark> film." in page
    assert re.findall(r'value="(\w+)"[^>]*data-key="(\w+)"', page) == [
        ("neg", "1"),
        ("pos", "2"),
        ("reject", "r"),
        ("skip", "s"),
    ]
    assert "50%" in page  # the posterior
    assert "<strong>0</strong> of 20 answered" in page
    assert "4 waiting" in page


def test_answers_are_in_the_ledger_before_the_next_question_is_shown(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    browser = Browser(site).enter()
    question = browser.question()["question"]["id"]
    answered = browser.post(
        "/answer",
        data={"csrf": browser.csrf(), "question": question, "choice": "pos", "note": " sure "},
        follow_redirects=False,
    )
    assert answered.status_code == 303
    assert site.ledger.answer_to(question) == Answer(question, "pos", "ann", 1000.0, "sure")
    page = browser.get(answered.headers["location"])
    assert said(browser, page) == "Saved: “superb”, pos."
    assert "What does “awful” say" in page.text


def test_reject_skip_and_progress(browser: Browser) -> None:
    answer(browser, "reject")
    answer(browser, "skip")
    progress = browser.question()["progress"]
    assert progress == {"answered": 1, "skipped": 1, "waiting": 2, "budget": 20}
    assert asked(browser) == "dull"


def test_undo_brings_the_last_question_back_first(browser: Browser) -> None:
    answer(browser, "pos")
    answer(browser, "neg")
    assert asked(browser) == "dull"
    page = browser.fill("/undo")
    assert "What does “awful” say" in page.text
    assert said(browser, page) == "Taken back: “awful”."
    assert asked(browser) == "awful"
    answer(browser, "pos")
    assert asked(browser) == "dull"


def test_undo_after_the_lease_has_ended(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    browser = Browser(site).enter()
    answer(browser, "pos")
    assert isinstance(site.clock, Clock)
    site.clock.now += 10_000
    assert "What does “superb” say" in browser.fill("/undo").text
    assert asked(browser) == "superb"


def test_undo_of_nothing(browser: Browser) -> None:
    page = browser.fill("/undo")
    assert page.status_code == 200
    assert said(browser, page) == "There is no answer of yours to take back."
    assert 'data-key="u"' not in page.text
    answer(browser, "pos")
    assert 'data-key="u"' in browser.get("/").text


def test_the_same_answer_twice_is_one(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    browser = Browser(site).enter()
    form = {"question": browser.question()["question"]["id"], "choice": "pos"}
    browser.fill("/answer", **form)
    page = browser.fill("/answer", **form)
    assert said(browser, page) == "Saved: “superb”, pos."
    assert [event.kind for event in site.ledger.history()].count("answered") == 1


def test_a_stale_page_is_told_who_answered(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    browser = Browser(site).enter()
    question = browser.question()["question"]["id"]
    site.ledger.answer(Answer(question, "neg", "ann", 999.0))
    page = browser.fill("/answer", question=question, choice="pos")
    assert "“superb” was answered by ann: neg." in said(browser, page)
    assert "What does “awful” say" in page.text
    answered = site.ledger.answer_to(question)
    assert answered is not None
    assert answered.choice == "neg"


def test_a_question_that_another_is_looking_at(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    ann = Browser(site).enter()
    question = ann.question()["question"]["id"]
    bob = Browser(ann.app).enter()
    page = bob.fill("/answer", question=question, choice="pos")
    assert "Another reviewer is looking at “superb”" in said(bob, page)
    assert site.ledger.answers() == {}


@pytest.mark.parametrize(
    "form",
    [
        {"choice": "pos"},
        {"question": "0123456789abcdef", "choice": "pos"},
        {"question": "x" * 5000, "choice": "pos"},
    ],
)
def test_answers_to_nothing_are_refused(browser: Browser, form: dict[str, str]) -> None:
    assert browser.fill("/answer", **form).status_code == 400


def test_a_choice_that_is_not_on_offer_is_refused(browser: Browser) -> None:
    for choice in ("positive", "undo", SCRIPT, ""):
        page = answer(browser, choice)
        assert page.status_code == 400
        assert SCRIPT not in page.text
    assert asked(browser) == "superb"


def test_texts_are_shown_as_texts(tmp_path: Path) -> None:
    text = f"{SCRIPT} a <b>superb</b> film & 'more' \"quotes\" </p>"
    questions = [feature("superb", text=text), of_kind("pair", SCRIPT, SCRIPT)]
    questions += [of_kind("group", SCRIPT), of_kind("extraction", SCRIPT)]
    browser = Browser(site_of(tmp_path, *questions)).enter()
    for _ in questions:
        page = browser.get("/").text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert SCRIPT not in page
        answer(browser, "skip", note=SCRIPT)
    assert SCRIPT not in browser.get("/history").text
    notice = browser.get(f"/?notice=name&about={SCRIPT}")
    assert SCRIPT not in notice.text


def test_a_label_with_markup_can_be_chosen(tmp_path: Path) -> None:
    label = '<i>"a" & b</i>'
    site = site_of(tmp_path, feature("superb", (label, "other")))
    browser = Browser(site).enter()
    page = browser.get("/").text
    assert label not in page
    value = re.search(r'name="choice" value="([^"]*)"', page)
    assert value is not None
    assert unescape(value[1]) == label
    answer(browser, label)
    assert [own.choice for own in site.ledger.answers().values()] == [label]


def test_pairs_groups_and_extractions_have_their_own_layout(tmp_path: Path) -> None:
    questions = [
        of_kind("pair", "the first text", "the second text"),
        of_kind("group", "one", "two", "three"),
        of_kind("extraction", "the text", labels=("right", "wrong")),
        of_kind("undo-check", "the text"),
    ]
    browser = Browser(site_of(tmp_path, *questions)).enter()
    page = browser.get("/").text
    assert "Do these two belong together?" in page
    assert page.count('<li class="member">') == 2
    answer(browser, "reject")
    page = browser.get("/").text
    assert "at least one of these" in page
    assert page.count('<li class="example">') == 3
    answer(browser, "yes")
    page = browser.get("/").text
    assert re.findall(r'name="choice" value="(\w+)"', page) == ["right", "wrong", "skip"]
    assert "Cannot tell" in page
    answer(browser, "wrong")
    assert "Is this still right" in browser.get("/").text
    assert answer(browser, "undo").status_code == 200  # takes the rule out


@pytest.mark.parametrize(
    ("n", "first", "last"), [(9, "1", "9"), (20, "01", "20"), (120, "001", "120")]
)
def test_many_labels_have_keys_of_one_width(tmp_path: Path, n: int, first: str, last: str) -> None:
    labels = tuple(f"label {number}" for number in range(n))
    browser = Browser(site_of(tmp_path, feature("superb", labels))).enter()
    shown = browser.question()["question"]
    assert [shown["offers"][0]["key"], shown["offers"][-1]["key"]] == [first, last]
    assert len({len(offer["key"]) for offer in shown["offers"]}) == 1
    assert len(shown["examples"][0]["posterior"]) == 4  # the largest, and the rest in one
    assert sum(own["share"] for own in shown["examples"][0]["posterior"]) == pytest.approx(1)
    assert ('id="filter"' in browser.get("/").text) is (n > 9)


def test_mistakes_in_files_are_told_with_their_places(tmp_path: Path) -> None:
    problem = {"place": "a/rules.tacit, line 3", "what": "cannot read 'x'", "remedy": "begin so"}
    learner = Learner(state="failed", line="cannot read 'x'", problems=[problem] * 12)
    page = Browser(site_of(tmp_path, worker=learner)).enter().get("/").text
    assert page.count("a/rules.tacit, line 3: <strong>cannot read &#39;x&#39;</strong>") == 10
    assert "And 2 more" in page
    assert "Keys:" not in page  # there is nothing to answer


def test_that_learning_has_stopped_is_told_with_a_question_too(tmp_path: Path) -> None:
    learner = Learner(state="failed", line="the rules were changed", remedy="change them back")
    page = Browser(site_of(tmp_path, feature("superb"), worker=learner)).enter().get("/").text
    assert "What does “superb” say" in page
    assert "Learning has stopped." in page
    assert "the rules were changed" in page
    assert 'action="/learn"' in page


def test_a_ledger_that_fails_is_no_mistake_in_tacit(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), worker=Learner())
    browser = Browser(site).enter()
    with sqlite3.connect(site.ledger.path) as other:
        other.execute("DROP TABLE events")
    for path in ("/", "/question.json", "/state.json"):
        answer = browser.get(path)
        assert answer.status_code == 500
        assert "could not be read or written" in answer.text


def test_a_word_without_end_is_cut(tmp_path: Path) -> None:
    browser = Browser(site_of(tmp_path, feature("acgt" * 3000, text="x"))).enter()
    page = browser.get("/").text
    assert len(page) < 12_000
    assert "…” say about sentiment?" in page
    browser.fill("/answer", question=browser.question()["question"]["id"], choice="pos")
    for path in ("/", "/history", "/ledger"):
        assert len(browser.get(path).text) < 20_000, path


@pytest.mark.parametrize(
    ("worker", "state", "words"),
    [
        (Learner(line="round 2: fitting"), "waiting", "round 2: fitting"),
        (Learner(state="done", line="3 rules learned"), "done", "Learning is done"),
        (
            Learner(state="failed", line="the data is gone", remedy="look"),
            "failed",
            "answers are safe",
        ),
        (None, "empty", "No question is waiting"),
    ],
)
def test_when_no_question_is_ready(
    tmp_path: Path, worker: Learner | None, state: str, words: str
) -> None:
    browser = Browser(site_of(tmp_path, worker=worker)).enter()
    page = browser.get("/").text
    assert browser.question()["state"] == state
    assert words in page
    assert browser.get("/state.json").json()["state"] == state
    if worker is not None and state == "failed":
        assert "the data is gone" in page
        assert "Look" in page


def test_a_page_that_waits_hears_of_a_new_question(tmp_path: Path) -> None:
    site = site_of(tmp_path, worker=Learner())
    browser = Browser(site).enter()
    assert browser.get("/state.json").json()["state"] == "waiting"
    from tests.app.web.visiting import STAMP

    site.ledger.propose(feature("superb"), STAMP)
    assert browser.get("/state.json").json()["state"] == "question"


def test_notices_tell_only_what_is_true(browser: Browser) -> None:
    question = browser.question()["question"]["id"]
    for query in (f"notice=saved&about={question}", "notice=saved&about=x", "notice=x&about=y"):
        assert said(browser, browser.get(f"/?{query}")) == ""
