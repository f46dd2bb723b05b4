"""Names found in a text by trying every name at every place, written from the definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
Found = tuple[int, int, tuple[str, ...]]


def shown(text: str, ignore_case: bool, variants: bool) -> str:
    """A text as it is compared, one character for each."""
    out = ""
    for character in text:
        if character.isspace() or character in "\x00\x01\x02" or "\ud800" <= character <= "\udfff":
            character = " "
        if variants and character in DASHES:
            character = "-"
        if ignore_case and len(character.lower()) == 1:
            character = character.lower()
        out += character
    return out


def is_boundary(text: str, at: int) -> bool:
    """Whether a word begins or ends at a place, or no word is near it."""
    if at in (0, len(text)):
        return True
    return not (text[at - 1].isalnum() and text[at].isalnum())


def is_plural(text: str, written: str, at: int) -> bool:
    """Whether the character at a place is a plural s: the fourth or later of its word, its last."""
    if at == len(text) or written[at] != "s" or not is_boundary(text, at + 1):
        return False
    begin = at
    while begin and text[begin - 1].isalnum():
        begin -= 1
    return at - begin >= 3 and text[at - 1].isalpha() and written[at - 1] != "s"


def all_names(
    text: str,
    names: Mapping[str, Iterable[str]],
    *,
    ignore_case: bool = False,
    variants: bool = False,
) -> list[Found]:
    """Every name at every place where it stands: start, end, the entities that have it."""
    written = shown(text, ignore_case, variants)
    entities: dict[str, list[str]] = {}
    for entity, its_names in names.items():
        for name in its_names:
            having = entities.setdefault(shown(name, ignore_case, variants), [])
            if entity not in having:
                having.append(entity)
    found: list[tuple[int, int, int, tuple[str, ...]]] = []
    for start in range(len(text)):
        for name, having in entities.items():
            end = start + len(name)
            if not is_boundary(text, start) or not written.startswith(name, start):
                continue
            if is_boundary(text, end):
                found.append((start, end, end, tuple(having)))
            elif variants and is_plural(text, written, end):
                found.append((start, end + 1, end, tuple(having)))
    # A name that has the s itself is longer than one that takes it for a plural's.
    found.sort(key=lambda match: (match[0], -match[2]))
    return [(start, end, having) for start, end, _, having in found]


def longest_names(text: str, names: Mapping[str, Iterable[str]], **options: bool) -> list[Found]:
    """Of all names the longest at the leftmost place, and so on behind it."""
    kept: list[Found] = []
    for match in all_names(text, names, **options):
        if not kept or match[0] >= kept[-1][1]:
            kept.append(match)
    return kept
