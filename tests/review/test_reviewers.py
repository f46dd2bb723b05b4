"""Each reviewer answers as it should, and a screen shows what the expert needs."""

import subprocess
import sys
from dataclasses import replace
from io import BytesIO, StringIO, TextIOWrapper
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.errors import BadInput, MissingExtra, UnknownLabel
from tacit.predictors.linear import Linear
from tacit.review import (
    Answer,
    Effect,
    Example,
    Ledger,
    NotAnsweredYet,
    Offer,
    OracleReviewer,
    Question,
    QueueReviewer,
    Reviewer,
    ReviewerLeft,
    ScriptedReviewer,
    TerminalReviewer,
    oracle_pairs,
    oracle_words,
)
from tacit.review.reviewers import AHEAD, first_answer, n_ahead
from tacit.review.terminal import screen
from tests.review.asking import feature


def clock() -> float:
    return 7.0


ORACLE = OracleReviewer(
    {"pos": ["Fine", "very good"], "neg": ["dull"]},
    gold={"a": "pos", "b": "pos", "c": "neg"},
    clock=clock,
)


def members(kind: str, label: str, *ids: str) -> Question:
    return Question(
        kind=kind,  # type: ignore[arg-type]
        function="sentiment",
        offers=(Offer(label, "words", "formula"),),
        examples=tuple(Example(one, f"text {one}") for one in ids),
    )


@pytest.mark.parametrize(
    ("word", "choice"),
    [("fine", "pos"), ("very good", "pos"), ("dull", "neg"), ("good", "reject"), ("!", "reject")],
)
def test_the_oracle_knows_its_words(word: str, choice: str) -> None:
    question = feature(word)
    assert ORACLE.ask(question) == Answer(question.id, choice, "oracle", 7.0)
    assert isinstance(ORACLE, Reviewer)


def test_the_oracle_judges_pairs_groups_and_undo_checks() -> None:
    assert ORACLE.ask(members("pair", "same", "a", "b")).choice == "same"
    assert ORACLE.ask(members("pair", "same", "a", "c")).choice == "reject"
    assert ORACLE.ask(members("pair", "same", "x", "y")).choice == "reject"
    assert ORACLE.ask(members("group", "neg", "a", "c")).choice == "neg"
    assert ORACLE.ask(members("group", "neg", "a", "b")).choice == "reject"
    check = replace(feature("fine"), kind="undo-check")
    assert ORACLE.ask(replace(check, offers=check.offers[1:])).choice == "pos"
    assert ORACLE.ask(replace(check, offers=check.offers[:1])).choice == "undo"


def test_a_script_answers_by_question_or_in_order() -> None:
    known = Answer(feature("dull").id, "neg", "ann", 1.0)
    script = ScriptedReviewer(["pos", known, "skip", "wrong"], clock=clock)
    assert script.ask(feature("dull")) == known
    assert [script.ask(feature(word)).choice for word in "ab"] == ["pos", "skip"]
    with pytest.raises(UnknownLabel):
        script.ask(feature("c"))
    with pytest.raises(NotAnsweredYet):
        script.ask(feature("d"))


def test_a_queue_waits_for_its_answer(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        question = feature("fine")
        with pytest.raises(NotAnsweredYet, match="in the queue"):
            QueueReviewer(ledger).ask(question)
        answer = Answer(question.id, "pos", "ann", 1.0)
        patient = QueueReviewer(ledger, wait_s=9, sleep=lambda _: ledger.answer(answer) and None)
        assert patient.ask(question) == answer
        assert len(ledger.asked_ids()) == 1
        with pytest.raises(BadInput):
            QueueReviewer(ledger, wait_s=-1)


def test_of_several_questions_the_oldest_answer_is_taken(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        one, two, three = (feature(word) for word in ("fine", "dull", "good"))

        def answered(_: float) -> None:
            ledger.answer(Answer(three.id, "pos", "ann", 2.0))
            ledger.answer(Answer(two.id, "neg", "bob", 1.0))

        queue = QueueReviewer(ledger, wait_s=9, clock=clock, sleep=answered)
        assert queue.ask_any([one, two, three]).question == three.id  # recorded first
        assert queue.ask_any([one, two]).question == two.id
        with pytest.raises(NotAnsweredYet, match="with 1 more, in the queue"):
            QueueReviewer(ledger).ask_any([one, feature("new")])
        assert len(ledger.asked_ids()) == 4


def test_a_queue_waits_until_it_is_told_to_stop(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        slept: list[float] = []
        queue = QueueReviewer(
            ledger, wait_s=float("inf"), stop=lambda: len(slept) == 3, sleep=slept.append
        )
        with pytest.raises(ReviewerLeft):
            queue.ask(feature("fine"))
        assert len(slept) == 3
        ledger.answer(Answer(feature("fine").id, "pos", "ann", 1.0))
        assert queue.ask(feature("fine")).choice == "pos"  # what is there is taken all the same


def test_how_many_questions_wait_for_a_reviewer(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert n_ahead(QueueReviewer(ledger)) == AHEAD
        assert n_ahead(QueueReviewer(ledger, ahead=2)) == 2
        with pytest.raises(BadInput, match="no question could wait"):
            QueueReviewer(ledger, ahead=0)
    assert n_ahead(ORACLE) == 1
    assert first_answer(ORACLE, [feature("fine"), feature("dull")]).question == feature("fine").id


def terminal(keys: str) -> tuple[TerminalReviewer, StringIO]:
    output = StringIO()
    return TerminalReviewer(StringIO(keys), output, who="ann", clock=clock), output


@pytest.mark.parametrize(
    ("key", "choice"),
    [("1", "neg"), ("2", "pos"), ("pos", "pos"), ("R", "reject"), ("s", "skip"), ("u", "undo")],
)
def test_keys(key: str, choice: str) -> None:
    reviewer, _ = terminal(f"{key}\n")
    assert reviewer.ask(feature("fine")) == Answer(feature("fine").id, choice, "ann", 7.0)


def test_a_wrong_key_is_told_and_asked_again() -> None:
    reviewer, output = terminal("3\n\n2\n")
    assert reviewer.ask(feature("fine")).choice == "pos"
    assert "'3' is no answer. 1 neg   2 pos   r reject" in output.getvalue()


@pytest.mark.parametrize("keys", ["q\n", "", "x\n"])
def test_whoever_leaves_is_told_apart(keys: str) -> None:
    with pytest.raises(ReviewerLeft):
        terminal(keys)[0].ask(feature("fine"))


def test_a_screen() -> None:
    shown = screen(feature("fine"))
    assert "What does 'fine' say about sentiment?   (1,200 instances, proposed by fal" in shown
    assert 'token(r, "fine") => sentiment(r) = pos' in shown
    assert "r1: What a [fine] film. Really [fine]." in shown
    assert "    neg ██░░░░░░░░░░░░░░░░░░  10%\n    pos ██████████████████░░  90%" in shown
    assert "\x1b[1;7mfine\x1b[0m" in screen(feature("fine"), coloured=True)


def test_a_screen_tells_what_accepting_would_change() -> None:
    question = feature("fine")
    offers = (replace(question.offers[0], effect=Effect(1200, 310, 45)), question.offers[1])
    lines = screen(replace(question, offers=offers)).splitlines()
    at = lines.index("     310 of 1,200 instances would get another label, 45 their first evidence")
    assert lines[at - 1].endswith("sentiment(r) = neg")
    assert sum("another label" in line for line in lines) == 1


def test_long_texts_are_cut_around_the_feature_and_nothing_is_obeyed() -> None:
    text = "x " * 900 + "fine\x1b[2J" + " y" * 900
    example = Example("r1", text, ((1800, 1804),))
    shown = screen(replace(feature("fine"), examples=(example,) * 7))
    assert "[fine]" in shown
    assert "and 2 more" in shown
    assert "\x1b" not in shown
    assert len(shown) < 3000


def test_a_terminal_without_unicode() -> None:
    output = TextIOWrapper(BytesIO(), encoding="ascii")
    question = replace(feature("fine"), examples=(Example("r1", "schön", (), (("a", 0.5),)),))
    TerminalReviewer(StringIO("1\n"), output).ask(question)
    assert b"##########.........." in output.buffer.getvalue()  # type: ignore[attr-defined]


def test_pairs_and_groups_have_their_own_words() -> None:
    assert "belong together" in screen(members("pair", "same", "a", "b"))
    assert "at least one" in screen(members("group", "neg", "a", "b"))
    assert "still right" in screen(replace(feature("fine"), kind="undo-check"))
    judged = screen(replace(members("extraction", "right", "a"), feature="drug: imatinib"))
    assert "Does the text say so: drug: imatinib?" in judged


def test_oracle_words_of_two_and_three_labels() -> None:
    own = {"neg": "awful dull", "pos": "superb fine", "so": "so mixed"}
    for labels in (("neg", "pos"), ("neg", "pos", "so")):
        gold = [label for label in labels for _ in range(30)]
        texts = [f"film it was {own[label].split()[i % 2]}" for i, label in enumerate(gold)]
        words = oracle_words(texts, gold, labels, n=2)
        assert {label: set(found) for label, found in words.items()} == {
            label: set(own[label].split()) for label in labels
        }
    with pytest.raises(BadInput, match="missing: pos"):
        oracle_words(["a"], ["neg"], ["neg", "pos"])


class Placing(Linear):
    """A stand-in for a pretrained network: words as such before, and as they count after."""

    def adapted(self, inputs: Any) -> tuple[Any, Any]:
        before = self.prepare(inputs).matrix.toarray()
        own = before * np.abs(self.coef_).max(axis=1)
        return own.astype(np.float32), before.astype(np.float32)


def test_oracle_pairs_are_those_that_gold_has_brought_together() -> None:
    """By the definition: the greatest growth of the cosine among pairs of texts not yet taken."""
    words = {"neg": ["awful", "dull", "cold"], "pos": ["superb", "fine", "warm"]}
    labels, plain = ("neg", "pos"), ["film", "plot", "it", "was", "and", "the"]
    random = np.random.default_rng(0)
    gold = [labels[i % 2] for i in range(24)]
    texts = [" ".join([*random.choice(words[own], 2), *random.choice(plain, 3)]) for own in gold]
    predictor = Placing()
    pairs = oracle_pairs(predictor, texts, gold, labels, n=5)
    after, before = (own / np.linalg.norm(own, axis=1)[:, None] for own in predictor.adapted(texts))
    growth = after @ after.T - before @ before.T
    ranked = sorted(combinations(range(24), 2), key=lambda pair: -growth[pair])
    expected: list[tuple[int, int]] = []
    for pair in ranked:
        if len(expected) < 5 and not set(pair) & {end for own in expected for end in own}:
            expected.append(pair)
    assert [tuple(pair) for pair in pairs.tolist()] == expected
    assert all(gold[i] == gold[j] for i, j in expected)


def test_oracle_pairs_need_a_network_that_was_pretrained_and_labels_that_are_known() -> None:
    with pytest.raises(BadInput, match="a linear was not pretrained"):
        oracle_pairs(Linear(), ["a", "b"], ["neg", "pos"], ["neg", "pos"])
    with pytest.raises(BadInput, match="no labels: so"):
        oracle_pairs(Placing(), ["a", "b"], ["neg", "so"], ["neg", "pos"])


def test_without_scikit_learn_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(MissingExtra, match="pip install scikit-learn"):
        oracle_words(["a", "b"], ["neg", "pos"], ["neg", "pos"])


def test_sqlite_is_loaded_only_with_the_ledger() -> None:
    probe = "import sys, tacit, tacit.review as r; assert 'sqlite3' not in sys.modules; r.Ledger"
    subprocess.run([sys.executable, "-c", probe], check=True)
