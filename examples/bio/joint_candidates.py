"""Candidates for relations without a filter of genes: every match of a gene's name may be the gene.

"of", "was" and "cell" are names of genes in HGNC. To tell them from genes is left to evidence and
networks, of relation extraction and of linking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product

from examples.bio.candidates import Candidate as Match
from examples.bio.civicmine import GENERAL, GoldSentence, Mention, Sentence
from examples.bio.reading import Document
from examples.bio.triples import Candidate, Span
from tacit.data.text.lexicon import Lexicon
from tacit.data.text.mutations import mutations

NameOf = Callable[[Document, Match], str]  # the gene that a match names
Named = tuple[Sequence[Mention], Sequence[Mention]]  # drugs and variants of a sentence
NamedIn = Callable[[Sentence], Named]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, and the drugs and variants in it that may be related."""

    document: Document
    pairs: tuple[Candidate, ...]  # one for each drug and variant, whatever its gene
    places: tuple[tuple[Span, Span], ...] = ()  # of drug and variant in characters, of each pair
    gold: GoldSentence | None = None


@dataclass(frozen=True, slots=True)
class Unfiltered:
    """A candidate, and the match that it takes for its gene."""

    candidate: Candidate
    passage: int  # its place in a list
    pair: int  # in that passage
    mention: str  # the id of the match
    place: Span  # of the match, in characters


def peng_passages(candidates: Sequence[Candidate]) -> list[Passage]:
    """The texts of Peng et al., each once, with all its pairs of drug and variant."""
    of_text: dict[tuple[str, ...], list[Candidate]] = {}
    for own in candidates:
        of_text.setdefault(own.words, []).append(own)
    found = []
    for some in of_text.values():
        pairs = {(own.spans[0], own.spans[2]): own for own in reversed(some)}
        found.append(Passage(_document(some[0]), tuple(pairs[key] for key in sorted(pairs))))
    return found


def civicmine_passages(sentences: Iterable[Sentence], named_in: NamedIn) -> list[Passage]:
    """CIViCmine's sentences with the drugs and variants that are named in them.

    Sentences without such a pair are left out, unless something true is to be found there.
    """
    found = []
    for sentence in sentences:
        pairs = list(product(*named_in(sentence)))
        if pairs or sentence.gold.true_triples:
            found.append(_passage(sentence, pairs))
    return found


def marked_names(sentence: Sentence) -> Named:
    """The drugs and variants that people have marked."""
    return sentence.marked["drug"], sentence.marked["variant"]


def found_names(sentence: Sentence, drugs: Lexicon) -> Named:
    """The drugs and variants that a lexicon and the grammar of mutations find."""
    matched = drugs.find(sentence.text)
    changes = {(own.start, own.end): own for own in reversed(mutations(sentence.text))}
    return (
        [Mention((own.start, own.end), own.text, own.entities[0].lower()) for own in matched],
        [Mention(place, own.text, own.name) for place, own in sorted(changes.items())],
    )


def unfiltered(
    passages: Sequence[Passage],
    found: Sequence[Match],
    name_of: NameOf,
    *,
    exact: frozenset[str] | None = None,
    every_mention: bool = True,
) -> list[Unfiltered]:
    """Each pair with each match of its text; or with the nearest to the variant, of those alike.

    `exact` has the names of drugs and genes to the letter, where a text tells upper case.
    """
    documents = [passage.document for passage in passages]
    matches: list[list[Match]] = [[] for _ in passages]
    for each in found:
        matches[each.document].append(each)
    return [
        Unfiltered(
            _with_gene(pair, each, passage.document, name_of, exact),
            at,
            number,
            each.id_in(documents),
            (each.start, each.end),
        )
        for at, passage in enumerate(passages)
        for number, pair in enumerate(passage.pairs)
        for each in (matches[at] if every_mention else nearest(matches[at], pair, passage.document))
    ]


def nearest(matches: Sequence[Match], pair: Candidate, document: Document) -> list[Match]:
    """Of matches that are written alike, the one with fewest words up to the variant."""
    first, behind = pair.spans[2]

    def words_between(each: Match) -> int:
        own = document.words_of(each.start, each.end)
        return max(own[0] - behind, first - own[1], 0)

    best: dict[str, Match] = {}
    for each in matches:
        known = best.setdefault(each.text, each)
        if words_between(each) < words_between(known):
            best[each.text] = each
    return sorted(best.values())


def _passage(sentence: Sentence, pairs: Sequence[tuple[Mention, Mention]]) -> Passage:
    document = Document(
        sentence.id,
        sentence.text,
        tuple(start for start, _ in sentence.spans),
        tuple(end for _, end in sentence.spans),
        sentence.tags,
        (0,) * len(sentence.spans),
    )
    candidates = (  # there is no gene yet; the variant stands in its place
        sentence.candidate(f"{sentence.id}-{number}", (drug, variant, variant))
        for number, (drug, variant) in enumerate(pairs)
    )
    places = tuple((drug.place, variant.place) for drug, variant in pairs)
    return Passage(document, tuple(candidates), places, sentence.gold)


def _with_gene(
    pair: Candidate, each: Match, document: Document, name_of: NameOf, exact: frozenset[str] | None
) -> Candidate:
    first, behind = document.words_of(each.start, each.end)
    touched = [at for at in range(first, behind) if pair.words[at].lower() not in GENERAL]
    return replace(
        pair,
        id=f"{pair.id}:{each.start}",
        spans=(pair.spans[0], (touched[0], touched[-1] + 1), pair.spans[2])
        if touched
        else (pair.spans[0], (first, behind), pair.spans[2]),
        texts=(pair.texts[0], each.text, pair.texts[2]),
        names=(pair.names[0], name_of(document, each), pair.names[2]),
        exact=None if exact is None else {pair.texts[0], each.text} <= exact,
    )


def _document(own: Candidate) -> Document:
    """Words in a row with spaces between them, as the corpus has cut and tagged them."""
    ends = tuple(accumulate((len(word) + 1 for word in own.words), initial=-1))[1:]
    starts = tuple(end - len(word) for end, word in zip(ends, own.words, strict=True))
    sentence = [sum(first <= at for first in own.sentences) - 1 for at in range(len(own.words))]
    return Document(own.id, " ".join(own.words), starts, ends, own.tags, tuple(sentence))
