"""Names found in texts: all names of an ontology at once, at word boundaries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.data.text.marking import BOUNDARY, END, Integers, Marked, mark
from tacit.data.text.name_variants import name_variants
from tacit.errors import BadInput

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

_CHARACTERS_AT_ONCE = 4_000_000  # bounds the memory of a search; a text is never cut


class Match(NamedTuple):
    """A name found in a text, and the entities that have it."""

    start: int
    end: int
    text: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """Names found in many texts, by text and then by start: flat arrays, no object a match."""

    text_of_match: Integers
    start: Integers  # in the text
    end: Integers
    name_of_match: Integers  # into `Lexicon.names`
    lexicon: Lexicon

    def __len__(self) -> int:
        return len(self.start)

    def entity_rows(self) -> tuple[Integers, Integers]:
        """Each (match, entity into `Lexicon.entities`) pair: a name may belong to several."""
        first = self.lexicon.first_entity_of_name
        begins = first[self.name_of_match]
        counts = first[self.name_of_match + 1] - begins
        match_of_row = np.repeat(np.arange(len(self)), counts)
        within = np.arange(len(match_of_row)) - np.repeat(np.cumsum(counts) - counts, counts)
        return match_of_row, self.lexicon.entity_of_row[begins[match_of_row] + within]


class Lexicon:
    """Names of entities, found in texts at word boundaries.

    `names` maps an entity's id to its names. A name begins and ends where a word does: between a
    letter or digit and something else. Where several names begin at one place the longest wins, and
    what overlaps it further on is lost; `overlapping=True` in a search keeps all.

    `ignore_case` compares lower-cased letters; places are always those of the text as given. Names
    and texts are compared character by character: bring both to one form (NFC) if they may differ.
    `variants` also finds usual spellings of a name (see `name_variants`), and takes any dash for a
    hyphen. Names shorter than `min_length`, those in `skip` and those without a letter or digit
    are left out.
    """

    def __init__(
        self,
        names: Mapping[str, Iterable[str]],
        *,
        ignore_case: bool = False,
        variants: bool = False,
        min_length: int = 2,
        skip: Collection[str] = (),
    ) -> None:
        _check(names, skip)
        self.ignore_case = ignore_case
        self.variants = variants
        self.entities: tuple[str, ...] = tuple(names)
        written, entity_of_written = _written(names, variants, min_length)
        patterns = self._mark(written).string.split(END)[:-1]
        skipped = set(self._mark(list(skip)).string.split(END))
        kept = [i for i, pattern in enumerate(patterns) if pattern not in skipped]
        name_of_pattern: dict[str, int] = {}
        name_of_row = [name_of_pattern.setdefault(patterns[i], len(name_of_pattern)) for i in kept]
        entities = np.array([entity_of_written[i] for i in kept], np.int64)
        n_entities = max(len(self.entities), 1)
        pairs = np.sort(np.array(name_of_row, np.int64) * n_entities + entities)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        self._patterns = list(name_of_pattern)
        self.entity_of_row: Integers = pairs % n_entities  # sorted by name
        self.first_entity_of_name: Integers = np.searchsorted(
            pairs, np.arange(len(self._patterns) + 1) * n_entities
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct spellings that are searched for, as they are compared."""
        return tuple(pattern.replace(BOUNDARY, "") for pattern in self._patterns)

    def __len__(self) -> int:
        return len(self._patterns)

    def __repr__(self) -> str:
        return f"Lexicon({len(self.entities)} entities, {len(self)} spellings)"

    def entities_of(self, name: int) -> tuple[str, ...]:
        """The entities that have a name, given by its number."""
        first = self.first_entity_of_name
        return tuple(self.entities[i] for i in self.entity_of_row[first[name] : first[name + 1]])

    def find(self, text: str, *, overlapping: bool = False) -> list[Match]:
        """The names found in one text, from left to right."""
        found = self.find_all([text], overlapping=overlapping)
        rows = zip(found.start.tolist(), found.end.tolist(), found.name_of_match, strict=True)
        return [Match(a, b, text[a:b], self.entities_of(int(name))) for a, b, name in rows]

    def find_all(self, texts: Iterable[str | None], *, overlapping: bool = False) -> Matches:
        """The names found in many texts; a null text has none."""
        if isinstance(texts, str):
            raise BadInput("one text was given", remedy="give a list of texts, or use `find`")
        parts = [self._find_in(batch, first, overlapping) for first, batch in _batches(texts)]
        columns = np.concatenate([np.zeros((4, 0), np.int64), *parts], axis=1)
        columns.setflags(write=False)
        text, start, end, name = columns
        return Matches(text, start, end, name, self)

    def _find_in(self, texts: Sequence[str], first: int, overlapping: bool) -> Integers:
        """The rows text, start, end, name of the matches in some texts, the first of a number."""
        marked = self._mark(texts)
        automaton = self._all_automaton if overlapping else self._longest_automaton
        found = automaton.find_matches_as_indexes(marked.string, overlapping=overlapping)
        name, start, end = np.array(found, np.int64).reshape(-1, 3).T
        text, start, end = marked.spans(start, end)
        rows: Integers = np.array([text + first, start, end, name])
        return rows[:, np.lexsort((name, end, start, text))] if overlapping else rows

    def _mark(self, texts: Sequence[str]) -> Marked:
        return mark(texts, ignore_case=self.ignore_case, variants=self.variants)

    @cached_property
    def _longest_automaton(self) -> AhoCorasick:
        from ahocorasick_rs import AhoCorasick, MatchKind

        return AhoCorasick(self._patterns, MatchKind.LeftmostLongest, store_patterns=False)

    @cached_property
    def _all_automaton(self) -> AhoCorasick:
        from ahocorasick_rs import AhoCorasick, MatchKind

        return AhoCorasick(self._patterns, MatchKind.Standard, store_patterns=False)


def _check(names: Mapping[str, Iterable[str]], skip: Collection[str]) -> None:
    """Refuse what is easily given in place of lists of names."""
    remedy = 'give a list of names for each id: {"HGNC:3236": ["EGFR", "ERBB1"]}'
    if not isinstance(names, Mapping):
        raise BadInput(f"names are a {type(names).__name__}", remedy=remedy)
    if isinstance(skip, str):
        raise BadInput(f"the names to skip are one text, {skip!r}", remedy="give a list of them")
    for entity, its_names in names.items():
        if not isinstance(entity, str):
            raise BadInput(f"the id {entity!r} of an entity is no text", remedy=remedy)
        if its_names is None or isinstance(its_names, str):
            given = f"one text, {its_names!r}" if its_names else "none"
            raise BadInput(f"the names of {entity!r} are {given}", remedy=remedy)


def _written(
    names: Mapping[str, Iterable[str]], variants: bool, min_length: int
) -> tuple[list[str], list[int]]:
    """Every spelling of every name, and the number of its entity."""
    written: list[str] = []
    entity_of_written: list[int] = []
    for entity, its_names in enumerate(names.values()):
        for name in its_names:
            if not isinstance(name, str):
                raise BadInput(f"the name {name!r} is no text", remedy="leave it out, or write it")
            if len(name) < min_length or not any(map(str.isalnum, name)):
                continue
            spellings = name_variants(name) if variants else [name]
            written += spellings
            entity_of_written += [entity] * len(spellings)
    return written, entity_of_written


def _batches(texts: Iterable[str | None]) -> Iterator[tuple[int, list[str]]]:
    """Texts in batches of bounded size, each with the number of its first."""
    first, batch, size = 0, [], 0
    for text in texts:
        batch.append(text or "")
        size += len(batch[-1])
        if size >= _CHARACTERS_AT_ONCE:
            yield first, batch
            first, batch, size = first + len(batch), [], 0
    if batch:
        yield first, batch
