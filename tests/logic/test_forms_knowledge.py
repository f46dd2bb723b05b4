"""Knowledge: merging pieces, and putting them together with a task."""

from __future__ import annotations

import pytest

from tacit.data import Task, predicate
from tacit.errors import BadInput, DuplicateName, TacitError
from tacit.logic import Evidence, LabelIs, LabelOf, Learned, Program, Variable
from tacit.logic.forms import agreement, class_prior, label
from tacit.logic.functions import labelling_function, labelling_functions
from tacit.logic.knowledge import Knowledge, assemble
from tacit.logic.words import gazetteer, keywords, regexes

SENTIMENT = label("sentiment", on="review", labels=["neg", "pos"])
REVIEWS = {"id": ["r1", "r2"], "text": ["superb", "awful"]}


def test_pieces_merge() -> None:
    a = keywords({"pos": ["superb"]}, label=SENTIMENT)
    b = keywords({"neg": ["awful"]}, label=SENTIMENT)
    assert (a + b).declarations == a.declarations
    assert [e.name for e in (a + b).evidence] == ["pos_superb", "neg_awful"]
    pairs = agreement("near", [("r1", "r2")], label=SENTIMENT)
    assert (pairs + Knowledge(tables={"near": [("r1", "r2")]})).tables.keys() == {"near"}
    with pytest.raises(DuplicateName, match="'near'"):
        pairs + Knowledge(tables={"near": [("r1", "r1")]})


def test_different_predicates_of_one_name_are_refused() -> None:
    def long(text: str) -> bool:
        return len(text) > 10

    first = predicate(table="review")(long)
    second = predicate(table="review", on_error="abstain")(long)
    assert (Knowledge(predicates=(first,)) + Knowledge(predicates=(first,))).predicates == (first,)
    with pytest.raises(DuplicateName, match="'long'"):
        Knowledge(predicates=(first,)) + Knowledge(predicates=(second,))


def test_assemble_takes_programs_and_names_clashing_formulas() -> None:
    task = Task({"review": REVIEWS}, text="review.text")
    text = """
    label    sentiment(review) = neg | pos
    observed token(review, word)
    pos_superb: 1.0 token(r, "excellent") => sentiment(r) = pos
    """
    written = Program.parse(text)
    same_task, program = assemble(
        task, written, class_prior({"neg": 0.5, "pos": 0.5}, label=SENTIMENT)
    )
    assert same_task is task
    assert program["pos_superb"] == written["pos_superb"]
    with pytest.raises(DuplicateName, match='"excellent"') as caught:
        assemble(task, written, keywords({"pos": ["superb"]}, label=SENTIMENT))
    assert "name=" in str(caught.value)
    twice = keywords({"pos": ["superb"]}, label=SENTIMENT)
    with pytest.raises(DuplicateName, match="two formulas are called 'pos_superb'"):
        assemble(task, twice, twice)
    renamed = keywords({"pos": ["superb"]}, label=SENTIMENT, name="kw")
    assert assemble(task, written, renamed)[1]["kw_pos_superb"]
    with pytest.raises(BadInput, match="not knowledge"):
        assemble(task, text)  # type: ignore[arg-type]


def test_assemble_never_replaces_a_table() -> None:
    task = Task({"review": REVIEWS, "near": [("r1", "r2")]})
    same = agreement("near", [("r1", "r2")], label=SENTIMENT)
    assert assemble(task, same)[0].table("near") == task.table("near")
    with pytest.raises(DuplicateName, match="'near'"):
        assemble(task, agreement("near", [("r2", "r2")], label=SENTIMENT))


def test_assembling_twice_is_assembling_once() -> None:
    @labelling_function
    def praise(text: str) -> str | None:
        return "pos" if "superb" in text else None

    task = Task({"review": REVIEWS}, text="review.text")
    pieces = [
        regexes({"pos": ["superb"]}, label=SENTIMENT),
        regexes({"pos": ["absent"]}, label=SENTIMENT, relation="never", name="no"),
        gazetteer("praise_word", ["superb"], column="review.text"),
        labelling_functions([praise], label=SENTIMENT),
    ]
    once, program = assemble(task, *pieces)
    twice, same_program = assemble(once, *pieces)
    assert (once, program) == (twice, same_program)


def test_variables_never_meet_labels() -> None:
    letters = label("grade", on="review", labels=["r", "l", "s", "f", "r2"])
    knowledge = (
        keywords({"r": ["superb"]}, label=letters)
        + agreement("near", label=letters)
        + class_prior(dict.fromkeys(letters.labels, 0.2), label=letters)
    )
    program = Program(knowledge.declarations, knowledge.evidence)
    assert 'token(r3, "superb") => grade(r3) = r' in program.show()
    assert Program.parse(program.show()) == program


def test_variables_never_meet_the_labels_of_another_label_function() -> None:
    other = label("grade", on="essay", labels=["r", "r3", "s"])
    knowledge = agreement("near", label=SENTIMENT) + agreement("alike", label=other)
    _, program = assemble(Task({"review": REVIEWS}), knowledge)
    assert "near(r4, r2) => sentiment(r4) = sentiment(r2)" in program.show()
    assert Program.parse(program.show()) == program


def test_misused_variables_are_still_reported() -> None:
    """Renaming heals what forms make, not what a person means as a label."""
    wrong = LabelIs(LabelOf("sentiment", Variable("r")), Variable("pos"))
    piece = Knowledge((SENTIMENT,), (Evidence("wrong", wrong, Learned(1.0)),))
    with pytest.raises(TacitError, match=r"uses label 'pos'|which is a label|2 problems"):
        assemble(Task({"review": REVIEWS}), piece)
