"""Sentences of scientific prose."""

from __future__ import annotations

import re
from itertools import pairwise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A full stop behind these belongs to the word.
_NEVER_LAST = _words(
    """
    approx ca cf cfr e.g eg eq eqs exp ext fig figs i.e ie ref refs resp sect suppl tab var viz vol
    vols vs
    """
)
_TITLES = _words("Dr Mr Mrs Ms Prof")  # MR and MS are other things
# So it does behind these, and behind initials, unless an opening word follows.
_SELDOM_LAST = _words("al co corp etc inc jr ltd sp spp sr st subsp subspp")
ABBREVIATIONS = _NEVER_LAST | _SELDOM_LAST | {"dr", "mr", "mrs", "prof"}
_BEFORE_NUMBERS = _words("no nos nr p pp")
_OPENING = _words(
    """
    a after all although an and as at because before both but by compared conclusion conclusions
    consistent data despite during each finally five following for four from furthermore given
    here how however if in interestingly is it its like many methods moreover most no none notably
    of on one only or other our overall results several similarly since so some such ten that the
    their then there therefore these they this those three thus to together two under using we
    what when whereas whether which while with within
    """
)
_STOP = re.compile(
    r"""
    (?<![.?!])[.?!]++
           (?: ["'\u2019\u201d)\]]* (?=\s)
             | (?<=[a-z]{3}.) [\[(]? \d{1,3} (?:[,\u2013-] ?\d{1,3})* [\])]? (?=\s+[A-Z]) )
  | \n [^\S\n]* (?=\n)
    """,  # white space; the numbers of references, then white space; an empty line
    re.VERBOSE,
)
_FOLLOWING = re.compile(r"\s+([\"'(\[\u2018\u201c]*)(\S+)")
_INITIALS = re.compile(r"(?:[A-Z][.-])*[A-Z](?:\.|$)")
_NAME = re.compile(r"[A-Z][a-z'-]*|.*[.,]")
_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]")
_NUMBER = re.compile(r"\d+\.")
_STATISTIC = re.compile(r"[np]\s*[=<>]")
_LABEL = re.compile(r"\s*[(\[]?(?:[A-Za-z]|\d{1,3}|[IVX]+)\Z")
_FURTHEST_WORD = 100  # characters that are looked at before a stop
_FURTHEST_BRACKET = 150  # characters; brackets that stay open longer were forgotten


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end, without the white space around them.

    A sentence ends at a full stop, a question or an exclamation mark with white space and something
    that can begin a sentence behind it, and at an empty line. A full stop does not end a sentence

    - behind an abbreviation (Fig., vs., et al.), an initial or a genus (E. coli);
    - within brackets;
    - between digits, also where a space was left in a number (P = 0. 02);
    - behind a label that begins the sentence (A. or 2.);
    - before a word in small letters, unless it is a name with capitals or digits (p53, mRNA).
    """
    cuts = [0]
    for stop in _STOP.finditer(text):
        if _ends_sentence(text, stop, cuts[-1]):
            cuts.append(stop.end())
    cuts.append(len(text))
    spans = (_trim(text, start, end) for start, end in pairwise(cuts))
    return [(start, end) for start, end in spans if start < end]


def _ends_sentence(text: str, stop: re.Match[str], start: int) -> bool:
    """Whether the stop ends the sentence that began at `start`."""
    if stop[0][0] == "\n":
        return True
    following = _FOLLOWING.match(text, stop.end())
    if not following:
        return True  # only white space is left
    if _in_brackets(text, stop, start) or not _can_begin(text, following):
        return False
    before = text[max(start, stop.start() - _FURTHEST_WORD) : stop.start()]
    if stop[0][0] != "." or not before.strip() or before[-1].isspace():
        return bool(before.strip())
    return not (_LABEL.fullmatch(before) or _belongs_to_word(before, following))


def _can_begin(text: str, following: re.Match[str]) -> bool:
    """Whether a sentence can begin with what follows."""
    word = following[2]
    if word[0].isdigit():
        return not (word[0] == "0" and word[1:2].isdigit())  # "interval. 04" is a broken number
    if not word[0].islower() or following[1]:
        return True
    named = any(character.isupper() or character.isdigit() for character in word)
    return named or word[1:2] == "-" or _STATISTIC.match(text, following.start(2)) is not None


def _belongs_to_word(before: str, following: re.Match[str]) -> bool:
    """Whether a full stop is part of the word before it."""
    *_, previous, last = ["", "", *before.rsplit(maxsplit=2)[-2:]]
    last = last.lstrip("([\"'\u2018\u201c")
    word, next_word = last.lower(), following[2]
    if word in _NEVER_LAST or last in _TITLES or last[-1:] in tuple("=<>~"):
        return True
    if next_word[0].isdigit() and (last[-1:].isdigit() or _DOTTED.fullmatch(last)):
        return True
    if next_word[0].isdigit() and word in _BEFORE_NUMBERS:
        return not _NUMBER.fullmatch(next_word)
    opens = next_word.rstrip(".,;:").lower() in _OPENING and not following[1]
    if _INITIALS.fullmatch(last):
        named = not previous or _NAME.fullmatch(previous) is not None
        return not opens and (named or bool(following[1] or _INITIALS.match(next_word)))
    return word in _SELDOM_LAST and not opens


def _in_brackets(text: str, stop: re.Match[str], start: int) -> bool:
    """Whether a bracket is open at the stop, and will be closed."""
    for left, right in ("()", "[]"):
        begin = max(start, stop.start() - _FURTHEST_BRACKET)
        is_open = text.rfind(left, begin, stop.end()) > text.rfind(right, begin, stop.end())
        if is_open:
            end = stop.end() + _FURTHEST_BRACKET
            closing = text.find(right, stop.end(), end)
            opening = text.find(left, stop.end(), end)
            return closing >= 0 and (opening < 0 or closing < opening)
    return False


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the white space at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
