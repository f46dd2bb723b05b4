"""How mutations are written: patterns for changes of proteins and DNA."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from tacit.data.text import mutation_names as names
from tacit.data.text.mutation_names import ACIDS, BASES, SHORT_ACIDS

Names = Callable[[re.Match[str]], Iterable[str]]


class Rule(NamedTuple):
    """One way to write a mutation: its pattern, and the normal forms of a match."""

    clue: re.Pattern[str]  # found at a glance in every lower-cased text that has a match
    pattern: re.Pattern[str]  # the group "gene", where there is one, is no part of the mutation
    names: Names


@cache
def rules(ignore_case: bool) -> tuple[Rule, ...]:
    """The grammar, in its two moods."""
    flags = re.VERBOSE | (re.IGNORECASE if ignore_case else re.NOFLAG)
    return tuple(
        Rule(re.compile(clue), re.compile(pattern, flags), name) for clue, pattern, name in _WAYS
    )


def _either(words: Iterable[str]) -> str:
    """A pattern for any of some words in any case, the longest first; a space may be a hyphen."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        by_first.setdefault(word[0], []).append(word[1:].replace(" ", "[ -]"))
    # One set of characters for each branch: such branches are left at once where none fits.
    branches = [
        f"[{first.upper()}{first}](?i:{'|'.join(rest)})" for first, rest in by_first.items()
    ]
    return f"(?:{'|'.join(branches)})"


_BEGIN = r"(?<![\w.])"
_END = r"(?!\w)"
_ARROW = r"(?:\ ?(?:-{0,4}>|\u2192|\u279d|=>)\ ?)"
# Proteins
_ONE = "[ACDEFGHIKLMNPQRSTVWY]"
_THREE = _either(SHORT_ACIDS)
_SOME = f"(?:{_ONE}|{_THREE})"
_ACID = _either(ACIDS)
_P = r"(?:p\.\ ?(?P<open>\()?)?"
_CLOSE = r"(?(open)\)?)"
_RESIDUE = r"(?:\ \([A-Za-z]{3,4}\))?(?:\ residue|\ codon)?"  # valine (Val) residue
_FRAME = r"(?:fs(?:[-\ ]?(?:X|\*|ter|stop))?(?:\d+)?X?)"
_STRETCH = rf"(?P<a>{_SOME})-?(?P<at>[1-9]\d*)(?:[-_\u2013](?P<a2>{_SOME})-?(?P<at2>\d+))?"
# DNA
_BASE = f"(?:[ACGT]|{_either(BASES)})"
_CODON = "[ACGTU]{3}"
_SEQ = r"(?:(?P<seq>[cgmnr])\.\ ?)?"
# A hyphen behind a name is taken for a minus: TNF-308 G/A.
_SITE_BEGIN = r"(?:(?<![\w.])|(?<=\w)(?=[-\u2212]\d))"
_SITE = r"(?P<at>(?:IVS\ ?-?(?:\d+|[IVX]+)\ ?|\d+\ ?)[-+\u2212]\ ?\d+|[-+\u2212*]?\d+)"
_NUMBER = r"(?P<at>[-+\u2212]?(?:\d{1,3},\d{3}|\d+))"
# Words
_WHAT = r"""(?:[-\ ](?:substitution|transition|transversion|mutation|polymorphism|change|exchange
            |replacement|conversion|point|single|nucleotide|base|amino|acid|missense|nonsense))*"""
_WHERE = r"""(?:\ (?:in|within)\ exon\ \w+,?)?\ (?:(?:at|in|of|on)\ (?:the\ )?(?P<where>(?:(?:
             amino[ -]acid|cDNA|mRNA|coding|polymorphic|nucleotide|nt|base|bp|position|site|residue
             |codon|aa)s?\ )+)|at\ (?=[-+]?\d{3}))"""
_EVENT = "(?P<what>deletion|insertion|duplication|del|ins|dup)s?"

# Genes whose names end like a mutation: FAM161A, KIAA1549L.
_FAMILIES = r"(?:C\d+ORF|CCDC|CYP|D\d+S|FAM|IG[HKL]|KIAA|LINC|LOC|MIR|OR\d|RN[7U]|SNOR|TMEM|ZNF)"
_NUMBERED = r"\d ?(?:del|ins|dup|inv|>)"
_PLACED = (
    r"(?:acid|cdna|mrna|coding|polymorphic|nucleotide|nt|base|bp|position|site|residue|codon|aa)"
    r"s? [-+\u2212c]?[.\d]|at [-+\u2212]?\d{3}"
)

# The clue, the pattern, the names.
_WAYS: tuple[tuple[str, str, Names], ...] = (
    # V600E, BRAF-V600E, p.(V600E), G12C/D
    (
        r"\d[a-y*]",
        rf"""(?:{_BEGIN}|(?<=\brt))  # rt: places in a virus's reverse transcriptase
             (?:p\.\ ?(?P<open>\()?(?P<a1>{_ONE})(?P<at1>\d{{1,5}})
               |(?P<a2>{_ONE})(?P<at2>[1-9]\d{{1,4}}))
             (?P<b>[ACDEFGHIKLMNPQRSTVWYX*](?:/[ACDEFGHIKLMNPQRSTVWYX*](?!\w))*|(?i:stop|ter))
             {_CLOSE}(?![\w]|\.\d|/\d)""",
        names.one_letter_change,
    ),
    # BRAFV600E, KRASG12D
    (
        r"[a-z]\d\d+[a-y]",
        rf"""{_BEGIN}(?!{_FAMILIES})(?P<gene>[A-Z][A-Z0-9]{{2,6}}?(?=[A-Z][1-9]\d\d)|[KNH]RAS(?=[A-Z]\d\d))
             (?P<a>{_ONE})(?P<at>[1-9]\d{{1,3}})(?P<b>{_ONE}|X){_END}""",
        names.acid_change,
    ),
    # Val600Glu, Arg-353-Gln, Glu29 to Lys, arginine 150 proline
    (
        r"[a-z]{3}[- ]?\(?\d+\)?[^a-z]{0,6}(?:(?:to|by|into|with)[ -](?:an? )?)?[a-z*]",
        rf"""{_BEGIN}{_P}(?P<a>{_ACID})[-\ ]?\(?(?P<at>[1-9]\d{{0,4}})\)?
             (?:[-\ /]|{_ARROW}|[-\ ](?:to|by|into|with)[-\ ](?:an?\ )?)?
             (?P<b>{_ACID}|X|\*){_CLOSE}{_END}""",
        names.acid_change,
    ),
    # V600-->E
    (
        "\\d ?(?:-*>|\u2192|\u279d|=>)",
        rf"{_BEGIN}(?:p\.)?(?P<a>{_ONE})(?P<at>[1-9]\d+){_ARROW}(?P<b>[A-Y]){_END}",
        names.acid_change_by_arrow,
    ),
    # p.Ser119fsX, C105Vfs114X
    (
        "fs",
        rf"{_BEGIN}{_P}(?P<a>{_SOME})-?(?P<at>[1-9]\d*){_SOME}?\ ?{_FRAME}{_CLOSE}{_END}",
        names.frame_shift,
    ),
    # F508del, E746_A750delinsIP, L747_P753>S, A763_Y764insFQEA
    (
        _NUMBERED,
        rf"""{_BEGIN}{_P}{_STRETCH}\ ?(?P<what>delins|del|ins|dup|>)
             (?P<added>(?<=ins)(?:{_ONE}+|{_THREE}+)|(?<=>){_ONE}+)?{_CLOSE}{_END}""",
        names.acid_stretch,
    ),
    # delE746-A750, deltaF508
    (
        "(?:del(?:ta)?|[\u03b4\u2206])[- ]?\\(?[a-z]{1,3}\\d",
        rf"""{_BEGIN}(?P<what>del[-\ ]?|(?i:delta)-?|[\u0394\u2206\u03b4])(?P<open>\()?
             {_STRETCH}{_CLOSE}{_END}""",
        names.acid_deletion,
    ),
    # arginine to tryptophan (substitution) at codon 198; proline for arginine at position 150
    (
        _PLACED,
        rf"""{_BEGIN}(?P<a>{_ACID}){_RESIDUE}(?:[-\ ](?P<verb>to|by|into|with|for)[-\ ]|{_ARROW})
             (?:an?\ |the\ )?(?P<b>{_ACID}){_RESIDUE}{_WHAT}{_WHERE}(?P<at>\d+){_END}""",
        names.acid_change_in_words,
    ),
    # codon 358, tyrosine to histidine
    (
        r"(?:codon|residue) \d",
        rf"""{_BEGIN}(?:codon|residue)\ (?P<at>\d+),?\ (?:from\ )?(?P<a>{_ACID})[-\ ]to[-\ ]
             (?P<b>{_ACID}){_END}""",
        names.acid_change,
    ),
    # codon 26, GAG-->GCG; ACG-->AAG substitution in codon 420
    (
        r"codon \d",
        rf"{_BEGIN}codon\ (?P<at>\d+),?\ \(?(?P<a>{_CODON}){_ARROW}(?P<b>{_CODON})\)?{_END}",
        names.codon_change,
    ),
    (
        r"codon \d",
        rf"""{_BEGIN}\(?(?P<a>{_CODON}){_ARROW}(?P<b>{_CODON})\)?{_WHAT}
             \ (?:in|at)\ codon\ (?P<at>\d+){_END}""",
        names.codon_change,
    ),
    # c.1799T>A, 1799T>A, -308 G/A, IVS10+1G>A
    (
        "\\d[-,]? ?\\(?[acgt]+ ?(?:-*>|\u2192|\u279d|=>|/)",
        rf"""{_SITE_BEGIN}{_SEQ}{_SITE}[-,]?\ ?(?P<open>\()?(?P<a>[ACGT]+|[acgt])
             (?:{_ARROW}|(?<=[ACGT])/(?=[ACGT](?!\w)))(?P<b>[ACGT]+|[acgt]){_CLOSE}{_END}""",
        names.base_change,
    ),
    # T-189C, C677>T, T1270533G
    (
        "\\d ?(?:-*>|\u2192|\u279d|=>)?[acgt]",
        rf"""{_BEGIN}(?P<a>[ACGT])(?:(?P<at1>[-+\u2212]\d+)\ ?{_ARROW}?|(?P<at2>\d{{6,9}})
             |(?P<at3>\d{{2,}}){_ARROW})(?P<b>[ACGT]){_END}""",
        names.base_change_letter_first,
    ),
    # c.3385_3386delTT, 185delAG, IVS2-58_55insT
    (
        _NUMBERED,
        rf"""{_SITE_BEGIN}{_SEQ}{_SITE}(?:[_/\u2013](?P<at2>\d+))?
             \ ?(?P<what>delins|del|ins|dup|inv)
             (?:[\ .]?(?P<added>(?:[ACGT]+|\([ACGT]+\))(?:\(\d+\)|\d+)?|\d+(?:\ ?bp)?))?{_END}""",
        names.base_stretch,
    ),
    # T to A (transition) at nucleotide position 1135
    (
        _PLACED,
        rf"""{_BEGIN}\(?(?P<a>{_BASE})(?:\ \([ACGT]\))?(?:[-\ ]to[-\ ](?:an?\ )?|{_ARROW})
             (?P<b>{_BASE})(?:\ \([ACGT]\))?\)?{_WHAT}{_WHERE}(?:c\.)?{_NUMBER}{_END}""",
        names.base_change_in_words,
    ),
    # deletion of C at nucleotide 888; cytosine insertion at position 3020
    (
        "(?:deletion|insertion) of ",
        rf"""{_BEGIN}(?P<what>deletion|insertion)\ of\ (?:an?\ |one\ )?(?P<a>{_BASE}|[ACGT]+)
             {_WHERE}{_NUMBER}{_END}""",
        names.base_stretch_in_words,
    ),
    (
        "[- ](?:deletion|insertion) ",
        rf"{_BEGIN}(?P<a>{_BASE}|[ACGT]+)[-\ ](?P<what>deletion|insertion){_WHERE}{_NUMBER}{_END}",
        names.base_stretch_in_words,
    ),
    # exon 19 deletion, deletions in exon 19, exon 14 skipping
    (
        r"exon[- ]?\d",
        rf"{_BEGIN}exon[-\ ]?(?P<at>\d+)\ (?:in-frame\ )?(?:{_EVENT}|skipping){_END}",
        names.exon_change,
    ),
    (
        r"exon \d",
        rf"{_BEGIN}{_EVENT}\ (?:in|of|within|at)\ exon\ (?P<at>\d+){_END}",
        names.exon_change,
    ),
    (r"rs ?\d", rf"{_BEGIN}rs\ ?(?P<at>[1-9]\d{{2,}}){_END}", names.snp),
)
