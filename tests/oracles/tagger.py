"""A greedy perceptron tagger with plain dicts and strings, written from the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

Weights = Mapping[int, Mapping[str, int]]  # row of a feature -> tag -> weight


def fnv(numbers: Sequence[int]) -> int:
    """Fowler, Noll and Vo's hash (1a, 32 bits) of some numbers."""
    hashed = 2166136261
    for number in numbers:
        hashed = (hashed ^ number) * 16777619 % 2**32
    return hashed


def fold(character: str) -> str:
    """A character without case; digits are all alike. Only the first scripts are known."""
    small = character.lower()
    if ord(character) >= 0x530 or len(small) != 1:
        return character
    return "0" if small.isdecimal() else small


def kind(character: str) -> str:
    """What a shape says of a character."""
    if ord(character) >= 0x530:
        return "x"
    if character.isupper():
        return "X"
    if character.isdecimal():
        return "0"
    return "x" if character.isalpha() else character


def hash_of(text: str) -> int:
    return fnv([ord(character) for character in text])


def parts(word: str) -> dict[str, int]:
    """Hashes of what features say of a word."""
    folded = "".join(map(fold, word))
    shape = "".join(run for run, _ in groupby(map(kind, word)))
    found = {"word": hash_of(folded), "shape": hash_of(shape)}
    for n in range(1, 6):
        found[f"suffix {n}"] = hash_of(folded[::-1][:n])
    for n in range(1, 5):
        found[f"prefix {n}"] = hash_of(folded[:n])
    return found


def values(words: Sequence[str], at: int, tag1: int, tag2: int) -> list[tuple[int, int]]:
    """The one or two values of each feature of a word, in order; 0 stands for no value."""

    def see(away: int, part: str) -> int:
        return parts(words[at + away])[part] if 0 <= at + away < len(words) else 1

    found = [(value, 0) for value in parts(words[at]).values()]
    found += [(see(away, "word"), 0) for away in (-1, 1, -2, 2)]
    found += [(see(away, "suffix 3"), 0) for away in (-1, 1)]
    found += [(see(-1, "word"), see(0, "word")), (see(0, "word"), see(1, "word"))]
    found += [(see(0, "suffix 3"), see(1, "suffix 3"))]
    found += [(see(-1, "shape"), see(0, "shape")), (see(0, "shape"), see(1, "shape"))]
    found += [(tag1, 0), (tag1, see(0, "word")), (tag1, see(1, "word"))]
    found += [(tag1, see(0, "suffix 3")), (tag1, see(1, "suffix 3"))]
    both = tag1 + 256 * tag2
    return [*found, (both, 0), (both, see(0, "word"))]


def rows(words: Sequence[str], at: int, tag1: int, tag2: int, bits: int) -> list[int]:
    """The rows that the features of a word pick: the high bits of a hash."""
    numbered = enumerate(values(words, at, tag1, tag2))
    hashes = [fnv([feature, one, other]) for feature, (one, other) in numbered]
    return [hashed * 2654435761 % 2**32 // 2 ** (32 - bits) for hashed in hashes]


def tag(words: Sequence[str], tags: Sequence[str], weights: Weights, bits: int) -> list[str]:
    """From left to right, the tag with the highest sum of weights; the first of equals."""
    found: list[str] = []
    for at in range(len(words)):
        before = [tags.index(found[at - n]) + 1 if at >= n else 0 for n in (1, 2)]
        picked = rows(words, at, *before, bits)
        score = {tag: sum(weights.get(row, {}).get(tag, 0) for row in picked) for tag in tags}
        found.append(max(tags, key=lambda tag: score[tag]))
    return found


def weights_of(table: Sequence[Sequence[int]], tags: Sequence[str]) -> Weights:
    """The weights of a table as dicts, without those that are 0."""
    return {
        row: {tag: weight for tag, weight in zip(tags, line, strict=True) if weight}
        for row, line in enumerate(table)
        if any(line)
    }
