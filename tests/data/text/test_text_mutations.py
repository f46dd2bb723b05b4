"""Mutations: each way to write one, and its normal form."""

import os
import time
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.text import mutations
from tacit.data.text.mutation_grammar import rules

DATA = Path(os.environ.get("TACIT_DATA", "no data")) / "bio"
needs_tmvar = pytest.mark.skipif(
    not (DATA / "tmvar3").is_dir(), reason="TACIT_DATA has no bio/tmvar3"
)

WRITTEN = [
    ("V600E", "V600E"),
    ("p.V600E", "V600E"),
    ("p.(V600E)", "V600E"),
    ("Val600Glu", "V600E"),
    ("p.Val600Glu", "V600E"),
    ("VAL600GLU", "V600E"),
    ("Val-600-Glu", "V600E"),
    ("Val 600 Glu", "V600E"),
    ("Val600-->Glu", "V600E"),
    ("V600->E", "V600E"),
    ("Val600 to Glu", "V600E"),
    ("valine 600 to glutamic acid", "V600E"),
    ("valine to glutamate substitution at codon 600", "V600E"),
    ("valine (Val) to glutamate (Glu) at amino acid position 600", "V600E"),
    ("glutamic acid for valine at position 600", "V600E"),
    ("codon 600, valine to glutamate", "V600E"),
    ("codon 600 (GTG-->GAG)", "V600E"),
    ("GTG>GAG substitution in codon 600", "V600E"),
    ("R196*", "R196*"),
    ("R196X", "R196*"),
    ("p.Arg196Ter", "R196*"),
    ("p.M1V", "M1V"),
    ("p.S124fsX127", "S124fs"),
    ("p.Pro246HisfsX13", "P246fs"),
    ("F508del", "F508del"),
    ("p.Phe508del", "F508del"),
    ("deltaF508", "F508del"),
    ("\u0394F508", "F508del"),
    ("E746_A750del", "E746_A750del"),
    ("delE746-A750", "E746_A750del"),
    ("p.E746_A750delinsIP", "E746_A750delinsIP"),
    ("L747_P753>S", "L747_P753delinsS"),
    ("A763_Y764insFQEA", "A763_Y764insFQEA"),
    ("c.1799T>A", "c.1799T>A"),
    ("1799T>A", "c.1799T>A"),
    ("c.1799 T > A", "c.1799T>A"),
    ("1799T-->A", "c.1799T>A"),
    ("T1799>A", "c.1799T>A"),
    ("g.1755G>A", "g.1755G>A"),
    ("T to A transversion at nucleotide 1799", "c.1799T>A"),
    ("thymine to adenine at position 1799", "c.1799T>A"),
    ("G to C at codon 158", "codon 158 G>C"),
    ("c.444-62C>A", "c.444-62C>A"),
    ("-308 G/A", "c.-308G>A"),
    ("-308G>A", "c.-308G>A"),
    ("G-308A", "c.-308G>A"),
    ("IVS10+1G>A", "c.IVS10+1G>A"),
    ("IVS-II-1 (G>A)", "c.IVS2-1G>A"),
    ("185delAG", "c.185delAG"),
    ("c.3385_3386delTT", "c.3385_3386delTT"),
    ("c.370-371insA", "c.370_371insA"),
    ("1782-83delAG", "c.1782_1783delAG"),
    ("c.357-3delA", "c.357-3delA"),
    ("c.899dup", "c.899dup"),
    ("deletion of C at nucleotide 888", "c.888delC"),
    ("cytosine insertion at position 3020", "c.3020insC"),
    ("exon 19 deletions", "exon 19 deletion"),
    ("deletion in exon 19", "exon 19 deletion"),
    ("exon 20 insertion", "exon 20 insertion"),
    ("exon 14 skipping", "exon 14 skipping"),
    ("rs113488022", "rs113488022"),
]
NONE = [
    *("H2O", "A549", "E2F", "T47D", "S100A4", "S100P", "M13", "P < 0.05", "IL12A", "FAM161A"),
    *("KIAA1549L", "C57BL/6", "CD45RA", "1,25D3", "G1/S", "A1A", "Table 2A", "C18H10F6N2O"),
    *("Figure S12A", "Fig. S10C", "Table S11A", "C33A", "C-33A", "NCI-H295R", "A375M", "U937"),
    *("S6K", "E2F1", "p53", "T4", "SW1A 1AA", "12/5/2003", "2003-05-12", "HEK293T", "5-HT2A"),
    *("proline 10 mM", "in position 10", "rs12", "10.1038/s41586", "K562", "v1.2.3"),
]


@pytest.mark.parametrize(("written", "name"), WRITTEN)
def test_each_way_to_write_a_mutation(written: str, name: str) -> None:
    text = f"The {written} mutation; (see {written}), {written}-positive."
    found = mutations(text)
    assert [(mutation.text, mutation.name) for mutation in found] == [(written, name)] * 3
    assert all(text[m.start : m.end] == written for m in found)


@pytest.mark.parametrize(("written", "name"), WRITTEN)
def test_lower_case_can_be_read(written: str, name: str) -> None:
    found = mutations(f"a {written} b".lower(), ignore_case=True)
    assert [(mutation.text, mutation.name) for mutation in found] == [(written.lower(), name)]


@pytest.mark.parametrize("text", NONE)
def test_what_only_looks_like_a_mutation(text: str) -> None:
    assert not mutations(f"The {text} was used")


def test_a_gene_may_be_attached() -> None:
    found = mutations("BRAFV600E, JAK2V617F, KRASG12D, EGFR-T790M and BRAF:V600E")
    assert [mutation.text for mutation in found] == ["V600E", "V617F", "G12D", "T790M", "V600E"]


def test_two_changes_of_one_residue_share_a_span() -> None:
    first, second = mutations("KRAS G12C/D")
    assert first[:3] == second[:3] == (5, 11, "G12C/D")
    assert (first.name, second.name) == ("G12C", "G12D")


def test_numbers_of_any_length_are_read() -> None:
    (found,) = mutations(f"c.{'1' * 5000}-{'1' * 5000}delA")
    assert found.name == found.text


def test_the_longest_of_overlapping_ones_is_kept() -> None:
    found = mutations("p.E746_A750delinsIP and c.1799T>A (p.V600E)")
    assert [mutation.text for mutation in found] == ["p.E746_A750delinsIP", "c.1799T>A", "p.V600E"]


pieces = st.sampled_from(
    [written for written, _ in WRITTEN] + NONE + [" ", "-", "/", "codon 5", "to", "(", ">", "at 1"]
)


@given(st.lists(pieces, max_size=6).map(" ".join), st.booleans())
def test_spans_are_in_order_and_clues_lose_nothing(text: str, ignore_case: bool) -> None:
    found = mutations(text, ignore_case=ignore_case)
    spans = sorted({(mutation.start, mutation.end) for mutation in found})
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert [(mutation.start, mutation.end) for mutation in found] == sorted(
        (mutation.start, mutation.end) for mutation in found
    )
    for rule in rules(ignore_case):
        if any(rule.names(match) for match in rule.pattern.finditer(text)):
            assert rule.clue.search(text.lower()), rule.pattern.pattern


@needs_tmvar
def test_annotated_mutations_are_found() -> None:
    """Figures of each type: `python -m benchmarks.bio --table matching --rows mutations`."""
    rows = pq.read_table(DATA / "tmvar3" / "tmvar3.parquet").to_pylist()
    found, gold, common = 0, 0, 0
    for row in rows:
        text = f"{row['title']} {row['abstract']}"
        spans = {(m.start, m.end) for m in mutations(text)}
        kinds = ("DNAMutation", "ProteinMutation", "SNP")
        truth = {(e["start"], e["end"]) for e in row["entities"] if e["type"] in kinds}
        found, gold = found + len(spans), gold + len(truth)
        common += len(spans & truth)
    assert common / gold > 0.82
    assert common / found > 0.88


def test_long_texts_are_quick() -> None:
    text = "The T790M mutation at position 12 of EGFR in 5 of 20 patients, see exon 3. " * 2000
    begun = time.process_time()
    assert len(mutations(text)) == 2000
    assert time.process_time() - begun < 2.5
