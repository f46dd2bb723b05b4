"""A ledger judges one sample: it goes on with the same, and refuses any other."""

import json
import threading
from pathlib import Path

import pytest

from tacit.errors import BadFile, BadInput, TacitError
from tacit.logic.program import Program
from tacit.review import Answer, Ledger, Stamp
from tacit.review.sample_file import (
    judging_questions,
    read_sample,
    sample_path,
    write_sample,
)
from tacit.review.sampling import Sample, draw_sample
from tests.review.asking import SEED, feature
from tests.review.test_sampling import PARTS, extractions

SYSTEMS = {"old": extractions(*range(40)), "new": extractions(*range(20, 90))}


def drawn(n: int = 6, seed: int = 0, **more: object) -> Sample:
    return draw_sample(SYSTEMS, n, seed, **({"parts": PARTS} | more))  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "judgements.sqlite"


def test_through_json_unchanged(tmp_path: Path) -> None:
    sample = drawn(claim="treats = ja, natürlich \ud800")
    write_sample(tmp_path / "a.json", sample)
    assert read_sample(tmp_path / "a.json") == sample
    assert list(tmp_path.iterdir()) == [tmp_path / "a.json"]


def test_questions_are_asked_in_their_order(path: Path) -> None:
    sample = drawn()
    with Ledger(path) as ledger:
        assert judging_questions(sample, ledger, now=1.0) == len(sample.questions)
        assert ledger.pending() == sample.questions
        assert ledger.next_question("ann", now=2.0) == sample.questions[0]
    assert sample_path(path).name == "judgements.sample.json"
    assert read_sample(sample_path(path)) == sample


def test_the_ledger_does_not_know_of_systems(path: Path) -> None:
    with Ledger(path) as ledger:
        judging_questions(drawn(), ledger, now=1.0)
        said = json.dumps([event.as_dict() for event in ledger.history()])
    assert "old" not in said
    assert "new" not in said


def test_going_on_keeps_what_was_judged(path: Path) -> None:
    sample = drawn()
    with Ledger(path) as ledger:
        judging_questions(sample, ledger, now=1.0)
        ledger.answer(Answer(sample.questions[0].id, "right", "ann", 2.0))
    with Ledger(path) as ledger:
        again = draw_sample({name: own[::-1] for name, own in SYSTEMS.items()}, 6, parts=PARTS)
        assert judging_questions(again, ledger, now=3.0) == 0
        assert ledger.next_question("ann", now=4.0) == sample.questions[1]


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (lambda: drawn(n=7), "of 6 extractions a system and not 7"),
        (lambda: drawn(seed=1), "with seed 0 and not 1"),
        (lambda: drawn(claim="y = no"), "about drug, gene and not y = no; drug, gene"),
        (lambda: draw_sample({"old": SYSTEMS["old"]}, 6, parts=PARTS), "new, old and not old"),
        (
            lambda: draw_sample(SYSTEMS | {"old": SYSTEMS["old"][1:]}, 6, parts=PARTS),
            r"'old' had other extractions \(40 then, 39 now\)",
        ),
    ],
)
def test_another_sample_is_refused(path: Path, other, difference: str) -> None:
    with Ledger(path) as ledger:
        judging_questions(drawn(), ledger, now=1.0)
        before = sample_path(path).read_bytes()
        with pytest.raises(BadInput, match=difference) as refused:
            judging_questions(other(), ledger, now=2.0)
        assert "--ledger FILE" in str(refused.value)
        assert len(ledger.asked_ids()) == len(drawn().questions)
    assert sample_path(path).read_bytes() == before


def test_a_start_that_was_cut_short_is_begun_anew(path: Path) -> None:
    write_sample(sample_path(path), drawn(n=9))  # killed before the questions were in the ledger
    with Ledger(path) as ledger:
        assert judging_questions(drawn(), ledger, now=1.0) == len(drawn().questions)
    assert read_sample(sample_path(path)) == drawn()


def test_a_lost_sample_file_is_written_again_from_the_same_extractions(path: Path) -> None:
    with Ledger(path) as ledger:
        judging_questions(drawn(), ledger, now=1.0)
        sample_path(path).unlink()
        with pytest.raises(BadInput, match="something else"):
            judging_questions(drawn(seed=5), ledger, now=2.0)
        assert judging_questions(drawn(), ledger, now=2.0) == 0
    assert read_sample(sample_path(path)) == drawn()


def test_another_ledger_is_refused(path: Path, tmp_path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.propose(feature("fine"), Stamp("loop", 1.0))
        with pytest.raises(BadInput, match="something else"):
            judging_questions(drawn(), ledger, now=2.0)
    with Ledger(tmp_path / "grown.sqlite") as ledger:
        ledger.start(Program.parse(SEED), Stamp("loop", 1.0))
        with pytest.raises(BadInput, match="a program that grows"):
            judging_questions(drawn(), ledger, now=2.0)
    assert not list(tmp_path.glob("*.json"))


def test_of_two_who_begin_at_once_one_is_refused(path: Path) -> None:
    Ledger(path).close()
    said: list[str] = []
    ready = threading.Barrier(2)

    def begin(sample: Sample) -> None:
        with Ledger(path) as ledger:
            ready.wait()
            try:
                judging_questions(sample, ledger, now=1.0)
                said.append("begun")
            except TacitError as error:
                said.append(type(error).__name__)

    threads = [threading.Thread(target=begin, args=(drawn(seed=seed),)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["BadInput", "begun"]
    with Ledger(path) as ledger:
        asked = {question.id for question in read_sample(sample_path(path)).questions}
        assert ledger.asked_ids() == asked


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.sample.json"
    with pytest.raises(BadFile, match="nothing was drawn"):
        read_sample(path)
    write_sample(path, drawn())
    whole = path.read_text()
    path.write_text(whole[:-40])
    with pytest.raises(BadFile, match="cannot be read"):
        read_sample(path)
    path.write_text(whole.replace('"format": 1', '"format": 2'))
    with pytest.raises(BadFile, match="this version"):
        read_sample(path)
    path.write_text(whole.replace('"seed"', '"sead"'))
    with pytest.raises(BadFile, match="not whole: 'seed'"):
        read_sample(path)
