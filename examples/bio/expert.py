"""What an oncologist would add to the chapter's functions: how such findings are worded.

The functions read the same columns as those of `relations.py`; `expert.tacit` says what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

import tacit
from examples.bio.relations import Place, Words
from examples.bio.triples import NameBook, Triple
from tacit.data.predicates import Predicate

# Stems of words for what a drug does to a tumour, or a tumour to a drug.
EFFECT = re.compile(
    r"(?:chemo|radio)?(?:resist|sensiti|respon|refractor|efficac|effective|benefit|inhibit|suppress"
    r"|surviv|relaps|regress|progress|confer|overcom|overcame|predict|treat|therap|ic50|potent"
    r"|apopto|kill|growth|remission|target|insensiti|toleran)",
    re.IGNORECASE,
)
NEAR = 10  # words on either side of a drug or a variant
BESIDE = 2  # words at most between a gene and its variant ("EGFR exon 20 T790M")
ONE_DIGIT = re.compile(r"[a-z]\d[a-z]", re.IGNORECASE)  # E2F, S6K, H2A: proteins, not changes
CELL_LINES = re.compile(r"t47d|t98g|c33a|p388d", re.IGNORECASE)


@tacit.predicate(table="candidate")
def tells_of_effect(words: Words, drug: Place, variant: Place, sentences: Sequence[int]) -> bool:
    """A word for resistance, response or treatment stands near the drug or the variant."""
    around = (words[at] for place in (drug, variant) for at in _near(place, words, sentences))
    return any(EFFECT.search(word) for word in around)


@tacit.predicate(table="candidate")
def gene_beside_variant(gene: Place, variant: Place) -> bool:
    """The gene and the variant stand beside each other."""
    return _between(gene, variant) <= BESIDE


@tacit.predicate(table="candidate")
def in_one_sentence(drug: Place, gene: Place, variant: Place, sentences: Sequence[int]) -> bool:
    """All three mentions are in one sentence."""
    return len({_sentence(place, sentences) for place in (drug, gene, variant)}) == 1


@tacit.predicate(table="candidate")
def in_three_sentences(drug: Place, gene: Place, variant: Place, sentences: Sequence[int]) -> bool:
    """Each mention is in a sentence of its own."""
    return len({_sentence(place, sentences) for place in (drug, gene, variant)}) == 3


@tacit.predicate(table="candidate")
def no_likely_variant(words: Words, variant: Place) -> bool:
    """The variant has the name of a protein or of a cell line."""
    text = " ".join(words[slice(*variant)])
    return ONE_DIGIT.fullmatch(text) is not None or bool(CELL_LINES.fullmatch(text))


def other_gene_beside_variant(book: NameBook) -> Predicate:
    """A predicate: another gene stands right before the variant, and this one is further off."""

    @tacit.predicate(table="candidate", name="other_gene_beside_variant")
    def beside(words: Words, gene: Place, variant: Place) -> bool:
        """Whether the word before the variant is another gene."""
        before = variant[0] - 1
        if before < 0 or _between(gene, variant) <= BESIDE:
            return False
        word, own = words[before].lower(), " ".join(words[slice(*gene)]).lower()
        return word in book.genes and word not in own

    return beside


def predicates(book: NameBook) -> tuple[Predicate, ...]:
    """All functions of the expert."""
    return (
        tells_of_effect,
        gene_beside_variant,
        other_gene_beside_variant(book),
        in_one_sentence,
        in_three_sentences,
        no_likely_variant,
    )


def tables(triples: Sequence[Triple]) -> dict[str, object]:
    """Which variants are known of which gene."""
    known = sorted({(gene, variant) for _, gene, variant in triples})
    return {
        "variant_of": pa.table(
            {"gene": [gene for gene, _ in known], "variant": [variant for _, variant in known]}
        )
    }


def _near(place: Place, words: Words, sentences: Sequence[int]) -> Iterator[int]:
    """The tokens around a mention, in its sentence."""
    bounds = [*sentences, len(words)]
    own = _sentence(place, sentences)
    yield from range(max(bounds[own], place[0] - NEAR), min(bounds[own + 1], place[1] + NEAR))


def _between(one: Place, other: Place) -> int:
    """How many words stand between two mentions."""
    return max(one[0], other[0]) - min(one[1], other[1])


def _sentence(place: Place, sentences: Sequence[int]) -> int:
    """The number of the sentence that a mention begins in."""
    return sum(first <= place[0] for first in sentences) - 1
