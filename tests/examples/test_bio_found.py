"""Joint extraction where a machine finds drugs and variants: candidates, and types of error."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

import tacit
from benchmarks.bio_joint_data import Side, by_machine
from benchmarks.bio_joint_scores import mention_figures, side_figures
from examples.bio.candidates import matches
from examples.bio.civicmine import GoldSentence, Mention, Sentence, read_sentences
from examples.bio.joint_candidates import Named, civicmine_passages, found_names, unfiltered
from examples.bio.triples import KINDS, Span
from tacit.data.text.lexicon import Lexicon
from tacit.data.text.tagger import Tagger
from tacit.data.text.words import word_spans

DATA = Path(os.environ.get("TACIT_DATA", "nowhere"))
needs_data = pytest.mark.skipif(
    not (DATA / "bio" / "civicmine").is_dir(), reason="TACIT_DATA has no bio/civicmine"
)
GENES = Lexicon({"EGFR": ["EGFR"], "KIT": ["KIT"], "OF1": ["of"]}, ignore_case=True)
DRUGS = Lexicon(
    {"Gefitinib": ["gefitinib", "Iressa"], "Arsenic": ["as"]}, ignore_case=True, skip=["as"]
)
TEXT = "Gefitinib or imatinib acts, as in case of EGFR L858R or G719A/C and KIT D816V."
Pair = tuple[str, str]


def sentence(text: str, *, predictive: list[Pair], associated: list[Pair], other: Pair) -> Sentence:
    """Marked are pairs of drug and gene, of gene and variant, and one thing more: kind, text."""

    def place(name: str) -> Span:
        return text.index(name), text.index(name) + len(name)

    named = {
        *(("drug", drug) for drug, _ in predictive),
        *(("gene", gene) for _, gene in predictive),
    }
    named |= {*(("gene", own) for own, _ in associated), *(("variant", v) for _, v in associated)}
    named.add(other)
    marked = {
        kind: tuple(Mention(place(name), name, "") for k, name in sorted(named) if k == kind)
        for kind in KINDS
    }
    gold = GoldSentence(
        frozenset((kind, place(name)) for kind, name in named),
        frozenset((place(drug), place(gene)) for drug, gene in predictive),
        frozenset((place(gene), place(variant)) for gene, variant in associated),
    )
    spans = tuple(word_spans(text))
    words = tuple(text[start:end] for start, end in spans)
    return Sentence("s", text, marked, gold, spans, words, ("NN",) * len(words), words, (), ())


def by_name(one: Sentence) -> Named:
    """What the small lexicon and the grammar find."""
    return found_names(one, DRUGS)


def side(*sentences: Sentence) -> Side:
    """All candidates of sentences."""
    passages = civicmine_passages(sentences, by_name)
    found = matches([passage.document for passage in passages], GENES)
    some = unfiltered(passages, found, lambda _, each: each.genes[0])
    no_mentions = tacit.Task({"mention": {"mention": ["none"]}})  # links are not asked for here
    return Side(passages, some, no_mentions, np.zeros(len(some), np.int64))


MARKED = sentence(
    TEXT,
    predictive=[("Gefitinib", "EGFR")],
    associated=[("EGFR", "L858R or G719A/C")],
    other=("gene", "KIT"),
)


def test_drugs_and_variants_are_found_where_they_stand_and_each_place_once():
    drugs, variants = by_name(MARKED)
    assert [(own.text, own.name) for own in drugs] == [("Gefitinib", "gefitinib")]
    assert [own.text for own in variants] == ["L858R", "G719A/C", "D816V"]
    assert [own.name for own in variants] == ["L858R", "G719A", "D816V"]
    assert all(TEXT[slice(*own.place)] == own.text for own in [*drugs, *variants])


def test_candidates_are_all_triples_of_what_is_found():
    own = side(MARKED)
    assert len(own.some) == 1 * 3 * 3
    assert len({one.candidate.id for one in own.some}) == 9
    assert {one.candidate.texts for one in own.some} == {
        ("Gefitinib", gene, variant)
        for gene in ("of", "EGFR", "KIT")
        for variant in ("L858R", "G719A/C", "D816V")
    }


def test_names_in_one_word_are_candidates_of_their_own():
    text = "Iressa/gefitinib in EGFR-L858R/T790M"
    own = side(
        sentence(text, predictive=[], associated=[("EGFR", "L858R")], other=("drug", "Iressa"))
    )
    assert {(one.candidate.texts[0], one.candidate.texts[2]) for one in own.some} == {
        (drug, variant) for drug in ("Iressa", "gefitinib") for variant in ("L858R", "T790M")
    }
    assert len({one.candidate.id for one in own.some}) == len(own.some) == 4


def test_a_triple_is_right_if_its_mentions_overlap_those_of_a_true_one():
    own = side(MARKED)
    assert len(own.true_triples) == 1
    right = {one.candidate.texts for one, true in zip(own.some, own.covers, strict=True) if true}
    assert right == {("Gefitinib", "EGFR", "L858R"), ("Gefitinib", "EGFR", "G719A/C")}


@pytest.mark.parametrize(
    ("gene", "variant", "types"),
    [
        ("of", "L858R", {"gene"}),
        ("KIT", "L858R", {"gene-mutation", "relation"}),
        ("EGFR", "D816V", {"mutation"}),
        ("KIT", "D816V", {"mutation", "relation"}),
        ("of", "D816V", {"gene", "mutation"}),
    ],
)
def test_why_an_extraction_is_wrong(gene: str, variant: str, types: set[str]):
    assert told(MARKED, gene, variant) == types


def test_a_drug_that_is_none_and_a_drug_without_effect():
    of_kit = {"associated": [("EGFR", "L858R"), ("KIT", "D816V")]}
    none = sentence(TEXT, predictive=[("imatinib", "EGFR")], **of_kit, other=("gene", "KIT"))
    assert told(none, "EGFR", "L858R") == {"drug"}
    assert told(none, "KIT", "L858R") == {"drug", "gene-mutation"}
    other = sentence(TEXT, predictive=[("imatinib", "KIT")], **of_kit, other=("drug", "Gefitinib"))
    assert told(other, "KIT", "D816V") == {"relation"}


def told(own: Sentence, gene: str, variant: str) -> set[str]:
    """The types of error of one extraction from a sentence."""
    asked = side(own)
    only = [one.candidate.texts[1:] == (gene, variant) for one in asked.some]
    found = side_figures(asked, np.array(only, np.float64))
    assert found["extracted"] == found["wrong"] == 1
    shares = {name.removeprefix("error_"): v for name, v in found.items() if "error" in name}
    assert set(shares.values()) <= {0, 1}
    return {name for name, share in shares.items() if share}


def test_what_is_not_found_lowers_recall_and_sentences_without_anything_are_left_out():
    hidden = sentence(
        "Gefitinib by expression of EGFR",
        predictive=[("Gefitinib", "EGFR")],
        associated=[("EGFR", "expression")],
        other=("gene", "EGFR"),
    )
    nothing = sentence("EGFR is a gene", predictive=[], associated=[], other=("gene", "EGFR"))
    own = side(hidden, MARKED, nothing)
    assert [len(passage.pairs) for passage in own.passages] == [0, 3]
    every = side_figures(own, np.ones(len(own.some)))
    assert (every["precision"], every["recall"]) == (pytest.approx(2 / 9), 0.5)
    assert side_figures(side(hidden), np.zeros(0))["ap"] == 0.0


def test_how_well_drugs_and_variants_are_found():
    found = mention_figures([MARKED], by_name)
    assert (found["drug_precision"], found["drug_recall"]) == (1, 1)
    assert (found["variant_precision"], found["variant_recall"]) == (pytest.approx(2 / 3), 1)
    nothing = sentence("EGFR is a gene", predictive=[], associated=[], other=("gene", "EGFR"))
    assert math.isnan(mention_figures([nothing], by_name)["drug_recall"])


@needs_data
def test_what_is_found_in_the_sentences_with_gold():
    sentences = read_sentences(DATA / "bio", Tagger.load())
    assert sum(len(own.gold.true_triples) for own in sentences) == 170
    found = mention_figures(sentences, by_machine(DATA / "bio"))
    assert found["drug_precision"] > 0.8
    assert found["variant_precision"] > 0.9
    assert 0.3 < found["variant_recall"] < 0.6  # "expression" and "mutations" are no changes
