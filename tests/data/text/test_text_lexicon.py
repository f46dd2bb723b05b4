"""Names in texts: the search equals trying every name at every place."""

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacit.data.text import Lexicon, Match, name_variants
from tacit.errors import BadInput
from tests.oracles.names_in_text import all_names, longest_names

GENES = {
    "HGNC:3236": ["EGFR", "ERBB1", "epidermal growth factor receptor"],
    "HGNC:6018": ["IL6", "interleukin 6"],
    "HGNC:11892": ["TNF", "TNF-alpha"],
    "HGNC:11920": ["FAS"],
}
alphabet = st.sampled_from("aAbBsS1-\u2013 .\n\u00e9\u0130\u03a3\u03c3\U0001d51e\ud800\x01")
words = st.text(alphabet, min_size=1, max_size=4)
lexica = st.dictionaries(st.sampled_from("xyz"), st.lists(words, max_size=4), max_size=3)
texts = st.text(alphabet, max_size=25)


def spans(found: list[Match]) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(match.start, match.end, match.entities) for match in found]


def has_letter(names: dict[str, list[str]]) -> dict[str, list[str]]:
    return {key: [n for n in value if any(map(str.isalnum, n))] for key, value in names.items()}


@given(texts, lexica, st.booleans())
@example("aab", {"x": ["a", "aab"]}, False)
@example("a-b a", {"x": ["a-", "a", "-b"], "y": ["a"]}, True)
def test_the_longest_names_equal_the_plain_loop(
    text: str, names: dict[str, list[str]], ignore_case: bool
) -> None:
    lexicon = Lexicon(names, ignore_case=ignore_case, min_length=1)
    expected = longest_names(text, has_letter(names), ignore_case=ignore_case)
    assert spans(lexicon.find(text)) == expected


@given(texts, lexica, st.booleans())
def test_overlapping_names_equal_the_plain_loop(
    text: str, names: dict[str, list[str]], ignore_case: bool
) -> None:
    lexicon = Lexicon(names, ignore_case=ignore_case, min_length=1)
    found = spans(lexicon.find(text, overlapping=True))
    assert sorted(found) == sorted(all_names(text, has_letter(names), ignore_case=ignore_case))
    assert [match[:2] for match in found] == sorted(match[:2] for match in found)


varied = st.text("abAsS12α-\u2013 .", max_size=25)


@given(varied, st.lists(varied.map(lambda text: text[:5]), max_size=5), st.booleans())
@example("Aaas aaas-bs", ["aaa", "aaas", "s-b"], False)
@example("abas", ["aba", "abas"], True)
@example("aaas-b", ["s-b"], True)
@example("aas bbbs", ["aa", "bbb"], True)
@example("A-2 A 2 Aαs A–αs", ["A2", "Aα", "A"], False)
def test_variants_equal_the_plain_loop(text: str, names: list[str], ignore_case: bool) -> None:
    names = [name for name in names if any(map(str.isalnum, name))]
    lexicon = Lexicon({"x": names}, ignore_case=ignore_case, variants=True, min_length=1)
    spelled = {"x": [spelling for name in names for spelling in name_variants(name)]}
    expected = longest_names(text, spelled, ignore_case=ignore_case, variants=True)
    assert spans(lexicon.find(text)) == expected


@given(st.lists(st.one_of(st.none(), texts), max_size=6), lexica, st.booleans())
@example(["b a", None, "a"], {"x": ["a"]}, True)
def test_many_texts_are_searched_one_by_one(
    corpus: list[str | None], names: dict[str, list[str]], overlapping: bool
) -> None:
    lexicon = Lexicon(names, ignore_case=True, variants=True, min_length=1)
    matches = lexicon.find_all(corpus, overlapping=overlapping)
    assert len(matches) == len(matches.end)
    columns = (matches.text_of_match, matches.start, matches.end, matches.name_of_match)
    rows = [
        (text, start, end, lexicon.entities_of(name))
        for text, start, end, name in zip(*(column.tolist() for column in columns), strict=True)
    ]
    assert rows == [
        (number, *match)
        for number, text in enumerate(corpus)
        for match in spans(lexicon.find(text or "", overlapping=overlapping))
    ]
    match, entity = matches.entity_rows()
    assert [(i, lexicon.entities[j]) for i, j in zip(match, entity, strict=True)] == [
        (i, name) for i, row in enumerate(rows) for name in row[3]
    ]


def test_batches_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon, corpus = Lexicon(GENES), ["EGFR and IL6", "", "no TNF", "FAS FAS"] * 5
    whole = lexicon.find_all(corpus)
    monkeypatch.setattr("tacit.data.text.lexicon._CHARACTERS_AT_ONCE", 10)
    parts = lexicon.find_all(corpus)
    for name in ("text_of_match", "start", "end", "name_of_match"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    with pytest.raises(ValueError, match="read-only"):
        parts.start[0] = 7


def test_names_are_found_at_word_boundaries() -> None:
    text = "EGFR (ERBB1), the epidermal growth factor receptor, not EGFRvIII or egfr."
    found = Lexicon(GENES).find(text)
    assert [match.text for match in found] == ["EGFR", "ERBB1", "epidermal growth factor receptor"]
    assert {match.entities for match in found} == {("HGNC:3236",)}
    assert all(text[match.start : match.end] == match.text for match in found)


def test_case_and_spelling_vary_where_they_may() -> None:
    text = "Il-6, IL 6, interleukin\u20116, TNF\u03b1, TNFalpha, tnf alpha; EGFRs, FASS, fas"
    found = [match.text for match in Lexicon(GENES, ignore_case=True, variants=True).find(text)]
    assert found == [part for part in text.replace(";", ",").split(", ") if part != "FASS"]
    assert [match.text for match in Lexicon(GENES, variants=True).find(text)] == [
        *("IL 6", "interleukin\u20116", "TNF\u03b1", "TNFalpha", "EGFRs")
    ]
    assert not Lexicon(GENES).find(text)


def test_a_name_may_belong_to_several() -> None:
    lexicon = Lexicon({"1": ["p40", "IL12B"], "2": ["P40"], "3": ["p40"]}, ignore_case=True)
    assert lexicon.find("p40")[0].entities == ("1", "2", "3")
    assert sorted(lexicon.names) == ["il12b", "p40"]
    assert len(lexicon) == 2
    assert repr(lexicon) == "Lexicon(3 entities, 2 spellings)"


def test_what_is_left_out() -> None:
    names = {"1": ["WAS", "A", "--", "IMPACT"], "2": []}
    lexicon = Lexicon(names, ignore_case=True, skip=["was"])
    assert [match.text for match in lexicon.find("A -- was an IMPACT")] == ["IMPACT"]
    assert not Lexicon({}).find("nothing")
    assert not Lexicon(names).find("")
    assert len(Lexicon(names, min_length=7)) == 0


@pytest.mark.parametrize(
    ("names", "skip", "said"),
    [
        ({"HGNC:3236": "EGFR"}, (), "'HGNC:3236' are one text, 'EGFR'"),
        ({"HGNC:3236": None}, (), "'HGNC:3236' are none"),
        ({"HGNC:3236": ["EGFR", None]}, (), "name None is no text"),
        ({3236: ["EGFR"]}, (), "id 3236 of an entity is no text"),
        (["EGFR"], (), "names are a list"),
        (GENES, "was", "skip are one text, 'was'"),
    ],
)
def test_what_is_no_lists_of_names_is_refused(names: Any, skip: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        Lexicon(names, skip=skip)
    assert refused.value.remedy


def test_one_text_is_no_list_of_texts() -> None:
    with pytest.raises(BadInput, match="one text was given"):
        Lexicon(GENES).find_all("EGFR")


def test_marks_of_patterns_and_strange_letters_are_letters_like_others() -> None:
    lexicon = Lexicon({"x": ["a.b*(c)", "[d]", "c++", "egfr"]}, ignore_case=True, variants=True)
    text = "\U0001f600EGFRs\U0001f600 \u0130egfr \u0130 egfr; a.b*(c) axb [d] c++"
    found = lexicon.find(text)
    assert [match.text for match in found] == ["EGFRs", "egfr", "a.b*(c)", "[d]", "c++"]
    assert all(text[match.start : match.end] == match.text for match in found)
    long = "ab" * 100_000
    assert [match[:2] for match in Lexicon({"x": [long]}).find(f" {long} ")] == [(1, 200_001)]


def test_a_large_lexicon_is_quick() -> None:
    names = {f"g{i}": [f"GENE{i}", f"long name of gene {i}"] for i in range(20_000)}
    corpus = ["the GENE17 and the long name of gene 19999, but no GENE"] * 5_000
    begun = time.process_time()
    matches = Lexicon(names, ignore_case=True).find_all(corpus)
    assert len(matches) == 10_000
    assert time.process_time() - begun < 2.5  # a quarter of that on one free core
