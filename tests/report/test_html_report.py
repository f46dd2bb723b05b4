"""Reports: one file with everything in it, from any record."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.report.as_html import html_report, sections_of
from tacit.report.as_markdown import markdown_report
from tacit.report.record import InstanceRecord, RunRecord, record_text
from tacit.report.tables import evidence_table
from tacit.report.wording import in_words, key_figures, several
from tools.browser import NoBrowser, chromium

from .records_for_tests import (
    HOSTILE,
    additions,
    bare_record,
    evidence_row,
    evidence_rows,
    example_record,
    explanations,
    functions,
    made,
    names,
    snapshots_of,
)

VOID = {"meta", "br", "hr", "img", "input", "link"}
LINKS = ("src", "href", "srcset", "action", "data", "poster", "formaction", "xlink:href")


class Page(HTMLParser):
    """A page as a browser sees it: every tag is closed, and all is kept."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.stack or self.stack[-1] != "style":
            self.words.append(data)

    def every(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def checked(text: str) -> Page:
    """A page that is well formed, asks for nothing and runs nothing."""
    page = Page(text)
    text.encode()
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "iframe", "object", "embed", "link", "form", "base", "img"}
    for _, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes)
        for name in LINKS:
            assert (attributes.get(name) or "#").startswith("#")
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    [policy] = [one for one in page.every("meta") if "http-equiv" in one]
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in page.every("a"):
        assert str(link["href"])[1:] in ids
    return page


def test_a_full_report_has_every_section_and_fact() -> None:
    record = example_record()
    page = checked(html_report(record))
    headings = [one["id"] for one in page.every("section")]
    assert headings == [
        "learned", "labels", "growth", "scores", "evidence", "instances", "health", "training",
        "program", "again", "notes",
    ]  # fmt: skip
    assert [str(link["href"])[1:] for link in page.every("a")][1:] == headings
    for fact in (
        "2,500 reviews",
        "An expert wrote 4 rules. The program has learned 6 more rules",
        "the network has forgotten 6.0% of what the seeds say",
        "tacit grow reviews --budget 20",
        "3f8a0c11d2e4b596",
        "predictor.l2",
        "88.8 %",
        "agree says nothing of 12 % of the reviews",
        'token(r, "<script>alert(1)</script>") => sentiment(r) = neg',
    ):
        assert fact in page.text, fact
    assert len(page.every("svg")) >= 15


def test_headings_and_tables_are_for_all() -> None:
    page = checked(html_report(example_record()))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.every("th")
    assert all(one.get("scope") in ("col", "row") for one in page.every("th"))
    assert all(one.get("role") == "img" for one in page.every("svg"))
    [root] = page.every("html")
    assert root["lang"] == "en"


def test_what_has_no_content_is_left_out() -> None:
    page = checked(html_report(bare_record()))
    assert [one["id"] for one in page.every("section")] == ["learned", "program", "again"]
    assert "There are no items to label." in page.text
    assert not page.every("svg")


def test_hostile_names_stay_text() -> None:
    text = html_report(example_record())
    assert "<script" not in text.lower()
    assert HOSTILE in checked(text).text


def test_the_same_record_gives_the_same_report() -> None:
    first, second = example_record(), RunRecord.from_dict(json.loads(record_text(example_record())))
    assert html_report(first) == html_report(second)
    assert markdown_report(first) == markdown_report(second)


@st.composite
def records(draw: st.DrawFn) -> RunRecord:
    """Records with odd names everywhere, and with counts that need not fit each other."""
    function = draw(functions(most=6))
    own = draw(explanations())
    instance = InstanceRecord(
        function=function.name,
        id=draw(names),
        text=draw(names),
        posterior=tuple(1 / len(function.labels) for _ in function.labels),
        why=draw(names),
        explanation=own,
        gold=draw(st.none() | names),
    )
    return RunRecord(
        kind=draw(st.sampled_from(["fit", "grow"])),
        name=draw(names),
        predictor=draw(names),
        made=replace(made(draw(names)), settings={draw(names): draw(names)}),
        functions=(function,),
        program=draw(names),
        evidence=tuple(draw(evidence_rows)[:5]),
        instances=(instance,),
        snapshots=draw(snapshots_of(function)),
        additions=({**additions()[0], "name": draw(names), "why": draw(names)},),
        questions=({"feature": draw(names), "answer": draw(names), "who": draw(names)},),
        notes=(draw(names),),
        facts={draw(names): draw(names)},
    )


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(records())
def test_any_record_has_a_report(record: RunRecord) -> None:
    checked(html_report(record))
    text = markdown_report(record)
    text.encode()
    assert "<script" not in _outside_code(text)


def test_evidence_on_many_labels_names_a_few() -> None:
    many = {**evidence_row("words"), "labels": [f"label {i}" for i in range(20)]}
    none = {**evidence_row("share"), "labels": []}
    table = evidence_table(replace(example_record(), evidence=(many, none)))
    at = [column.head for column in table.columns].index("for")
    assert {row[at] for row in table.rows} == {"label 0, label 1, label 2 and 17 more", ""}


def test_an_instance_says_whether_its_label_is_the_gold_one() -> None:
    record = example_record()
    first = record.instances[0]
    names = next(own.labels for own in record.functions if own.name == first.function)
    best = names[first.posterior.index(max(first.posterior))]
    for gold in names:
        judged = replace(record, instances=(replace(first, gold=gold),))
        told = f"{'right' if gold == best else 'wrong'}: gold is "
        assert told + gold in checked(html_report(judged)).text
        assert f"{told}`{gold}`" in markdown_report(judged)


def test_an_instance_without_a_text_says_so() -> None:
    record = example_record()
    silent = replace(record, instances=(replace(record.instances[0], text=" "),))
    assert "It has no text." in html_report(silent)
    assert "It has no text." in markdown_report(silent)
    assert "It has no text." not in html_report(record) + markdown_report(record)


def test_long_texts_and_long_tables_are_cut() -> None:
    record = example_record()
    rows = tuple(evidence_row(f"rule{at}", weight=3.0 - at / 1000) for at in range(900))
    long = replace(record.instances[0], text="word " * 5000)
    text = html_report(replace(record, evidence=rows, instances=(long,)))
    assert len(text) < 600_000
    page = checked(text)
    assert "and 700 more" in page.text
    assert "<code>rule0</code>" in text
    assert "<code>rule899</code>" not in text
    assert page.text.count("word ") < 310


def test_markdown_has_the_same_facts() -> None:
    record = example_record()
    text = markdown_report(record)
    titles = re.findall("^## (.*)$", text, re.MULTILINE)
    assert titles == [section.title for section in sections_of(record)]
    assert "<script" not in _outside_code(text)
    for fact in ("| `praise` | `pos` | 2.31 ± 0.12 | 8.0 % |", "| `neg` | 980 | 160 |", "3f8a0c11"):
        assert fact in text
    for paragraph in in_words(record)[:2]:
        assert paragraph in text
    assert "](" not in _outside_code(text)  # nothing outside is named


def test_tables_of_markdown_hold_their_columns() -> None:
    odd = evidence_row("a|b", formula="x | `y` ``z``", labels=["p|q"])
    text = markdown_report(replace(bare_record(), evidence=(odd, evidence_row("c"))))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    table = lines[: next(at for at, line in enumerate(lines) if "what" in line)]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert "```x \\| `y` ``z`` ```" in text or "``` x \\| `y` ``z`` ```" in text


def test_the_words_fit_the_numbers() -> None:
    record = example_record()
    first, labels, other = in_words(record)
    assert first == (
        "An expert wrote 4 rules. The program has learned 6 more rules: 5 by itself, from what its "
        "network (linear) noticed, and 1 from a person's answers. 4 questions were answered. "
        "1 rule was taken back."
    )
    assert "pos 53 %, neg 47 %" in labels
    assert "Gold labels" in labels
    assert "network" not in other  # topic has none
    figures = {one.meaning: one.value for one in key_figures(record)}
    assert figures["rules written"] == "4"
    assert figures["right, by gold"] == "89 %"
    fitted = replace(record, kind="fit", snapshots=(), additions=(), questions=(), evidence=(
        evidence_row("words[superb, pos]"), evidence_row("words[dull, neg]"), evidence_row("one"),
    ))  # fmt: skip
    assert in_words(fitted)[0].startswith("An expert wrote 2 rules. From what the rules say")
    assert [several(one) for one in ("review", "entity", "box", "gene_pair", "texts", "day")] == [
        "reviews", "entities", "boxes", "gene pairs", "texts", "days",
    ]  # fmt: skip


def _outside_code(text: str) -> str:
    """Markdown without what stands between backticks."""
    text = re.sub(r"^(`{3,})\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


OUTSIDE = """() => [...document.querySelectorAll('svg.picture text')].filter(text => {
    const svg = text.ownerSVGElement, [, , width, height] = svg.getAttribute('viewBox').split(' ');
    const back = svg.getScreenCTM().inverse(), box = text.getBoundingClientRect();
    const low = new DOMPoint(box.left, box.top).matrixTransform(back);
    const high = new DOMPoint(box.right, box.bottom).matrixTransform(back);
    return low.x < -2 || low.y < -3 || high.x > +width + 2 || high.y > +height + 3;
}).map(text => text.textContent)"""


def test_a_browser_asks_for_nothing_and_complains_of_nothing(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html_report(example_record()), encoding="utf-8")
    asked: list[str] = []
    heard: list[str] = []
    try:
        with chromium() as browser:
            page = browser.new_page(viewport={"width": 390, "height": 800})
            page.on("request", lambda request: asked.append(request.url))
            page.on("console", lambda message: heard.append(message.text))
            page.on("pageerror", lambda error: heard.append(str(error)))
            page.goto(file.as_uri())
            outside = page.evaluate(OUTSIDE)
            width = page.evaluate("document.documentElement.scrollWidth")
    except NoBrowser as why:
        pytest.skip(str(why))
    assert asked == [file.as_uri()]
    assert heard == []
    assert outside == []  # no text in a picture is clipped
    assert width <= 390  # nothing but tables and wide pictures scrolls sideways
