"""Joint extraction: unfiltered candidates, one program for both labels, its table."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tacit
from benchmarks.bio_jobs import Setting
from benchmarks.bio_joint import JOINT, QUICK, TRAINING_OF
from benchmarks.bio_joint_data import Side, overlap
from benchmarks.bio_joint_scores import side_figures
from examples.bio import joint, linking, relations
from examples.bio.candidates import Candidate as Match
from examples.bio.candidates import matches
from examples.bio.civicmine import GoldSentence
from examples.bio.joint_candidates import Passage, nearest, peng_passages, unfiltered
from examples.bio.linking import Knowledge, linking_task
from examples.bio.reading import read_documents
from examples.bio.triples import Candidate, NameBook
from tacit.data.text.lexicon import Lexicon
from tacit.data.text.tagger import Tagger
from tacit.graph.build import graph_of
from tacit.grounding import ground_factors
from tacit.inference import infer

DATA = Path(os.environ.get("TACIT_DATA", "nowhere"))
needs_data = pytest.mark.skipif(
    not (DATA / "bio" / "peng_nary").is_dir(), reason="TACIT_DATA has no bio/peng_nary"
)
LEXICON = Lexicon({"EGFR": ["EGFR", "ERBB1"], "OF1": ["of"], "KIT": ["KIT"]}, ignore_case=True)
TEXT = "gefitinib in case of egfr . because of t790m , egfr resist erlotinib"
BOOK = NameBook.of(["gefitinib", "erlotinib"], ["EGFR", "KIT"])


def pair(drug: int, variant: int, text: str = TEXT) -> Candidate:
    """A candidate of Peng's text; its gene is any word."""
    words = tuple(text.split())
    return Candidate(
        id=f"peng-{drug}-{variant}",
        words=words,
        lemmas=words,
        tags=("NN",) * len(words),
        sentences=(0, 6),
        spans=((drug, drug + 1), (4, 5), (variant, variant + 1)),
        texts=(words[drug], words[4], words[variant]),
        names=(words[drug], "EGFR", words[variant].upper()),
        cased=False,
    )


PASSAGES = peng_passages([pair(0, 8), pair(12, 8), pair(0, 8)])
DOCUMENTS = [passage.document for passage in PASSAGES]
FOUND = matches(DOCUMENTS, LEXICON)


def first_gene(_: object, each: object) -> str:
    """The name of a match, where it has one gene."""
    return each.genes[0]  # type: ignore[attr-defined,no-any-return]


def test_a_text_has_each_pair_once_and_its_words_where_they_stand():
    (passage,) = PASSAGES
    assert [own.spans[0] for own in passage.pairs] == [(0, 1), (12, 13)]
    document = passage.document
    assert [document.word(at) for at in range(len(document.starts))] == TEXT.split()
    assert document.sentence_of_word == (0,) * 6 + (1,) * 7


def test_every_match_is_a_gene_and_the_nearest_of_those_alike_is_taken():
    every = unfiltered(PASSAGES, FOUND, first_gene)
    assert len(every) == 2 * 4
    near = unfiltered(PASSAGES, FOUND, first_gene, every_mention=False)
    assert [(own.candidate.spans[1][0], own.candidate.names[1]) for own in near[:2]] == [
        (7, "OF1"),
        (10, "EGFR"),
    ]
    assert len({own.candidate.id for own in every}) == len(every)
    assert all(own.candidate.words[own.candidate.spans[1][0]] in ("of", "egfr") for own in every)


def test_of_two_as_near_the_first_is_taken():
    text = "gefitinib egfr t790m egfr"
    own = pair(0, 2, text + " x x x x x x")
    (passage,) = peng_passages([own])
    found = matches([passage.document], LEXICON)
    assert [each.start for each in nearest(found, own, passage.document)] == [text.index("egfr")]


def mentions(*, cased: bool = False) -> tacit.Task:
    """The matches, and a phrase, as `linking.tacit` wants them: no fact but whether they match."""
    no_word = Knowledge(LEXICON, frozenset(), frozenset(), {}, Tagger.load())
    first = Match(0, 0, len("gefitinib"), 0, "gefitinib", ())
    return linking_task(DOCUMENTS, FOUND, no_word, others=[first], cased=cased)


def whole(triples: list[tuple[str, str, str]] | None) -> tuple[tacit.Task, tacit.Program]:
    """One program on the text, without what ties mentions: each is to speak for itself."""
    some = unfiltered(PASSAGES, FOUND, first_gene)
    relation = joint.relation_task(some, BOOK, triples)
    task = joint.joint_task(relation, some, [mentions()])
    return task, joint.joint().without(*linking.FAMILIES["ji"])


def inferred(task: tacit.Task, program: tacit.Program) -> dict[str, np.ndarray]:
    """The probability of yes with the weights that the program gives."""
    graph = graph_of(ground_factors(program, task))
    beliefs = infer(graph, "exact", weights=graph.weights)
    return {name: beliefs.marginals(name)[:, 1] for name in ("link", "treats")}


def test_a_known_relation_speaks_for_its_gene_and_none_for_other_words():
    task, program = whole([("gefitinib", "EGFR", "T790M")])
    both = inferred(task, program)
    alone = inferred(task, program.without("linked", "unmoved"))
    gain = both["link"] - alone["link"]
    texts = mentions().table("mention").column("text").to_pylist()
    is_gene = np.array([text == "egfr" for text in texts])
    assert (gain[is_gene] > 0.02).all()
    assert gain[is_gene].min() > gain[~is_gene].max()
    assert (gain[~is_gene] < 0.01).all()


def test_what_is_no_gene_has_no_relation():
    task, program = whole([("gefitinib", "EGFR", "T790M"), ("gefitinib", "OF1", "T790M")])
    both, apart = inferred(task, program), inferred(task, program.without("linked"))
    words = np.array([own.candidate.texts[1] for own in unfiltered(PASSAGES, FOUND, first_gene)])
    kept = both["treats"] / apart["treats"]
    assert (kept[words == "of"] < 0.9).all()
    assert kept[words == "of"].max() < kept[words == "egfr"].min()


def test_small_letters_speak_only_where_there_are_capitals():
    assert mentions(cased=False).table("plain").n_rows == 0
    assert mentions(cased=True).table("plain").n_rows == len(FOUND) + 1


def test_mentions_of_several_tasks_are_one_table_with_all_that_is_known():
    some = unfiltered(PASSAGES, FOUND, first_gene)
    other = read_documents({"n": "The EGFR gene. EGFR binds."}, Tagger.load())
    known = Knowledge(LEXICON, frozenset(), frozenset(), {}, Tagger.load())
    more = linking_task(other, matches(other, LEXICON), known)
    task = joint.joint_task(joint.relation_task(some, BOOK, None), some, [more, mentions()])
    ids = [each.id_in(other) for each in matches(other, LEXICON)]
    assert task.table("mention").n_rows == len(ids) + len(FOUND) + 1
    pairs = task.table("same_text").arrow.to_pylist()
    assert pairs[0] == {"mention": ids[0], "other": ids[1]}
    assert len(pairs) == 1 + 2  # of and egfr stand twice in the other text


def test_the_linkers_doubt_is_evidence_against_a_relation():
    some = unfiltered(PASSAGES, FOUND, first_gene)
    linked = [0.59, 0.6, 0.0, 1.0] * 2
    task = joint.relation_task(some, BOOK, [("x", "y", "z")], linked)
    assert task.table("doubtful_gene").n_rows == 4
    names = {own.name for own in joint.filtered().evidence}
    assert names == {own.name for own in relations.program().evidence} | {"doubtful_gene"}


def test_triples_that_no_candidate_has_are_missed_and_errors_are_told():
    gold = GoldSentence(
        frozenset({("drug", (0, 9)), ("gene", (10, 14)), ("variant", (15, 20))}),
        frozenset({((0, 9), (10, 14))}),
        frozenset({((10, 14), (15, 20))}),
    )
    own = replace(unfiltered(PASSAGES, FOUND, first_gene)[0], passage=0, pair=0)
    some = [replace(own, place=place) for place in ((10, 14), (30, 32), (12, 13))]
    passage = Passage(DOCUMENTS[0], PASSAGES[0].pairs, (((0, 9), (15, 20)),), gold)
    unseen = replace(passage, pairs=(), places=())
    side = Side([passage, unseen], some, mentions(), np.zeros(3, np.int64))
    found = side_figures(side, np.array([0.9, 0.8, 0.7]))
    assert found["precision"] == pytest.approx(2 / 3)
    assert found["recall"] == 0.5
    assert found["error_gene"] == 1.0
    none = side_figures(side, np.zeros(3))
    assert none["recall"] == none["f1"] == 0.0


def test_stretches_that_only_touch_do_not_overlap():
    assert overlap((0, 3), (2, 5))
    assert not overlap((0, 3), (3, 5))


def test_every_row_is_a_job_and_the_quick_run_is_small():
    rows = [job.row for job in JOINT.jobs(Setting(Path("nowhere"), "cpu", 1, True))]
    assert rows == ["all yes", *TRAINING_OF]
    assert set(JOINT.chapter) <= set(rows)
    assert QUICK["n_candidates"] < 1000


@needs_data
@pytest.mark.slow
def test_the_quick_table_runs():
    found = {job.row: job.run() for job in JOINT.jobs(Setting(DATA, "cpu", 1, True))}
    assert 0.8 < found["all yes"]["recall"] <= 1
    assert all(0 <= own["ap"] <= 1 for own in found.values())
    assert found["one program"]["link_f1"] > 0.5
    assert found["all yes"]["found_extracted"] > 0
    assert all(
        0 <= own["found_recall"] <= found["all yes"]["found_recall"] for own in found.values()
    )
