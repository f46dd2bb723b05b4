"""Questions and answers are values with a stable name, and go through JSON unchanged."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tacit.errors import BadInput, UnknownLabel
from tacit.logic.evidence import Evidence
from tacit.logic.program import Program
from tacit.review import Answer, Effect, Example, Offer, Question, accepted_by, proposed_by
from tests.review.asking import SEED, feature


def test_json_both_ways() -> None:
    question, answer = feature("fine"), Answer("x", "pos", "ann", 3.5, "sure")
    assert Question.from_dict(json.loads(json.dumps(question.as_dict()))) == question
    assert Answer.from_dict(json.loads(json.dumps(answer.as_dict()))) == answer


def test_the_id_is_of_what_is_asked() -> None:
    question = feature("fine")
    assert question.id == "857cdf1569371308"  # in every process and version
    same = replace(question, score=9.0, examples=(), offers=question.offers[::-1], touched=3)
    assert same.id == question.id
    assert feature("dull").id != question.id
    assert replace(question, kind="undo-check").id != question.id


def test_what_an_answer_would_change_goes_through_json_and_is_not_asked() -> None:
    plain = feature("fine")
    offers = tuple(replace(own, effect=Effect(9, k, 3)) for k, own in enumerate(plain.offers))
    question = replace(plain, offers=offers, guess="pos")
    assert question.id == plain.id
    again = Question.from_dict(json.loads(json.dumps(question.as_dict())))
    assert again == question
    assert [own.effect for own in again.offers] == [Effect(9, 0, 3), Effect(9, 1, 3)]


def test_a_question_of_before_is_still_read() -> None:
    old = json.loads(json.dumps(feature("fine").as_dict()))
    del old["guess"]
    for offer in old["offers"]:
        del offer["effect"]
    assert Question.from_dict(old) == feature("fine")


def test_an_extraction_is_known_by_its_text_and_by_what_was_found() -> None:
    def extraction(found: str, instance: str, **more: Any) -> Question:
        offers = (Offer("right", "it says so", ""), Offer("wrong", "it does not", ""))
        example = Example(instance, "a text")
        return Question(
            kind="extraction",
            function="extraction",
            feature=found,
            offers=offers,
            examples=(example,),
            **more,
        )

    one = extraction("drug: imatinib", "a")
    assert one.id == extraction("drug: imatinib", "a", touched=1, score=3.0).id
    assert one.id != extraction("drug: imatinib", "b").id
    assert one.id != extraction("drug: aspirin", "a").id
    one.check("right")
    assert Question.from_dict(json.loads(json.dumps(one.as_dict()))) == one


def test_a_pair_is_the_same_in_either_order_and_another_with_other_members() -> None:
    def pair(*members: str) -> Question:
        offers = (Offer("same", "they agree", "near(r, s) => y(r) = y(s)"),)
        examples = tuple(Example(member, "text") for member in members)
        return Question(kind="pair", function="y", offers=offers, examples=examples)

    assert pair("a", "b").id == pair("b", "a").id != pair("a", "c").id


def test_choices_are_checked() -> None:
    feature("fine").check("skip")
    with pytest.raises(UnknownLabel, match="did you mean 'pos'"):
        feature("fine").check("poss")
    with pytest.raises(BadInput, match="no kind"):
        replace(feature("fine"), kind="riddle")  # type: ignore[arg-type]
    for offers in ((), (Offer("skip", "", ""),), (Offer("a", "", ""), Offer("a", "", ""))):
        with pytest.raises(BadInput, match="cannot offer"):
            replace(feature("fine"), offers=offers)


def test_origins_are_program_text() -> None:
    origin = proposed_by("fal", score=0.69, when=0.0, facts={"round": 3})
    origin = accepted_by(origin, Answer("abc", "pos", 'Ann "A"', 60.0))
    program = Program.parse(SEED)
    base = program["praise"]
    grown = program.with_evidence(Evidence("more", base.formula, base.weight, origin=origin))
    assert Program.parse(grown.show()) == grown
    assert '@ fal score=0.69 round=3 proposed="1970-01-01T00:00:00Z" by=' in grown.show()
