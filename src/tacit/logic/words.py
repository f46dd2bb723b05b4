"""Ready forms over words: keywords, regular expressions and lists of terms."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping

from tacit.data.tokens import tokenise
from tacit.errors import BadInput, TacitWarning, TypeMismatch, listed
from tacit.logic.evidence import Evidence, LabelFunction, Observed, Weight
from tacit.logic.formula import And, Atom, Constant, Implies, Variable
from tacit.logic.knowledge import Knowledge
from tacit.logic.matching import compiled, matches, mentions
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
_ESCAPES_AND_SIGNS = re.compile(r"\\.|\W+")  # what a formula cannot be named after


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
    normal = {
        value: _normalised(value, entries)
        for value, entries in _by_label(words, label, "keyword").items()
    }
    _warn_of_empty_words(normal, label)
    one, several = Observed(token, (label.domain, "word")), Observed(ngram, (label.domain, "words"))
    rows = [
        (value, entry, Atom(several.name if " " in entry else one.name, (item, Constant(entry))))
        for value, entries in normal.items()
        for entry in entries
    ]
    used = {atom.predicate for _, _, atom in rows}
    declared = (relation for relation in (one, several) if relation.name in used)
    return Knowledge((label, *declared), _formulas(rows, label, weight, name or ""))


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
    by_label = _by_label(patterns, label, "pattern")
    (item,) = variables_for(label, (label.domain,))
    rows = [
        (value, _ESCAPES_AND_SIGNS.sub("_", pattern), Atom(relation, (item, Constant(pattern))))
        for value, entries in by_label.items()
        for pattern in entries
        if compiled(pattern, flags)
    ]
    every = dict.fromkeys(entry for entries in by_label.values() for entry in entries)
    return Knowledge(
        (label, Observed(relation, (label.domain, "pattern"))),
        _formulas(rows, label, weight, name),
        predicates=(matches(relation, table, text, tuple(every), int(flags)),),
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
    spelt = _terms(name, terms)
    relation = Observed(f"mentions_{name}", (table, domain))
    found = Knowledge((relation,), predicates=(mentions(relation.name, table, text, spelt),))
    if label is None or not isinstance(terms, Mapping):
        return found
    item, term, value = variables_for(label, (table, domain, "label"))
    condition = And((Atom(relation.name, (item, term)), Atom(name, (term, value))))
    goal = label_is(label, item, Variable(value.name, per_value=per_class))
    labels = [require_label(label, terms[spelling]) for spelling in spelt]
    return found + Knowledge(
        (label, Observed(name, (domain, "class"))),
        (Evidence(name, Implies(condition, goal), as_weight(weight)),),
        {name: {domain: list(spelt), "class": labels}},
    )


def _formulas(
    rows: Iterable[tuple[str, str, Atom]], label: LabelFunction, weight: float | Weight, name: str
) -> tuple[Evidence, ...]:
    """`atom => label = value` for each (value, words to name it by, atom)."""
    names, strength = Names(), as_weight(weight)
    (item,) = variables_for(label, (label.domain,))
    return tuple(
        Evidence(
            names.new(identifier(name, value, words)),
            Implies(atom, label_is(label, item, value)),
            strength,
        )
        for value, words, atom in rows
    )


def _by_label(
    entries: Mapping[str, Iterable[str]], label: LabelFunction, kind: str
) -> dict[str, tuple[str, ...]]:
    """The entries of each label, checked to be texts for labels that exist."""
    if not isinstance(entries, Mapping):
        raise BadInput(
            f"the {kind}s are {type(entries).__name__}, which does not say whose they are",
            remedy=f'give a dict from labels to lists, such as {{"{label.labels[0]}": [...]}}',
        )
    return {
        require_label(label, value): _texts(value, found, kind) for value, found in entries.items()
    }


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


def _normalised(value: str, entries: Iterable[str]) -> list[str]:
    """The keywords of a label as the tokeniser sees them, each once."""
    found = []
    for entry in entries:
        words = _words_of(entry, f"the keywords of '{value}'")
        if len(words) > _LONGEST_NGRAM:
            raise BadInput(
                f"the keyword {entry!r} of '{value}' has {len(words)} words; "
                f"keywords have at most {_LONGEST_NGRAM}",
                remedy="put longer phrases into a gazetteer(...)",
            )
        found.append(" ".join(words))
    return list(dict.fromkeys(found))


def _terms(name: str, terms: Iterable[str]) -> tuple[str, ...]:
    """The terms of a gazetteer, of which there must be some, each with a word in it."""
    spelt = _texts(name, terms, "term")
    if not spelt:
        raise BadInput(f"gazetteer '{name}' has no terms", remedy="give at least one")
    for term in spelt:
        _words_of(term, f"gazetteer '{name}'")
    return spelt


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
            f"listed for every label of '{label.name}', and so evidence for none: "
            f"{listed(shared)}; keep each for the label that it speaks for",
            TacitWarning,
            stacklevel=3,
        )
