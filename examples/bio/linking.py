"""Gene entity linking as a task: candidate mentions, what is known of them, and their pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import tacit
from examples.bio.abbreviations import abbreviations, ends_like_a_gene, long_form, meanings
from examples.bio.candidates import (
    Candidate,
    candidate,
    common_words,
    gene_heads,
    matches,
    phrases,
)
from examples.bio.mention_facts import (
    FACTS,
    SHAPES,
    context,
    has_verb,
    in_longer_name,
    is_common,
    is_object,
    window,
)
from examples.bio.mention_pairs import PAIRS, Pair, apposed, same_text, synonyms
from examples.bio.ontologies import gene_lexicon, gene_names
from examples.bio.reading import Document, Span, read_documents
from tacit.data.text.lexicon import Lexicon
from tacit.data.text.tagger import Tagger

LISTS = pa.list_(pa.string())  # of ids or names; said, since all may be empty
PREDICATES = (*FACTS, *SHAPES, *PAIRS)
PROGRAM = Path(__file__).with_name("linking.tacit")
FAMILIES = {
    "ds": ("match", "no_match"),
    "dp": (
        "is_verb",
        "is_common",
        "is_short",
        "has_capitals",
        "is_plain",
        "has_both_cases",
        "has_digits",
        "is_long",
        "is_object",
    ),
    "ji": ("same", "apposition", "synonym"),
    "more": ("means_other", "means_gene", "in_longer"),
}


def program(*families: str) -> tacit.Program:
    """The evidence of some families: "ds", "dp", "ji", "more"; of all, where none is named."""
    whole = tacit.Program.parse(PROGRAM.read_text(), source=PROGRAM.name)
    left_out = [family for family in FAMILIES if families and family not in families]
    return whole.without(*(name for family in left_out for name in FAMILIES[family]))


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What candidates are found and judged by; none of it comes from labelled text."""

    lexicon: Lexicon
    heads: frozenset[str]  # words that names of genes end with
    common: frozenset[str]  # words of the language
    meaning: Mapping[str, bool]  # of abbreviations: whether they mostly stand for a gene
    tagger: Tagger

    @staticmethod
    def read(bio: Path, pool: Collection[str]) -> Knowledge:
        """From HGNC and unlabelled texts."""
        names = gene_names(bio, full_names=True)
        heads = gene_heads(names)
        meaning = meanings(abbreviations(pool), names, heads)
        return Knowledge(
            gene_lexicon(bio, full_names=True), heads, common_words(pool), meaning, Tagger.load()
        )


def training_task(
    texts: Mapping[str, str],
    known: Knowledge,
    *,
    n_candidates: int = 20_000,
    seed: int = 0,
    reads: str = "window",
) -> tacit.Task:
    """Whole documents, drawn by chance until they have as many candidates as wanted.

    Documents stay whole, so that mentions have their neighbours. Half of the candidates are
    matches. Each document gives as many noun phrases as it has matches, and what is missing comes
    from any: what a document is about must hardly tell the one from the other.
    """
    random = np.random.default_rng(seed)
    ids = list(texts)
    chosen: list[str] = []
    n_matches = 0
    for at in random.permutation(len(ids)).tolist():
        if n_matches >= n_candidates // 2:
            break
        chosen.append(ids[at])
        n_matches += len(known.lexicon.find(texts[ids[at]]))
    documents = read_documents({name: texts[name] for name in chosen}, known.tagger)
    found = matches(documents, known.lexicon)
    wanted = Counter(each.document for each in found)
    others = phrases(documents, found, known.heads)
    drawn: list[Candidate] = []
    left: list[Candidate] = []
    for at in random.permutation(len(others)).tolist():
        is_wanted = wanted[others[at].document] > 0
        wanted[others[at].document] -= is_wanted
        (drawn if is_wanted else left).append(others[at])
    drawn += left[: max(n_candidates - len(found) - len(drawn), 0)]
    return linking_task(documents, found, known, others=drawn, reads=reads)


def linking_task(
    documents: Sequence[Document],
    found: Sequence[Candidate],
    known: Knowledge,
    *,
    others: Sequence[Candidate] = (),
    reads: str = "window",
    cased: bool = True,
) -> tacit.Task:
    """Candidates as a task for `linking.tacit`: matches, phrases, and what is known of them.

    The long form of a match in brackets, if it is no match itself, is one phrase more. `cased` is
    whether texts tell upper case from lower.
    """
    forms = long_forms(documents, found, known.heads)
    spans = {(each.document, each.start, each.end): each for each in others}
    spans |= {(form.document, form.start, form.end): form for form, _ in forms}
    every = sorted([*found, *spans.values()])
    rows = [(documents[each.document], each) for each in every]

    def others_of(pairs: Iterable[Pair]) -> pa.Array:
        """By mention: the ids of those that it stands before in a pair."""
        behind: dict[Candidate, list[str]] = defaultdict(list)
        for one, other in pairs:
            behind[one].append(other.id_in(documents))
        return pa.array([behind[each] for each in every], LISTS)

    mention = {
        "mention": [each.id_in(documents) for each in every],
        "text": [each.text for each in every],
        "cased": [cased] * len(every),
        "window": [window(*row) for row in rows],
        "context": [context(*row) for row in rows],
        "facts": pa.array([facts_of(*row, known) for row in rows], LISTS),
        "same_text": others_of(same_text(found)),
        "apposed": others_of([*apposed(documents, found), *forms]),
        "synonyms": others_of(synonyms(found)),
    }
    return tacit.Task({"mention": mention}, text=f"mention.{reads}", predicates=PREDICATES)


def facts_of(document: Document, each: Candidate, known: Knowledge) -> list[str]:
    """The names of the facts that hold for a candidate."""
    meaning = known.meaning.get(each.text)
    holds = {
        "matches": bool(each.genes),
        "phrase": not each.genes,
        "verb": has_verb(document, each),
        "common": is_common(each, known.common),
        "direct_object": is_object(document, each),
        "other_meaning": meaning is False,
        "gene_meaning": meaning is True,
        "longer_name": in_longer_name(document, each),
    }
    return [name for name, it_does in holds.items() if it_does]


def long_forms(
    documents: Sequence[Document], found: Sequence[Candidate], heads: frozenset[str]
) -> list[Pair]:
    """Long forms of matches in brackets that name no gene, each with all such matches.

    The polymerase chain reaction (PCR) is none, and so PCR is none in all of that document.
    """
    taken: dict[int, list[Span]] = {}
    alike: dict[tuple[int, str], list[Candidate]] = {}
    for each in found:
        taken.setdefault(each.document, []).append((each.start, each.end))
        alike.setdefault((each.document, each.text), []).append(each)
    pairs = []
    for each in found:
        text = documents[each.document].text
        span = long_form(text, (each.start, each.end))
        if span is None or ends_like_a_gene(text[slice(*span)], heads):
            continue
        if not any(a < span[1] and span[0] < b for a, b in taken[each.document]):
            form = candidate(documents, each.document, span)
            pairs += [(form, other) for other in alike[each.document, each.text]]
    return pairs
