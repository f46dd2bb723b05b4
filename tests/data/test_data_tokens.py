"""Words and n-grams: the fast table equals the plain loop."""

import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data import token_table, tokenise
from tacit.data.tokens import token_spans, without_words
from tacit.errors import BadInput
from tests.oracles.tokens import token_rows, words_of

# The basic plane: beyond it the tokeniser knows letters but not combining marks.
texts = st.text(
    st.one_of(
        st.sampled_from("abAB'\u2019-_ .,0\u0301é"),
        st.characters(codec="utf-8", max_codepoint=0xFFFE),
    ),
    max_size=30,
)
corpora = st.lists(st.one_of(st.none(), st.text("abc '-", max_size=12), texts), max_size=6)


def rows(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't x-ray the snake_case!", ["don't", "x-ray", "the", "snake_case"]),
        ("don\u2019t \u2018quote\u2019 'this'", ["don't", "quote", "this"]),
        ("_superb_ -- a--b rock'n'roll", ["superb", "a", "b", "rock'n'roll"]),
        ("EGFR L858R; 3.5 mg", ["egfr", "l858r", "3", "5", "mg"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("cafe\u0301 naïve Straße", ["cafe\u0301", "naïve", "straße"]),
        ("", []),
        (" \n\t…", []),
    ],
)
def test_words_are_what_people_call_words(text: str, words: list[str]) -> None:
    assert tokenise(text) == words


@given(texts)
def test_tokenise_equals_the_plain_loop(text: str) -> None:
    assert tokenise(text) == words_of(text)


@given(corpora, st.tuples(st.integers(1, 3), st.integers(0, 2)))
def test_token_table_equals_the_plain_loop(
    corpus: list[str | None], spans: tuple[int, int]
) -> None:
    ngrams = (spans[0], spans[0] + spans[1])
    ids = [f"r{i}" for i in range(len(corpus))]
    given_ids = pa.array(ids, pa.large_string())
    table = token_table(given_ids, pa.array(corpus, pa.large_string()), ngrams, table="review")
    assert rows(table) == token_rows(ids, corpus, ngrams)


@given(corpora, st.randoms(use_true_random=False))
def test_permuting_the_texts_permutes_the_tokens(corpus: list[str | None], random: object) -> None:
    order = list(range(len(corpus)))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = token_table(pa.array(range(len(corpus)), pa.int64()), corpus)
    shuffled = token_table(pa.array(order, pa.int64()), [corpus[i] for i in order])
    by_id = {i: [w for j, w in rows(straight) if j == i] for i in order}
    assert rows(shuffled) == [(i, word) for i in order for word in by_id[i]]


def test_columns_are_called_after_the_table_and_the_words() -> None:
    ids, corpus = pa.array([7]), ["good good film"]
    assert token_table(ids, corpus, table="review").column_names == ["review", "word"]
    assert token_table(ids, corpus, (2, 3), table="review").column_names == ["review", "words"]
    assert token_table(ids, corpus, table="word").column_names == ["word", "words"]
    assert rows(token_table(ids, corpus)) == [(7, "good"), (7, "film")]


@pytest.mark.parametrize("ngrams", [(0, 1), (2, 1), (1,), (1, 2, 3), (1.0, 2)])
def test_lengths_must_make_sense(ngrams: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match="shortest and a longest"):
        token_table([1], ["a"], ngrams)


def test_a_large_corpus_is_quick() -> None:
    words = [f"w{i}" for i in range(500)]
    corpus = [" ".join(words[i % 271 : i % 271 + 230]) for i in range(2000)]
    start = time.perf_counter()
    table = token_table(pa.array(range(2000)), corpus)
    assert table.num_rows == 2000 * 230
    assert time.perf_counter() - start < 2.5  # a tenth of that on one free core


@given(st.text(alphabet=st.sampled_from("aBİΣςé\u0301'-_ \u2019.9\u0939\u093f"), max_size=30))
def test_words_stand_where_they_are_said_to(text: str) -> None:
    words, starts, ends = token_spans(text)
    assert words == tokenise(text)
    begins = [len(text[:at].lower()) for at in starts]  # some letters are longer in lower case
    lowered = text.lower().replace("\u2019", "'")
    assert [lowered[at : at + len(word)] for at, word in zip(begins, words, strict=True)] == words
    assert all(low < high for low, high in zip(starts, ends, strict=True))
    assert all(high <= low for high, low in zip(ends[:-1], starts[1:], strict=True))


entries = st.lists(st.sampled_from(["a", "b", "a b", "b a b", "c", "don't"]), max_size=3)


@given(st.lists(st.sampled_from(["a", "B", "c", "Don\u2019t", "d"]), max_size=8), entries)
def test_a_text_without_words_equals_the_plain_loop(words: list[str], gone: list[str]) -> None:
    plain = [word.lower().replace("\u2019", "'") for word in words]
    hidden = {
        at + behind
        for entry in gone
        for at in range(len(words))
        if plain[at : at + len(entry.split())] == entry.split()
        for behind in range(len(entry.split()))
    }
    text = "".join(f"{word}, " for word in words)
    wanted = "".join(f"{'' if at in hidden else word}, " for at, word in enumerate(words))
    assert without_words(text, gone) == wanted


def test_punctuation_and_other_words_stay() -> None:
    assert without_words("Superb! A superb, superbly told X-ray.", ["superb", "x"]) == (
        "! A , superbly told X-ray."
    )
    assert without_words("\u0130stanbul was superb", ["superb"]) == "\u0130stanbul was "
    assert without_words("", ["superb"]) == ""
