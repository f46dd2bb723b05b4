"""Ready forms over words: keywords, regular expressions and lists of terms."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from functools import cached_property
from dataclasses import dataclass

import pyarrow as pa

from tacit.data.canonical import ColumnKind
from tacit.data.table import Table
from tacit.data.tokens import tokenise
from tacit.errors import BadInput, TacitWarning, TypeMismatch, listed
from tacit.logic.evidence import Evidence, LabelFunction, Observed, Weight
from tacit.logic.formula import And, Atom, Constant, Implies, Variable
from tacit.logic.knowledge import Knowledge
from tacit.logic.naming import (
    Names,
    as_weight,
    identifier,
    label_is,
    require_label,
    variables_for,
)

WORD_WEIGHT = 2.2  # log-odds of 90%: the chapter's start value for a keyword
_LONGEST_NGRAM = 3  # words; the derived table `ngram` has no longer ones


def keywords(
    words: Mapping[str, Iterable[str]],
    *,
    label: LabelFunction,
    weight: float | Weight = WORD_WEIGHT,
    token: str = "token",
    ngram: str = "ngram",
    name: str | None = None,
) -> Knowledge:
    """Words that speak for a label: `pos_superb: 2.2  token(r, "superb") => sentiment(r) = pos`.

    Words are compared as the tokeniser sees them, so case does not matter. An entry of two or three
    words is looked up in `ngram`. The same word for several labels is several formulas; for all
    labels at once it says nothing to begin with, and a warning says so. `name` begins the formulas'
    names.
    """
    (item,) = variables_for(label, (label.domain,))
    names, evidence, used = Names(), [], {}
    normal = {value: _normalised(value, entries, label) for value, entries in words.items()}
    _warn_of_empty_words(normal, label)
    for value, entries in normal.items():
        for entry in entries:
            several = " " in entry
            relation = Observed(
                ngram if several else token, (label.domain, "words" if several else "word")
            )
            used[relation] = None
            atom = Atom(relation.name, (item, Constant(entry)))
            called = names.new(identifier(name or "", value, entry))
            formula = Implies(atom, label_is(label, item, value))
            evidence.append(Evidence(called, formula, as_weight(weight)))
    return Knowledge((label, *used), tuple(evidence))


def regexes(
    patterns: Mapping[str, Iterable[str]],
    *,
    label: LabelFunction,
    column: str | None = None,
    flags: int = re.IGNORECASE,
    weight: float | Weight = WORD_WEIGHT,
    relation: str = "matches",
    name: str = "re",
) -> Knowledge:
    r"""Patterns that speak for a label: `matches(r, "\\bgreat\\b") => sentiment(r) = pos`.

    A pattern matches where `re.search` finds it in the column ("table.column"; without one, the
    column `text` of the label's table). The relation holds every pattern that an instance matches.
    """
    table, text = _column(column, label)
    listed_patterns = {
        value: _texts(require_label(label, value), entries, "pattern")
        for value, entries in patterns.items()
    }
    for pattern in (p for entries in listed_patterns.values() for p in entries):
        _compiled(pattern, flags)
    (item,) = variables_for(label, (label.domain,))
    names, evidence = Names(), []
    for value, entries in listed_patterns.items():
        for pattern in entries:
            plain = re.sub(r"\\.|\W+", "_", pattern)
            formula = Implies(
                Atom(relation, (item, Constant(pattern))), label_is(label, item, value)
            )
            called = names.new(identifier(name, value, plain))
            evidence.append(Evidence(called, formula, as_weight(weight)))
    every = tuple(dict.fromkeys(p for entries in listed_patterns.values() for p in entries))
    return Knowledge(
        (label, Observed(relation, (label.domain, "pattern"))),
        tuple(evidence),
        relations=(Matches(relation, table, text, every, int(flags)),),
    )


def gazetteer(
    name: str,
    terms: Iterable[str] | Mapping[str, str],
    *,
    column: str | None = None,
    label: LabelFunction | None = None,
    weight: float | Weight = WORD_WEIGHT,
    per_class: bool = False,
    domain: str = "term",
) -> Knowledge:
    """Which terms of a list each text mentions: the relation `mentions_<name>(review, term)`.

    Terms of any number of words are found as whole words, whatever their case, and stand in the
    relation as they are spelt in the list. `domain` is what rules call a term, so that it can be
    joined with other relations. With `label` and a mapping from terms to labels, a mention is
    evidence: `2.2  mentions_drug(r, t) & drug(t, l) => topic(r) = l`.
    """
    if label is not None and not isinstance(terms, Mapping):
        raise BadInput(
            f"gazetteer '{name}' does not say which label each term speaks for",
            remedy='give a dict from terms to labels, such as {"aspirin": "medicine"}',
        )
    table, text = _column(column, label)
    spelt = _texts(name, terms, "term")
    for term in spelt:
        _words_of(term, f"gazetteer '{name}'")
    relation = Observed(f"mentions_{name}", (table, domain))
    mentions = Mentions(relation.name, table, text, spelt)
    if label is None:
        return Knowledge((relation,), relations=(mentions,))
    assert isinstance(terms, Mapping)
    listing = Observed(name, (domain, "class"))
    item, term_variable, value = variables_for(label, (table, domain, "label"))
    condition = And(
        (Atom(relation.name, (item, term_variable)), Atom(name, (term_variable, value)))
    )
    goal = label_is(label, item, Variable(value.name, per_value=per_class))
    labels = [require_label(label, terms[term]) for term in spelt]
    return Knowledge(
        (label, relation, listing),
        (Evidence(name, Implies(condition, goal), as_weight(weight)),),
        {name: {domain: list(spelt), "class": labels}},
        relations=(mentions,),
    )


@dataclass(frozen=True, slots=True)
class Matches:
    """The relation of texts and the patterns that they match."""

    name: str
    table: str
    column: str
    patterns: tuple[str, ...]
    flags: int

    def compute(self, source: Table) -> pa.Table:
        """Each (id, pattern) for which the pattern is found in the text."""
        texts = _texts_of(source, self.column)
        rows: list[int] = []
        found: list[str] = []
        for pattern in self.patterns:
            search = _compiled(pattern, self.flags).search
            hits = [row for row, text in enumerate(texts) if text is not None and search(text)]
            rows.extend(hits)
            found.extend([pattern] * len(hits))
        return _relation(source, rows, "pattern", found)


@dataclass(frozen=True)
class Mentions:
    """The relation of texts and the terms that they mention."""

    name: str
    table: str
    column: str
    terms: tuple[str, ...]

    @cached_property
    def _spellings(self) -> dict[tuple[str, ...], list[str]]:
        """The terms by their words."""
        spellings: dict[tuple[str, ...], list[str]] = {}
        for term in self.terms:
            spellings.setdefault(tuple(tokenise(term)), []).append(term)
        return spellings

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """How many words the terms have that begin with a word; most words begin none."""
        lengths: dict[str, set[int]] = {}
        for words in self._spellings:
            lengths.setdefault(words[0], set()).add(len(words))
        return {word: sorted(found) for word, found in lengths.items()}

    def compute(self, source: Table) -> pa.Table:
        """Each (id, term) once, in the order of the texts and of the words in them."""
        texts = _texts_of(source, self.column)
        rows: list[int] = []
        found: list[str] = []
        for row, text in enumerate(texts):
            mentioned = self.mentioned(text) if text else ()
            rows.extend([row] * len(mentioned))
            found.extend(mentioned)
        return _relation(source, rows, "term", found)

    def mentioned(self, text: str) -> tuple[str, ...]:
        """The terms that a text mentions; terms inside longer ones count too."""
        words = tokenise(text)
        lengths, spellings = self._lengths, self._spellings
        found: dict[str, None] = {}
        for start, word in enumerate(words):
            for length in lengths.get(word, ()):
                terms = spellings.get(tuple(words[start : start + length]), ())
                found.update(dict.fromkeys(terms))
        return tuple(found)


def _relation(source: Table, rows: list[int], column: str, values: list[str]) -> pa.Table:
    """The relation of some of a table's instances and a text for each."""
    ids = source.column(source.columns[0])
    return pa.table(
        {
            source.name: ids.take(pa.array(rows, pa.int64())),
            column: pa.array(values, pa.large_string()),
        }
    )


def _texts_of(source: Table, column: str) -> list[str | None]:
    """The texts of a column, which must hold text."""
    if source.kinds.get(column, ColumnKind.TEXT) is not ColumnKind.TEXT:
        raise BadInput(
            f"column '{column}' of {source.described} holds {source.kinds[column]}, not text",
            remedy="name a text column, such as column='review.text'",
        )
    texts: list[str | None] = source.column(column).to_pylist()
    return texts


def _column(reference: str | None, label: LabelFunction | None) -> tuple[str, str]:
    """The table and the column of a reference; without one, the text of the label's table."""
    if reference is None and label is not None:
        return label.domain, "text"
    table, dot, column = str(reference or "").partition(".")
    if not dot or not table or not column:
        raise BadInput(f"column={reference!r} names no column", remedy="write 'review.text'")
    if label is not None and table != label.domain:
        raise TypeMismatch(
            f"'{reference}' is not a column of '{label.domain}', which '{label.name}' labels",
            remedy=f"write '{label.domain}.{column}'",
        )
    return table, column


def _texts(what: str, entries: Iterable[str], kind: str) -> tuple[str, ...]:
    """The distinct entries of a list, checked to be texts that are not empty."""
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        raise BadInput(
            f"the {kind}s of '{what}' are {entries!r:.60}", remedy=f"give a list: [{entries!r:.40}]"
        )
    found = tuple(dict.fromkeys(entries))
    for entry in found:
        if not isinstance(entry, str) or not entry:
            raise BadInput(f"{entry!r} cannot be a {kind} of '{what}'", remedy="give texts")
    return found


def _normalised(value: str, entries: Iterable[str], label: LabelFunction) -> list[str]:
    """The keywords of a label as the tokeniser sees them, each once."""
    found = []
    for entry in _texts(require_label(label, value), entries, "keyword"):
        words = _words_of(entry, f"the keywords of '{value}'")
        if len(words) > _LONGEST_NGRAM:
            raise BadInput(
                f"the keyword {entry!r} of '{value}' has {len(words)} words; "
                f"keywords have at most {_LONGEST_NGRAM}",
                remedy="put longer phrases into a gazetteer(...)",
            )
        found.append(" ".join(words))
    return list(dict.fromkeys(found))


def _words_of(entry: str, where: str) -> list[str]:
    """The words of an entry; one without any word would never be found in a text."""
    if words := tokenise(entry):
        return words
    raise BadInput(
        f"{entry!r} in {where} has no letter or digit, so that no text contains it as a word",
        remedy="look for it with regexes(...)",
    )


def _warn_of_empty_words(words: Mapping[str, list[str]], label: LabelFunction) -> None:
    """Warn of words that are listed for every label."""
    if len(words) < len(label.labels) or len(label.labels) < 2:
        return
    shared = sorted(set.intersection(*map(set, words.values())))
    if shared:
        warnings.warn(
            f"listed for every label of '{label.name}', and so evidence for none: {listed(shared)}; "
            "leave each out of all labels but the one it speaks for",
            TacitWarning,
            stacklevel=3,
        )


def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """The pattern ready for searching, or an error that says what is wrong with it and where."""
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}"
        raise BadInput(
            f"the pattern {pattern!r} is no regular expression: {error.msg}{at}",
            remedy="a character that stands for itself is written with a backslash: \\( or \\+",
        ) from None
