"""Text in pictures: what may be written, how wide it is, and how it is cut to the room there is.

SVG neither wraps nor cuts, and no browser is asked how wide a text is: widths are estimates, rather
too large than too small, so that nothing runs over another thing or off the edge.
"""

from __future__ import annotations

import re
import unicodedata

FONT = 12.0  # the usual size of letters
# What XML cannot hold, and half pairs of UTF-16, which no file can.
_NOT_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLANKS = re.compile(r"\s+")
_NARROW, _WIDE = frozenset("ijlI|!.,:;'`ft()[]{}/\\r -"), frozenset("mwMW@%&…—+=±∞<>")


def readable(text: object) -> str:
    """A text in one line, with a mark in place of what no file of text can hold."""
    return _BLANKS.sub(" ", _NOT_TEXT.sub("\N{REPLACEMENT CHARACTER}", str(text))).strip()


def writable(text: str) -> str:
    """A text with all its lines, with a mark in place of what no file of text can hold."""
    return _NOT_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)


def width_of(text: str, size: float = FONT) -> float:
    """How wide a text is, about."""
    return size * sum(map(_em, text))


def cut_to(text: str, room: float, size: float = FONT) -> str:
    """A text that is no wider than the room; what was cut shows as an ellipsis."""
    if width_of(text, size) <= room:
        return text
    left, kept = room - width_of("…", size), 0
    for letter in text:
        left -= size * _em(letter)
        if left < 0:
            break
        kept += 1
    return f"{text[:kept].rstrip()}…"


def _em(letter: str) -> float:
    """The width of a letter, in units of the size."""
    if letter in _NARROW:
        return 0.42
    if letter in _WIDE:
        return 0.98
    if letter.isascii():
        return 0.74 if letter.isupper() else 0.64
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF" or unicodedata.category(letter) == "So":
        return 1.3
    return 0.85
