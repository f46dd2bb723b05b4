"""Candidate tuples: mentions of several kinds that stand near each other, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tacit.data.text.mentions import Mentions
from tacit.errors import BadInput


class Candidates(NamedTuple):
    """Three tables: the candidates, their mentions, and the entity tuples they may state."""

    candidate: pa.Table  # candidate, document, first_sentence, last_sentence
    mention_of: pa.Table  # candidate, kind, mention
    args: pa.Table  # candidate, then the entities: a column for each kind


def candidate_tuples(
    mentions: Mentions, kinds: Sequence[str] = ("drug", "gene", "variant"), *, window: int = 3
) -> Candidates:
    """One mention of each kind within `window` consecutive sentences of a document.

    A candidate's span are the sentences from the first to the last with one of its mentions. A
    mention may refer to several entities, so a candidate may state several entity tuples. Of these
    only occurrences of minimal span are kept (Peng et al. 2017): a candidate does not state an
    entity tuple if another candidate of the document states the same one in fewer sentences, and
    the spans of the two share a sentence. A candidate without any entity tuple is dropped.

    Candidates come by document, then by their mentions in the order of `kinds`; ids read
    "document:start-end+start-end+...". Where no mentions meet, the tables have their columns and no
    rows; a `Task` wants rows, so look at `num_rows` before making one.
    """
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if not kinds or len(set(kinds)) < len(kinds) or "candidate" in kinds or window < 1:
        raise BadInput(
            f"candidates of kinds {', '.join(kinds) or 'none'} within {window} sentences",
            remedy="name each kind once, none 'candidate', and at least one sentence",
        )
    from duckdb import connect

    with connect() as db:
        db.register("mention_rows", _with_row_numbers(mentions.mention))
        db.register("entity_rows", mentions.entity)
        db.execute(f"create temp table found as {_found(kinds, window)}")
        db.execute(f"create temp table stated as {_stated(kinds)}")
        db.execute("create temp table kept as select distinct place from stated")
        return Candidates(*(_strings(db.sql(query)) for query in _answers(kinds)))


def _with_row_numbers(table: pa.Table) -> pa.Table:
    return table.append_column("place", pa.array(range(table.num_rows), pa.int64()))


def _found(kinds: tuple[str, ...], window: int) -> str:
    """All tuples of mentions in a window: their mentions, span, id and place in the order."""
    each = [f"m{i}" for i in range(len(kinds))]
    near = "".join(
        f"\njoin mention_rows {m} on {m}.document = m0.document and {m}.kind = {_quoted(kind)}"
        f" and {m}.sentence between m0.sentence - {window - 1} and m0.sentence + {window - 1}"
        for m, kind in zip(each[1:], kinds[1:], strict=True)
    )
    first, last = (
        f"{pick}({', '.join(f'{m}.sentence' for m in each)})" for pick in ("least", "greatest")
    )
    spans = " || '+' || ".join(f"{m}.start || '-' || {m}.\"end\"" for m in each)
    order = ", ".join(f"{m}.place" for m in each)
    return f"""
        select m0.document || ':' || {spans} as candidate, m0.document as document,
               {first} as first_sentence, {last} as last_sentence,
               {", ".join(f"{m}.mention as {m}" for m in each)},
               row_number() over (order by {order}) as place
        from mention_rows m0 {near}
        where m0.kind = {_quoted(kinds[0])} and {last} - {first} < {window}"""


def _stated(kinds: tuple[str, ...]) -> str:
    """The entity tuples that candidates state, those of minimal span."""
    each = range(len(kinds))
    joins = "".join(f"\njoin entity_rows e{i} on e{i}.mention = f.m{i}" for i in each)
    entities = ", ".join(f"e{i}.entity as e{i}" for i in each)
    same = " and ".join(f"other.e{i} = said.e{i}" for i in each)
    return f"""
        with said as (
            select distinct f.place, f.document, f.first_sentence, f.last_sentence, {entities}
            from found f {joins}
        ), spans as (
            select distinct document, first_sentence, last_sentence, {_listed(each)} from said
        )
        select * from said where not exists (
            select 1 from spans other
            where other.document = said.document and {same}
              and other.last_sentence - other.first_sentence
                < said.last_sentence - said.first_sentence
              and other.first_sentence <= said.last_sentence
              and said.first_sentence <= other.last_sentence)"""


def _answers(kinds: tuple[str, ...]) -> tuple[str, str, str]:
    """The three tables, each in the order of the candidates."""
    each = range(len(kinds))
    rows = "\nunion all ".join(
        f"select candidate, {_quoted(kind)} as kind, m{i} as mention, place, {i} as nth from found"
        for i, kind in enumerate(kinds)
    )
    columns = ", ".join(f"e{i} as {_column(kind)}" for i, kind in enumerate(kinds))
    return (
        """select candidate, document, first_sentence, last_sentence
           from found join kept using (place) order by place""",
        f"""select candidate, kind, mention from ({rows}) join kept using (place)
            order by place, nth""",
        f"""select candidate, {columns} from stated join (select candidate, place from found)
            using (place) order by place, {_listed(each)}""",
    )


def _listed(numbers: range) -> str:
    """The columns of the entities: e0, e1, ..."""
    return ", ".join(f"e{i}" for i in numbers)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _column(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _strings(answer: Any) -> pa.Table:
    """The rows of a query, with the type of texts that all tables here have."""
    table = answer.to_arrow_table()
    fields = [
        field.with_type(pa.large_string() if pa.types.is_string(field.type) else pa.int64())
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
