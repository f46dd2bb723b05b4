"""Mentions and candidate tuples: the tables equal plain loops over mentions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.text import (
    Candidates,
    Lexicon,
    Mentions,
    candidate_tuples,
    mention_table,
    mutations,
    sentence_spans,
    sentence_table,
)
from tacit.errors import BadInput
from tests.oracles.candidates import candidates

GENES = Lexicon(
    {"g1": ["EGFR", "ERBB1"], "g2": ["KRAS", "p21"], "g3": ["p21", "CDKN1A"]}, ignore_case=True
)
DRUGS = Lexicon({"d1": ["gefitinib"], "d2": ["erlotinib"]})
FINDERS = {"gene": GENES, "drug": DRUGS, "variant": mutations}
SENTENCES = [
    *("EGFR L858R.", "The gefitinib dose.", "With p21 G12C/D or EGFR T790M.", "Nothing here."),
    *("Then CDKN1A rose.", "KRAS and erlotinib.", "Then T790M, egfr and gefitinib.", " "),
]
documents = st.lists(st.lists(st.sampled_from(SENTENCES), max_size=5).map(" ".join), max_size=4)


class Span(NamedTuple):
    start: int
    end: int
    name: str


def by_id(texts: Sequence[str]) -> dict[str, str]:
    return {f"doc{i}": text for i, text in enumerate(texts)}


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@given(documents)
def test_mentions_equal_the_plain_loop(texts: list[str]) -> None:
    found = mention_table(by_id(texts), FINDERS)
    mentions, entities = [], []
    for document, text in by_id(texts).items():
        spans = [(m.start, m.end, "gene", m.entities) for m in GENES.find(text)]
        spans += [(m.start, m.end, "drug", m.entities) for m in DRUGS.find(text)]
        variants: dict[tuple[int, int], list[str]] = {}
        for mutation in mutations(text):
            variants.setdefault((mutation.start, mutation.end), []).append(mutation.name)
        spans += [(*span, "variant", tuple(names)) for span, names in variants.items()]
        for start, end, kind, names in sorted(spans):
            mention = f"{document}:{start}-{end}:{kind}"
            (sentence,) = (i for i, s in enumerate(sentence_spans(text)) if s[0] <= start < s[1])
            mentions.append((mention, document, sentence, start, end, text[start:end], kind))
            entities += [(mention, name) for name in names]
    assert rows(found.mention) == mentions
    assert rows(found.entity) == entities


def test_sentences_as_a_table() -> None:
    table = sentence_table({"a": "One. Two.", "b": "", "c": "Three"})
    assert rows(table) == [
        ("a:0", "a", 0, 0, 4, "One."),
        ("a:1", "a", 1, 5, 9, "Two."),
        ("c:0", "c", 0, 0, 5, "Three"),
    ]
    assert sentence_table({}).num_rows == 0


def test_a_span_beyond_its_sentence_is_no_mention() -> None:
    def finder(text: str) -> list[Span]:
        spans = (
            Span(0, 3, "x"),
            Span(2, 7, "y"),
            Span(5, 8, "z"),
            Span(5, 8, "z"),
            Span(8, 9, "w"),
        )
        return [span for span in spans if span.end <= len(text)]

    found = mention_table({"a": "One. Two ", "b": "    ", "c": "ab"}, {"thing": finder})
    assert [row[0] for row in rows(found.mention)] == ["a:0-3:thing", "a:5-8:thing"]
    assert rows(found.entity) == [("a:0-3:thing", "x"), ("a:5-8:thing", "z")]
    halves = mention_table({"a": "One. Two "}, {"thing": finder}, split=lambda text: [(0, 9)])
    assert halves.mention.num_rows == 4


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Span(2, 5, "x"), "span 2-5 of a text of 1 characters"),  # not a place in the next text
        (Span(-1, 1, "x"), "span -1-1"),
        (Span(0, 0, "x"), "span 0-0"),
        ((0, 1), r"gave \(0, 1\)"),
    ],
)
def test_what_is_no_span_of_the_text_is_refused(found: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        mention_table({"a": "x", "b": "A long sentence."}, {"thing": lambda text: [found]})
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("given_documents", "said"),
    [
        (["EGFR"], "documents are a list"),
        ({7: "EGFR"}, "document 7 is of type int"),
        ({"a": float("nan")}, "its text of type float"),
    ],
)
def test_documents_are_texts_under_ids(given_documents: Any, said: str) -> None:
    for make in (lambda given: mention_table(given, FINDERS), sentence_table):
        with pytest.raises(BadInput, match=said):
            make(given_documents)


def test_a_list_of_names_is_no_finder() -> None:
    finders: Any = {"gene": ["EGFR"]}
    with pytest.raises(BadInput, match="is no finder"):
        mention_table({"a": "EGFR"}, finders)


def test_a_null_text_has_nothing() -> None:
    texts = {"a": None, "b": "EGFR. Two.", "c": None}
    assert mention_table(texts, FINDERS).mention["mention"].to_pylist() == ["b:0-4:gene"]
    assert sentence_table(texts)["sentence"].to_pylist() == ["b:0", "b:1"]


def test_nothing_gives_empty_tables_of_the_same_columns() -> None:
    full = mention_table({"a": "EGFR T790M gefitinib"}, FINDERS)
    empty = mention_table({}, FINDERS)
    assert (
        empty.mention.schema == full.mention.schema == mention_table({"a": "x"}, {}).mention.schema
    )
    assert empty.entity.schema == full.entity.schema
    for one, none in zip(candidate_tuples(full), candidate_tuples(empty), strict=True):
        assert one.schema == none.schema
        assert one.num_rows > none.num_rows == 0


mention_rows = st.tuples(
    st.sampled_from([0, 0, 0, 1]),  # document
    st.integers(0, 4),  # sentence
    st.sampled_from(["drug", "gene", "variant"]),
    st.sampled_from(["x", "xx", "y", "yx", ""]),  # entities, some told twice
)
Row = tuple[int, int, str, str]


def tables(mentions: list[Row]) -> Mentions:
    names = [f"m{i}" for i in range(len(mentions))]
    pairs = [(i, entity) for i, row in enumerate(mentions) for entity in row[3]]
    text = pa.large_string()
    return Mentions(
        pa.table(
            {
                "mention": pa.array(names, text),
                "document": pa.array([f"d{row[0]}" for row in mentions], text),
                "sentence": pa.array([row[1] for row in mentions], pa.int64()),
                "start": pa.array(range(len(mentions)), pa.int64()),
                "end": pa.array([i + 1 for i in range(len(mentions))], pa.int64()),
                "text": pa.array(["x"] * len(mentions), text),
                "kind": pa.array([row[2] for row in mentions], text),
            }
        ),
        pa.table(
            {
                "mention": pa.array([names[i] for i, _ in pairs], text),
                "entity": pa.array([entity for _, entity in pairs], text),
            }
        ),
    )


@settings(max_examples=40)
@given(
    st.lists(mention_rows, max_size=12),
    st.permutations(["drug", "gene", "variant"]).flatmap(
        lambda kinds: st.sampled_from([2, 3, 3]).map(lambda n: kinds[:n])
    ),
    st.integers(1, 4),
)
@example([(0, 0, "gene", "x"), (0, 1, "drug", "xx"), (0, 1, "gene", "x")], ["drug", "gene"], 3)
@example(
    [(0, 1, "drug", "x"), (0, 0, "gene", "x"), (0, 2, "variant", "x")],
    ["drug", "gene", "variant"],
    2,
)
def test_candidates_equal_the_plain_loop(
    mentions: list[Row], kinds: list[str], window: int
) -> None:
    given_tables = tables(mentions)
    found = candidate_tuples(given_tables, kinds, window=window)
    expected = candidates(
        given_tables.mention.to_pylist(), given_tables.entity.to_pylist(), kinds, window
    )
    expected.sort(key=lambda row: [int(mention[1:]) for mention in row[3]])
    names = [row[0] for row in rows(found.candidate)]
    assert len(set(names)) == len(names)
    assert [row[1:] for row in rows(found.candidate)] == [row[:3] for row in expected]
    assert rows(found.mention_of) == [
        (name, kind, mention)
        for name, row in zip(names, expected, strict=True)
        for kind, mention in zip(kinds, row[3], strict=True)
    ]
    assert found.args.column_names == ["candidate", *kinds]
    assert rows(found.args) == [
        (name, *entity_tuple)
        for name, row in zip(names, expected, strict=True)
        for entity_tuple in row[4]
    ]


def read(text: str, window: int = 3) -> Candidates:
    return candidate_tuples(mention_table({"d": text}, FINDERS), window=window)


def test_a_smaller_span_hides_a_larger_one_that_it_meets() -> None:
    text = "EGFR T790M. Then gefitinib with EGFR T790M."
    assert [row[2:] for row in rows(read(text).candidate)] == [(1, 1)]
    apart = "EGFR T790M. Then gefitinib. Rest. Rest. And gefitinib with EGFR T790M."
    assert [row[2:] for row in rows(read(apart).candidate)] == [(0, 1), (4, 4)]
    assert [row[2:] for row in rows(read(apart, 1).candidate)] == [(4, 4)]


def test_another_tuple_hides_nothing() -> None:
    found = read("EGFR T790M. Then gefitinib. And gefitinib with EGFR L858R.")
    assert rows(found.args.select(["gene", "variant"])) == [("g1", "T790M")] + [("g1", "L858R")]
    assert [row[2:] for row in rows(found.candidate)] == [(0, 1), (2, 2)]


def test_a_candidate_with_several_readings_keeps_the_minimal_ones() -> None:
    found = read("The p21 met gefitinib. Then KRAS T790M met gefitinib.")
    assert found.args["gene"].to_pylist() == ["g3", "g3", "g2"]  # either gefitinib with p21
    assert [row[2:] for row in rows(found.candidate)] == [(0, 1), (0, 1), (1, 1)]


def test_one_kind_needs_no_list() -> None:
    mentions = mention_table({"d": "EGFR met p21."}, FINDERS)
    found = candidate_tuples(mentions, "gene", window=1)
    assert rows(found.args) == [("d:0-4", "g1"), ("d:9-12", "g2"), ("d:9-12", "g3")]
    assert found == candidate_tuples(mentions, ["gene"], window=1)


@pytest.mark.parametrize(
    ("kinds", "window"),
    [((), 3), (("gene", "gene"), 3), (("gene",), 0), (("gene", "candidate"), 3)],
)
def test_senseless_windows_are_refused(kinds: tuple[str, ...], window: int) -> None:
    with pytest.raises(BadInput, match="within"):
        candidate_tuples(mention_table({}, FINDERS), kinds, window=window)


def test_the_tables_go_straight_into_a_task() -> None:
    found = read("Then gefitinib met EGFR T790M. And erlotinib met KRAS G12D.")
    task = tacit.Task(
        {**found._asdict(), "kb": {"drug": ["d1"], "gene": ["g1"], "variant": ["T790M"]}}
    )
    program = tacit.Program.parse(
        """
        label    treats(candidate) = no | yes
        observed args(candidate, drug, gene, variant)
        observed kb(drug, gene, variant)
        in_kb:   2.0! args(c, d, g, v) & kb(d, g, v) => treats(c) = yes
        """
    )
    beliefs = tacit.infer(tacit.ground(program, task), method="exact")
    known = [row[1:] == ("d1", "g1", "T790M") for row in rows(found.args)]
    assert sum(known) == 1
    assert beliefs.marginals("treats")[:, 1].round(2).tolist() == [
        0.88 if in_kb else 0.5 for in_kb in known
    ]
