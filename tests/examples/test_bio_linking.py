"""Gene linking: candidates, what is known of them, their pairs, and what DPL makes of it all."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from benchmarks.bio_jobs import Setting
from benchmarks.bio_linking import LINKING
from benchmarks.bio_linking_data import Data
from benchmarks.bio_linking_gold import (
    EACH,
    balanced_accuracy,
    draw,
    gold_of,
    sample,
    scores,
    set_scores,
)
from examples.bio.abbreviations import abbreviations, ends_like_a_gene, long_form, meanings
from examples.bio.candidates import (
    Candidate,
    candidate,
    common_words,
    gene_heads,
    matches,
    phrases,
)
from examples.bio.gene_normalisation import families, genes_of, genes_of_documents
from examples.bio.gene_spelling import Spellings, name_key, parts, symbol_key
from examples.bio.grammar_vectors import grammar_vectors
from examples.bio.linking import FAMILIES, Knowledge, linking_task, program, training_task
from examples.bio.mention_facts import in_longer_name, is_common, is_object
from examples.bio.mention_pairs import apposed, same_text, synonyms
from examples.bio.reading import Document, Marked, read_documents
from examples.bio.window_predictor import WindowRegression
from tacit.data.text.lexicon import Lexicon
from tacit.data.text.tagger import Tagger

DATA = Path(os.environ.get("TACIT_DATA", "nowhere"))
needs_data = pytest.mark.skipif(not (DATA / "bio" / "hgnc").is_dir(), reason="TACIT_DATA: no hgnc")

NAMES = {
    "EGFR": ["EGFR", "ERBB1", "HER1", "epidermal growth factor receptor"],
    "TNF": ["TNF", "TNFA", "TNF-alpha", "tumor necrosis factor"],
    "BRIP1": ["BRIP1", "OF", "BRCA1 interacting helicase 1"],
    "SPI1": ["SPI1", "OF", "PU.1", "Spi-1 proto-oncogene"],
    "LARGE1": ["LARGE1", "LARGE", "LARGE xylosyl- and glucuronyltransferase 1"],
    "CALR": ["CALR", "RO", "CRT", "calreticulin"],
}
TEXTS = {
    "a": "Activation of epidermal growth factor receptor (EGFR) was found. EGFR binds TNF-alpha.",
    "b": "A large share of patients had chronic renal toxicity (CRT). In those CRT was severe.",
    "c": "We inhibited ERBB1 in a large group. The EGFR gene is large. The TNF receptor is not.",
}
LEXICON = Lexicon(NAMES, ignore_case=True)


@pytest.fixture(scope="module")
def known() -> Knowledge:
    heads = frozenset({"receptor", "factor", "kinase"})
    common = frozenset({"of", "in", "large", "was"})
    return Knowledge(LEXICON, heads, common, {"CRT": False, "EGFR": True}, Tagger.load())


@pytest.fixture(scope="module")
def documents(known: Knowledge) -> list[Document]:
    return read_documents(TEXTS, known.tagger)


def texts_of(found: list[Candidate]) -> list[str]:
    return [each.text for each in found]


def pair_texts(pairs: list[tuple[Candidate, Candidate]]) -> list[tuple[str, str]]:
    return [(one.text, other.text) for one, other in pairs]


def test_documents_have_words_tags_and_sentences(documents: list[Document]) -> None:
    first = documents[0]
    assert first.word(0) == "Activation"
    assert len(first.starts) == len(first.ends) == len(first.tags) == len(first.sentence_of_word)
    assert first.sentence_of_word[-1] == 1
    at = first.text.index("growth")
    assert [first.word(n) for n in range(*first.words_of(at, at + 13))] == ["growth", "factor"]


def test_matches_ignore_case_and_the_longest_wins(documents: list[Document]) -> None:
    found = texts_of(matches(documents, LEXICON))
    assert found[:4] == ["of", "epidermal growth factor receptor", "EGFR", "EGFR"]
    assert "large" in found
    assert "TNF" in found


def test_phrases_touch_no_match_and_do_not_end_like_genes(documents: list[Document]) -> None:
    found = phrases(documents, matches(documents, LEXICON), {"share"})
    texts = texts_of(found)
    assert "patients" in texts
    assert not {"share", "large share", "The", "EGFR", "the EGFR gene"} & set(texts)
    assert all(not each.genes for each in found)


def test_heads_are_what_many_full_names_end_with() -> None:
    names = {f"G{n}": ["G", f"protein kinase {n}"] for n in range(20)}
    assert gene_heads(names | {"H": ["H", "one odd thing"]}) == {"kinase", "kinases"}


def test_common_words_are_spread_and_names_come_in_heaps() -> None:
    plain = [f"we saw a step here {n}" for n in range(100)]
    heaps = ["leptin leptin leptin leptin"] * 4 + ["nothing"] * 96
    found = common_words([*plain, *heaps], always=0.3, often=0.01)
    assert {"we", "saw", "step"} <= found
    assert "leptin" not in found
    assert "WE" not in found


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("by polymerase chain reaction (PCR), which", "PCR", "polymerase chain reaction"),
        ("the tumour necrosis factor-alpha (TNFA) is", "TNFA", "tumour necrosis factor-alpha"),
        ("it was seen (PCR) twice", "PCR", None),
        ("one thing. Polymerase (PC)", "PC", None),
        ("polymerase chain reaction PCR, which", "PCR", None),
        ("(PCR)", "PCR", None),
    ],
)
def test_long_forms(text: str, short: str, long: str | None) -> None:
    start = text.index(short)
    span = long_form(text, (start, start + len(short)))
    assert (span and text[slice(*span)]) == long


@given(st.text(alphabet="abcAB ().-1,", max_size=60))
def test_a_long_form_begins_as_its_abbreviation_does(text: str) -> None:
    for short, forms in abbreviations([text]).items():
        first = next(c for c in short.lower() if c.isalnum())
        for form in forms:
            assert form[0] == first
            letters = iter(form)
            assert all(c in letters for c in short.lower() if c.isalnum())  # in this order


def test_meanings_are_those_of_the_long_forms() -> None:
    texts = ["epidermal growth factor receptor (EGFR) and chronic renal toxicity (CRT)."] * 2
    texts += ["phosphatase and tensin homolog deleted on chromosome ten (PTEN)"] * 2
    names = NAMES | {"PTEN": ["PTEN", "phosphatase and tensin homolog"]}
    assert ends_like_a_gene("growth factor receptor 2", {"receptor"})
    found = meanings(abbreviations(texts), names, {"receptor"})
    assert found == {"EGFR": True, "CRT": False, "PTEN": True}
    assert meanings(abbreviations(texts[:1]), names, {"receptor"}) == {}


def test_pairs(documents: list[Document]) -> None:
    found = matches(documents, LEXICON)
    assert ("EGFR", "EGFR") in pair_texts(same_text(found))
    assert ("epidermal growth factor receptor", "EGFR") in pair_texts(apposed(documents, found))
    assert ("ERBB1", "EGFR") in pair_texts(synonyms(found))
    assert all(one.document == other.document for one, other in same_text(found))


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9), st.sampled_from("xyz")), max_size=9)
)
def test_same_text_links_each_to_the_next_one_near(given_: list[tuple[int, int, str]]) -> None:
    found = sorted({Candidate(d, s * 10, s * 10 + 1, s, text, ("G",)) for d, s, text in given_})
    expected = {
        (one, other)
        for one in found
        for other in found
        if one.document == other.document
        and one.text == other.text
        and one.start < other.start
        and other.sentence - one.sentence <= 3
        and not any(
            one.document == each.document
            and one.text == each.text
            and one.start < each.start < other.start
            for each in found
        )
    }
    assert set(same_text(found)) == expected


def test_what_is_known_of_a_mention(documents: list[Document]) -> None:
    text = documents[2].text
    by_text = {each.text: each for each in matches(documents, LEXICON) if each.document == 2}
    assert is_object(documents[2], by_text["ERBB1"])
    assert not is_object(documents[2], by_text["EGFR"])
    assert in_longer_name(documents[2], by_text["TNF"])
    assert not in_longer_name(documents[2], by_text["EGFR"])
    assert is_common(by_text["large"], {"large"})
    at = text.index("EGFR")
    assert not is_common(candidate(documents, 2, (at, at + 4)), {"egfr"})  # in capitals


def test_a_task_says_what_the_program_asks_for(documents: list[Document], known: Knowledge) -> None:
    found = matches(documents, LEXICON)
    task = linking_task(documents, found, known)
    assert tacit.check(program(), task) == ()
    text_of = dict(
        zip(*(task.table("mention").arrow.column(n).to_pylist() for n in (0, 1)), strict=True)
    )
    long, short = "chronic renal toxicity", "CRT"
    assert [text_of[m] for m in task.table("phrase").arrow.column(0).to_pylist()] == [long]
    pairs = [[text_of[m] for m in c.to_pylist()] for c in task.table("apposed").arrow.columns]
    assert list(zip(*pairs, strict=True)).count((long, short)) == 2  # the second time as well


def test_evidence_overturns_distant_supervision(
    documents: list[Document], known: Knowledge
) -> None:
    """All matches are genes by distant supervision; common words and abbreviations are none."""
    task = linking_task(documents, matches(documents, LEXICON), known)
    texts = task.table("mention").arrow.column("text").to_pylist()

    def linked(*families: str) -> set[str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tacit.TacitWarning)
            model = tacit.LabelModel().fit(task, program(*families))
        posterior = np.asarray(model.posterior_)[:, 1]
        return {text for text, p in zip(texts, posterior, strict=True) if p > 0.5}

    matched = {each.text for each in matches(documents, LEXICON)}
    assert linked("ds") == matched
    by_looks = linked("ds", "dp")
    assert {"EGFR", "TNF-alpha", "CRT"} <= by_looks
    assert not {"of", "large", "In"} & by_looks
    assert "CRT" not in linked("ds", "dp", "ji")  # the long form is no gene
    assert "TNF" not in linked()  # of TNF receptor


def test_families_cover_the_program() -> None:
    every = {name for family in FAMILIES.values() for name in family}
    assert every == {evidence.name for evidence in program().evidence}
    assert {evidence.name for evidence in program("ds").evidence} == set(FAMILIES["ds"])


def test_training_tasks_draw_whole_documents(known: Knowledge) -> None:
    texts = {f"{name}{n}": text for n in range(20) for name, text in TEXTS.items()}
    task = training_task(texts, known, n_candidates=60, seed=1)
    ids = task.table("matches").arrow.column(0).to_pylist()
    drawn = {one.split(":")[0] for one in ids}
    every = read_documents({name: texts[name] for name in sorted(drawn)}, known.tagger)
    assert len(ids) == len(matches(every, LEXICON)) >= 30
    again = training_task(texts, known, n_candidates=60, seed=1)
    assert again == task
    assert training_task(texts, known, n_candidates=60, seed=2) != task


@pytest.mark.parametrize(
    ("one", "other"),
    [("IL-2", "IL2"), ("IFN-gamma", "IFNG"), ("TNFα", "TNF alpha"), ("NF-kappaB", "NF kappa B")],
)
def test_spellings_of_a_symbol_have_one_key(one: str, other: str) -> None:
    assert symbol_key(one, parts(one)) == symbol_key(other, parts(other))


def test_keys_keep_what_tells_names_apart() -> None:
    assert symbol_key("protein S", parts("protein S")) != symbol_key("proteins", parts("proteins"))
    orders = ["alpha subunit of the interleukin-2 receptor", "interleukin 2 receptor subunit alpha"]
    assert len({name_key(parts(name)) for name in orders}) == 1
    assert name_key(parts("receptor")) == ()


def test_spellings_are_found_in_documents(known: Knowledge) -> None:
    texts = {"d": "The receptor for TNF and hTNFA, TNF alpha, the growth-factor receptor, EGF R."}
    documents = read_documents(texts, known.tagger)
    found = Spellings(NAMES, frozenset({"of"})).find(documents)
    assert [(each.text, each.genes) for each in found] == [
        ("TNF", ("TNF",)),
        ("hTNFA", ("TNF",)),
        ("TNF alpha", ("TNF",)),
    ]


def test_families_are_stems_of_several_genes() -> None:
    names = {f"ADH{n}": [f"ADH{n}", "ADH", f"alcohol dehydrogenase {n}"] for n in range(4, 8)}
    assert families(names) == {"adh"}
    assert families(names | {"ADH": ["ADH", "a gene"]}) == frozenset()


def test_a_gene_is_chosen_by_what_the_document_has(known: Knowledge) -> None:
    texts = {"d": "PU.1, also called OF, is Spi-1.", "e": "The helicase OF is found."}
    documents = read_documents(texts, known.tagger)
    linked = matches(documents, LEXICON)
    assert genes_of(documents[0].text, linked[:2], NAMES) == {"SPI1"}
    assert genes_of_documents(documents, linked, NAMES) == {"d": {"SPI1"}, "e": {"BRIP1"}}
    tie = Candidate(0, 0, 2, 0, "XY", ("EGFR", "TNF", "CALR"))
    assert genes_of("nothing", [tie], NAMES, {"TNF": 9}) == {"TNF"}
    assert genes_of("nothing", [tie], NAMES, at_least=0.4) == set()


def test_vectors_tell_kinds_of_words_and_the_predictor_reads_them() -> None:
    random = np.random.default_rng(0)
    nouns, verbs = ["dog", "cat", "cow"], ["sees", "bites", "hears"]
    texts = [
        f"the {random.choice(nouns)} {random.choice(verbs)} the {random.choice(nouns)} today"
        for _ in range(300)
    ]
    vectors = grammar_vectors(texts, dim=4)
    assert vectors["dog"] @ vectors["cat"] > 0.9 > vectors["dog"] @ vectors["sees"]
    inputs = [tacit.predictors.Mention(text, 4, 7) for text in texts[:50]]
    inputs += [tacit.predictors.Mention(text, 0, 3) for text in texts[:50]]
    target = np.repeat(np.eye(2), 50, axis=0)
    model = WindowRegression(vectors).fit_soft(inputs, target)
    assert (model.log_probs(inputs).argmax(axis=1) == target.argmax(axis=1)).all()


def test_a_predictor_is_saved_and_read(tmp_path: Path) -> None:
    vectors = {"a": np.array([1, 0], np.float32), "b": np.array([0, 1], np.float32)}
    inputs = [("a x b", 2, 3), ("b x a", 2, 3)]
    model = WindowRegression(vectors).fit_soft(inputs, np.eye(2))
    model.save(tmp_path)
    assert (WindowRegression.load(tmp_path).log_probs(inputs) == model.log_probs(inputs)).all()
    assert isinstance(model, tacit.predictors.Predictor)


def test_gold_by_place_and_by_number(documents: list[Document]) -> None:
    found = [each for each in matches(documents, LEXICON) if each.document == 0]
    at = TEXTS["a"].index("(EGFR)") + 1
    marked = {"a": [Marked(at, at + 4, "Gene", ("1956",)), Marked(0, 10, "FamilyName", ("1",))]}
    gold = gold_of(found, documents, marked, {"EGFR": "1956"})
    assert gold.is_gene.tolist() == [each.start == at for each in found]
    assert gold.is_that_gene.tolist() == gold.is_gene.tolist()
    other = gold_of(found, documents, marked, {"EGFR": "7"})
    assert other.is_gene.any()
    assert not other.is_that_gene.any()


def test_scores() -> None:
    truth = np.array([True, True, False, False])
    assert scores(np.array([0.9, 0.4, 0.6, 0.1]), truth) == {
        "accuracy": 0.5,
        "f1": 0.5,
        "precision": 0.5,
        "recall": 0.5,
    }
    assert balanced_accuracy(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])) == 0.75
    found = set_scores({"a": {"1", "2"}, "b": set()}, {"a": {"1"}, "b": {"3"}})
    assert found == {"f1": 0.5, "precision": 0.5, "recall": 0.5}


def test_the_sample_is_balanced_and_drawn_by_its_seed() -> None:
    ids = [f"d:{n}" for n in range(1000)]
    truth = np.arange(1000) % 3 == 0
    drawn = draw(ids, truth)
    assert len(drawn) == len(set(drawn)) == 2 * EACH
    assert sum(truth[ids.index(one)] for one in drawn) == EACH
    assert drawn == draw(ids, truth) != draw(ids, truth, seed=1)
    assert len(sample()) == len(set(sample())) == 2 * EACH


def test_a_task_may_have_nothing_to_say(known: Knowledge) -> None:
    documents = read_documents({"d": "We saw ERBB1."}, known.tagger)
    task = linking_task(documents, matches(documents, LEXICON), known)
    assert task.table("apposed").n_rows == task.table("common").n_rows == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tacit.TacitWarning)
        posterior = np.asarray(tacit.LabelModel().fit(task, program()).posterior_)
    assert posterior[0, 1] > 0.9


def test_the_table_has_the_chapters_rows() -> None:
    rows = {job.row for job in LINKING.jobs(Setting(Path("nowhere"), "cpu"))}
    assert set(LINKING.chapter) <= rows


@needs_data
@pytest.mark.slow
def test_the_sample_is_what_the_data_give() -> None:
    data = Data(DATA / "bio", reads="context")
    own = data.symbols
    ids = [one for one, is_symbol in zip(data.matched.ids, own, strict=True) if is_symbol]
    assert draw(ids, data.matched.gold.is_gene[own]) == sample()
    assert not set(data.pool) & {document.id for document in data.matched.documents}
