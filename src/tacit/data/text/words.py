"""Words of a text as taggers and parsers want them: case kept, marks as words of their own."""

from __future__ import annotations

import re

from tacit.data.text.sentences import ABBREVIATIONS

_ABBREVIATION = "|".join(map(re.escape, sorted(ABBREVIATIONS, key=lambda word: (-len(word), word))))
_WORD = re.compile(
    rf"""
    (?<![^\W_]) (?: (?:[^\W\d_]\.){{2,}} (?![^\W_])        # i.e., U.S.A.
                  | (?i:{_ABBREVIATION})\.                 # Fig., vs.
                  | [A-Z]\.(?=\s+[a-z]) )                  # E. coli
  | '[sS](?![^\W_])                                        # Parkinson 's
  | (?: (?<!\S)[-+.\u2212](?=\d) | (?<!\S)-(?=[^\W_]) )?   # -70, .001, -induced
    [^\W_]+ (?: (?!'[sS](?![^\W_])) [-'\u2019\u2032_./*+&:\u2010\u2011\u2013\u2212]+ [^\W_]+
              | (?<=\d),(?=\d) [^\W_]+                     # 1,000
              | (?<=\d[ACGT])>[ACGT](?![^\W_])             # 1799T>A
              | \(\d?[+-](?:/\d?[+-])?\) )*                # CD4(+)
    (?: [+-]/[+-] | [+*]+(?![^\W_])                        # -/-, CD4+
      | (?<=\d)['\u2032]{{1,2}} | -(?=\s) )?               # 5', alpha- and beta-
  | \+/?- | -+> | --+ | \.{{2,}} | [<>]= | \S
    """,
    re.VERBOSE,
)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end; between them is only white space.

    A word is a run of letters and digits that single marks within hold together: EGFR-mutant,
    and/or, PU.1, c.1799T>A, 1,000. Brackets, commas and all other marks are words of their own, but
    for the full stop of an abbreviation, a charge (Ca2+, CD4(+)) and a prime (5'). A possessive 's
    is a word, as in the treebanks that taggers learn from.
    """
    return [found.span() for found in _WORD.finditer(text)]
