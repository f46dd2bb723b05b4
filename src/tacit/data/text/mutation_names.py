"""Normal forms of mutations: one name for each change, however it is written."""

from __future__ import annotations

import re
from itertools import product

_ACID_NAMES = {
    "A": "ala alanine", "R": "arg arginine", "N": "asn asparagine", "D": "asp aspartate",
    "C": "cys cysteine", "Q": "gln glutamine", "E": "glu glutamate", "G": "gly glycine",
    "H": "his histidine", "I": "ile isoleucine", "L": "leu leucine", "K": "lys lysine",
    "M": "met methionine", "F": "phe phenylalanine", "P": "pro proline", "S": "ser serine",
    "T": "thr threonine", "W": "trp tryptophan", "Y": "tyr tyrosine", "V": "val valine",
    "*": "ter stop termination",
}  # fmt: skip
ACIDS = {name: letter for letter, names in _ACID_NAMES.items() for name in names.split()}
ACIDS |= {"aspartic acid": "D", "glutamic acid": "E"}
ACIDS |= {f"{word} codon": "*" for word in ("stop", "termination", "premature stop")}
SHORT_ACIDS = [name for name in ACIDS if len(name) == 3]
BASES = {"adenine": "A", "adenosine": "A", "cytosine": "C", "cytidine": "C"}
BASES |= {"guanine": "G", "guanosine": "G", "thymine": "T", "thymidine": "T"}
_IN_CODE_ORDER = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
ACID_OF_CODON = {
    "".join(codon): acid
    for codon, acid in zip(product("TCAG", repeat=3), _IN_CODE_ORDER, strict=True)
}
# Cell lines and genes that look like a change of one residue, and what stands before the number
# of a figure: Figure S12A.
_NOT_MUTATIONS = re.compile(
    "t47d|t98g|l5178y|c-?33a|h295r|a375[mp]|f11r|f13a|p504s|s100[a-z]", re.IGNORECASE
)
_FIGURE = re.compile(r"\b(?:figs?\.?|figures?|tables?)\s?$", re.IGNORECASE)
_EVENTS = {"del": "deletion", "ins": "insertion", "dup": "duplication"}


def one_letter_change(found: re.Match[str]) -> list[str]:
    """V600E; several for G12C/D; none for what changes nothing or is known as something else."""
    before, at = (found["a1"] or found["a2"]).upper(), found["at1"] or found["at2"]
    if _NOT_MUTATIONS.fullmatch(found[0]) or _FIGURE.search(_before(found)):
        return []
    names = [f"{before}{at}{_acid(behind)}" for behind in found["b"].split("/")]
    return [name for name in names if name[-1] != before]


def acid_change(found: re.Match[str]) -> list[str]:
    """V600E of Val600Glu and the like."""
    return [f"{_acid(found['a'])}{found['at']}{_acid(found['b'])}"]


def acid_change_by_arrow(found: re.Match[str]) -> list[str]:
    """V600E of V600>E; nothing where both letters could be bases."""
    return [] if {found["a"].upper(), found["b"].upper()} <= set("ACGT") else acid_change(found)


def acid_change_in_words(found: re.Match[str]) -> list[str]:
    """V600E of valine to glutamate at 600, and of glutamate for valine at 600."""
    first, second = _acid(found["a"]), _acid(found["b"])
    if (found["verb"] or "").lower() == "for":
        first, second = second, first
    return [f"{first}{found['at']}{second}"]


def codon_change(found: re.Match[str]) -> list[str]:
    """V600E of codon 600 GTG>GAG, by the genetic code."""
    before, behind = (ACID_OF_CODON[found[group].upper().replace("U", "T")] for group in "ab")
    return [f"{before}{found['at']}{behind}"]


def frame_shift(found: re.Match[str]) -> list[str]:
    """S119fs, without the new residue and the place of the stop."""
    return [f"{_acid(found['a'])}{found['at']}fs"]


def acid_stretch(found: re.Match[str]) -> list[str]:
    """F508del, E746_A750delinsIP, A763_Y764insFQEA."""
    what = found["what"].lower().replace(">", "delins")
    added = re.sub(
        "|".join(SHORT_ACIDS), lambda acid: _acid(acid[0]), found["added"] or "", flags=re.I
    )
    if found["what"] == ">" and not (added and found["at2"]):
        return []
    return [f"{_stretch(found)}{what}{added.upper()}"]


def acid_deletion(found: re.Match[str]) -> list[str]:
    """F508del of deltaF508."""
    return [f"{_stretch(found)}del"]


def base_change(found: re.Match[str]) -> list[str]:
    """c.1799T>A; the letter in front says which sequence, c where nothing is said."""
    a, b = _base(found["a"]), _base(found["b"])
    return [f"{_sequence(found)}.{_site(found['at'])}{a}>{b}"] if a != b else []


def base_change_letter_first(found: re.Match[str]) -> list[str]:
    """c.-308G>A of G-308A."""
    if _NOT_MUTATIONS.fullmatch(found[0]):
        return []
    at = found["at1"] or found["at2"] or found["at3"]
    return [f"c.{_site(at)}{_base(found['a'])}>{_base(found['b'])}"]


def base_change_in_words(found: re.Match[str]) -> list[str]:
    """c.1135T>A of T to A at nucleotide 1135; codon 158 G>C where only the codon is told."""
    change = f"{_base(found['a'])}>{_base(found['b'])}"
    return [f"{_place_in_words(found)}{change}"]


def base_stretch(found: re.Match[str]) -> list[str]:
    """c.3385_3386delTT; nothing where neither a sequence nor a length is told."""
    added = re.sub(r"[()\s]|bp", "", found["added"] or "", flags=re.I).upper()
    if not (found["seq"] or added):
        return []
    first, last = _site(found["at"]), found["at2"]
    hyphen = re.fullmatch(r"(\d{1,9})-(\d{1,9})", first)
    if hyphen and not last:
        end = hyphen[1][: -len(hyphen[2])] + hyphen[2]  # 1782-83 is short for 1782-1783
        length = int(end) - int(hyphen[1]) + 1
        if len(hyphen[2]) >= len(hyphen[1]) or length == len(added):  # else a place in an intron
            first, last = hyphen[1], end
    place = f"{first}_{last}" if last else first
    return [f"{_sequence(found)}.{place}{found['what'].lower()}{added}"]


def base_stretch_in_words(found: re.Match[str]) -> list[str]:
    """c.888delC of deletion of C at nucleotide 888."""
    return [f"{_place_in_words(found)}{found['what'][:3].lower()}{_base(found['a'])}"]


def exon_change(found: re.Match[str]) -> list[str]:
    """exon 19 deletion, exon 14 skipping."""
    return [f"exon {found['at']} {_EVENTS.get((found['what'] or '')[:3].lower(), 'skipping')}"]


def snp(found: re.Match[str]) -> list[str]:
    """rs1234."""
    return [f"rs{found['at']}"]


def _before(found: re.Match[str]) -> str:
    """The few characters before a match."""
    return found.string[max(found.start() - 9, 0) : found.start()]


def _acid(text: str) -> str:
    """The letter of an amino acid, or the star of a stop, however written."""
    word = text.lower().replace("-", " ")
    return ACIDS.get(word) or ("*" if word == "x" else word.upper())


def _base(text: str) -> str:
    """The letters of bases, however written."""
    return BASES.get(text.lower()) or text.upper()


def _stretch(found: re.Match[str]) -> str:
    """The residues from the first to the last: E746_A750."""
    last = f"_{_acid(found['a2'])}{found['at2']}" if found["at2"] else ""
    return f"{_acid(found['a'])}{found['at']}{last}"


def _sequence(found: re.Match[str]) -> str:
    """The letter of the sequence that positions are counted in."""
    return (found["seq"] or "c").lower()


def _place_in_words(found: re.Match[str]) -> str:
    """Where a change in words is: in the coding sequence, or in a codon."""
    if "codon" in (found["where"] or "").lower():
        return f"codon {found['at']} "
    return f"c.{_site(found['at'])}"


def _site(text: str) -> str:
    """A place in DNA without spaces, thousands or unusual signs; introns by IVS and a number."""
    plain = re.sub(r"[\s,]", "", text).replace("\u2212", "-").upper().lstrip("+")
    return re.sub(r"^IVS-?([IVX]+)(?=[-+])", lambda found: f"IVS{_roman(found[1])}", plain)


def _roman(text: str) -> int:
    """The value of a small Roman number."""
    values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
