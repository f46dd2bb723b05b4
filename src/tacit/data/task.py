"""A Task: named tables, what the predictor reads, and tables derived from them when first asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from tacit.data.canonical import ColumnKind
from tacit.data.coerce import as_table
from tacit.data.derivations import Maker, check_makers, default_tokens, derive, table_name
from tacit.data.fingerprint import digest_of, table_digest
from tacit.data.instances import Instances, instances_of
from tacit.data.predicates import Predicate
from tacit.data.references import TextReference, text_references
from tacit.data.table import Table
from tacit.data.tokens import TokenRule
from tacit.errors import BadInput, UnknownTable, did_you_mean, listed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Task:
    """The data of one problem: tables by name, and the column that the predictor reads.

    `Task({"review": frame, "near": pairs}, text="review.text")`. A table may be anything that
    `as_table` accepts, a file's path included. The first column of a table holds its ids. A task is
    never changed: `with_table` and its kin answer a new one.
    """

    _given: dict[str, Table]
    text: tuple[TextReference, ...]
    predicates: tuple[Predicate, ...]
    token_rules: tuple[TokenRule, ...]
    _memo: dict[str, Any]  # what was derived so far, by name

    def __init__(
        self,
        tables: Mapping[str, Any],
        *,
        text: str | Sequence[str] | None = None,
        predicates: Iterable[Predicate] = (),
    ) -> None:
        """Read every table and check that all names fit together."""
        if not isinstance(tables, Mapping):
            raise BadInput(
                f"a task is made from a dict of tables, not from {type(tables).__name__}",
                remedy='such as Task({"review": data}, text="review.text")',
            )
        given = {table_name(name): as_table(name, source) for name, source in tables.items()}
        if not given:
            raise BadInput("a task needs at least one table", remedy='such as {"review": data}')
        self._fill(given, text_references(text, given), tuple(predicates), ())

    @classmethod
    def from_files(
        cls,
        files: Mapping[str, Any],
        *,
        text: str | Sequence[str] | None = None,
        predicates: Iterable[Predicate] = (),
    ) -> Task:
        """A task from {table name: path}; the same as giving the paths to Task itself."""
        return cls(files, text=text, predicates=predicates)

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables that were given, by name."""
        return MappingProxyType(self._given)

    @property
    def names(self) -> tuple[str, ...]:
        """Every table that can be asked for: those given, then those that can be derived."""
        return (*self._given, *self._makers())

    def has(self, name: str) -> bool:
        """Whether `table(name)` has an answer."""
        return name in self.names

    def table(self, name: str) -> Table:
        """The table of this name: given, or derived from words or by a predicate, once."""
        if name in self._given:
            return self._given[name]
        if name not in self._memo:
            self._memo[name] = self._derived(name)
        table: Table = self._memo[name]
        return table

    def instances(self, table: str) -> Instances:
        """The ids of a table's rows, checked to be distinct."""
        key = f"{table}/instances"  # no table can have this name
        if key not in self._memo:
            columns = [ref.column for ref in self.text if ref.table == table]
            self._memo[key] = instances_of(self.table(table), *columns)
        instances: Instances = self._memo[key]
        return instances

    def inputs(self, table: str) -> pa.ChunkedArray:
        """What the predictor reads for each instance of a table, in row order."""
        source = self.table(table)
        for reference in self.text:
            if reference.table == table:
                return source.column(reference.column)
        columns = [name for name, kind in source.kinds.items() if kind is ColumnKind.TEXT]
        example = f"{table}.{columns[-1] if columns else source.columns[-1]}"
        refs = [str(reference) for reference in self.text]
        raise BadInput(
            f"the task does not say what the predictor reads for table '{table}'"
            + (f"; it names: {listed(refs)}" if refs else ""),
            remedy=f"Task(..., text={[*refs, example] if refs else example!r})",
        )

    def with_table(self, name: str, source: Any) -> Task:
        """A task with one more table, or with another one in the place of that name."""
        return self.with_tables({name: source})

    def with_tables(self, tables: Mapping[str, Any]) -> Task:
        """A task with these tables added; those of the same name are replaced."""
        new = {table_name(name): as_table(name, source) for name, source in tables.items()}
        given = self._given | new
        text = text_references([str(reference) for reference in self.text], given)
        return self._changed(given=given, text=text)

    def with_predicates(self, *predicates: Predicate) -> Task:
        """A task with these Python predicates added."""
        return self._changed(predicates=(*self.predicates, *predicates))

    def with_tokens(self, column: str, *, name: str, ngrams: tuple[int, int] = (1, 1)) -> Task:
        """A task with a table of the words (or n-grams) of one text column, "table.column"."""
        (reference,) = text_references(column, self._given)
        kind = self._given[reference.table].kinds[reference.column]
        if kind is not ColumnKind.TEXT:
            raise BadInput(f"{reference} holds {kind}, not text", remedy="name a text column")
        rule = TokenRule(table_name(name), reference.table, reference.column, ngrams)
        return self._changed(token_rules=(*self.token_rules, rule))

    @property
    def word_tables(self) -> tuple[TokenRule, ...]:
        """The tables of words that are derived, those of the text included."""
        return tuple(each for each in self._makers().values() if isinstance(each, TokenRule))

    def fingerprint(self) -> str:
        """32 hexadecimal digits that change with any name, value, row order or predicate."""
        key = "/fingerprint"
        if key not in self._memo:
            self._memo[key] = digest_of(self._content())
        return str(self._memo[key])

    def __eq__(self, other: object) -> bool:
        """Whether the two have the same content."""
        if not isinstance(other, Task):
            return NotImplemented
        return self.fingerprint() == other.fingerprint()

    def __hash__(self) -> int:
        """A hash of the content."""
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        """One line a table, then what is read and what can be derived."""
        lines = [
            f"  {t.name}: {t.n_rows} rows ({', '.join(t.columns)})" for t in self._given.values()
        ]
        if self.text:
            lines.append(f"  the predictor reads {listed(self.text)}")
        if derived := self.names[len(self._given) :]:
            lines.append(f"  derived when asked: {listed(derived)}")
        return "\n".join(["Task", *lines])

    def _fill(
        self,
        given: dict[str, Table],
        text: tuple[TextReference, ...],
        predicates: tuple[Predicate, ...],
        token_rules: tuple[TokenRule, ...],
    ) -> None:
        """Set every field, once, and check that they fit together."""
        check_makers(given, predicates, token_rules)
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "predicates", predicates)
        object.__setattr__(self, "token_rules", token_rules)
        object.__setattr__(self, "_memo", {})

    def _changed(self, **parts: Any) -> Task:
        """A task with some fields changed; what was derived from unchanged tables is kept."""
        task = object.__new__(Task)
        task._fill(
            parts.get("given", self._given),
            parts.get("text", self.text),
            parts.get("predicates", self.predicates),
            parts.get("token_rules", self.token_rules),
        )
        for key, value in self._memo.items():
            name = key.partition("/")[0]
            if name and task.has(name) and task._lineage(name) == self._lineage(name):
                task._memo[key] = value
        return task

    def _makers(self) -> dict[str, Maker]:
        """What makes each derived table, by the table's name."""
        every: tuple[Maker, ...] = (*self.predicates, *self.token_rules)
        explicit = {maker.name: maker for maker in every}
        taken = {*self._given, *explicit}
        rules = default_tokens(self._given, self.text)
        implicit: dict[str, Maker] = {r.name: r for r in rules if r.name not in taken}
        return explicit | implicit

    def _lineage(self, name: str) -> tuple[object, ...]:
        """All that a table is made from, down to a given table; equal lineage, equal content."""
        steps: list[object] = []
        makers = self._makers()
        while name not in self._given:
            steps.append(makers[name])
            name = makers[name].table
        return (*steps, id(self._given[name]))

    def _derived(self, name: str) -> Table:
        """A table that was not given, made from one that was."""
        maker = self._makers().get(name)
        if maker is not None:
            return derive(maker, self)
        remedy = did_you_mean(name, self.names)
        if name in ("token", "ngram"):
            remedy = 'words are derived from a text column: Task(..., text="review.text")'
        raise UnknownTable(
            f"the task has no table '{name}'; it has: {listed(self.names)}", remedy=remedy
        )

    def _content(self) -> Iterable[str]:
        """All that the fingerprint covers, in an order that does not depend on how it was given."""
        for name in sorted(self._given):
            yield f"table {name} {table_digest(self._given[name].arrow)}"
        yield from (f"text {reference}" for reference in self.text)
        yield from sorted(f"tokens {rule}" for rule in self.token_rules)
        yield from sorted(f"predicate {predicate.describe()}" for predicate in self.predicates)
