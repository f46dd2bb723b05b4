"""Candidates: where features come from, which are left out, and the evidence they become."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.tokens import tokenise
from tacit.errors import BadInput, UnknownPredicate
from tacit.logic import Learned, Origin, Program
from tacit.proposals import CandidateConfig, Feature, candidates, with_negated
from tacit.proposals.frequency import Frequency
from tacit.proposals.negation import negated_words

HEAD = """\
label    sentiment(review) = neg | pos
observed token(review, word)
"""
TEXTS = ["a superb plot", "superb acting", "a dull plot", "dull dull acting", "not a good film"]
ANY = Frequency(floor=1, ceiling=1.0)


def reviews(texts: list[str] = TEXTS, **tables: object) -> tacit.Task:
    ids = [f"r{i}" for i in range(len(texts))]
    return tacit.Task({"review": {"id": ids, "text": texts}, **tables}, text="review.text")


def found(task: tacit.Task, program: str, **settings: object) -> list[str]:
    config = CandidateConfig(**{"frequency": ANY, "relations": None, **settings})
    return [f.words for f in candidates(task, Program.parse(program), config=config).features]


def test_a_feature_becomes_what_its_text_would_parse_to() -> None:
    written = Program.parse(HEAD + 'praise: 2.2 token(r, "superb") => sentiment(r) = pos')
    made = Feature("token", ("superb",)).evidence(
        "pos", label=written.labels["sentiment"], name="praise"
    )
    assert made == written["praise"]
    assert made.weight == Learned(2.2)


@pytest.mark.parametrize(
    "feature",
    [
        Feature("token", ('a "quoted" \\ word',)),
        Feature("dose", ("high", 3)),
        Feature("cited"),
        Feature("token", ("dry",), also=Feature("token", ("wit",))),
    ],
)
def test_evidence_of_any_feature_survives_show_and_parse(feature: Feature) -> None:
    head = HEAD + "observed dose(review, level, amount)\nobserved cited(review)\n"
    program = Program.parse(head)
    origin = Origin("sst", (("round", 3), ("score", 0.91)))
    made = feature.evidence("neg", label=program.labels["sentiment"], origin=origin)
    larger = program.with_evidence(made)
    assert Program.parse(larger.show()) == larger


@given(st.lists(st.text("ab c", max_size=8), min_size=1, max_size=8))
@settings(max_examples=40)
def test_the_matrix_says_which_text_has_which_word(texts: list[str]) -> None:
    config = CandidateConfig(frequency=ANY, relations=("token",))
    made = candidates(reviews(texts), Program.parse(HEAD), config=config)
    words = sorted({word for text in texts for word in tokenise(text)})
    assert [feature.constants[0] for feature in made.features] == words
    expected = np.array([[word in tokenise(t) for word in words] for t in texts], dtype=float)
    assert (made.matrix.toarray() == expected.reshape(len(texts), len(words))).all()
    assert made.n_of_feature.tolist() == expected.sum(axis=0).tolist()
    for f in range(len(words)):
        assert made.instances(f).tolist() == np.flatnonzero(expected[:, f]).tolist()


def test_ngrams_come_along_and_are_declared_when_used() -> None:
    program = Program.parse(HEAD)
    made = candidates(reviews(), program, config=CandidateConfig(frequency=ANY))
    feature = next(f for f in made.features if f.words == "a superb")
    larger = made.extended(program, feature.evidence("pos", label=made.label))
    assert larger.observed["ngram"].domains == ("review", "words")
    assert Program.parse(larger.show()) == larger
    tacit.ground(larger, reviews())


def test_any_predicate_about_an_instance_is_a_source() -> None:
    program = """\
label    treats(candidate) = no | yes
observed cited(candidate)
observed section(candidate, name)
observed dose(candidate, level, amount)
observed args(candidate, drug, gene, variant)
observed near(candidate, candidate)
observed length(candidate, number)
observed kb(drug, gene)
"""
    task = tacit.Task(
        {
            "candidate": {"id": [1, 2, 3]},
            "cited": {"candidate": [1, 1, 3]},
            "section": {"candidate": [1, 2, 2, 9], "name": ["intro", "intro", None, "outro"]},
            "dose": {"candidate": [1, 2], "level": ["high", "high"], "amount": [3, 4]},
            "near": {"candidate": [1], "other": [2]},
            "length": {"candidate": [1], "number": [0.5]},
        }
    )
    config = CandidateConfig(frequency=ANY)
    made = candidates(task, Program.parse(program), config=config)
    words = [feature.words for feature in made.features]
    assert words == ["cited()", "dose(high, 3)", "dose(high, 4)", "section(intro)"]
    assert made.n_of_feature.tolist() == [2, 1, 1, 2]  # facts given twice are one


def test_what_the_program_says_is_not_proposed() -> None:
    rules = """\
a: 2.2 token(x, "superb") => sentiment(x) = pos
b: 2.2 token(r, "dull") & sentiment(r) = neg
"""
    words = found(reviews(), HEAD + rules, relations=("token",))
    assert words == ["a", "acting", "film", "good", "not", "plot"]


def test_votes_that_the_program_trusts_and_gold_are_not_proposed() -> None:
    rules = """\
observed votes(review, class)
observed other(review, class)
observed gold(review, class)
votes: 2.2  votes(r, l) => sentiment(r) = l
gold:  hard gold(r, l) => sentiment(r) = l
"""
    table = {"review": ["r0", "r1"], "class": ["pos", "neg"]}
    task = reviews(votes=table, other=table, gold=table)
    words = found(task, HEAD + rules, conjunctions=1000)
    assert "other(pos)" in words
    assert "votes(pos)" not in words
    assert not any("gold" in word for word in words)
    with pytest.raises(UnknownPredicate, match="gold"):
        found(task, HEAD + rules, relations=("gold",))


def test_known_features_are_left_out() -> None:
    known = {Feature("token", ("dull",)), Feature("token", ("plot",))}
    config = CandidateConfig(frequency=ANY, relations=("token",))
    made = candidates(reviews(), Program.parse(HEAD), config=config, known=known)
    assert not known & set(made.features)
    everything = candidates(reviews(), Program.parse(HEAD), config=config)
    assert everything.without(known).features == made.features


@pytest.mark.parametrize(
    ("n", "least"), [(5, 2), (100, 5), (200, 10), (6_920, 23), (25_000, 83), (10**6, 100)]
)
def test_the_floor_grows_with_the_data(n: int, least: int) -> None:
    assert Frequency().least(n) == least


def test_limits_of_frequency() -> None:
    count = np.array([1, 9, 10, 50, 51, 200])
    assert Frequency().keeps(count, 200).tolist() == [False, False, True, True, False, False]
    assert Frequency(most_frequent=0.3).keeps(count, 200).nonzero()[0].tolist() == [4, 5]
    assert Frequency(most_frequent=0.01).keeps(np.array([7, 7, 0]), 9).tolist() == [1, 1, 0]
    with pytest.raises(BadInput, match="ceiling"):
        Frequency(ceiling=2.0)


def test_conjunctions_are_narrower_than_their_parts() -> None:
    texts = ["dry wit", "dry wit", "dry", "wit", "dry sand"]
    words = found(reviews(texts), HEAD, relations=("token",), conjunctions=10)
    assert words == ["dry", "sand", "wit", "dry & wit"]
    said = HEAD + 'x: 1.0 token(r, "wit") & token(r, "dry") => sentiment(r) = pos'
    assert found(reviews(texts), said, relations=("token",), conjunctions=10)[-1] == "wit"


def test_negated_words_are_an_option() -> None:
    assert negated_words("It is not a very good film. Don't go!") == ["a", "very", "good", "go"]
    task = with_negated(reviews(), "review")
    program = Program.parse(HEAD)
    config = CandidateConfig(frequency=ANY, relations=("negated",))
    made = candidates(task, program, config=config)
    assert [f.words for f in made.features] == ["not ... a", "not ... film", "not ... good"]
    larger = made.extended(program, made.features[2].evidence("neg", label=made.label))
    assert Program.parse(larger.show()) == larger
    tacit.ground(larger, task)


def test_the_order_does_not_depend_on_the_data_order() -> None:
    config = CandidateConfig(frequency=ANY, conjunctions=5)
    first = candidates(reviews(), Program.parse(HEAD), config=config)
    again = candidates(reviews(TEXTS[::-1]), Program.parse(HEAD), config=config)
    assert first.features == again.features
    assert (first.matrix.toarray() == again.matrix.toarray()[::-1]).all()


def test_of_several_label_functions_one_is_named() -> None:
    program = Program.parse(HEAD + "label topic(review) = film | book\n")
    with pytest.raises(BadInput, match="which label function"):
        candidates(reviews(), program)
    assert candidates(reviews(), program, "topic").label.name == "topic"
