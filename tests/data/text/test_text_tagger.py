"""The tagger against its twin, what is shipped of it, noun phrases, and words of the dictionary."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.text.lemmas import lemma
from tacit.data.text.noun_phrases import noun_phrases
from tacit.data.text.tagger import SHIPPED, Tagger
from tacit.errors import BadInput
from tests.oracles import tagger as oracle
from tools.train_tagger import accuracy, lowered, read, train

DATA = Path(os.environ.get("TACIT_DATA", "no data")) / "bio" / "genia_syntax"
needs_genia = pytest.mark.skipif(not DATA.exists(), reason="set TACIT_DATA to the data folder")

SENTENCE = "The T790M mutation of EGFR confers resistance to gefitinib in 50 patients ."
TAGS = "DT NN NN IN NN VBZ NN TO NN IN CD NNS ."

words = st.one_of(
    st.text("abEGt7-9(αΣ", max_size=6),
    st.text(st.characters(exclude_categories=()), max_size=3),  # any code point, surrogates too
)
sentences = st.lists(st.lists(words, max_size=5), max_size=4)


@pytest.fixture(scope="module")
def shipped() -> Tagger:
    return Tagger.load()


@given(sentences, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_tags_are_those_of_the_twin(texts: list[list[str]], seed: int) -> None:
    tags = ("A", "B", "C")
    table = np.random.default_rng(seed).integers(-9, 10, (64, 3)).astype(np.int8)
    weights = oracle.weights_of(table.tolist(), tags)
    assert Tagger(tags, table).tag(texts) == [oracle.tag(text, tags, weights, 6) for text in texts]


def test_the_shipped_weights_give_the_tags_of_the_twin(shipped: Tagger) -> None:
    weights = oracle.weights_of(shipped.weights.tolist(), shipped.tags)
    for text in (SENTENCE, SENTENCE.upper(), "Σ-binding ( of 5 ′-AMP ) was shown ; see Fig. 2"):
        twin = oracle.tag(text.split(), shipped.tags, weights, 17)
        assert shipped.tag([text.split()]) == [twin]


def test_a_sentence_is_tagged_in_either_case(shipped: Tagger) -> None:
    given = [SENTENCE.split(), SENTENCE.lower().split()]
    assert shipped.tag(given) == [TAGS.split(), TAGS.split()]


def test_a_sentence_is_tagged_alike_whatever_stands_beside_it(shipped: Tagger) -> None:
    alone = shipped.tag([SENTENCE.split()])[0]
    assert shipped.tag([["Results", ":"], SENTENCE.split(), [], ["Of"]])[1] == alone
    assert shipped.tag([]) == []
    assert shipped.tag([[], []]) == [[], []]


def test_the_shipped_weights_are_small(shipped: Tagger) -> None:
    assert SHIPPED.stat().st_size < 1.5e6
    assert shipped.weights.dtype == np.int8


def test_a_text_in_place_of_words_is_refused(shipped: Tagger) -> None:
    with pytest.raises(BadInput, match="a text was given"):
        shipped.tag(["EGFR binds"])


def test_weights_that_fit_no_tags_are_refused() -> None:
    with pytest.raises(BadInput, match="do not fit 3 tags"):
        Tagger(("A", "B", "C"), np.zeros((4, 2), np.int8))
    with pytest.raises(BadInput, match="do not fit 2 tags"):
        Tagger(("A", "B"), np.zeros((5, 2), np.int8))


def test_training_learns_and_repeats_itself(tmp_path: Path) -> None:
    texts = [SENTENCE.split(), ["gefitinib", "binds", "EGFR", "."], ["the", "patients"]]
    tags = [TAGS.split(), ["NN", "VBZ", "NN", "."], ["DT", "NNS"]]
    one, other = (train(texts, tags, bits=12, epochs=5, seed=3) for _ in range(2))
    assert accuracy(one, texts, tags) == accuracy(one, lowered(texts), tags) == 1.0
    one.save(tmp_path / "one.npz")
    other.save(tmp_path / "other.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    assert Tagger.load(tmp_path / "one.npz").tag(texts) == tags


@needs_genia
def test_accuracy_on_sentences_held_out(shipped: Tagger) -> None:
    texts, tags = read(DATA / "genia_pos.parquet", "test")
    assert accuracy(shipped, texts, tags) > 0.98
    assert accuracy(shipped, lowered(texts), tags) > 0.98


@pytest.mark.parametrize(
    ("tags", "phrases"),
    [
        (TAGS, [(0, 3), (4, 5), (6, 7), (8, 9), (10, 12)]),
        ("JJ NN JJ NNS VBD DT RB VBN NN", [(0, 4), (5, 9)]),
        ("VBN NNS VBP VBN NN", [(0, 2), (4, 5)]),  # activated cells have activated CD4
        # was shown using cells, thus keeping CD4
        ("VBD VBN VBG NNS , RB VBG NN", [(3, 4), (7, 8)]),
        ("NNS VBG NN", [(0, 1), (2, 3)]),  # cells expressing CD4
        ("DT NN POS NN CC NN CD", [(0, 4), (5, 7)]),  # the patient's tumour and exon 19
        ("DT VBZ JJ", []),
        ("", []),
    ],
)
def test_noun_phrases(tags: str, phrases: list[tuple[int, int]]) -> None:
    assert noun_phrases(tags.split()) == phrases


PENN = ("DT", "JJ", "NN", "NNS", "CD", "VBN", "VBG", "VBZ", "IN", "CC", ",", "RB", "POS", "PRP")


@given(st.lists(st.sampled_from(PENN), max_size=12))
def test_noun_phrases_hold_every_noun_once(tags: list[str]) -> None:
    found = [at for start, end in noun_phrases(tags) for at in range(start, end)]
    assert found == sorted(set(found))
    assert {at for at, tag in enumerate(tags) if tag in ("NN", "NNS")} <= set(found)
    assert not {tags[at] for at in found} & {"VBZ", "IN", "CC", ",", "PRP"}


@pytest.mark.parametrize(
    ("form", "tag", "word"),
    [
        ("Mutations", "NNS", "mutation"), ("studies", "NNS", "study"), ("viruses", "NNS", "virus"),
        ("analyses", "NNS", "analysis"), ("responses", "NNS", "response"), ("mice", "NNS", "mouse"),
        ("EGFR-TKIs", "NNS", "egfr-tki"), ("diagnoses", "NNS", "diagnosis"),
        ("metastases", "NNS", "metastasis"), ("kinases", "NNS", "kinase"), ("was", "VBD", "be"),
        ("confers", "VBZ", "confer"), ("increases", "VBZ", "increase"), ("treated", "VBN", "treat"),
        ("activated", "VBN", "activate"), ("harboring", "VBG", "harbor"),
        ("required", "VBD", "require"), ("occurred", "VBD", "occur"),
        ("identified", "VBN", "identify"), ("targeting", "VBG", "target"),
        ("including", "VBG", "include"), ("controlled", "VBN", "control"),
        ("expressed", "VBD", "express"), ("bring", "VBG", "bring"), ("led", "VBD", "lead"),
        ("agreed", "VBD", "agree"), ("exceed", "VBD", "exceed"), ("computed", "VBN", "compute"),
        ("EGFR", "NN", "egfr"), ("binding", "NN", "binding"), ("an", "DT", "a"), ("", "NNS", ""),
    ],
)  # fmt: skip
def test_lemmas(form: str, tag: str, word: str) -> None:
    assert lemma(form, tag) == word


def test_long_words_and_sentences_are_quick() -> None:
    begun = time.process_time()
    assert lemma("ab" * 50_000 + "ed", "VBD") == "ab" * 50_000
    for tags in (["CD"], ["DT"], ["JJ", "VBG"], ["VBN", "JJ"]):
        assert noun_phrases(tags * 50_000) == []
    assert time.process_time() - begun < 2.0  # a tenth of that on one free core


@needs_genia
def test_lemmas_of_genia() -> None:
    table = pq.read_table(DATA / "genia_dep_devtest.parquet", filters=[("split", "==", "test")])
    columns = (table[name].to_pylist() for name in ("tokens", "pos", "lemmas"))
    rows = [row for sentence in zip(*columns, strict=True) for row in zip(*sentence, strict=True)]
    right = [lemma(word, tag) == true for word, tag, true in rows if tag.startswith("VB")]
    assert sum(right) / len(right) > 0.99
