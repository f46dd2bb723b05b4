"""Tables made from other tables: words of a text, and relations of Python predicates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from tacit.data.canonical import ColumnKind
from tacit.data.evaluate import check_columns, evaluate
from tacit.data.instances import Instances
from tacit.data.predicates import Predicate
from tacit.data.references import TextReference
from tacit.data.table import Table
from tacit.data.tokens import TokenRule, token_table
from tacit.errors import BadInput, DuplicateName, UnknownTable, did_you_mean, listed

Maker = Predicate | TokenRule

_DEFAULT_NGRAMS = {"token": (1, 1), "ngram": (2, 3)}  # the tables that a text brings along


class Tables(Protocol):
    """Where derived tables look up what they are made from."""

    def table(self, name: str) -> Table:
        """The table of this name."""
        ...

    def instances(self, table: str) -> Instances:
        """The ids of a table's rows."""
        ...


def derive(maker: Maker, tables: Tables) -> Table:
    """The table that a predicate or a token rule makes."""
    source = tables.table(maker.table)
    if isinstance(maker, Predicate):
        return evaluate(maker, source)
    ids, texts = tables.instances(maker.table).ids, source.column(maker.column)
    return Table(maker.name, token_table(ids, texts, maker.ngrams, table=maker.table))


def default_tokens(
    given: Mapping[str, Table], text: tuple[TextReference, ...]
) -> Iterator[TokenRule]:
    """`token` (words) and `ngram` (pairs and triples) of the first reference that is text."""
    for reference in text:
        if given[reference.table].kinds[reference.column] is ColumnKind.TEXT:
            for name, ngrams in _DEFAULT_NGRAMS.items():
                yield TokenRule(name, reference.table, reference.column, ngrams)
            return


def table_name(name: object) -> str:
    """The name, if rules can use it for a table."""
    if isinstance(name, str) and name.isidentifier():
        return name
    raise BadInput(
        f"{name!r} cannot be a table's name in rules",
        remedy="use letters, digits and underscores, such as 'review' or 'mention_of'",
    )


def check_makers(
    given: Mapping[str, Table],
    predicates: tuple[Predicate, ...],
    token_rules: tuple[TokenRule, ...],
) -> None:
    """Refuse names used twice, and predicates over tables or columns that are not there."""
    taken = set(given)
    for maker in (*predicates, *token_rules):
        if not isinstance(maker, (Predicate, TokenRule)):
            raise BadInput(
                f"{maker!r:.60} is not a predicate",
                remedy='declare the function with @tacit.predicate(table="...")',
            )
        if maker.name in taken:
            raise DuplicateName(
                f"'{maker.name}' names two tables of the task: a derived one and another",
                remedy="rename one of them",
            )
        taken.add(maker.name)
    known = {*taken, *_DEFAULT_NGRAMS}
    for predicate in predicates:
        if predicate.table not in known:
            raise UnknownTable(
                f"{predicate.described} reads table '{predicate.table}', which the task "
                f"does not have; it has: {listed(given)}",
                remedy=did_you_mean(predicate.table, known),
            )
        if predicate.table in given:
            check_columns(predicate, given[predicate.table])
    _check_grounded(predicates)


def _check_grounded(predicates: tuple[Predicate, ...]) -> None:
    """Refuse predicates that read each other's relations in a circle."""
    reads = {predicate.name: predicate.table for predicate in predicates}
    for name in reads:
        seen, at = [name], reads[name]
        while at in reads:
            if at in seen:
                raise BadInput(
                    f"predicates read each other in a circle: {' -> '.join([*seen, at])}",
                    remedy="let one of them read a table that was given",
                )
            seen.append(at)
            at = reads[at]
