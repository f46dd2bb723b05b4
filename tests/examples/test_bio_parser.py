"""The dependency parser of the biomedical example, on sentences small enough to check by eye."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from examples.bio.parser import Parser
from examples.bio.parser_net import ParserConfig, tree
from examples.bio.parses import ParsedSentence, attachment, held_out, peng_sentences

DRUGS, GENES = ("gefitinib", "erlotinib", "imatinib"), ("egfr", "kit", "braf")
SMALL = ParserConfig(
    word_dim=12, tag_dim=8, hidden=16, arc_dim=16, kind_dim=16, dropout=0.1, epochs=30, batch=4,
    learning_rate=0.02, min_kind=1,
)  # fmt: skip


def sentences() -> list[ParsedSentence]:
    """Drugs inhibit genes, or resistance to drugs occurs: each with its collapsed parse."""
    found = []
    for drug in DRUGS:
        for gene in GENES:
            found.append(
                ParsedSentence(
                    len(found),
                    (drug, "inhibit", gene, "."),
                    ("NN", "VBZ", "NN", "."),
                    (2, 0, 2, -1),
                    ("nsubj", "root", "dobj", "self"),
                )
            )
        found.append(
            ParsedSentence(
                len(found),
                ("resistance", "to", drug, "occur"),
                ("NN", "TO", "NN", "VBZ"),
                (4, -1, 1, 0),
                ("nsubj", "self", "prep_to", "root"),
            )
        )
    return found


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.train(sentences(), config=SMALL)


def test_it_learns_heads_and_kinds(parser: Parser) -> None:
    assert attachment(parser.parse, sentences()) == {"UAS": 1.0, "LAS": 1.0, "all words": 1.0}


def test_words_that_it_has_never_seen_are_read_by_their_tags(parser: Parser) -> None:
    lemmas, tags = ["afatinib", "inhibit", "erbb2", "."], ["NN", "VBZ", "NN", "."]
    assert parser.parse([(lemmas, tags)]) == [([2, 0, 2, -1], ["nsubj", "root", "dobj", "self"])]
    assert parser.edges(lemmas, tags) == ([(1, 0, "nsubj"), (1, 2, "dobj")], 1)


def test_every_sentence_has_one_root_whatever_it_says(parser: Parser) -> None:
    given = [(["."] * n, ["."] * n) for n in range(5)]
    found = parser.parse(given)
    assert [len(heads) for heads, _ in found] == [0, 1, 2, 3, 4]
    assert [heads.count(0) for heads, _ in found] == [0, 1, 1, 1, 1]
    assert [kinds.count("root") for _, kinds in found] == [0, 1, 1, 1, 1]


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_a_tree_has_one_root_and_no_cycles(n: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(n, n + 2)).astype(np.float32)
    np.fill_diagonal(scores, -np.inf)
    heads = tree(scores)
    assert heads.count(n) == 1
    for word in range(n):
        if heads[word] < n:
            assert heads[heads[word]] != n + 1  # no word hangs from one that is no node
        steps = [word]
        while steps[-1] < n:
            assert steps.count(steps[-1]) == 1
            steps.append(heads[steps[-1]])


def test_a_tree_that_needs_no_repair_is_the_best_heads() -> None:
    heads = [1, 4, 1, 5]  # a drug inhibits a gene, and a full stop; the second word is the root
    scores = np.zeros((4, 6), np.float32)
    scores[range(4), heads] = 1.0
    assert tree(scores) == heads
    scores[1, 0], scores[1, 4] = 2.0, 1.5  # first and second word prefer each other
    assert tree(scores) == heads


def test_a_parse_does_not_depend_on_other_sentences(parser: Parser) -> None:
    given = [(own.lemmas, own.tags) for own in sentences()]
    given.append((["egfr"] * 30, ["NN"] * 30))
    assert parser.parse(given) == [parser.parse([one])[0] for one in given]


def test_same_seed_same_parser_and_files_keep_it(parser: Parser, tmp_path: Path) -> None:
    again = Parser.train(sentences(), config=SMALL)
    parser.save(tmp_path / "one")
    again.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    loaded = Parser.load(tmp_path / "one")
    given = [(own.lemmas, own.tags) for own in sentences()]
    assert loaded.config == SMALL
    assert loaded.parse(given) == parser.parse(given)


def test_texts_are_cut_into_sentences_and_no_sentence_is_on_both_sides(tmp_path: Path) -> None:
    rows = {
        "tokens": [["a", "run", ".", "b", "sit"], ["b", "sit"], ["c", "stop"]],
        "pos": [["NN", "VB", ".", "NN", "VB"], ["NN", "VB"], ["NN", "VB"]],
        "head": [[2, 0, -1, 5, 2], [2, 0], [2, 0]],
        "deprel": [["nn(", "root", "self", "nsubj", "next"], ["nsubj", "root"], ["nsubj", "root"]],
        "sent_starts": [[0, 3], [0], [0]],
    }
    pq.write_table(pa.table(rows), tmp_path / "peng.parquet")
    first, second, third, _ = found = peng_sentences(tmp_path / "peng.parquet")
    assert first == ParsedSentence(
        0, ("a", "run", "."), ("NN", "VB", "."), (2, 0, -1), ("nn", "root", "self")
    )
    assert (second.heads, second.kinds) == ((2, 0), ("nsubj", "root"))
    assert [own.text for own in found] == [0, 0, 1, 2]
    assert held_out(found, every=3) == (found[2:], [first])  # the second is also the third
    assert third.lemmas == second.lemmas
