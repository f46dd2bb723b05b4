"""Names of genes as different hands write them: one key for all spellings of a name.

HGNC has "interleukin 2 receptor subunit alpha", texts have "IL-2R alpha" or "alpha subunit of the
interleukin-2 receptor". A key forgets case and hyphens, and in names of several words fillers and
order; Greek letters become Latin ones, and Roman numbers Arabic ones.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from examples.bio.candidates import Candidate, candidate
from examples.bio.reading import Document

LONGEST = 9  # parts of a name in a text
FILLERS = frozenset({
    "the", "of", "and", "human", "gene", "protein", "proteins", "subunit", "chain", "polypeptide",
    "type", "isoform", "member", "family", "molecule", "antigen",
})  # fmt: skip
GREEK = {
    "alpha": "a", "beta": "b", "gamma": "g", "delta": "d", "epsilon": "e", "zeta": "z", "eta": "h",
    "theta": "t", "iota": "i", "kappa": "k", "lambda": "l", "mu": "m", "sigma": "s", "omega": "o",
    "α": "a", "β": "b", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "h", "θ": "t", "ι": "i",
    "κ": "k", "λ": "l", "μ": "m", "σ": "s", "ω": "o",
}  # fmt: skip
ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
RUN = re.compile(r"[α-ω]|[^\W\d_α-ω]+|\d+")
# A Greek letter written out, as a word or in one: Ralpha, kappaB, but not alphabet.
GREEK_WORD = re.compile(
    "(?i:alpha|beta|gamma|delta|epsilon|zeta|theta|kappa|lambda|sigma|omega)(?![a-z])"
    "|(?i:^(?:eta|iota|mu)$)"
)
JOINT = re.compile(r"[\s\-\u2010-\u2015]*")  # what may stand between two parts of a name
Key = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A run of letters or of digits, in its usual form."""

    start: int
    end: int
    form: str
    greek: bool


def parts(text: str) -> list[Part]:
    """The runs of letters and of digits; Greek letters written out are parts of their own."""
    found = []
    for run in RUN.finditer(text):
        greek = GREEK_WORD.finditer(run[0])
        cuts = sorted({0, len(run[0]), *(cut for each in greek for cut in each.span())})
        for a, b in pairwise(cuts):
            form = run[0][a:b].lower()
            usual = GREEK.get(form) or ROMAN.get(form) or form
            found.append(Part(run.start() + a, run.start() + b, usual, form in GREEK))
    return found


def symbol_key(text: str, found: Sequence[Part]) -> str:
    """All parts joined: IL-2, IL 2 and il2 are il2; IFN-gamma is ifng, as IFNG is.

    Only between two words in plain letters does a space count: protein S is not proteins.
    """
    key = found[0].form
    for before, part in pairwise(found):
        plain = before.form.isalpha() and part.form.isalpha() and not (before.greek or part.greek)
        spaced = plain and text[before.end : part.start].isspace()
        key += f" {part.form}" if spaced else part.form
    return key


def name_key(found: Sequence[Part]) -> tuple[str, ...]:
    """The parts that count, by the alphabet; nothing if they could mean anything."""
    forms = sorted(part.form for part in found if part.form not in FILLERS)
    return tuple(forms) if len(forms) > 1 and any(len(form) > 3 for form in forms) else ()


class Spellings:
    """The genes of each key, and what in a document has one of these keys."""

    def __init__(
        self, names: Mapping[str, Sequence[str]], common: frozenset[str] = frozenset()
    ) -> None:
        """`names` are by gene; `common` words do not begin or end a symbol with a space in it."""
        self._genes: dict[Key, set[str]] = defaultdict(set)
        self._common = common
        for gene, own in names.items():
            for name in own:
                self.add(gene, name)

    def add(self, gene: str, name: str) -> None:
        """One name more of a gene."""
        found = parts(name)
        if found and len(symbol := symbol_key(name, found)) > 1:
            self._genes[symbol].add(gene)
        if " " in name and (bag := name_key(found)):
            self._genes[bag].add(gene)

    def genes(self, text: str, found: Sequence[Part]) -> set[str]:
        """The genes that some parts of a text may stand for."""
        says_nothing = all(part.greek or part.form.isdigit() for part in found)
        if says_nothing or found[0].form in FILLERS or found[-1].form in ("the", "of", "and"):
            return set()
        symbol, bag = symbol_key(text, found), name_key(found)
        genes = self._genes.get(bag, set()) if bag else set()
        start, end = found[0].start, found[-1].end
        written = text[start:end]
        if " " not in written or not {found[0].form, found[-1].form} & self._common:
            genes = genes | self._genes.get(symbol, set())
        if not genes and written[:1] == "h" and written[1:2].isupper():  # hTERT is human TERT
            genes = self._genes.get(symbol[1:], set()) if len(symbol) > 3 else set()
        return genes

    def find(self, documents: Sequence[Document]) -> list[Candidate]:
        """All stretches of documents that may name genes; the first wins, then the longest."""
        return [
            candidate(documents, at, (start, end), tuple(sorted(genes)))
            for at, document in enumerate(documents)
            for start, end, genes in self._find_in(document.text)
        ]

    def _find_in(self, text: str) -> Iterator[tuple[int, int, set[str]]]:
        found = parts(text)
        first = 0
        while first < len(found):
            after = first + 1
            for behind in _ends(text, found, first):
                genes = self.genes(text, found[first:behind])
                if genes:
                    yield found[first].start, found[behind - 1].end, genes
                    after = behind
                    break
            first = after


def _ends(text: str, found: Sequence[Part], first: int) -> list[int]:
    """Where a name that begins with a part may end, the longest first; none within a word."""
    if first and found[first - 1].end == found[first].start:
        return []
    ends = []
    for behind in range(first + 1, min(first + LONGEST, len(found)) + 1):
        last = found[behind - 1]
        if behind == len(found) or found[behind].start > last.end:
            ends.append(behind)
        if behind < len(found) and not JOINT.fullmatch(text, last.end, found[behind].start):
            break
    return ends[::-1]
