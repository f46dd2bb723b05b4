"""Words and n-grams of texts, as relations: which instance contains which word."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.errors import BadInput

Codes = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A table of words to be derived: its name, the text it is made from, the n-grams' lengths."""

    name: str
    table: str
    column: str
    ngrams: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        """Check the lengths, and keep them as a tuple whatever sequence was given."""
        check_ngrams(self.ngrams)
        object.__setattr__(self, "ngrams", tuple(self.ngrams))


def check_ngrams(ngrams: tuple[int, int]) -> None:
    """Refuse anything but a shortest and a longest length, both at least one."""
    valid = len(ngrams) == 2 and all(isinstance(n, int) for n in ngrams)
    if not valid or not 1 <= ngrams[0] <= ngrams[1]:
        raise BadInput(
            f"ngrams={ngrams!r} is not a shortest and a longest length",
            remedy="(1, 1) for words, (2, 3) for pairs and triples of words",
        )


def tokenise(text: str) -> list[str]:
    """The words of a text, lower-cased, in order.

    A word is a run of letters and digits (with their combining marks) of any script; single inner
    apostrophes, hyphens and underscores hold it together: don't, x-ray, snake_case. A curly
    apostrophe counts as a straight one. Everything else separates words.
    """
    return _find_words()(text.lower().replace("\u2019", "'"))


def token_spans(text: str) -> tuple[list[str], Codes, Codes]:
    """The words of a text as `tokenise` finds them, and where each begins and ends."""
    lowered = text.lower().replace("\u2019", "'")
    words, begin, at = tokenise(text), [], 0
    for word in words:
        at = lowered.index(word, at)  # between words there is nothing a word could begin with
        begin.append(at)
        at += len(word)
    starts = np.array(begin, dtype=np.int64)
    ends = starts + np.array([len(word) for word in words], dtype=np.int64)
    if len(lowered) == len(text):
        return words, starts, ends
    # Some capitals are two characters when lower-cased: count back.
    length = np.array([len(character.lower()) for character in text])
    original = np.repeat(np.arange(len(text)), length)
    return words, original[starts], original[ends - 1] + 1


def without_words(text: str, entries: Collection[str]) -> str:
    """A text without these words, or n-grams, wherever they stand in it."""
    words, starts, ends = token_spans(text)
    single = {entry for entry in entries if " " not in entry}
    gone = [word in single for word in words]
    for sequence in (entry.split(" ") for entry in entries if " " in entry):
        for at in range(len(words) - len(sequence) + 1):
            if words[at : at + len(sequence)] == sequence:
                gone[at : at + len(sequence)] = [True] * len(sequence)
    kept, behind = [], 0
    for start, end, is_gone in zip(starts.tolist(), ends.tolist(), gone, strict=True):
        if is_gone:
            kept.append(text[behind:start])
            behind = end
    return "".join([*kept, text[behind:]])


def token_table(
    ids: Any, texts: Any, ngrams: tuple[int, int] = (1, 1), *, table: str = "instance"
) -> pa.Table:
    """Each distinct (id, n-gram) once: by instance, then by length, then by first occurrence.

    The columns are called after the instances' table and "word", or "words" when n-grams longer
    than one word are asked for. A null text has no words.
    """
    check_ngrams(ngrams)
    ngrams = (ngrams[0], ngrams[1])
    codes, text_of_token, words = _encode(texts)
    parts = list(_distinct_ngrams(codes, text_of_token, words, ngrams))
    text_of_row = np.concatenate([part[0] for part in parts])
    grams = pa.concat_arrays([part[1] for part in parts])
    if len(parts) > 1:
        order = np.argsort(text_of_row, kind="stable")
        text_of_row, grams = text_of_row[order], grams.take(pa.array(order))
    ids = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else pa.array(ids)
    named = "word" if ngrams == (1, 1) and table != "word" else "words"
    return pa.table({table: ids.take(pa.array(text_of_row)), named: grams})


def _encode(texts: Any) -> tuple[Codes, Codes, pa.Array]:
    """Every token of every text as a code, the text it stands in, and the word of each code."""
    values: Iterable[str | None] = texts.to_pylist() if hasattr(texts, "to_pylist") else texts
    code_of_word: defaultdict[str, int] = defaultdict()
    code_of_word.default_factory = code_of_word.__len__  # an unseen word gets the next code
    code_of, find = code_of_word.__getitem__, _find_words()
    codes, lengths = array("q"), array("q")
    for text in values:
        found = find(text.lower().replace("\u2019", "'")) if text else ()
        codes.extend(map(code_of, found))
        lengths.append(len(found))
    counts = np.frombuffer(lengths, dtype=np.int64) if lengths else np.zeros(0, np.int64)
    text_of_token = np.repeat(np.arange(len(counts)), counts)
    words = pa.array(list(code_of_word), pa.large_string())
    return np.array(codes, dtype=np.int64), text_of_token, words


def _distinct_ngrams(
    codes: Codes, text_of_token: Codes, words: pa.Array, ngrams: tuple[int, int]
) -> Iterator[tuple[Codes, pa.Array]]:
    """For each length: the text and n-gram of every distinct pair, in order of first occurrence.

    An n-gram is coded as (code of its first n-1 words) * n_words + code of its last word; the codes
    are made dense again after each length, so that the product always fits 64 bits.
    """
    import pyarrow.compute as pc

    shortest, longest = ngrams
    starts, gram_of_start, grams = np.arange(len(codes)), codes, words
    for length in range(1, longest + 1):
        if length > 1:
            inside = starts + length - 1 < len(codes)
            starts, gram_of_start = starts[inside], gram_of_start[inside]
            inside = text_of_token[starts + length - 1] == text_of_token[starts]
            starts, gram_of_start = starts[inside], gram_of_start[inside]
            pairs = gram_of_start * max(len(words), 1) + codes[starts + length - 1]
            gram_of_start, distinct = _dense(pairs)
            head, last = np.divmod(distinct, max(len(words), 1))
            space = pa.scalar(" ", pa.large_string())
            grams = pc.binary_join_element_wise(grams.take(head), words.take(last), space)
        if length >= shortest:
            rows = text_of_token[starts] * max(len(grams), 1) + gram_of_start
            text_of_row, gram_of_row = np.divmod(_unique(rows), max(len(grams), 1))
            yield text_of_row, grams.take(pa.array(gram_of_row))


def _dense(values: Codes) -> tuple[Codes, Codes]:
    """Codes 0, 1, ... for the values in order of first occurrence, and the value of each code."""
    encoded = pa.array(values).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_numpy()


def _unique(values: Codes) -> Codes:
    """The distinct values in order of first occurrence."""
    distinct: Codes = pa.array(values).unique().to_numpy()
    return distinct


@cache
def _find_words() -> Callable[[str], list[str]]:
    """The function that finds all words of a lower-cased text, made on first use."""
    letters = r"[^\W_]+"
    joined = rf"['_-]{letters}"
    # Python's \w leaves out combining marks: without them, Hindi and decomposed accents fall apart.
    marked = rf"[{_marks()}]+(?:{letters})?"
    return re.compile(rf"{letters}(?:{joined}|{marked})*").findall


def _marks() -> str:
    """Combining marks and joiners of the basic plane, as the inside of a character class."""
    marks = [i for i in range(0x300, 0xFFFF) if unicodedata.category(chr(i)) in ("Mn", "Mc")]
    return "".join(f"\\u{i:04x}" for i in (*marks, 0x200C, 0x200D))
