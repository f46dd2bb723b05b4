"""Second opinions change nothing in the program, and tell how far reviewers agree."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import BadInput, UnknownLabel
from tacit.logic.program import Program
from tacit.review import Agreement, Answer, Ledger, agreements, judgements, replay
from tests.oracles.agreement import cohen
from tests.review.asking import SEED, STAMP, evidence, feature

FINE, DULL, GOOD = (feature(word) for word in ("fine", "dull", "good"))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Three questions; ann has answered two, and skipped one."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        for question, choice in ((FINE, "pos"), (DULL, "skip"), (GOOD, "reject")):
            ledger.propose(question, STAMP)
            ledger.answer(Answer(question.id, choice, "ann", 1.0))
        ledger.add(evidence("fine"), STAMP, question=FINE.id)
        yield ledger


def test_an_opinion_is_kept_and_changes_nothing(ledger: Ledger) -> None:
    before, answers = replay(ledger, Program.parse(SEED)), ledger.answers()
    opinion = Answer(FINE.id, "neg", "bob", 2.0, "not to me")
    assert ledger.give_opinion(opinion) == opinion
    assert ledger.opinions() == {FINE.id: {"bob": opinion}}
    assert replay(ledger, Program.parse(SEED)) == before
    assert ledger.answers() == answers
    assert ledger.pending() == ()
    assert ledger.history()[-1].as_dict()["payload"]["note"] == "not to me"
    assert (ledger.n_answered, ledger.n_pending) == (2, 0)


def test_the_last_opinion_of_a_reviewer_counts_and_all_are_kept(ledger: Ledger) -> None:
    for choice in ("neg", "neg", "pos"):
        ledger.give_opinion(Answer(FINE.id, choice, "bob", 2.0))
    ledger.give_opinion(Answer(FINE.id, "reject", "cem", 3.0))
    found = ledger.opinions(FINE.id)[FINE.id]
    assert {who: own.choice for who, own in found.items()} == {"bob": "pos", "cem": "reject"}
    said = [e.payload["choice"] for e in ledger.history() if e.kind == "opinion"]
    assert said == ["neg", "pos", "reject"]  # the same one twice is one
    assert ledger.opinions(GOOD.id) == {}


def test_what_is_no_opinion_is_refused(ledger: Ledger) -> None:
    ledger.propose(feature("new"), STAMP)
    before = ledger.history()
    for opinion, said in (
        (Answer(feature("new").id, "pos", "bob", 2.0), "answered by nobody"),
        (Answer(FINE.id, "neg", "ann", 2.0), "answered by ann themselves"),
        (Answer(FINE.id, "undo", "bob", 2.0), "'undo' is no opinion"),
        (Answer("nothing", "pos", "bob", 2.0), "no question"),
    ):
        with pytest.raises(BadInput, match=said):
            ledger.give_opinion(opinion)
    with pytest.raises(UnknownLabel):
        ledger.give_opinion(Answer(FINE.id, "poss", "bob", 2.0))
    assert ledger.history() == before


def test_each_reviewer_gets_what_others_answered_the_oldest_first(ledger: Ledger) -> None:
    assert ledger.next_for_opinion("ann") is None
    for question, choice in ((FINE, "pos"), (GOOD, "skip")):
        assert ledger.next_for_opinion("bob") == question
        ledger.give_opinion(Answer(question.id, choice, "bob", 2.0))
    assert ledger.next_for_opinion("bob") is None  # a skip is an opinion too
    assert ledger.next_for_opinion("cem") == FINE
    ledger.take_back(FINE.id, STAMP)
    assert ledger.next_for_opinion("cem") == GOOD  # what is open is to be answered
    ledger.answer(Answer(FINE.id, "neg", "cem", 3.0))
    assert ledger.next_for_opinion("ann") == FINE
    assert ledger.next_for_opinion("bob") is None


def test_answers_and_opinions_are_judged_together(ledger: Ledger) -> None:
    ledger.give_opinion(Answer(FINE.id, "neg", "bob", 2.0))
    ledger.give_opinion(Answer(GOOD.id, "reject", "bob", 2.0))
    ledger.give_opinion(Answer(GOOD.id, "skip", "cem", 2.0))
    assert judgements(ledger) == {
        FINE.id: {"ann": "pos", "bob": "neg"},
        DULL.id: {},
        GOOD.id: {"ann": "reject", "bob": "reject"},
    }
    (found,) = agreements(judgements(ledger))
    assert found == Agreement("ann", "bob", 2, 0.5, pytest.approx(1 / 3))
    ledger.take_back(FINE.id, STAMP)
    ledger.answer(Answer(FINE.id, "pos", "bob", 3.0))  # an answer outweighs the opinion before
    assert judgements(ledger)[FINE.id] == {"bob": "pos"}


def test_kappa_of_a_textbook() -> None:
    """Two readers of 50 grants: 20 yes by both, 15 no by both, 5 and 10 apart; kappa is 0.4."""
    said = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    (found,) = agreements({str(i): {"a": a, "b": b} for i, (a, b) in enumerate(said)})
    assert (found.n, found.share, found.kappa) == (50, 0.7, pytest.approx(0.4))
    assert found.as_dict()["one"] == "a"


def test_kappa_is_not_told_where_nobody_ever_chooses_otherwise() -> None:
    (found,) = agreements({"1": {"a": "pos", "b": "pos"}, "2": {"a": "pos", "b": "pos"}})
    assert (found.share, found.kappa) == (1.0, None)
    assert agreements({"1": {"a": "pos"}, "2": {"b": "pos"}}) == ()


@given(
    st.dictionaries(
        st.integers(0, 30).map(str),
        st.dictionaries(st.sampled_from("abc"), st.sampled_from(["pos", "neg", "reject"])),
    )
)
def test_agreement_is_as_defined(said: dict[str, dict[str, str]]) -> None:
    found = {(own.one, own.other): own for own in agreements(said)}
    for pair in (("a", "b"), ("a", "c"), ("b", "c")):
        if not any(set(pair) <= set(choices) for choices in said.values()):
            assert pair not in found
            continue
        n, share, kappa = cohen(said, *pair)
        own = found[pair]
        assert own.n == n
        assert own.share == pytest.approx(float(share))
        assert own.kappa == (None if kappa is None else pytest.approx(float(kappa)))
