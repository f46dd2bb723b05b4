"""How fast names and mutations are found in 17 million characters, and how many of those in gold.

All names of HGNC (symbols, aliases, previous symbols, full names) in `pubmed_pool`, with case and
spelling as given or varying; and, on a part of both, a plain loop of regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow.parquet as pq

from benchmarks.bio_jobs import Figures, Job, Setting, Table
from examples.bio.ontologies import gene_names
from tacit.data.text import Lexicon, Match, Mutation, mutations

Span = tuple[int, int]
OPTIONS = {  # whether spelling and case may vary
    "names as given": (False, False),
    "ignore case": (False, True),
    "variants": (True, False),
    "variants, ignore case": (True, True),
}
PART_OF_NAMES, PART_OF_TEXTS = 200, 50  # every so-manieth, for the loop of regular expressions
PLACED = ("DNAMutation", "ProteinMutation", "SNP")
UNPLACED = ("OtherMutation", "AcidChange", "DNAAllele", "ProteinAllele")  # no change, or no place


def jobs(setting: Setting) -> list[Job]:
    """A job for each way to search, for mutations, and for each peer that is installed."""
    rows: dict[str, Callable[[], Figures]] = {
        row: partial(names_in_pool, setting, options) for row, options in OPTIONS.items()
    }
    rows["mutations"] = partial(mutations_in_pool, setting)
    rows["part: re"] = partial(beside, setting, by_expressions)
    if find_spec("ahocorasick"):
        rows["part: pyahocorasick"] = partial(beside, setting, by_automaton)
    return [Job(row, 0, run) for row, run in rows.items()]


def names_in_pool(setting: Setting, options: tuple[bool, bool]) -> Figures:
    """Build a lexicon of all genes and search the pool; then see which gold mentions it finds."""
    names, texts = gene_names(setting.bio, full_names=True), pool(setting)
    begin = perf_counter()
    lexicon = Lexicon(names, variants=options[0], ignore_case=options[1])
    lexicon.find("")  # builds the automaton
    built = perf_counter()
    matches = lexicon.find_all(texts)
    done = perf_counter()
    documents = annotated(setting.bio / "gnormplus" / "gnormplus_bc2gn.parquet", {"Gene"})
    found = [spans_of(lexicon.find(text)) for text, _ in documents]
    return {
        "build_s": built - begin,
        "search_s": done - built,
        "total_s": done - begin,
        "spellings": len(lexicon),
        "matches": len(matches),
        "characters": sum(map(len, texts)),
        **coverage(found, [gold for _, gold in documents]),
    }


def mutations_in_pool(setting: Setting) -> Figures:
    """Search the pool by the grammar; then see which gold mutations it finds, also by type."""
    texts = pool(setting)
    begin = perf_counter()
    count = sum(len(mutations(text)) for text in texts)
    seconds = perf_counter() - begin
    path = setting.bio / "tmvar3" / "tmvar3.parquet"
    found = [spans_of(mutations(text)) for text, _ in annotated(path, set())]

    def against(*kinds: str) -> dict[str, float]:
        return coverage(found, [gold for _, gold in annotated(path, set(kinds))])

    figures = {"search_s": seconds, "total_s": seconds, "matches": count, **against(*PLACED)}
    figures["precision"] = against(*PLACED, *UNPLACED)["precision"]
    for kind in PLACED:
        figures |= {f"{name}_{kind}": against(kind)[name] for name in ("covered", "exact")}
    return figures


def beside(setting: Setting, search: Callable[[list[str], list[str]], int]) -> Figures:
    """All names, also those that overlap, in a part of the pool: by a peer, and by ours."""
    names, texts = part(setting)
    begin = perf_counter()
    count = search(names, texts)
    theirs = perf_counter() - begin
    begin = perf_counter()
    matches = Lexicon({name: [name] for name in names}).find_all(texts, overlapping=True)
    ours = perf_counter() - begin
    if len(matches) != count:
        raise ValueError(f"{count} matches, but {len(matches)} of ours")
    return {"total_s": theirs, "tacit_s": ours, "x_tacit": theirs / ours, "matches": count}


def by_expressions(names: list[str], texts: list[str]) -> int:
    """A regular expression for each name."""
    count = 0
    for name in names:
        pattern = re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])")
        count += sum(len(pattern.findall(text)) for text in texts)
    return count


def by_automaton(names: list[str], texts: list[str]) -> int:
    """One automaton of pyahocorasick, with boundaries looked at behind it."""
    automaton: Any = import_module("ahocorasick").Automaton()
    for name in names:
        automaton.add_word(name, len(name))
    automaton.make_automaton()
    count = 0
    for text in texts:
        padded = f" {text} "
        for end, length in automaton.iter(text):
            count += not (padded[end - length + 1].isalnum() or padded[end + 2].isalnum())
    return count


def part(setting: Setting) -> tuple[list[str], list[str]]:
    """Some names, each beginning and ending with a letter or digit, and some texts."""
    names = {name for each in gene_names(setting.bio, full_names=True).values() for name in each}
    usual = [name for name in sorted(names) if len(name) > 1 and (name[0] + name[-1]).isalnum()]
    return usual[::PART_OF_NAMES], pool(setting)[::PART_OF_TEXTS]


def pool(setting: Setting) -> list[str]:
    """Titles and abstracts of the pool; a fiftieth of them in a quick run."""
    table = pq.read_table(setting.bio / "pubmed_pool" / "pubmed_pool.parquet")
    rows = table.select(["title", "abstract"]).to_pylist()
    texts = [f"{row['title']} {row['abstract']}" for row in rows]
    return texts[::50] if setting.quick else texts


def annotated(path: Path, kinds: set[str]) -> list[tuple[str, set[Span]]]:
    """The texts of a test split, each with the spans of its entities of some kinds."""
    return [
        (
            f"{row['title']} {row['abstract']}",
            {(e["start"], e["end"]) for e in row["entities"] if e["type"] in kinds},
        )
        for row in pq.read_table(path).to_pylist()
        if row["split"] == "test"
    ]


def spans_of(found: Iterable[Match | Mutation]) -> set[Span]:
    """Where things were found."""
    return {(each.start, each.end) for each in found}


def coverage(found: Sequence[set[Span]], gold: Sequence[set[Span]]) -> dict[str, float]:
    """Shares of gold spans that were found, touched or exactly, and of findings that touch gold."""
    n_found, n_gold = sum(map(len, found)), sum(map(len, gold))
    pairs = list(zip(found, gold, strict=True))
    return {
        "covered": sum(touched(f, g) for f, g in pairs) / max(n_gold, 1),
        "exact": sum(len(f & g) for f, g in pairs) / max(n_gold, 1),
        "precision": sum(touched(g, f) for f, g in pairs) / max(n_found, 1),
    }


def touched(some: set[Span], others: set[Span]) -> int:
    """How many of the others overlap one of some."""
    return sum(any(a < d and c < b for a, b in some) for c, d in others)


MATCHING = Table(
    title="matching: names and mutations in the pool",
    columns=(
        "build_s",
        "search_s",
        "total_s",
        "matches",
        "covered",
        "exact",
        "precision",
        "x_tacit",
    ),
    jobs=jobs,
    meanings={
        "build_s": "seconds to make the lexicon and its automaton",
        "search_s": "seconds to search all texts",
        "total_s": "seconds of both",
        "matches": f"found; in rows `part`, of every {PART_OF_NAMES}th name in every "
        f"{PART_OF_TEXTS}th text, all that overlap",
        "covered": "share of gold spans of the test split that overlap a match: genes of GNormPlus;"
        " mutations of tmVar3 that have a place",
        "exact": "share of gold spans that are found with the same start and end",
        "precision": "share of matches in the test split that overlap gold",
        "x_tacit": "seconds of the peer for those of tacit on the same part",
    },
)
