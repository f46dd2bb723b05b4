"""Keywords, regular expressions and gazetteers."""

from __future__ import annotations

import random
import re
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data import Task, tokenise
from tacit.errors import (
    BadInput,
    DuplicateName,
    TacitError,
    TacitWarning,
    TypeMismatch,
    UnknownColumn,
    UnknownLabel,
)
from tacit.logic import Program, check
from tacit.logic.forms import label
from tacit.logic.knowledge import Knowledge, assemble
from tacit.logic.matching import Patterns
from tacit.logic.words import gazetteer, keywords, regexes

SENTIMENT = label("sentiment", on="review", labels=["neg", "pos"])
GRADE = label("grade", on="review", labels=["a", "b", "c"])


def reviews(*texts: str | None) -> Task:
    """A task of these texts, with ids 0, 1, ..."""
    return Task(
        {"review": {"id": list(range(len(texts))), "text": list(texts)}}, text="review.text"
    )


def rows(task: Task, table: str) -> list[tuple[object, ...]]:
    """The rows of a table, sorted."""
    return sorted(tuple(row.values()) for row in task.table(table).arrow.to_pylist())


def round_trip(knowledge: Knowledge) -> Program:
    """The program, which its text must give back."""
    program = Program(knowledge.declarations, knowledge.evidence)
    assert Program.parse(program.show()) == program
    return program


def test_keywords_are_the_formulas_of_the_text() -> None:
    knowledge = keywords(
        {"pos": ["Superb", "sci-fi!", "Not  BAD at"], "neg": ["awful"]}, label=SENTIMENT
    )
    assert round_trip(knowledge) == Program.parse(
        """
        label    sentiment(review) = neg | pos
        observed token(review, word)
        observed ngram(review, words)
        pos_superb:     2.2  token(r, "superb") => sentiment(r) = pos
        pos_sci_fi:     2.2  token(r, "sci-fi") => sentiment(r) = pos
        pos_not_bad_at: 2.2  ngram(r, "not bad at") => sentiment(r) = pos
        neg_awful:      2.2  token(r, "awful") => sentiment(r) = neg
        """
    )
    task, program = assemble(reviews("Superb SCI-FI", "not bad at all"), knowledge)
    assert check(program, task) == ()
    assert (0, "sci-fi") in rows(task, "token")
    assert (1, "not bad at") in rows(task, "ngram")


def test_keywords_that_look_alike_get_names_of_their_own() -> None:
    knowledge = keywords({"pos": ["x-ray", "x ray", "x_ray", "X-RAY"]}, label=SENTIMENT)
    assert [e.name for e in knowledge.evidence] == ["pos_x_ray", "pos_x_ray_2", "pos_x_ray_3"]
    digits = label("y", on="review", labels=["1", "2"])
    assert [e.name for e in keywords({"1": ["7"]}, label=digits).evidence] == ["is_1_7"]


def test_other_token_relations() -> None:
    knowledge = keywords({"pos": ["a", "a b"]}, label=SENTIMENT, token="stem", ngram="stems")
    assert {"stem", "stems"} <= round_trip(knowledge).observed.keys()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"pos": ["!!"]}, "no letter or digit"),
        ({"pos": ["🙂"]}, r"regexes\(\.\.\.\)"),
        ({"pos": [""]}, "cannot be a keyword"),
        ({"pos": [None]}, "cannot be a keyword"),
        ({"pos": "superb"}, "give a list"),
        ({"pos": 3}, "give a list"),
        ({"pos": ["one two three four"]}, "gazetteer"),
        (["superb"], "does not say whose"),
    ],
)
def test_keywords_refuse(words: dict[str, list[str]], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        keywords(words, label=SENTIMENT)


def test_keywords_for_unknown_labels() -> None:
    with pytest.raises(UnknownLabel, match="did you mean 'pos'"):
        keywords({"poss": ["superb"]}, label=SENTIMENT)


def test_a_word_for_two_labels_is_two_formulas() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        knowledge = keywords({"a": ["fine"], "b": ["fine"], "c": ["poor"]}, label=GRADE)
    assert [e.name for e in knowledge.evidence] == ["a_fine", "b_fine", "c_poor"]
    with pytest.warns(TacitWarning, match="every label of 'sentiment'.*fine"):
        keywords({"pos": ["Fine"], "neg": ["fine", "x"]}, label=SENTIMENT)


words_or_worse = st.text(st.characters() | st.sampled_from("\"'\\#\n🙂é\u0301²٣_-"), max_size=12)


usable_words = words_or_worse.filter(lambda word: 1 <= len(tokenise(word)) <= 3)
usable_labels = words_or_worse.filter(lambda text: bool(text.strip()) and "\n" not in text)


@given(
    st.lists(usable_words, max_size=4),
    st.lists(usable_labels, min_size=3, max_size=3, unique=True),
)
def test_any_keyword_and_label_survive_the_text(words: list[str], labels: list[str]) -> None:
    function = label("y", on="review", labels=labels)
    knowledge = keywords({labels[0]: words, labels[1]: [*words, "plain"]}, label=function)
    program = round_trip(knowledge)
    expected = {" ".join(tokenise(word)) for word in words}
    assert len(program.evidence) == 2 * len(expected) + ("plain" not in expected)


@given(st.lists(words_or_worse, min_size=1, max_size=5))
def test_any_pattern_survives_the_text(patterns: list[str]) -> None:
    try:
        knowledge = regexes({"pos": patterns}, label=SENTIMENT)
    except TacitError:
        return
    assert len(round_trip(knowledge).evidence) == len(set(patterns))


def test_regexes() -> None:
    knowledge = regexes({"pos": [r"\bgreat\b", r"\(wow\)"], "neg": ["^aw"]}, label=SENTIMENT)
    assert round_trip(knowledge) == Program.parse(
        r"""
        label    sentiment(review) = neg | pos
        observed matches(review, pattern)
        re_pos_great: 2.2  matches(r, "\\bgreat\\b") => sentiment(r) = pos
        re_pos_wow:   2.2  matches(r, "\\(wow\\)") => sentiment(r) = pos
        re_neg_aw:    2.2  matches(r, "^aw") => sentiment(r) = neg
        """
    )
    task, program = assemble(reviews("GREAT (wow)", "greatly", None, "Awful"), knowledge)
    assert rows(task, "matches") == [(0, r"\(wow\)"), (0, r"\bgreat\b"), (3, "^aw")]
    assert check(program, task) == ()
    nullable = regexes({"pos": ["z*"]}, label=SENTIMENT)
    assert rows(assemble(reviews("a", "", None), nullable)[0], "matches") == [(0, "z*"), (1, "z*")]
    strict = regexes({"pos": ["great"]}, label=SENTIMENT, flags=0, column="review.text")
    assert rows(assemble(reviews("GREAT", "great"), strict)[0], "matches") == [(1, "great")]


def test_patterns_that_match_nothing_are_an_empty_relation() -> None:
    task, program = assemble(reviews("a"), regexes({"pos": ["z"]}, label=SENTIMENT))
    assert rows(task, "matches") == []
    assert check(program, task) is not None


def test_relations_of_texts_follow_the_task_to_other_rows() -> None:
    knowledge = regexes({"pos": ["^gr"]}, label=SENTIMENT)
    knowledge += gazetteer("city", ["New York"], column="review.text")
    task, program = assemble(reviews("great"), knowledge)
    assert (rows(task, "matches"), rows(task, "mentions_city")) == ([(0, "^gr")], [])
    other = task.with_tables({"review": {"id": ["x", "y"], "text": ["new york", "GRIM"]}})
    assert rows(other, "matches") == [("y", "^gr")]
    assert rows(other, "mentions_city") == [("x", "New York")]
    assert check(program, other) == ()
    with pytest.raises(BadInput, match=r"relation 'matches'.*holds integer, not text"):
        task.with_tables({"review": {"id": ["x"], "text": [3]}})
    with pytest.raises(UnknownColumn, match="relation 'matches' reads 'text'"):
        assemble(Task({"review": {"id": ["x"], "words": ["great"]}}), knowledge)


def test_nothing_is_searched_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(Patterns, "__call__", lambda self, **columns: calls.append("searched"))
    task, _ = assemble(reviews("a"), regexes({"pos": ["a"]}, label=SENTIMENT))
    task.fingerprint()
    assert calls == []


def test_columns_and_ids_of_any_name() -> None:
    task = Task({"term": {"term": ["a", "b"], "self": ["x y", "z"], "row": ["y", "q"]}})
    for column, found in (("self", ("a", "x")), ("row", ("b", "q"))):
        result, _ = assemble(task, gazetteer("list", ["x", "q"], column=f"term.{column}"))
        assert result.table("mentions_list").columns == ("term", "term2")
        assert rows(result, "mentions_list") == [found]


def test_the_fingerprint_covers_patterns_and_terms() -> None:
    def fingerprint(knowledge: Knowledge) -> str:
        return assemble(reviews("a"), knowledge)[0].fingerprint()

    def matching(*patterns: str, flags: int = 0) -> str:
        return fingerprint(regexes({"pos": patterns}, label=SENTIMENT, flags=flags))

    def listing(*terms: str) -> str:
        return fingerprint(gazetteer("g", terms, column="review.text"))

    assert matching("a", "b") == matching("a", "b")
    assert listing("a", "b") == listing("a", "b")
    several = [matching("a", "b"), matching("a"), matching("a", "c"), matching("a", flags=re.I)]
    several += [listing("a", "b"), listing("a"), listing("a", "c")]
    assert len(set(several)) == len(several)


def test_the_same_list_said_twice_is_one_relation() -> None:
    pieces = [gazetteer("g", ["a", "b"], column="review.text") for _ in range(2)]
    task, _ = assemble(reviews("a"), *pieces)
    assert rows(task, "mentions_g") == [(0, "a")]
    assert assemble(task, *pieces)[0] == task
    with pytest.raises(DuplicateName, match="'mentions_g'"):
        assemble(reviews("a"), *pieces, gazetteer("g", ["a"], column="review.text"))


def test_regexes_refuse() -> None:
    with pytest.raises(BadInput, match=r"'a\(b'.*unterminated subpattern at position 1"):
        regexes({"pos": ["a(b"]}, label=SENTIMENT)
    with pytest.raises(TypeMismatch, match=r"review\.text"):
        regexes({"pos": ["a"]}, label=SENTIMENT, column="product.text")
    with pytest.raises(BadInput, match="names no column"):
        regexes({"pos": ["a"]}, label=SENTIMENT, column="text")
    with pytest.raises(BadInput, match="holds integer, not text"):
        assemble(reviews("a"), regexes({"pos": ["a"]}, label=SENTIMENT, column="review.id"))


def test_gazetteer_finds_whole_words_as_they_are_spelt_in_the_list() -> None:
    knowledge = gazetteer("drug", ["Lung Cancer", "cancer", "IL-2", "il 2"], column="review.text")
    task, program = assemble(
        reviews("LUNG CANCER!", "cancerous", "il-2, lung", None, "lung\ncancer cancer"), knowledge
    )
    assert rows(task, "mentions_drug") == [
        (0, "Lung Cancer"),
        (0, "cancer"),
        (2, "IL-2"),
        (4, "Lung Cancer"),
        (4, "cancer"),
    ]
    assert program.show() == "observed mentions_drug(review, term)\n"


def test_two_spellings_of_one_term_are_both_found() -> None:
    knowledge = gazetteer("gene", ["EGFR", "egfr"], column="review.text", domain="gene_name")
    task, program = assemble(reviews("EgFr"), knowledge)
    assert rows(task, "mentions_gene") == [(0, "EGFR"), (0, "egfr")]
    assert program.observed["mentions_gene"].domains == ("review", "gene_name")


def test_gazetteer_with_labels_is_evidence() -> None:
    knowledge = gazetteer("mood", {"so good": "pos", "bad": "neg"}, label=SENTIMENT, per_class=True)
    task, program = assemble(reviews("so good", "bad"), knowledge)
    assert program == Program.parse(
        """
        observed mentions_mood(review, term)
        label    sentiment(review) = neg | pos
        observed mood(term, class)
        mood: 2.2  mentions_mood(r, t) & mood(t, l) => sentiment(r) = +l
        """
    )
    assert rows(task, "mood") == [("bad", "neg"), ("so good", "pos")]
    assert check(program, task) == ()
    assert Program.parse(program.show()) == program


def test_gazetteer_refuses() -> None:
    with pytest.raises(BadInput, match="which label"):
        gazetteer("mood", ["good"], label=SENTIMENT)
    with pytest.raises(UnknownLabel, match="did you mean 'pos'"):
        gazetteer("mood", {"good": "poss"}, label=SENTIMENT)
    with pytest.raises(BadInput, match="no terms"):
        gazetteer("mood", [], column="review.text")
    with pytest.raises(BadInput, match="no letter or digit"):
        gazetteer("mood", ["--"], column="review.text")
    with pytest.raises(BadInput, match="give a list"):
        gazetteer("mood", "good", column="review.text")


small_words = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6).map(" ".join)


@given(st.lists(small_words, min_size=1, max_size=6, unique=True), small_words)
def test_gazetteer_agrees_with_a_search_for_each_term(terms: list[str], text: str) -> None:
    task, _ = assemble(reviews(text), gazetteer("t", terms, column="review.text"))
    expected = [(0, term) for term in terms if re.search(rf"\b{term}\b", text)]
    assert rows(task, "mentions_t") == sorted(expected)


def test_a_large_gazetteer_is_fast() -> None:
    rng = random.Random(0)
    vocabulary = [f"w{i}" for i in range(200_000)]
    terms = [" ".join(rng.choices(vocabulary, k=rng.choice([1, 2, 3, 5]))) for _ in range(100_000)]
    texts = [" ".join(rng.choices(vocabulary, k=100)) for _ in range(1_000)]
    start = time.perf_counter()
    task, _ = assemble(reviews(*texts), gazetteer("term_list", terms, column="review.text"))
    task.fingerprint()
    assert task.table("mentions_term_list").n_rows > 0
    assert time.perf_counter() - start < 5  # a pattern for each term would take minutes
