"""Sentences and words of scientific prose."""

import os
import re
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.text import sentence_spans, word_spans

DATA = Path(os.environ.get("TACIT_DATA", "no data")) / "bio"
needs_genia = pytest.mark.skipif(
    not (DATA / "genia_syntax").is_dir(), reason="TACIT_DATA has no bio/genia_syntax"
)

# Each text as its sentences, with | between them.
SPLIT = [
    "We treated mice.| They died.",
    "Does EGFR matter?| Yes! it does.| It does!",
    "As in Fig. 2, cells grew.| See Figs. 3 and 4.| Smith et al. (2003) agree.",
    "Shown by Smith et al. The effect is small.".replace(". The", ".| The"),
    "Some, e.g. KRAS, i.e. Ras vs. Raf, were tested, cf. Table 1.| None grew.",
    "E. coli and S. aureus grew in vitamin K.| The rest did not.",
    "It affects hepatitis B.| Cytokine profiles differ.",
    "Data of J. R. Smith and John F. Poon were used.| They fit.",
    "P = 0.05 and P = 0. 02 were found.| p53 was lost.| mRNA rose.| c-fos fell.",
    "The dose was 2.8 g.| Within days it rose to 12 mg/kg i.p. daily.",
    "(It grew. Much so.)| Then it stopped.",
    "It grew (as shown before. See there) well.| Then it stopped.",
    "An unclosed (bracket does no harm.| It is forgotten.",
    "An unclosed (bracket does no harm.| It (really) does not.",
    "A. Western blot.| B. Quantification of A.| n = 3.",
    "1. Cells were grown.| 2. They died.",
    "It depends on the dose.1,2| However, others differ [3].| We agree.(4)| They do not.",
    "Title without a stop\n\n|Then the abstract. of course.",
    'He said "no."| We left.',
    "Dr. Who used MR.| Upon this, MS. After that, rest.".replace("MS. A", "MS.| A"),
    "The U.S. Food and Drug Administration agreed.| It is so.",
    "One line\nof text.| Another.",
]


def spans_of(marked: str) -> tuple[str, list[str]]:
    return marked.replace("|", ""), [part.strip() for part in marked.split("|")]


@pytest.mark.parametrize("marked", SPLIT)
def test_sentences_are_what_readers_call_sentences(marked: str) -> None:
    text, sentences = spans_of(marked)
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(st.sampled_from("aAbB19 .?!()[]\n'\"=-,"), max_size=60))
def test_sentences_hold_all_but_white_space(text: str) -> None:
    spans = sentence_spans(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    for end, start in zip(ends, starts, strict=True):
        assert end <= start
        assert not text[end:start].strip()
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""


@given(st.lists(st.sampled_from(["It grew.", "Did it grow?", "EGFR (n = 3) fell."]), min_size=1))
def test_plain_sentences_come_apart(sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("EGFR-mutant cells (T790M), too.", "EGFR-mutant cells ( T790M ) , too ."),
        ("c.1799T>A and p.Val600Glu, P<0.05", "c.1799T>A and p.Val600Glu , P < 0.05"),
        ("Fig. 2: CD4+ and CD4(+) T-cells", "Fig. 2 : CD4+ and CD4(+) T-cells"),
        ("Parkinson's 5'-UTR of E. coli.", "Parkinson 's 5'-UTR of E. coli ."),
        ("1,000 vs. 2.5, i.e. alpha- and -induced", "1,000 vs. 2.5 , i.e. alpha- and -induced"),
        ("3 +/- 1 in Rel-/- mice; A --> B", "3 +/- 1 in Rel-/- mice ; A --> B"),
        ("and/or PU.1 [3H] x=2%", "and/or PU.1 [ 3H ] x = 2 %"),
        ("3,and 4,5 of", "3 , and 4,5 of"),
        ("vitamin K. IL-2.", "vitamin K . IL-2 ."),
        ("Wait... what?!", "Wait ... what ? !"),
        ("TNFα–308 −70", "TNFα–308 −70"),
        ("", ""),
    ],
)
def test_words_are_what_parsers_call_words(text: str, words: str) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words.split()


@given(st.text(max_size=60))
def test_words_hold_all_but_white_space(text: str) -> None:
    spans = word_spans(text)
    rest, last = "", 0
    for start, end in spans:
        assert last <= start < end
        assert not re.search(r"\s", text[start:end])
        rest, last = rest + text[last:start], end
    assert not re.sub(r"\s", "", rest + text[last:])


@needs_genia
def test_the_words_and_sentences_of_a_treebank_are_kept() -> None:
    """Figures of all of the test split: see docs/results.md."""
    table = pq.read_table(DATA / "genia_syntax" / "genia_pos.parquet", columns=["split", "tokens"])
    sentences = [row["tokens"] for row in table.to_pylist() if row["split"] == "test"]
    kept, total = 0, 0
    for words in sentences:
        spans, at = set(word_spans(" ".join(words))), 0
        for word in words:
            kept, total, at = kept + ((at, at + len(word)) in spans), total + 1, at + len(word) + 1
    assert kept / total > 0.995
    found, gold, common = 0, 0, 0
    texts = [" ".join(words).replace(" .", ".") for words in sentences if words[-1] == "."]
    for first in range(0, len(texts) - 8, 8):
        text, ends = " ".join(texts[first : first + 8]), set()
        for each in texts[first : first + 7]:
            ends.add(max(ends, default=-1) + 1 + len(each))
        split = {end for _, end in sentence_spans(text)} - {len(text)}
        found, gold, common = found + len(split), gold + len(ends), common + len(split & ends)
    assert common / found > 0.98
    assert common / gold > 0.98


def test_a_long_text_is_quick() -> None:
    text = "EGFR (Fig. 2) was lost, cf. the T790M mutation of 5.2% (P < 0.05). " * 3000
    begun = time.process_time()
    assert len(sentence_spans(text)) == 3000
    assert len(word_spans(text)) == 21 * 3000
    assert len(sentence_spans("cf. J. R. Poon " * 20_000)) == 1
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize("piece", [".", "?!", "(a. ", "abc.1,", "-+", "'s", "\n ", "A.B."])
def test_a_piece_without_end_is_quick(piece: str) -> None:
    text = piece * (100_000 // len(piece)) + "x"
    begun = time.process_time()
    assert sentence_spans(text)[-1][1] == word_spans(text)[-1][1] == len(text)
    assert time.process_time() - begun < 2.0  # a tenth of that on one free core
