"""Questions to a person: every kind of answer, and every way of not answering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import UnknownLabel
from tacit.logic.evidence import Learned
from tacit.review import (
    Answer,
    Ledger,
    NotAnsweredYet,
    OracleReviewer,
    Question,
    QueueReviewer,
    ReviewerLeft,
)
from tacit.s4.asking import AROUND, LONGEST
from tacit.s4.run import Run
from tests.s4.corpora import (
    NEG,
    NOON,
    OFTEN,
    PLAIN,
    POS,
    SIDES,
    Asked,
    Knows,
    Leaves,
    grown,
    kinds,
    noon,
    one_round,
    quick,
    reviews,
    s4,
    same_model,
    script,
    told,
    words_spoken_of,
)

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def asked_of(reviewer: Any, path: Path | None = None, **settings: Any) -> tuple[tacit.S4, Asked]:
    """A run of one round and some questions."""
    asked = Asked(reviewer)
    model = grown(reviews(), path, **{"rounds": 1, "budget": 3, "reviewer": asked} | settings)
    return model, asked


def by_person(model: tacit.S4) -> dict[str, Any]:
    return {own.name: own for own in model.added_ if own.origin.kind == "fal"}


def test_a_yes_joins_the_program(path: Path) -> None:
    words = {side: list(own) for side, own in SIDES.items()}
    oracle = OracleReviewer(words, who="ann", clock=noon)
    model, asked = asked_of(oracle, path)
    assert len(asked.questions) == model.n_asked_ == 3
    found = by_person(model)
    assert len(found) == 3
    for question, evidence in zip(asked.questions, found.values(), strict=True):
        facts = dict(evidence.origin.facts)
        assert evidence.weight == Learned(2.2)
        assert evidence.name.split("_")[1] == question.feature
        assert facts["by"] == "ann"
        assert facts["question"] == question.id
        assert facts["score"] == round(question.score, 4)
    assert same_model(model, asked_of(Knows())[0])


def test_a_no_adds_nothing_and_costs_an_answer(path: Path) -> None:
    model, asked = asked_of(script("reject", "reject", "reject", "pos"), path)
    assert len(asked.questions) == model.n_asked_ == 3
    assert not by_person(model)
    assert same_model(model, one_round())
    with Ledger(path) as ledger:
        assert [own.feature for own in ledger.rejected()] == asked.words
    assert len(set(asked.words)) == 3


def test_what_is_skipped_costs_nothing_and_is_not_asked_again(path: Path) -> None:
    model, asked = asked_of(script("skip", "reject", "skip", "reject", "reject"), path)
    assert model.n_asked_ == 3
    assert len(asked.questions) == len(set(asked.words)) == 5
    assert not by_person(model)


def test_one_who_skips_all_is_asked_about_all_that_there_is(path: Path) -> None:
    model, asked = asked_of(script(*["skip"] * 99), path, frequency=OFTEN)
    assert model.n_asked_ == 0
    by_round = {name.split("_")[1] for own in model.rounds_ for name in own.names}
    assert {*asked.words} == {*POS, *NEG, *PLAIN} - by_round - {POS[0], NEG[0]}
    again, more = asked_of(script(*["skip"] * 99), path, frequency=OFTEN)
    assert more.questions == []
    assert same_model(model, again)


def test_an_undo_takes_back_the_answer_before_and_opens_its_question(path: Path) -> None:
    before: dict[int, set[str]] = {}

    class Watches(Knows):
        """Says what holds, changes its mind once, and looks at the ledger at each step."""

        choices = iter(["neg", "undo", "reject", "reject", "reject"])

        def says(self, question: Question) -> str:
            with Ledger(path) as ledger:
                before[len(before)] = set(ledger.in_force())
            return next(self.choices)

    model, asked = asked_of(Watches(), path)
    first, second, again, then, _ = asked.questions
    assert again == first
    assert then == second
    by_round = set(model.rounds_[0].names)
    assert before[1] - by_round == {f"neg_{first.feature}"}
    assert before[2] == by_round
    assert model.n_asked_ == 3
    assert not by_person(model)
    assert kinds(path).count("undone") == 1
    never = one_round()
    assert model.program_ == never.program_
    assert np.array_equal(model.posterior_, never.posterior_)


def test_an_undo_may_be_undone_again(path: Path) -> None:
    """Three answers, all three taken back, and given anew: nothing is left of the first three."""
    choices = ["pos", "neg", "pos", "undo", "undo", "undo", "reject", "reject", "reject"]
    model, asked = asked_of(script(*choices), path, budget=4)
    assert model.n_asked_ == 3
    assert not by_person(model)
    one, two, three, four, three_again, two_again, *rest = asked.words
    assert (three_again, two_again) == (three, two)
    assert rest == [one, two, three, four]
    assert kinds(path)[-1] == "health"
    with Ledger(path) as ledger:
        assert [own.feature for own in ledger.pending()] == [four]


def test_an_undo_with_nothing_to_take_back_asks_again(path: Path) -> None:
    model, asked = asked_of(script("undo", "reject"), path, budget=1)
    assert len(set(asked.words)) == 1
    assert model.n_asked_ == 1
    assert "undone" not in kinds(path)


def test_an_undo_of_an_earlier_run(path: Path) -> None:
    first, _ = asked_of(Knows(), path, budget=1)
    assert len(by_person(first)) == 1
    second, asked = asked_of(script("undo", "reject"), path, budget=2)
    word = next(iter(by_person(first))).split("_")[1]
    assert word in asked.words
    assert not by_person(second)


@pytest.mark.parametrize("how", [ReviewerLeft, NotAnsweredYet])
def test_one_who_leaves_finds_the_question_open(path: Path, how: type[Exception]) -> None:
    model, asked = asked_of(Leaves(Knows(), 1, how), path)
    assert model.n_asked_ == 1
    assert len(by_person(model)) == 1
    assert model.reason_
    waiting = asked.questions[-1]
    with Ledger(path) as ledger:
        assert ledger.pending() == (waiting,)
    resumed, later = asked_of(Knows(), path)
    assert later.questions[0] == waiting
    assert resumed.n_asked_ == 3
    words = words_spoken_of(path)
    assert len(words) == len(set(words))


def test_one_who_leaves_at_once_costs_nothing(path: Path) -> None:
    model, _ = asked_of(Leaves(Knows(), 0), path)
    assert same_model(model, one_round())
    before = told(path)
    asked_of(Leaves(Knows(), 0), path)
    assert told(path) == before


def test_a_queue_is_answered_between_two_runs(path: Path) -> None:
    with Ledger(path) as ledger:
        queue = QueueReviewer(ledger, clock=noon)
        model = grown(reviews(), ledger, rounds=1, budget=2, reviewer=queue)
        assert model.n_asked_ == 0
        assert same_model(model, one_round())
        for n_asked in (1, 2):
            question = ledger.next_question("bob", now=NOON)
            assert question is not None
            ledger.answer(Answer(question.id, Knows().says(question), "bob", NOON))
            model = grown(reviews(), ledger, rounds=1, budget=2, reviewer=queue)
            assert model.n_asked_ == len(by_person(model)) == n_asked
            newest = list(by_person(model).values())[-1]
            assert dict(newest.origin.facts)["by"] == "bob"
            assert dict(newest.origin.facts)["question"] == question.id
        assert ledger.pending() == ()
        before = ledger.history()
        again = grown(reviews(), ledger, rounds=1, budget=2, reviewer=queue)
        assert same_model(model, again)
        assert ledger.history() == before


def test_a_queue_is_answered_while_it_is_waited_for(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path) as page:

        def answered(_: float) -> None:
            question = page.next_question("bob", now=NOON)
            assert question is not None
            page.answer(Answer(question.id, Knows().says(question), "bob", NOON))

        queue = QueueReviewer(ledger, wait_s=9, clock=noon, sleep=answered)
        model = grown(reviews(), ledger, rounds=1, budget=2, reviewer=queue)
    assert model.n_asked_ == len(by_person(model)) == 2
    straight, _ = asked_of(Knows(), budget=2)
    assert [own.formula for own in model.added_] == [own.formula for own in straight.added_]
    assert np.array_equal(model.posterior_, straight.posterior_)


def test_evidence_of_an_answer_that_a_person_took_out_is_not_put_back(path: Path) -> None:
    model, _ = asked_of(Knows(), path)
    name = next(iter(by_person(model)))
    with Ledger(path) as ledger:
        ledger.undo(name, ledger.history()[0].stamp)
    again, _ = asked_of(Knows(), path)
    assert name not in by_person(again)
    assert again.n_asked_ == 3


def test_an_answer_that_is_not_on_offer_is_refused(path: Path) -> None:
    class Slips(Knows):
        def says(self, question: Question) -> str:
            return "positive"

    with pytest.raises(UnknownLabel, match="did you mean 'pos'"):
        asked_of(Slips(), path)
    with Ledger(path) as ledger:
        assert len(ledger.pending()) == 1
    model, asked = asked_of(Knows(), path)
    assert model.n_asked_ == len(asked.questions) == 3


def test_answers_come_before_more_self_training(path: Path) -> None:
    """One round, three answers, and from these a round more."""
    _, asked = asked_of(Knows(), path, rounds=3, settled=0.3, budget=2)
    assert len(asked.questions) == 2
    found = [own for own in kinds(path) if own in ("added", "answered")]
    last_answer = len(found) - 1 - found[::-1].index("answered")
    assert "added" in found[: found.index("answered")]
    assert "added" in found[last_answer + 2 :]


def known_when_asked(path: Path, **settings: Any) -> list[set[str]]:
    """The evidence by a person, in the program from which each question was chosen."""
    found, put = list[set[str]](), Run.question

    def noted(self: Run, model: tacit.DPL, *chosen: Any) -> Question:
        program = model.program_.evidence
        found.append({own.name for own in program if own.origin.kind == "fal"})
        return put(self, model, *chosen)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "question", noted)
        asked_of(Knows(), path, **settings)
    return found


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_several_questions_come_from_one_fit(path: Path, at_once: int) -> None:
    found = known_when_asked(path, budget=5, at_once=at_once)
    assert [len(own) for own in found] == [n // at_once * at_once for n in range(5)]
    model, asked = asked_of(Knows(), path, budget=5, at_once=at_once)
    assert len(by_person(model)) == 5  # in the end, all of them count
    assert asked.questions == []


def test_questions_of_a_later_run_know_the_answers_before(path: Path) -> None:
    """Self-training has gone on from them, so that they are no news."""
    first, _ = asked_of(Knows(), path, budget=1, at_once=5)
    found = known_when_asked(path, budget=2, at_once=5)
    assert found[0] == set(by_person(first))
    assert len(by_person(first)) == 1


def test_the_most_doubtful_word_is_asked_about_by_entropy() -> None:
    model, asked = asked_of(script("reject"), ask="entropy", budget=1, frequency=OFTEN)
    together, texts = model.model_.views().together, column()

    def doubt(word: str) -> float:
        mean = together[[word in text.split() for text in texts]].mean(axis=0)
        return float(-(mean * np.log(mean)).sum())

    spoken_of = model.program_.show()
    left = [word for word in (*POS, *NEG, *PLAIN) if f'"{word}"' not in spoken_of]
    most = max(left, key=doubt)
    assert asked.words == [most]
    assert asked.questions[0].score == pytest.approx(doubt(most))


def column() -> list[str]:
    return [str(text) for text in reviews()[0].table("document").column("text").to_pylist()]


def test_a_question_tells_what_it_speaks_of() -> None:
    model, asked = asked_of(Knows(), budget=1)
    (question,) = asked.questions
    assert question.kind == "feature"
    assert question.function == "y"
    assert question.rule == "fal"
    assert question.labels == ("neg", "pos")
    word = question.feature
    texts = column()
    assert question.touched == sum(word in text.split() for text in texts)
    assert [offer.formula for offer in question.offers] == [
        f'token(d, "{word}") => y(d) = {side}' for side in ("neg", "pos")
    ]
    grown_before = quick().fit(reviews()[0], model.program_.without(f"neg_{word}"))
    together = grown_before.views().together
    for example in question.examples:
        row = int(example.instance)
        assert example.text == texts[row]
        assert example.spans
        assert {example.text[a:b] for a, b in example.spans} == {word}
        assert len(example.spans) == texts[row].split().count(word)
        expected = np.round(together[row], 4)
        assert example.posterior == (("neg", expected[0]), ("pos", expected[1]))


def test_a_long_text_is_cut_around_the_word() -> None:
    padded = [f"{'one two ' * 80}{text.upper()}! {'three four ' * 80}" for text in column()]
    seeds = {"pos": [POS[0]], "neg": [NEG[0]]}
    long = tacit.text_classification(padded, labels=["neg", "pos"], keywords=seeds)
    asked = Asked(Knows())
    s4(rounds=0, budget=1, reviewer=asked).fit(*long)
    (question,) = asked.questions
    for example in question.examples:
        assert len(example.text) == LONGEST + len("......")
        assert example.text.startswith("...")
        assert example.text.endswith("...")
        low, high = example.spans[0]
        assert example.text[low:high] == question.feature.upper()
        assert low == AROUND + len("...")
