"""What the tagger looks at, as numbers: features of words and their scores, over flat arrays.

A feature is a hash of what it says; it picks a row of the weights, which has a number a tag. Words
come as code points, one after the other; letters are folded and digits are all alike, as neither
their case (which has features of its own) nor a number's value says much about a tag.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

Points = np.ndarray[Any, np.dtype[np.uint32]]  # code points
Places = np.ndarray[Any, np.dtype[np.int64]]
Hashes = np.ndarray[Any, np.dtype[np.uint32]]
Weights = np.ndarray[Any, np.dtype[np.int8]]

# Parts of a word; each is hashed once, and features are made of one or two of them.
WORD, SHAPE, FIRST_SUFFIX, FIRST_PREFIX, N_PARTS = 0, 1, 2, 7, 11
LONGEST_SUFFIX, LONGEST_PREFIX = FIRST_PREFIX - FIRST_SUFFIX, N_PARTS - FIRST_PREFIX
REACH = 2  # words that are seen on either side
# What is seen from a word: the parts of five words, the tag before, the two tags before, nothing.
ONE_TAG = (2 * REACH + 1) * N_PARTS
TWO_TAGS, NOTHING, N_SEEN = ONE_TAG + 1, ONE_TAG + 2, ONE_TAG + 3
NOWHERE: Final = 1  # the part of a word that is not there: before the first, behind the last
SEED: Final = 2166136261  # Fowler, Noll and Vo's hash, a code point at a time
PRIME: Final = 16777619
SPREAD: Final = 2654435761  # near 2**32 over the golden ratio: moves what differs to the high bits

_FOLDED = 0x530  # Latin, Greek and Cyrillic letters; all behind them are left as they are


def _folds() -> Points:
    """The small letter of each code point, and 0 for digits."""
    small = [chr(point).lower() for point in range(_FOLDED)]
    alone = [c if len(c) == 1 else chr(point) for point, c in enumerate(small)]
    return np.array([ord("0") if c.isdecimal() else ord(c) for c in alone], dtype=np.uint32)


def _kinds() -> Points:
    """X for capital letters, x for small ones, 0 for digits; all else stands for itself."""
    kinds = [
        "X" if c.isupper() else "0" if c.isdecimal() else "x" if c.isalpha() else c
        for c in map(chr, range(_FOLDED))
    ]
    return np.array([*map(ord, kinds[:-1]), ord("x")], dtype=np.uint32)


def _features() -> Places:
    """Which one or two of the things seen each feature is made of."""

    def at(away: int, part: int) -> int:
        return (away + REACH) * N_PARTS + part

    ending = FIRST_SUFFIX + 2  # three letters
    here, before, after = at(0, WORD), at(-1, WORD), at(1, WORD)
    alone = [at(0, part) for part in range(N_PARTS)]
    alone += [before, after, at(-2, WORD), at(2, WORD), at(-1, ending), at(1, ending)]
    pairs = [(before, here), (here, after), (at(0, ending), at(1, ending))]
    pairs += [(at(-1, SHAPE), at(0, SHAPE)), (at(0, SHAPE), at(1, SHAPE))]
    tags = [(ONE_TAG, thing) for thing in (NOTHING, here, after, at(0, ending), at(1, ending))]
    tags += [(TWO_TAGS, NOTHING), (TWO_TAGS, here)]
    return np.array([(thing, NOTHING) for thing in alone] + pairs + tags, dtype=np.int64)


FOLDS, KINDS, FEATURES = _folds(), _kinds(), _features()


def folded_and_kinds(points: Points) -> tuple[Points, Points]:
    """Each character without its case, and its kind; what no table holds is a small letter."""
    held = np.minimum(points, len(FOLDS) - 1)
    return np.where(points < len(FOLDS), FOLDS[held], points), KINDS[held]


@njit(cache=True)
def mixed(seed: int, value: int) -> int:
    """A hash of a hash and one more number."""
    return ((seed ^ value) * PRIME) & 0xFFFFFFFF


@njit(cache=True)
def parts_of_words(folded: Points, kinds: Points, starts: Places) -> Hashes:
    """The parts of each word as hashes, (words, parts), from its folded characters and their kinds.

    A prefix or suffix longer than the word is the whole word. In a shape, runs of one kind
    count once: those of T790M and EGFR-TKIs are X0X and X-Xx.
    """
    n_words = len(starts) - 1
    parts = np.empty((n_words, N_PARTS), dtype=np.uint32)
    for word in range(n_words):
        start, end = starts[word], starts[word + 1]
        whole, shape, hashed = SEED, SEED, SEED
        for at in range(start, end):
            whole = mixed(whole, folded[at])
            if at == start or kinds[at] != kinds[at - 1]:
                shape = mixed(shape, kinds[at])
            if at - start < LONGEST_PREFIX:
                parts[word, FIRST_PREFIX + at - start] = whole
        for length in range(min(end - start, LONGEST_PREFIX), LONGEST_PREFIX):
            parts[word, FIRST_PREFIX + length] = whole
        parts[word, WORD], parts[word, SHAPE] = whole, shape
        for length in range(LONGEST_SUFFIX):
            if length < end - start:
                hashed = mixed(hashed, folded[end - 1 - length])
            parts[word, FIRST_SUFFIX + length] = hashed
    return parts


@njit(cache=True)
def find_rows(
    parts: Hashes,
    word: int,
    start: int,
    end: int,
    tag1: int,
    tag2: int,
    features: Places,
    bits: int,
    rows: Places,
) -> None:
    """Rows of the features of a word in the sentence [start, end).

    `tag1` and `tag2` are the tags of the word before and of the one before that, plus one; 0 at
    the beginning of a sentence.
    """
    seen = np.full(N_SEEN, NOWHERE, dtype=np.int64)
    for at in range(max(word - REACH, start), min(word + REACH + 1, end)):
        for part in range(N_PARTS):
            seen[(at - word + REACH) * N_PARTS + part] = parts[at, part]
    seen[ONE_TAG], seen[TWO_TAGS], seen[NOTHING] = tag1, tag1 + 256 * tag2, 0
    for feature in range(len(features)):
        one, other = seen[features[feature, 0]], seen[features[feature, 1]]
        hashed = mixed(mixed(mixed(SEED, feature), one), other)
        rows[feature] = ((hashed * SPREAD) & 0xFFFFFFFF) >> (32 - bits)


@njit(cache=True)
def best_tag(rows: Places, weights: Any, scores: Any) -> int:
    """The tag whose weights add up to most over the rows of a word; `scores` is room for sums."""
    scores[:] = 0
    for row in rows:
        for tag in range(len(scores)):
            scores[tag] += weights[row, tag]
    return int(np.argmax(scores))


@njit(cache=True)
def tag_words(
    parts: Hashes, starts: Places, features: Places, weights: Weights, bits: int
) -> Places:
    """The tag of each word, from left to right: the best one given the two tags before."""
    tags = np.empty(len(parts), dtype=np.int64)
    rows = np.empty(len(features), dtype=np.int64)
    scores = np.empty(weights.shape[1], dtype=np.int32)
    for sentence in range(len(starts) - 1):
        start, end = starts[sentence], starts[sentence + 1]
        tag1 = tag2 = 0
        for word in range(start, end):
            find_rows(parts, word, start, end, tag1, tag2, features, bits, rows)
            best = best_tag(rows, weights, scores)
            tags[word] = best
            tag1, tag2 = best + 1, tag1
    return tags
