"""Pictures: well formed, safe and in proportion, whatever they are given."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.report.pictures import (
    Line,
    calibration,
    colours,
    confusion,
    contributions,
    curves,
    evidence_overview,
    has_neighbours,
    health_over_time,
    label_flow,
    label_probabilities,
    label_shares,
    learning_curves,
    neighbourhood,
    sureness,
)
from tacit.report.pictures.lettering import cut_to, readable, width_of
from tacit.report.record import FunctionRecord, Snapshot

from .records_for_tests import (
    HOSTILE,
    counts,
    evidence,
    evidence_row,
    evidence_rows,
    example_record,
    explanation,
    explanations,
    functions,
    gold_scores,
    names,
    neighbours,
    part,
    sentiment,
    shares,
    snapshots,
    snapshots_of,
    tied_explanation,
    topic,
)

SVG = "{http://www.w3.org/2000/svg}"
FEW = settings(
    max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
PLACES = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "r", "points", "d")
COLOUR = re.compile("#[0-9a-fA-F]{3,8}|rgb|style=")


def checked(picture: str) -> ElementTree.Element:
    """The picture as a tree: well formed, told to all, finite, with no colour of its own."""
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text is not None
    assert description is not None
    assert description.text
    box = [float(one) for one in str(root.get("viewBox")).split()]
    assert box[2] > 0
    assert box[3] > 0
    for one in root.iter():
        assert one.tag.removeprefix(SVG) in (
            "svg", "title", "desc", "g", "line", "rect", "text", "circle", "polyline", "polygon",
            "path",
        )  # fmt: skip
        assert not any(name.startswith("on") or name in ("style", "href") for name in one.attrib)
        for name in PLACES:
            for number in re.findall(r"-?[a-z0-9.+-]+", one.get(name, "").lower()):
                assert number in "mclz" or math.isfinite(float(number))
    assert not COLOUR.search(re.sub(">[^<]*<", "><", picture))
    return root


def bars(root: ElementTree.Element, class_: str = "bar") -> list[ElementTree.Element]:
    return [one for one in root.iter(f"{SVG}rect") if class_ in str(one.get("class")).split()]


def words(root: ElementTree.Element) -> str:
    """All that the picture says, seen or told."""
    return " ".join("".join(one.itertext()) for one in root.iter())


def proportional(sizes: Sequence[float], values: Sequence[float]) -> bool:
    """Whether sizes are values times one number, up to what is rounded."""
    unit = max(sizes) / max(values)
    return all(abs(size - unit * value) < 0.011 for size, value in zip(sizes, values, strict=True))


# --- whatever they are given -------------------------------------------------------------------


@FEW
@given(explanations())
def test_any_explanation_can_be_drawn(given: dict[str, Any]) -> None:
    checked(contributions(given))
    checked(neighbourhood(given))
    assert has_neighbours(given) == any(one["neighbours"] for one in given["parts"])


@FEW
@given(functions())
def test_any_labels_can_be_drawn(function: FunctionRecord) -> None:
    checked(label_shares(function))
    checked(sureness(function))
    if function.gold is not None:
        checked(confusion(function.gold, function.labels))
        checked(calibration(function.gold))


@FEW
@given(st.data())
def test_any_growth_can_be_drawn(data: st.DataObject) -> None:
    function = data.draw(functions(most=12))
    grown: tuple[Snapshot, ...] = data.draw(snapshots_of(function))
    checked(learning_curves(grown))
    checked(health_over_time(grown))
    checked(label_flow(grown, function))


@FEW
@given(evidence_rows)
def test_any_evidence_can_be_drawn(rows: list[dict[str, Any]]) -> None:
    checked(evidence_overview(rows))


@FEW
@given(st.lists(st.tuples(names, shares), max_size=30))
def test_any_probabilities_can_be_drawn(pairs: list[tuple[str, float]]) -> None:
    checked(label_probabilities([name for name, _ in pairs], [share for _, share in pairs]))


@FEW
@given(names)
def test_names_are_text_and_nothing_else(name: str) -> None:
    """No name makes an element, and a name that was cut is told in full."""
    function = replace(sentiment(), labels=("neg", name))
    said = readable(name)
    drawn = [
        label_shares(function),
        confusion(gold_scores(((3, 1), (2, 4))), function.labels),
        contributions(explanation([part(name, 1.5)])),
        neighbourhood(explanation([part(name, 1.0, neighbours=neighbours(1))])),
        evidence_overview([evidence_row(name)]),
        label_flow(snapshots(), function),
    ]
    plain = [label_shares(sentiment()), contributions(explanation([part("a", 1.5)]))]
    for picture in drawn:
        assert said in words(checked(picture))
    for picture, other in zip((drawn[0], drawn[2]), plain, strict=True):
        shape = [one.tag for one in checked(picture).iter() if one.tag != f"{SVG}title"]
        assert shape == [one.tag for one in checked(other).iter() if one.tag != f"{SVG}title"]


@FEW
@given(names, st.floats(min_value=10, max_value=300))
def test_a_text_is_cut_to_its_room(name: str, room: float) -> None:
    said = readable(name)
    shown = cut_to(said, room)
    assert width_of(shown) <= max(room, width_of("…"))
    assert shown == said or (shown.endswith("…") and said.startswith(shown[:-1]))


# --- extremes ----------------------------------------------------------------------------------


def nothing() -> Iterator[tuple[str, str]]:
    empty = replace(sentiment(), counts=(0, 0), sureness=(0,) * 20)
    none = gold_scores(((0, 0), (0, 0)))
    yield "contributions", contributions(explanation([]))
    yield "neighbourhood", neighbourhood(explanation([part("a", 1.0)]))
    yield "curves", learning_curves(())
    yield "flow", label_flow((), sentiment())
    yield "health", health_over_time(())
    yield "confusion", confusion(none, ("neg", "pos"))
    yield "calibration", calibration(replace(none, calibration=()))
    yield "sureness", sureness(empty)
    yield "shares", label_shares(empty)
    yield "probabilities", label_probabilities((), ())
    yield "evidence", evidence_overview(())


@pytest.mark.parametrize("picture", [pytest.param(own, id=name) for name, own in nothing()])
def test_of_nothing_a_picture_says_so(picture: str) -> None:
    root = checked(picture)
    assert [one.tag for one in root] == [f"{SVG}title", f"{SVG}desc", f"{SVG}text"]
    assert words(root).strip().endswith(".")


@pytest.mark.parametrize("n", [1, 2, 8, 9, 20, 100])
def test_few_labels_or_many(n: int) -> None:
    labels = tuple(f"label {at}" for at in range(n))
    matrix = tuple(tuple(7 if a == b else (a * b) % 3 for b in range(n)) for a in range(n))
    function = replace(
        sentiment(), labels=labels, counts=tuple(range(1, n + 1)), gold=gold_scores(matrix)
    )
    counted = {"sentiment": function.counts}
    one = Snapshot(stage="seeds", number=0, rules=1, program="", health={}, counts=counted)
    two = replace(one, stage="round", number=1, flow={"sentiment": matrix})
    root = checked(label_shares(function))
    assert ("others" in words(root)) == (n > 15)
    root = checked(label_flow((one, two), function))
    assert len(bars(root, "band")) == 2 * min(n, 8)
    assert function.gold is not None
    root = checked(confusion(function.gold, labels))
    assert len(bars(root, "cell")) == min(n, 24) ** 2
    assert ("others" in words(root)) == (n > 24)


def test_huge_numbers_fit() -> None:
    function = replace(sentiment(), counts=(10**15, 3), sureness=(10**15,) * 20)
    assert "1.0 P" in words(checked(label_shares(function)))
    checked(sureness(function))
    checked(confusion(gold_scores(((10**15, 1), (1, 10**15))), function.labels))
    checked(contributions(explanation([part("a", 1e300), part("b", -1e300)])))


def test_one_snapshot_or_very_many() -> None:
    for grown in (snapshots()[:1], snapshots(400, (1, 2))):
        for picture in (
            learning_curves(grown),
            health_over_time(grown),
            label_flow(grown, topic()),
        ):
            checked(picture)
    many = checked(label_flow(snapshots(400), sentiment()))
    assert "earlier fits are not drawn" in words(many)


def test_what_is_not_known_is_not_drawn() -> None:
    holes = [replace(one, accuracy=None, health={"coverage": None}) for one in snapshots()]
    assert "nothing to show" in words(checked(learning_curves(holes)))  # type: ignore[arg-type]
    line = Line("a", (0.1, None, 0.3, 0.4, None))
    root = checked(curves("Some", snapshots(2, (1, 2)), [line]))
    drawn = [str(one.get("points")).split() for one in root.iter(f"{SVG}polyline")]
    assert [len(one) for one in drawn] == [2]
    assert "nan" not in words(root)


# --- what they show ----------------------------------------------------------------------------


@FEW
@given(st.lists(st.floats(min_value=-50, max_value=50), min_size=1, max_size=12))
def test_contributions_are_in_proportion_and_add_up(worths: list[float]) -> None:
    given = explanation([part(f"p{at}", worth) for at, worth in enumerate(worths)])
    root = checked(contributions(given))
    drawn, [whole] = bars(root), bars(root, "total")
    sizes = [float(str(bar.get("width"))) for bar in (*drawn, whole)]
    values = sorted(map(abs, worths), reverse=True)
    if max(values) > 0.5:
        assert proportional(sizes, [*values, abs(given["log_odds"])])
        begin = min(float(str(whole.get("x"))), float(str(whole.get("x"))) + sizes[-1])
        assert begin >= 0


def test_contributions_wear_the_colours_of_their_labels() -> None:
    root = checked(contributions(explanation([part("for", 2.0), part("against", -1.0)])))
    assert [str(bar.get("class")).split()[-1] for bar in bars(root)] == ["f1", "f0"]
    assert "2.00 ± 0.12" in words(root)


@pytest.mark.parametrize("other", range(1, 20))
def test_the_two_labels_of_an_explanation_never_share_a_colour(other: int) -> None:
    probabilities = {f"label {at}": 0.05 for at in range(20)}
    two = {"label": "label 0", "against": f"label {other}", "probabilities": probabilities}
    root = checked(contributions(explanation([part("for", 2.0), part("no", -1.0)], **two)))
    for_it, against_it = (str(bar.get("class")).split()[-1] for bar in bars(root))
    assert for_it != against_it


def test_many_contributions_are_summed_up() -> None:
    parts = [part(f"p{at}", 1.0 / (at + 1)) for at in range(40)]
    root = checked(contributions(explanation(parts), most=10))
    assert len(bars(root)) == 10
    assert "31 smaller parts" in words(root)
    assert f"+{sum(1 / (at + 1) for at in range(9, 40)):.2f}" in words(root)


def test_hard_evidence_is_a_full_bar() -> None:
    given = explanation(
        [part("soft", 2.0), part("never", None, kind="hard")],
        probabilities={"neg": 0.0, "pos": 1.0},
    )
    root = checked(contributions(given))
    hard, soft = bars(root)
    assert str(hard.get("class")).split() == ["bar", "hard", "f1"]  # in the colour of what is left
    assert float(str(hard.get("width"))) == 420 > float(str(soft.get("width")))
    assert not bars(root, "total")
    out = given | {"probabilities": {"neg": 1.0, "pos": 0.0}}
    assert "f0" in str(bars(checked(contributions(out)))[0].get("class"))
    both = given | {"probabilities": {"neg": 0.0, "pos": 0.0}}
    assert "f7" in str(bars(checked(contributions(both)))[0].get("class"))


def test_neighbours_are_drawn_once_and_the_others_counted() -> None:
    parts = [
        part("agree", 0.5, neighbours=neighbours(20)),
        part("cites", 0.2, neighbours=neighbours(30)),
    ]
    root = checked(neighbourhood(explanation(parts)))
    dots = [one for one in root.iter(f"{SVG}circle") if "dot" in str(one.get("class"))]
    assert len(dots) == 1 + 24
    assert "and 6 more" in words(root)
    assert "agree, cites" in words(root)
    spots = {(one.get("cx"), one.get("cy")) for one in dots}
    assert len(spots) == 25
    assert neighbourhood(explanation(parts)) == neighbourhood(explanation(parts))


def test_labels_have_one_colour_in_all_pictures() -> None:
    record = example_record()
    around = checked(neighbourhood(tied_explanation(), record.functions))
    dots = [str(one.get("class")) for one in around.iter(f"{SVG}circle")]
    assert sum("f1" in one for one in dots) == 1 + 4  # pos is the second label
    assert sum("f0" in one for one in dots) == 1
    share_bars = bars(checked(label_shares(record.functions[0])))
    assert [str(one.get("class")).split()[-1] for one in share_bars] == ["f0", "f1"]
    flow = checked(label_flow(record.snapshots, record.functions[0]))
    assert {str(one.get("class")).split()[-1] for one in bars(flow, "band")} == {"f0", "f1"}


@FEW
@given(st.lists(counts, min_size=2, max_size=8).filter(lambda own: sum(own) > 0))
def test_shares_are_in_proportion(own: list[int]) -> None:
    labels = tuple(f"l{at}" for at in range(len(own)))
    function = replace(sentiment(), labels=labels, counts=tuple(own))
    sizes = [float(str(bar.get("width"))) for bar in bars(checked(label_shares(function)))]
    assert proportional(sizes, own)


@FEW
@given(st.lists(counts, min_size=20, max_size=20).filter(lambda own: sum(own[10:]) > 0))
def test_sureness_is_in_proportion(own: list[int]) -> None:
    own = [0] * 10 + own[10:]
    function = replace(sentiment(), sureness=tuple(own))
    root = checked(sureness(function))
    sizes = [float(str(bar.get("height"))) for bar in bars(root)]
    assert proportional(sizes, own[10:])
    assert len(sizes) == 10  # of two labels, none is less than half probable


@FEW
@given(st.lists(st.integers(0, 5000), min_size=2, max_size=5).filter(lambda own: sum(own) > 0))
def test_bands_and_ribbons_are_in_proportion(own: list[int]) -> None:
    labels = tuple(f"l{at}" for at in range(len(own)))
    function = replace(sentiment(), labels=labels)
    matrix = tuple(tuple(n if a == b else 0 for b, n in enumerate(own)) for a in range(len(own)))
    seeds = Snapshot(
        stage="seeds", number=0, rules=1, program="", health={}, counts={"sentiment": tuple(own)}
    )
    after = replace(seeds, stage="round", number=1, flow={"sentiment": matrix})
    root = checked(label_flow((seeds, after), function))
    there = [n for n in own if n]
    sizes = [float(str(bar.get("height"))) for bar in bars(root, "band")]
    assert proportional(sizes, there * 2)
    assert len(list(root.iter(f"{SVG}path"))) == len(there)


def test_a_confusion_tells_right_from_wrong() -> None:
    root = checked(confusion(gold_scores(((8, 2), (0, 5))), ("neg", "pos")))
    classes = [str(one.get("class")).split()[-1] for one in bars(root, "cell")]
    assert classes == ["f0", "f1", "back", "f0"]
    assert "gold neg, given pos: 2 (20 % of its row)" in words(root)


def test_a_calibration_has_a_dot_for_each_bin() -> None:
    gold = gold_scores(((8, 2), (0, 5)))
    root = checked(calibration(gold))
    sizes = [float(str(one.get("height"))) for one in bars(root)]
    assert proportional(sizes, [one.n for one in gold.calibration])
    assert "error 4.2 %" in words(root)


def test_evidence_has_a_dot_unless_it_ties_or_reaches_nothing() -> None:
    root = checked(evidence_overview(evidence()))
    dots = [one for one in root.iter(f"{SVG}circle") if "dot" in str(one.get("class"))]
    assert len(dots) == len(evidence()) - 2
    assert "2 more tie labels" in words(root)
    assert HOSTILE in words(root)


def test_growth_marks_what_was_taken_back() -> None:
    grown = [replace(one, taken_back=one.number == 2) for one in snapshots(3, ())]
    root = checked(learning_curves(grown))
    hollow = [one for one in root.iter(f"{SVG}circle") if "blank" in str(one.get("class"))]
    assert len(hollow) == 4  # one on each line
    assert "round 2 (taken back)" in words(root)


def test_every_class_has_its_colour() -> None:
    style, record = colours(), example_record()
    drawn = [
        learning_curves(record.snapshots),
        label_flow(record.snapshots, record.functions[0]),
        health_over_time(record.snapshots),
        evidence_overview(record.evidence),
        contributions(tied_explanation()),
        neighbourhood(tied_explanation()),
    ]
    marks = {"picture", "wide", "broad", "bar", "hard", "total", "dot", "band", "cell"}
    for picture in drawn:
        for one in checked(picture).iter():
            for name in set(str(one.get("class") or "").split()) - marks:
                assert re.search(rf"\.{name}\b", style), name
    assert style.count("--c7:") == 3  # light, dark, print
