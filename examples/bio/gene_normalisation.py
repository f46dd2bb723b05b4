"""Which genes a document speaks of: one for each linked mention, the likeliest of its name."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from examples.bio.candidates import WORD, Candidate
from examples.bio.gene_spelling import parts
from examples.bio.mention_pairs import spelling
from examples.bio.reading import Document
from tacit.data.text.lexicon import Lexicon

Names = Mapping[str, Sequence[str]]  # by approved symbol: its names, the full one last

# What speaks for one of several genes of a name.
OTHER_NAME = 2.0  # the document has another name of the gene too
APPROVED = 1.5  # the name is the gene's approved symbol, not an alias
FULL_NAME = 1.0  # all words of the gene's full name are in the document; some count in part
KNOWN = 0.25  # times the logarithm of how often the pool names the gene by a name of its own
# A gene that is less likely than this is not named at all: with an F1 of 0.8, a guess that is right
# less than four times in ten costs more than it gains.
WORTH_A_GUESS = 0.4
FAMILY = 3  # as many genes, whose names differ in a last number or Greek letter only, are a family


def popularity(texts: Iterable[str], lexicon: Lexicon) -> dict[str, int]:
    """By gene: how often texts have a name of it that no other gene has and that has a capital."""
    read = list(texts)
    found = lexicon.find_all(read)
    counts: Counter[str] = Counter()
    columns = (found.text_of_match, found.start, found.end, found.name_of_match)
    for text, start, end, name in zip(*(column.tolist() for column in columns), strict=True):
        genes = lexicon.entities_of(name)
        if len(genes) == 1 and not read[text][start:end].islower():
            counts[genes[0]] += 1
    return dict(counts)


def families(names: Names) -> frozenset[str]:
    """What names of several genes have before a last number or Greek letter, unless it is a symbol.

    ADH is the family of ADH4, ADH5, ADH6, ... and none of them, whoever has it as an alias.
    """
    genes_of_stem: dict[str, set[str]] = defaultdict(set)
    for gene, own in names.items():
        for name in own[:-1]:
            found = parts(name)
            if len(found) > 1 and (found[-1].form.isdigit() or found[-1].greek):
                genes_of_stem[spelling(name[: found[-1].start])].add(gene)
    stems = {stem for stem, genes in genes_of_stem.items() if len(genes) >= FAMILY}
    return frozenset(stems - {spelling(gene) for gene in names})


def genes_of_documents(
    documents: Sequence[Document],
    linked: Iterable[Candidate],
    names: Names,
    known: Mapping[str, int] | None = None,
) -> dict[str, set[str]]:
    """By document: the genes that its linked mentions name, by approved symbol.

    `known`: how often each gene is spoken of elsewhere, see `popularity`. A name of a family names
    no gene, and neither does one that could be any of several.
    """
    of_family = families(names)
    of_document: dict[int, list[Candidate]] = defaultdict(list)
    for each in linked:
        if spelling(each.text) not in of_family:
            of_document[each.document].append(each)
    return {
        document.id: genes_of(document.text, of_document[at], names, known, at_least=WORTH_A_GUESS)
        for at, document in enumerate(documents)
    }


def genes_of(
    text: str,
    linked: Sequence[Candidate],
    names: Names,
    known: Mapping[str, int] | None = None,
    *,
    at_least: float = 0.0,
) -> set[str]:
    """The genes that linked mentions of one text name: of each the likeliest, if likely enough."""
    spellings: dict[str, set[str]] = defaultdict(set)
    for each in linked:
        for gene in each.genes:
            spellings[gene].add(spelling(each.text))
    words = {word.lower() for word in WORD.findall(text)}

    def support(gene: str, each: Candidate) -> float:
        full = [word.lower() for word in WORD.findall(names[gene][-1]) if len(word) > 3]
        score = FULL_NAME * sum(word in words for word in full) / max(len(full), 1)
        score += APPROVED * (spelling(gene) == spelling(each.text))
        score += OTHER_NAME * (len(spellings[gene]) > 1)
        return score + KNOWN * math.log1p((known or {}).get(gene, 0))

    chosen = set()
    for each in linked:
        odds = {gene: math.exp(support(gene, each)) for gene in each.genes}
        best = min(odds, key=lambda gene: (-odds[gene], gene))
        if odds[best] >= at_least * sum(odds.values()):
            chosen.add(best)
    return chosen
