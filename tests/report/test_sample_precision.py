"""Precision of samples: the counts, the Wilson interval, and what is said of them."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tacit.errors import BadInput
from tacit.report.sample_precision import (
    PrecisionRow,
    in_words,
    precision_table,
    sample_precision,
    wilson_interval,
)
from tacit.review import Answer, Ledger, Stamp
from tacit.review.sample_file import judging_questions
from tacit.review.sampling import Extraction, Sample, draw_sample


def extractions(*numbers: int) -> list[Extraction]:
    """Three texts for each tuple."""
    return [Extraction((f"drug{i // 3}",), f"d{i}", f"Text {i} on drug{i // 3}.") for i in numbers]


def answers(choices: dict[str, str]) -> dict[str, Answer]:
    return {id: Answer(id, choice, "ann", 1.0) for id, choice in choices.items()}


def asked(sample: Sample, system: str) -> list[str]:
    (own,) = [each for each in sample.systems if each.name == system]
    return [draw.question for draw in own.drawn]


def test_wilson_equals_scipy() -> None:
    for judged in (1, 2, 3, 10, 50, 100, 1234):
        for right in {0, 1, judged // 3, judged // 2, judged - 1, judged}:
            for confidence in (0.8, 0.95, 0.99):
                oracle = binomtest(right, judged).proportion_ci(confidence, method="wilson")
                low, high = wilson_interval(right, judged, confidence)
                assert (low, high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)


@pytest.mark.parametrize("wrong", [(0, 0), (3, 2), (-1, 2), (1, 2, 1.0), (1, 2, 0.0)])
def test_wilson_refuses_what_has_no_interval(wrong: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match="has no interval"):
        wilson_interval(*wrong)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts: tuple[int, int]) -> None:
    right, judged = counts
    low, high = wilson_interval(right, judged)
    assert 0 <= low <= right / judged <= high <= 1
    assert low < high
    mirrored = wilson_interval(judged - right, judged)
    assert mirrored == pytest.approx((1 - high, 1 - low))


def test_the_chapters_numbers() -> None:
    """Table (a) of the chapter: 0.73 of 10,501 extractions, by 100 judgements."""
    sample = draw_sample({"DPL": extractions(*range(10_501))}, 100)
    ids = asked(sample, "DPL")
    said = answers({id: "right" if at < 73 else "wrong" for at, id in enumerate(ids)})
    (row,) = sample_precision(sample, said)
    assert (row.precision, row.absolute_recall) == (0.73, pytest.approx(7666, abs=1))
    assert row.unique_tuples == 3501
    assert row.unique_recall == pytest.approx(0.73 * 3501)
    low, high = binomtest(73, 100).proportion_ci(method="wilson")
    assert row.absolute_recall_interval == pytest.approx((low * 10_501, high * 10_501))


def test_skips_are_left_out_rejections_are_wrong_and_the_rest_is_left() -> None:
    sample = draw_sample({"a": extractions(*range(30))}, 10)
    a, b, c, d, e, *_ = asked(sample, "a")
    said = answers({a: "right", b: "right", c: "wrong", d: "skip", e: "reject", "other": "right"})
    (row,) = sample_precision(sample, said)
    assert (row.drawn, row.judged, row.right, row.wrong, row.skipped, row.left) == (
        10,
        4,
        2,
        2,
        1,
        5,
    )
    assert row.precision == 0.5
    assert row.precision_interval == wilson_interval(2, 4)


def test_a_judgement_counts_for_the_systems_that_it_was_drawn_for() -> None:
    both = extractions(*range(8))
    sample = draw_sample({"a": both, "b": both + extractions(*range(100, 900))}, 8)
    a, b = set(asked(sample, "a")), set(asked(sample, "b"))
    assert a - b  # made by b too, and not drawn for it
    rows = {row.system: row for row in sample_precision(sample, answers(dict.fromkeys(a, "right")))}
    assert rows["a"].right == 8
    assert rows["b"].right == len(a & b)


def test_the_same_words_in_two_documents_count_twice() -> None:
    one = Extraction(("x",), "d1", "x again")
    sample = draw_sample({"a": [one, Extraction(("x",), "d2", "x again")]}, 5)
    (row,) = sample_precision(sample, answers({sample.questions[0].id: "right"}))
    assert (row.right, row.left, row.extractions, row.unique_tuples) == (2, 0, 2, 1)


@pytest.fixture
def judged(tmp_path: Path) -> Iterable[tuple[Sample, Ledger]]:
    systems = {"new": extractions(*range(40)), "old": extractions(*range(30, 90))}
    sample = draw_sample(systems, 6, parts=("drug",))
    with Ledger(tmp_path / "j.sqlite") as ledger:
        judging_questions(sample, ledger, now=1.0)
        yield sample, ledger


def test_the_table_follows_the_ledger_also_when_a_judgement_is_taken_back(
    judged: tuple[Sample, Ledger],
) -> None:
    sample, ledger = judged
    before = precision_table(sample, ledger)
    assert [row["precision"] for row in before["systems"]] == [None, None]
    assert before["left"] == before["questions"] == len(sample.questions)
    for at, id in enumerate(asked(sample, "new")):
        ledger.answer(Answer(id, "right" if at else "wrong", "ann" if at else "bob", 2.0))
    table = precision_table(sample, ledger)
    new = table["systems"][0]
    assert (new["system"], new["right"], new["judged"], new["left"]) == ("new", 5, 6, 0)
    assert table["judges"] == {"ann": 5, "bob": 1}
    assert (table["answered"], table["left"]) == (6, len(sample.questions) - 6)
    ledger.take_back(asked(sample, "new")[0], Stamp("bob", 3.0))
    again = precision_table(sample, ledger)["systems"][0]
    assert (again["right"], again["judged"], again["left"], again["precision"]) == (5, 5, 1, 1.0)
    assert json.loads(json.dumps(table, allow_nan=False))["systems"][0]["precision"] == 5 / 6


def test_agreement_between_judges_is_passed_on(judged: tuple[Sample, Ledger]) -> None:
    sample, ledger = judged
    first, second = (question.id for question in sample.questions[:2])
    for id, choice in ((first, "right"), (second, "wrong")):
        ledger.answer(Answer(id, choice, "ann", 2.0))
    assert precision_table(sample, ledger)["agreement"] == []
    ledger.give_opinion(Answer(first, "wrong", "bob", 3.0))
    ledger.give_opinion(Answer(second, "reject", "bob", 3.0))
    (pair,) = precision_table(sample, ledger)["agreement"]
    assert (pair["one"], pair["other"], pair["n"], pair["share"]) == ("ann", "bob", 2, 0.5)


def row(right: int, wrong: int, *, skipped: int = 0, left: int = 0, n: int = 1204) -> PrecisionRow:
    given = {"s": extractions(*range(n))}
    sample = draw_sample(given, right + wrong + skipped + left)
    choices = ["right"] * right + ["wrong"] * wrong + ["skip"] * skipped
    said = dict(zip(asked(sample, "s"), choices, strict=False))
    return sample_precision(sample, answers(said))[0]


def test_in_words() -> None:
    assert in_words(row(41, 9)) == (
        "41 of 50 right: precision 82% (69% to 90%); "
        "of 1,204 extractions about 987 are right (833 to 1,086)"
    )
    assert in_words(row(0, 3, skipped=2, left=4, n=20)) == (
        "0 of 3 right (4 still to judge, 2 could not be told): precision 0% (0% to 56%); "
        "of 20 extractions about 0 are right (0 to 11)"
    )
    assert in_words(row(0, 0, left=5)) == "nothing judged yet (5 still to judge)"
    assert in_words(row(2, 1, n=3)) == (
        "2 of 3 right: precision 67%; these are all of its extractions, so this is no estimate"
    )
