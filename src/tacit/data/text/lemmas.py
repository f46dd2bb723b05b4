"""Words as a dictionary has them: verbs and plurals of scientific English, by rules of spelling."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_PLURALS = ("NNS", "NNPS")
_VOWEL = "[aeiouy]"

# A form that no rule finds: dictionary word, then its forms.
_VERBS = """
be am is are was were been being 's 're 'm|have has had 've|do does did done|arise arose arisen
bear bore borne|become became|begin began begun|bind bound|break broke broken|bring brought
build built|buy bought|catch caught|choose chose chosen|come came|draw drew drawn
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found
freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|hold held
keep kept|know knew known|lead led|leave left|lie lies lay lain lying|lose lost|make made
mean meant|meet met|overcome overcame|pay paid|prove proven|rise rose risen|run ran|say said
see saw seen|seek sought|sell sold|send sent|shed shedding|show shown|speak spoke spoken
spend spent|stand stood|stick stuck|swell swollen|take took taken|teach taught|tell told
think thought|undergo undergoes underwent undergone|underlie underlying|understand understood
undertake undertook undertaken|win won|withdraw withdrew withdrawn|withstand withstood
write wrote written|add added adding|err erred|die died dying|tie tied tying
focus focuses focused focusing|treat treated treating|mimic mimicked mimicking
interfere interfered interfering|adhere adhered adhering|precede preceded preceding
create created creating|agree agreed|free freed|guarantee guaranteed
"""
_NOUNS = """
datum data|mouse mice|woman women|man men|child children|foot feet|tooth teeth|criterion criteria
phenomenon phenomena|medium media|bacterium bacteria|mitochondrion mitochondria|serum sera
index indices|helix helices|matrix matrices|vertex vertices|cortex cortices|appendix appendices
life lives|half halves|leaf leaves|locus loci|focus foci|nucleus nuclei|stimulus stimuli
bacillus bacilli|fungus fungi|radius radii|genus genera|ovum ova|stratum strata|crisis crises
septum septa|axis axes|terminus termini|species|series|means|news|kinetics|dynamics|genetics
statistics|diabetes|herpes|feces|faeces|rabies|people|us
"""
_SMALL_WORDS = {"an": "a", "our": "we", "us": "we", "their": "they", "them": "they", "me": "i"}

# Endings of plurals, and what the singular has instead; the first that fits is taken.
_SINGULARS = (
    (r"(ss|us|sis)$", r"\1"),
    (r"([a-z]{2}[^aeo])uses$", r"\1us"),  # viruses, but causes
    (r"(aly|the|ne|rese|gno|cro|bro|pto|rho|rpho|ymo|sta|oly)ses$", r"\1sis"),  # analyses
    (r"(ss|sh|ch|x|zz)es$", r"\1"),
    (r"([^aeiou])ies$", r"\1y"),
    (r"([a-z])ae$", r"\1a"),
    (r"([^s])s$", r"\1"),
)
_PRESENTS = (
    (r"(ss|sh|ch|x|zz|go|do)es$", r"\1"),
    (r"([^aeiou])ies$", r"\1y"),
    (r"([^s])s$", r"\1"),
)
# What is left of a verb without -ed and -ing, where an e has been lost: induc-, requir-, activat-.
_LOST_E = re.compile(
    r"""(?:
      [cvuz] | [^s]s | dg | rg | (?:a|e|lu)ng | [bcdfgkpt]l | [^aeiou][aeiu]g | [^aeiou][aoiu]k
    | (?<!tre)(?<!pe)(?<!he)(?<!be)(?<!fe)(?<!o)at | rib | (?:[^aeiou]|qu)ir | [^aeo]ur
    | (?:pl|st|gn|d)or | (?:p|cl|sh)ar | [^aeiou]in | [nr]ven | [^aeiou][aiou]d
    | (?:nc|mp)ed | com | [^aeiou][iu]m | cap | yp | (?:un|xc|gn|nv|wr|nc)it | (?:l|cr|mp)et
    | (?:m|n|v|qu)ot | [^aeo]ut(?<!tput)(?<!nput) | pil | hal | [^aeiou]ul
    | ^[^aeiou]*[aeiouy][bdgklmnprt] )$""",
    re.VERBOSE,
)
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_DOUBLED_L = re.compile(rf"[^aeiouy]*{_VOWEL}.*{_VOWEL}ll$")  # controlled, labelled; but called


@lru_cache(1 << 16)  # a text repeats its words
def lemma(word: str, tag: str) -> str:
    """The dictionary form, in small letters: ("Mutations", "NNS") gives "mutation".

    Of words joined by hyphens, the last one changes; words joined by a slash are left as they are.
    """
    word = word.lower()
    if tag not in _PLURALS and not tag.startswith("VB"):
        return _SMALL_WORDS.get(word, word) if tag in ("DT", "PRP", "PRP$") else word
    if "/" in word:
        return word
    *heads, last = word.split("-")
    return "-".join([*heads, _singular(last) if tag in _PLURALS else _infinitive(last, tag)])


def _singular(word: str) -> str:
    if word in _irregular(_NOUNS):
        return _irregular(_NOUNS)[word]
    return _changed(word, _SINGULARS)


def _infinitive(word: str, tag: str) -> str:
    if word in _irregular(_VERBS):
        return _irregular(_VERBS)[word]
    if tag == "VBZ":
        return _changed(word, _PRESENTS)
    ending = {"VBG": "ing", "VBD": "ed", "VBN": "ed"}.get(tag)
    if ending is None or not word.endswith(ending):
        return word
    stem = word.removesuffix(ending)
    if not re.search(_VOWEL, stem) or word.endswith("eed"):
        return word  # bring, need
    return _whole(stem)


def _whole(stem: str) -> str:
    """The verb of which -ed or -ing left a stem."""
    if stem.endswith("e"):
        return stem  # seeing
    if stem.endswith("i"):
        return stem[:-1] + "y"  # studied
    if _DOUBLED.search(stem) or _DOUBLED_L.match(stem):
        return stem[:-1]
    return stem + "e" if _LOST_E.search(stem) else stem


def _changed(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """A word with its ending replaced; words of two letters stay."""
    if len(word) > 2:
        for ending, other in endings:
            if re.search(ending, word):
                return re.sub(ending, other, word)
    return word


@cache
def _irregular(listed: str) -> dict[str, str]:
    """The dictionary word of each irregular form."""
    entries = [entry.split() for line in listed.strip().splitlines() for entry in line.split("|")]
    return {form: entry[0] for entry in entries for form in entry}
