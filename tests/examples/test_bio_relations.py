"""Relation extraction: its functions, what a network reads, its folds, its errors, its table."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from benchmarks.bio_errors import errors, shares
from benchmarks.bio_jobs import Setting
from benchmarks.bio_relations import RELATIONS
from benchmarks.bio_relations_rows import DP, ROWS
from examples.bio import expert, relations
from examples.bio.civicmine import GoldSentence, gold_candidates, read_sentences
from examples.bio.peng import edges_of, folds_by_text, peng_lemma, read_peng, text_groups
from examples.bio.triples import (
    Candidate,
    NameBook,
    blinded,
    candidate_tables,
    reading,
    triple_table,
)
from tacit.data.text.tagger import Tagger
from tacit.predictors.recurrent.sentence_graphs import SentenceGraph

DATA = Path(os.environ.get("TACIT_DATA", "nowhere"))
needs_data = pytest.mark.skipif(
    not (DATA / "bio" / "peng_nary").is_dir(), reason="TACIT_DATA has no bio/peng_nary"
)
BOOK = NameBook.of(["gefitinib", "erlotinib"], ["EGFR", "KRAS"])
CLEAN = "gefitinib helps patients with EGFR T790M mutations ."


def candidate(text: str, drug: int, gene: int, variant: int, **changes: object) -> Candidate:
    """A candidate whose mentions are single words; every word is a noun."""
    words = tuple(text.split())
    spans = ((drug, drug + 1), (gene, gene + 1), (variant, variant + 1))
    texts = (words[drug], words[gene], words[variant])
    found = Candidate(
        id="c1",
        words=words,
        lemmas=tuple(word.lower() for word in words),
        tags=("NN",) * len(words),
        spans=spans,
        texts=texts,
        names=(texts[0].lower(), texts[1], texts[2]),
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def holds(predicate: object, own: Candidate) -> bool:
    """Whether a predicate says anything of a candidate."""
    tables = candidate_tables([own], [""])
    task = tacit.Task(tables, text="candidate.graph", predicates=[predicate])
    return task.table(predicate.name).n_rows == 1  # type: ignore[attr-defined]


FINE = candidate(CLEAN, 0, 4, 5)
AGAINST = [
    (relations.other_name, replace(FINE, exact=False)),
    (relations.stop_word, candidate("gefitinib helps was T790M .", 0, 2, 3)),
    (relations.after_figure, candidate("gefitinib and EGFR in Fig. S1A .", 0, 2, 5)),
    (relations.no_noun, replace(FINE, tags=("NN", "VBZ", "NNS", "IN", "VBD", "NN", "NNS", "."))),
    (relations.full_of_numbers, candidate("gefitinib 3 4 EGFR 0.5 T790M", 0, 3, 5)),
    (relations.numbers_in_a_row, candidate(CLEAN + " 1 2.0 3 4 a a a a a a a", 0, 4, 5)),
    (relations.many_citations, candidate(CLEAN + " A et al. B et al B et al.", 0, 4, 5)),
    (relations.many_capitals, candidate(CLEAN + " Smith Jones Miller Brown", 0, 4, 5)),
    (relations.many_symbols, candidate(CLEAN + " ± ± → *", 0, 4, 5)),
    (relations.many_figures, candidate(CLEAN + " Fig. table figure legend", 0, 4, 5)),
    (relations.overlapping, candidate("gefitinib EGFR-T790M", 0, 1, 1)),
]


@pytest.mark.parametrize(("predicate", "bad"), AGAINST, ids=[own.name for own, _ in AGAINST])
def test_each_function_of_the_chapter_tells_bad_from_good(predicate: object, bad: Candidate):
    assert holds(predicate, bad)
    assert not holds(predicate, FINE)


def test_every_function_is_tried_here_and_is_in_the_program():
    tried = [own.name for own, _ in AGAINST]
    assert tried == [own.name for own in (*relations.ENTITY, *relations.RELATION)]
    assert set(tried) == set(DP) <= {own.name for own in relations.program().evidence}


def test_three_numbers_symbols_or_citations_are_still_few():
    few = candidate(CLEAN + " 1 2 3 a a a a a ± ± ± A et al. B et al. Fig. table legend", 0, 4, 5)
    for own in relations.RELATION:
        assert not holds(own, replace(few, cased=False)), own.name


def test_what_needs_upper_case_says_nothing_of_lower_cased_text():
    bad = candidate(CLEAN + " Smith Jones Miller Brown", 0, 4, 5, cased=False, exact=None)
    assert not holds(relations.many_capitals, bad)
    assert not holds(relations.other_name, bad)


def test_an_adjective_before_a_noun_is_part_of_it():
    assert relations.is_noun(["JJ", "NN"], (0, 1))
    assert not relations.is_noun(["JJ", "VB"], (0, 1))
    assert not relations.is_noun(["VB", "NN"], (0, 1))


def test_what_the_expert_adds():
    far = "gefitinib helps . KRAS T790M is rare . EGFR too"
    sentences = {"sentences": (0, 3, 8)}
    own = candidate(far, 0, 8, 4, **sentences)
    other = expert.other_gene_beside_variant(BOOK)
    assert holds(other, own)
    assert not holds(other, candidate(far, 0, 3, 4, **sentences))
    assert holds(expert.gene_beside_variant, FINE)
    assert not holds(expert.gene_beside_variant, own)
    assert holds(expert.in_one_sentence, FINE)
    assert holds(expert.in_three_sentences, own)
    assert not holds(expert.tells_of_effect, FINE)
    assert holds(expert.tells_of_effect, candidate("gefitinib resistance EGFR T790M", 0, 2, 3))
    assert not holds(expert.tells_of_effect, candidate(far + " resistance", 0, 8, 4, **sentences))
    assert holds(expert.no_likely_variant, candidate("gefitinib EGFR E2F", 0, 1, 2))
    assert not holds(expert.no_likely_variant, FINE)


def test_names_are_hidden_and_what_is_joined_to_them_is_not():
    text = "gefitinib-resistant EGFR-T790M cells , unlike KRAS or L858R or Erlotinib , EGFR"
    own = candidate(text, 0, 1, 1)
    own = replace(own, texts=("gefitinib", "EGFR", "T790M"), names=("gefitinib", "EGFR", "T790M"))
    assert " ".join(blinded(own, BOOK)) == (
        "<drug>-resistant <gene>-<variant> cells , unlike <other gene> or <other variant> or "
        "<other drug> , <gene>"
    )


@given(
    st.lists(st.sampled_from(["egfr", "kras", "v600e", "egfr-tki", "a", "b-a/a"]), min_size=3),
    st.data(),
)
def test_mentions_are_always_marked_and_their_names_never_left(
    words: list[str], data: st.DataObject
):
    place = st.integers(0, len(words) - 1)
    own = candidate(" ".join(words), *(data.draw(place) for _ in range(3)))
    hidden = blinded(own, BOOK)
    for mark, (at, _) in zip(("<drug>", "<gene>", "<variant>"), own.spans, strict=True):
        assert mark in hidden[at]
    assert not {name.lower() for name in own.texts if len(name) > 1} & set(hidden)
    assert len(hidden) == len(words)


def test_a_network_reads_dependencies_and_sentences_or_word_order_alone():
    own = replace(FINE, dependencies=((1, 0, "nsubj"),), roots=(1, 5))
    graph = SentenceGraph.from_dict(json.loads(reading(own, blind=BOOK)))
    assert graph.edges == (
        (1, 0, "nsubj"),
        (1, 5, "next sentence"),
        (5, 1, "previous sentence"),
    )
    assert graph.entities == ((0,), (4,), (5,))
    chain = SentenceGraph.from_dict(json.loads(reading(own, blind=None, grammar=False)))
    assert chain.edges == ()
    assert chain.tokens == own.lemmas


def test_edges_from_heads():
    heads, kinds = [2, 0, -1, 2, 2], ["nsubj", "root", "self", "nn(", "next"]
    assert edges_of((heads, kinds)) == (((1, 0, "nsubj"), (1, 3, "nn")), (1, 4))
    assert edges_of(None) == ((), ())


def test_words_as_peng_has_them():
    words = [("Was", "VBD"), ("%", "NN"), ("advanced", "JJ"), ("Mutations", "NNS"), ("the", "DT")]
    assert [peng_lemma(*word) for word in words] == ["was", "percent", "advance", "mutation", "the"]


@given(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=60), st.integers(2, 5))
def test_folds_keep_texts_together_and_are_about_equal(texts: list[str], n_folds: int):
    fold = folds_by_text(texts, n_folds)
    assert all(
        len({int(f) for f, own in zip(fold, texts, strict=True) if own == t}) == 1 for t in texts
    )
    sizes = np.bincount(fold, minlength=n_folds)
    assert sizes.max() - sizes.min() <= max(texts.count(text) for text in texts)


def toy_task() -> tacit.Task:
    own = [
        replace(FINE, id="known"),
        replace(FINE, id="unknown", names=("gefitinib", "KRAS", "G12C")),
        replace(candidate(CLEAN + " 1 2 3 4 a a a a", 0, 4, 5), id="table"),
    ]
    tables = candidate_tables(own, [reading(one, blind=BOOK) for one in own])
    triples = [FINE.names]
    functions = (*relations.ENTITY, *relations.RELATION, *expert.predicates(BOOK))
    tables |= {"kb": triple_table(triples)} | expert.tables(triples)
    return tacit.Task(tables, text="candidate.graph", predicates=functions)


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_program_says_yes_to_known_triples_and_less_so_in_a_table():
    known, unknown, table = tacit.LabelModel().fit(toy_task(), relations.program()).posterior_[:, 1]
    assert known > 0.7 > 0.5 > unknown
    assert known > table


def test_the_program_of_every_row_fits_the_tables():
    task = toy_task()
    for row in ROWS.values():
        program = relations.program(expert=row.expert).without(*row.without)
        assert len(program.evidence) > 1
        assert tacit.check(program, task) == ()
    assert set(RELATIONS.chapter) <= set(ROWS)


GOLD = GoldSentence(
    frozenset({("drug", (0, 5)), ("gene", (10, 14)), ("gene", (20, 24)), ("variant", (30, 35))}),
    predictive=frozenset({((0, 5), (10, 14))}),
    associated=frozenset({((10, 14), (30, 35))}),
)


@pytest.mark.parametrize(
    ("drug", "gene", "variant", "found"),
    [
        ((0, 5), (10, 14), (30, 35), set()),
        ((0, 5), (10, 19), (29, 33), set()),  # nearly the same stretch is the same mention
        ((0, 5), (20, 24), (30, 35), {"gene-mutation", "relation"}),
        ((0, 5), (50, 54), (30, 35), {"gene"}),
        ((6, 9), (10, 14), (40, 45), {"drug", "mutation"}),
        ((6, 9), (20, 24), (30, 35), {"drug", "gene-mutation"}),
    ],
)
def test_types_of_errors(drug: object, gene: object, variant: object, found: set[str]):
    assert errors(GOLD, drug, gene, variant) == found  # type: ignore[arg-type]
    assert GOLD.is_true(drug, gene, variant) <= (not found)  # type: ignore[arg-type]


def test_shares_of_errors():
    wrong = [frozenset({"gene", "relation"}), frozenset({"relation"})]
    assert shares(wrong) == {
        "gene": 0.5,
        "drug": 0,
        "mutation": 0,
        "gene-mutation": 0,
        "relation": 1,
    }
    assert set(shares([]).values()) == {0}


@needs_data
def test_gold_has_as_many_candidates_as_its_readme_says():
    found = gold_candidates(read_sentences(DATA / "bio", Tagger.load()))
    assert len(found) == 264
    assert sum(own.is_true for own in found) == 170
    assert len({own.candidate.id for own in found}) == 264
    for own in found:
        wrong = errors(own.gold, *own.places)
        assert not own.is_true or not wrong
        assert not wrong & {"gene", "drug", "mutation"}  # mentions are given
        words = own.candidate.words
        assert all(0 <= first < behind <= len(words) for first, behind in own.candidate.spans)


@needs_data
def test_peng_is_read_whole_and_folds_do_not_share_texts():
    found = read_peng(DATA / "bio")
    assert len(found) == 6987
    texts = text_groups(found)
    assert len(set(texts)) == 3223
    fold = folds_by_text(texts)
    assert np.bincount(fold).tolist() == [1398, 1398, 1397, 1397, 1397]
    assert len({(text, int(own)) for text, own in zip(texts, fold, strict=True)}) == 3223


@needs_data
@pytest.mark.slow
def test_the_main_rows_run_on_a_part_of_the_data():
    """The table in little: 200 candidates, small networks, one fold; less than a minute."""
    trained = ["DS only", "DPL", "BiLSTM"]
    jobs = RELATIONS.jobs(Setting(DATA, "cpu", seeds=1, quick=True))
    found = {job.row: job.run() for job in jobs if job.row in ["all yes", "in KB", *trained]}
    assert found["all yes"]["f1"] == pytest.approx(2 * 170 / (264 + 170))
    assert found["in KB"]["precision"] > found["all yes"]["precision"]
    for row in trained:
        own = found[row]
        shares = ("recall", "f1", "ap", "auto_accuracy", "auto_f1")
        assert all(0 <= own[name] <= 1 for name in shares), own
        assert 0.5 < own["ap"] < 1  # of 264, 170 are true: chance has 0.64
        assert own["auto_accuracy"] > 0.3
        assert 0 <= own["unique"] <= own["extracted"] <= 220
