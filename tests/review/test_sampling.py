"""Samples are uniform for each system, blind, and the same in whatever order things are given."""

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from tacit.errors import BadInput
from tacit.review.sampling import Extraction, Sample, draw_sample, find_spans, in_words

PARTS = ("drug", "gene")


def extraction(number: int, prefix: str = "d", **more: object) -> Extraction:
    key = (f"{prefix}{number}", f"G{number % 7}")
    one = Extraction(key, f"pmc{number}", f"Given {key[0]}, cells with {key[1]} died.")
    return replace(one, **more)  # type: ignore[arg-type]


def extractions(*numbers: int, prefix: str = "d") -> list[Extraction]:
    return [extraction(number, prefix) for number in numbers]


def drawn(sample: Sample, system: str) -> list[str]:
    (own,) = [each for each in sample.systems if each.name == system]
    return [draw.question for draw in own.drawn]


def test_the_order_of_systems_and_rows_changes_nothing() -> None:
    systems = {"old": extractions(*range(40)), "new": extractions(*range(20, 90))}
    sample = draw_sample(systems, 10, seed=3, parts=PARTS)
    shuffled = {
        name: random.Random(1).sample(systems[name], len(systems[name]))
        for name in reversed(list(systems))
    }
    assert draw_sample(shuffled, 10, seed=3, parts=PARTS) == sample
    assert draw_sample(systems, 10, seed=4, parts=PARTS).systems != sample.systems
    assert [own.name for own in sample.systems] == ["new", "old"]
    assert [own.extractions for own in sample.systems] == [70, 40]


def test_a_sample_is_n_different_extractions_or_all() -> None:
    sample = draw_sample({"a": extractions(*range(30)), "b": extractions(1, 2)}, 5)
    assert len(set(drawn(sample, "a"))) == len(drawn(sample, "a")) == 5
    assert len(drawn(sample, "b")) == 2
    asked = [question.id for question in sample.questions]
    assert set(asked) == {*drawn(sample, "a"), *drawn(sample, "b")}
    assert len(set(asked)) == len(asked)


def test_a_system_is_drawn_from_as_if_it_were_alone() -> None:
    own, other = extractions(*range(50)), extractions(*range(25, 99))
    alone = draw_sample({"own": own}, 8, seed=2)
    both = draw_sample({"own": own, "another": other}, 8, seed=2)
    assert drawn(alone, "own") == drawn(both, "own")


def test_every_extraction_is_drawn_equally_often() -> None:
    seeds, n, systems = 1500, 3, {"b": extractions(*range(12)), "a": extractions(*range(6, 30))}
    times = Counter(id for seed in range(seeds) for id in drawn(draw_sample(systems, n, seed), "b"))
    expected = seeds * n / 12
    assert len(times) == 12
    # within 4.5 standard deviations of a binomial
    assert all(
        abs(count - expected) < 4.5 * (expected * (1 - n / 12)) ** 0.5 for count in times.values()
    )


def test_what_was_drawn_for_another_system_alone_does_not_count() -> None:
    """B's own extractions are wrong, those that A made too are right: B's precision is a half."""
    shared, own = extractions(*range(10)), extractions(*range(10), prefix="w")
    systems = {"A": shared, "B": shared + own}
    wrong = {e.text for e in own}
    counted, naive = [], []
    for seed in range(800):
        sample = draw_sample(systems, 5, seed)
        right = {q.id for q in sample.questions if q.examples[0].text not in wrong}
        counted.append(sum(id in right for id in drawn(sample, "B")) / 5)
        naive.append(len(right) / len(sample.questions))  # all that B made and anyone drew
    assert abs(sum(counted) / 800 - 0.5) < 0.03
    assert sum(naive) / 800 > 0.55  # what the rule is for


def test_what_several_systems_made_is_asked_once_whatever_its_ids() -> None:
    ours = extractions(*range(60))
    theirs = [replace(one, instance=f"x-{one.instance}", probability=0.4) for one in ours]
    sample = draw_sample({"ours": ours, "theirs": theirs}, 10)
    assert drawn(sample, "ours") == drawn(sample, "theirs")  # the same numbers for the same things
    assert len(sample.questions) == 10


def test_a_tuple_in_two_texts_is_two_extractions_and_in_two_documents_too() -> None:
    one = extraction(1)
    there = replace(one, text="Also d1 and G1.")
    again = replace(one, instance="pmc999")
    sample = draw_sample({"a": [one, there, again, one, replace(one, probability=0.5)]}, 9)
    (own,) = sample.systems
    assert (own.extractions, own.repeated, own.unique_tuples) == (3, 2, 1)
    assert len(sample.questions) == 2  # the same words in two documents need one judgement
    assert Counter(draw.question for draw in own.drawn).most_common(1)[0][1] == 2
    assert {draw.instance for draw in own.drawn} == {"pmc1", "pmc999"}


def test_the_mean_probability_is_of_all_or_of_none() -> None:
    sure = [extraction(i, probability=0.5 + i / 10) for i in range(3)]
    unsure = [*sure, extraction(9)]
    twice = [extraction(0, probability=p) for p in (None, 0.0, 0.25)]
    systems = {"a": sure, "b": unsure, "c": twice, "d": twice[::-1]}
    means = [own.mean_probability for own in draw_sample(systems, 2).systems]
    assert means == [pytest.approx(0.6), None, 0.25, 0.25]


def test_nothing_in_a_question_tells_the_system() -> None:
    systems = {
        "Peng2017": [extraction(i, instance=f"Peng2017-{i}", probability=0.123) for i in range(9)],
        "DPL+EMB": [extraction(i, instance=f"DPL+EMB-{i}", probability=0.987) for i in range(9)],
    }
    sample = draw_sample(systems, 6, parts=PARTS, claim="treats = yes")
    said = json.dumps([question.as_dict() for question in sample.questions])
    for told in ("Peng2017", "DPL+EMB", "pmc", "0.123", "0.987"):
        assert told not in said
    question = sample.questions[0]
    assert question.kind == "extraction"
    assert question.labels == ("right", "wrong")
    assert question.feature.startswith("treats = yes; drug: d")
    (example,) = question.examples
    assert example.text.startswith("Given")
    assert len(example.spans) == 2
    assert (question.score, question.rule, question.touched, example.posterior) == (0.0, "", 1, ())


def test_the_order_of_questions_tells_nothing() -> None:
    """The larger system has the lower numbers in the draw; its questions must not come first."""
    systems = {"large": extractions(*range(400)), "small": extractions(*range(400, 420))}
    places = []
    for seed in range(60):
        sample = draw_sample(systems, 10, seed)
        large = set(drawn(sample, "large"))
        places += [at for at, question in enumerate(sample.questions) if question.id in large]
    assert abs(sum(places) / len(places) - 9.5) < 1.0


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (("kit",), "KIT, Kit and kits", ["KIT", "Kit"]),
        (("EGFR", "EGFR T790M"), "EGFR  T790M but not EGFR", ["EGFR  T790M", "EGFR"]),
        (("c.35G>A", "p.(=)"), "(c.35G>A); p.(=).", ["c.35G>A", "p.(=)"]),
        (("a.b",), "axb", []),
        (("BRAF",), "<gene>BRAF</gene> preBRAF BRAF2", ["BRAF"]),
        (("müller",), "Müllers MÜLLER", ["MÜLLER"]),
        (("", "  "), "nothing", []),
    ],
)
def test_spans_are_whole_words_in_any_case(
    words: tuple[str, ...], text: str, found: list[str]
) -> None:
    assert [text[start:end] for start, end in find_spans(words, text)] == found


def test_given_spans_are_kept_and_make_another_extraction() -> None:
    one = extraction(1)
    marked = replace(one, spans=((6, 8), (0, 5)))
    sample = draw_sample({"a": [one, marked]}, 5)
    assert {question.examples[0].spans for question in sample.questions} == {
        ((0, 5), (6, 8)),
        find_spans(one.key, one.text),
    }


def test_in_words() -> None:
    assert (
        in_words(("imatinib", "KIT"), PARTS, "treats = yes")
        == "treats = yes; drug: imatinib, gene: KIT"
    )
    assert in_words(("imatinib", "KIT")) == "imatinib, KIT"


def test_refusals() -> None:
    with pytest.raises(BadInput, match="sample of 0"):
        draw_sample({"a": extractions(1)}, 0)
    with pytest.raises(BadInput, match="no system"):
        draw_sample({})
    with pytest.raises(BadInput, match="no extractions of b"):
        draw_sample({"a": extractions(1), "b": []})
    with pytest.raises(BadInput, match="have 1, 2 values"):
        draw_sample({"a": extractions(1), "b": [Extraction(("x",), "", "x")]})
    with pytest.raises(BadInput, match="have 2 values, and the names of 1"):
        draw_sample({"a": extractions(1)}, parts=("drug",))
