"""Spelling variants of a name: how one name is written by different hands."""

from __future__ import annotations

import re
from itertools import product

_GREEK_WORDS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau
upsilon phi chi psi omega
"""
_LETTER_OF_WORD = dict(zip(_GREEK_WORDS.split(), "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
_WORD_OF_LETTER = {letter: word for word, letter in _LETTER_OF_WORD.items()}
# Some are syllables as well (eta, nu, pi): a word counts only where no letter touches it, a long
# one also behind a capital (TNFalpha). In capitals they are something else: PI3K.
_WORDS = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in _LETTER_OF_WORD)
_LONG_WORDS = "alpha|beta|gamma|delta|epsilon|kappa|lambda|omega|sigma|theta"
_GREEK = re.compile(
    rf"[α-ω\ue000-\uf8ff]|(?<![^\W\d_])(?:{_WORDS})(?![^\W\d_])|(?<=[A-Z])(?:{_LONG_WORDS})(?![a-z])"
)
_G = "[\ue000-\uf8ff]"  # for a while, a private character stands for a Greek letter
_L = r"[^\W\d_]"
_JOINT = re.compile(
    rf"(?<={_L})[- ]?(?={_G}|\d)|(?<=\d)[- ]?(?={_G}|{_L})|(?<={_G})[- ]?(?={_L}|\d)"
)
_SEPARATORS = ("", "-", " ")
_MOST_JOINTS = 2  # nine spellings; with more joints only the last varies, or all are alike


def name_variants(name: str) -> list[str]:
    """The spellings of a name, the given one first.

    - Between letters and digits, and on either side of a Greek letter, stands nothing, a hyphen or
      a space: IL2, IL-2, IL 2. Where a name has more than two such joints, only the last may differ
      from what is given (E2F-1), or all are alike.
    - A Greek letter may be written out (TNF-alpha), and the other way round.

    Plurals need no spelling of their own: a `Lexicon` with variants knows them.
    """
    greek: list[str] = []

    def keep(found: re.Match[str]) -> str:
        greek.append(found[0])
        return chr(0xDFFF + len(greek))

    coded = _GREEK.sub(keep, name)
    pieces = _JOINT.split(coded)
    if len(pieces) == 1 and not greek:
        return [name]
    spellings = [_joined(pieces, filling) for filling in _fillings(_JOINT.findall(coded))]
    if greek:
        letters = [_LETTER_OF_WORD.get(part.lower(), part) for part in greek]
        words = [_WORD_OF_LETTER.get(part, part) for part in greek]
        tables = [dict(enumerate(parts, 0xE000)) for parts in (greek, letters, words)]
        spellings = [spelling.translate(table) for table in tables for spelling in spellings]
    return list(dict.fromkeys([name, *spellings]))


def _fillings(given: list[str]) -> list[tuple[str, ...]]:
    """What may stand in the joints of a name, with what is given in them."""
    n_joints = len(given)
    if n_joints <= _MOST_JOINTS:
        return list(product(_SEPARATORS, repeat=n_joints))
    alike = [(separator,) * n_joints for separator in _SEPARATORS]
    return alike + [(*given[:-1], separator) for separator in _SEPARATORS]


def _joined(pieces: list[str], separators: tuple[str, ...]) -> str:
    """Pieces with a separator in each joint."""
    return pieces[0] + "".join([a + b for a, b in zip(separators, pieces[1:], strict=True)])
