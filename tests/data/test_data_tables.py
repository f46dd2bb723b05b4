"""Tables: the same data are the same table whichever library held them."""

import datetime as dt
from collections import namedtuple
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data import ColumnKind, Table, Task, as_table
from tacit.errors import BadInput, EmptyTable, UnknownColumn

words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)
records = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text("abc7", min_size=1, max_size=4).map(lambda word: f"r{word}"),
            "text": words.map(lambda word: f"x{word}"),
            "count": st.one_of(st.none(), st.integers(-(2**40), 2**40)),
            "score": st.one_of(
                st.none(), st.floats(allow_nan=False, width=64).map(lambda x: x + 0.0)
            ),
            "flag": st.booleans(),
        }
    ),
    min_size=1,
    max_size=6,
)


def pairs(table: Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.arrow.to_pylist()
    return rows


def fingerprint(source: Any) -> str:
    return Task({"t": source}).fingerprint()


class TestSameDataSameTable:
    """One set of rows, seen through every library."""

    @given(records)
    @settings(max_examples=40)
    def test_in_memory(self, rows: list[dict[str, Any]]) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        polars = pytest.importorskip("polars", reason="Polars is not installed")
        schema = pa.schema(
            [
                ("id", pa.string()),
                ("text", pa.string()),
                ("count", pa.int64()),
                ("score", pa.float64()),
                ("flag", pa.bool_()),
            ]
        )
        arrow = pa.Table.from_pylist(rows, schema=schema)
        wanted = Table("t", arrow)
        typed = {"count": "Int64", "score": "float64", "flag": "bool"}
        frame = pandas.DataFrame(rows, columns=schema.names).astype(typed)
        frame["id"] = frame["id"].astype("category")
        if frame["score"].isna().any():  # pandas keeps integers with gaps in the same way
            frame["score"] = frame["score"].astype("Float64")
        sources = {
            "arrow": arrow,
            "pieces": pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)]),
            "pandas": frame,
            "polars": polars.from_arrow(arrow),
            "lazy": polars.from_arrow(arrow).lazy(),
            "batches": pa.RecordBatchReader.from_batches(schema, arrow.to_batches()),
            "dictionary": arrow.set_column(0, "id", arrow["id"].dictionary_encode()),
        }
        for library, source in sources.items():
            table = as_table("t", source)
            assert table == wanted, library
            assert fingerprint(table) == fingerprint(arrow), library

    @given(records)
    @settings(max_examples=40)
    def test_plain_python(self, rows: list[dict[str, Any]]) -> None:
        full = [*rows, {"id": "z", "text": "z", "count": 1, "score": 0.5, "flag": True}]
        columns = {key: [row[key] for row in full] for key in full[0]}
        assert as_table("t", full) == as_table("t", columns) == as_table("t", pa.table(columns))

    def test_hugging_face(self) -> None:
        datasets = pytest.importorskip("datasets", reason="datasets is not installed")
        rows = [{"id": "a", "n": 1, "tags": ["x"]}, {"id": "b", "n": 2, "tags": []}]
        dataset = datasets.Dataset.from_list(rows)
        assert as_table("t", dataset) == as_table("t", rows)
        assert as_table("t", dataset.select([1])) == as_table("t", rows[1:])
        with pytest.raises(BadInput, match=r"DatasetDict.*'train'") as caught:
            as_table("t", datasets.DatasetDict({"train": dataset}))
        assert "pick a split, for example dataset['train']" in str(caught.value)
        with pytest.raises(BadInput, match="IterableDataset"):
            as_table("t", dataset.to_iterable_dataset())

    def test_duckdb(self) -> None:
        duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
        relation = duckdb.sql(
            "select 'a' as id, 1::hugeint as n, 1.5::decimal(4, 2) as x, date '2020-01-02' as day"
        )
        assert as_table("t", relation) == as_table(
            "t", [{"id": "a", "n": 1, "x": 1.5, "day": "2020-01-02"}]
        )

    def test_nan_equals_itself_and_is_not_null(self) -> None:
        nan = as_table("t", {"x": [1.0, float("nan"), float("inf")]})
        assert nan == as_table("t", {"x": np.array([1.0, -np.nan, np.inf])})
        assert nan != as_table("t", {"x": [1.0, None, float("inf")]})

    def test_slices_and_values_under_nulls_leave_no_trace(self) -> None:
        longer = pa.table({"x": ["drop", "a", None, "bc"], "n": [9, 1, None, 3]})
        wanted = as_table("t", {"x": ["a", None, "bc"], "n": [1, None, 3]})
        assert as_table("t", longer.slice(1)) == wanted
        hidden = pa.Array.from_buffers(
            pa.int64(), 3, [pa.py_buffer(b"\x05"), pa.py_buffer(np.array([1, 77, 3]))]
        )
        assert as_table("t", {"x": ["a", None, "bc"], "n": hidden}) == wanted

    def test_nested_columns_do_not_depend_on_the_list_layout(self) -> None:
        lists = [[1.0, 2.0], None, []]
        one = pa.table({"id": [1, 2, 3], "f": pa.array(lists, pa.list_(pa.float32()))})
        two = pa.table({"id": [1, 2, 3], "f": pa.array(lists, pa.large_list(pa.float64()))})
        assert as_table("t", one) == as_table("t", two)
        structs = [{"a": 1, "b": "x"}, None]
        assert as_table("t", {"s": structs}) != as_table("t", {"s": structs[::-1]})


class TestCanonicalTypes:
    """Each kind of value is kept in one type."""

    @pytest.mark.parametrize(
        ("values", "kind", "kept"),
        [
            (["a", None], "text", ["a", None]),
            ([1, None], "integer", [1, None]),
            ([1, 2.5], "number", [1.0, 2.5]),
            ([True, None], "boolean", [True, None]),
            ([Decimal("1.25"), None], "number", [1.25, None]),
            ([dt.date(2020, 1, 2), None], "text", ["2020-01-02", None]),
            ([dt.datetime(2020, 1, 2, 3, 4, 5)], "text", ["2020-01-02T03:04:05"]),
            ([dt.datetime(2020, 1, 2, 0, 0, 0, 250_000)], "text", ["2020-01-02T00:00:00.25"]),
            ([dt.datetime(2020, 1, 2, tzinfo=dt.UTC)], "text", ["2020-01-02T00:00:00Z"]),
            ([dt.time(1, 2, 3)], "text", ["01:02:03"]),
            ([["a"], ["b", "c"]], "other", [["a"], ["b", "c"]]),
            (["a", float("nan")], "text", ["a", None]),
            (np.array([1, 2], dtype=np.uint8), "integer", [1, 2]),
            (np.array([[1.0, 2.0], [3.0, 4.0]]), "other", [[1.0, 2.0], [3.0, 4.0]]),
            (pa.array(["a", "a"]).dictionary_encode(), "text", ["a", "a"]),
        ],
    )
    def test_kinds(self, values: Any, kind: str, kept: list[Any]) -> None:
        table = as_table("t", {"id": list(range(len(values))), "x": values})
        assert table.kinds["x"] == kind
        assert table.column("x").to_pylist() == kept

    def test_a_column_without_values_is_text(self) -> None:
        table = as_table("t", [{"id": 1, "x": None}])
        assert table.kinds == {"id": ColumnKind.INTEGER, "x": ColumnKind.TEXT}

    def test_units_of_time_do_not_matter(self) -> None:
        moments = [dt.datetime(2020, 1, 2, 3, 4, 5), None]
        tables = [
            as_table("t", {"id": [1, 2], "x": pa.array(moments, pa.timestamp(unit))})
            for unit in ("s", "ms", "us", "ns")
        ]
        assert all(table == tables[0] for table in tables)

    def test_too_large_an_integer_is_refused(self) -> None:
        with pytest.raises(BadInput, match="column 'x' of table 't'"):
            as_table("t", {"x": pa.array([2**64 - 1], pa.uint64())})
        with pytest.raises(BadInput, match="column 'x' of table 't'"):
            as_table("t", {"x": [2**70]})


class TestPandas:
    """What pandas users trip over."""

    def test_a_named_index_is_the_first_column_and_an_unnamed_one_is_left_out(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        frame = pandas.DataFrame({"id": ["a", "b"], "x": [1, 2]})
        plain = as_table("t", frame)
        assert as_table("t", frame.set_index("id")) == plain
        assert as_table("t", frame.set_axis([7, 3])) == plain
        two = frame.assign(y=[3, 4]).set_index(["id", "x"])
        assert as_table("t", two).columns == ("id", "x", "y")

    def test_integers_with_gaps_stay_integers(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        frame = pandas.DataFrame({"n": [1, None, 3], "x": [1.5, None, 2.0], "y": [1.0, 2.0, 3.0]})
        assert list(as_table("t", frame).kinds.values()) == ["integer", "number", "number"]

    def test_unnamed_columns_and_series(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        assert as_table("t", pandas.DataFrame([["a", 1]])) == as_table("t", [("a", 1)])
        assert as_table("t", pandas.Series(["a", "b"])) == as_table("t", ["a", "b"])
        assert as_table("t", pandas.Series(["a"], name="word")).columns == ("word",)

    def test_a_column_of_several_types_is_named(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        with pytest.raises(BadInput, match=r"column 'x'.*mixes int \(row 1\) and str \(row 2"):
            as_table("t", pandas.DataFrame({"x": [1, "a"]}))
        frame = pandas.DataFrame([[1, 2]], columns=["x", "x"])
        with pytest.raises(BadInput, match="more than one column called 'x'"):
            as_table("t", frame)


class TestRowsAndColumns:
    """Plain Python in all its shapes."""

    def test_keys_are_united_in_first_seen_order(self) -> None:
        table = as_table("t", [{"b": 1}, {"a": "x", "b": 2}])
        assert table.columns == ("b", "a")
        assert pairs(table) == [{"b": 1, "a": None}, {"b": 2, "a": "x"}]

    def test_tuples_values_and_arrays(self) -> None:
        assert pairs(as_table("t", [("a", 1), ("b", 2)])) == [
            {"c0": "a", "c1": 1},
            {"c0": "b", "c1": 2},
        ]
        pair = namedtuple("pair", "left right")
        assert as_table("t", [pair(1, 2)]).columns == ("left", "right")
        assert as_table("t", ["a", "b"]).columns == ("id",)
        assert as_table("t", np.array([[1, 2], [3, 4]])) == as_table("t", [(1, 2), (3, 4)])
        assert as_table("t", np.array(["a"])) == as_table("t", ["a"])
        fields = np.array([(1, 2.5)], dtype=[("n", int), ("x", float)])
        assert pairs(as_table("t", fields)) == [{"n": 1, "x": 2.5}]
        assert as_table("t", pa.array(["a"])) == as_table("t", ["a"])
        polars = pytest.importorskip("polars", reason="Polars is not installed")
        assert as_table("t", polars.Series("word", ["a"])) == as_table("t", {"word": ["a"]})

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ({"a": [1, 2], "b": [1]}, "differ in length: a 2, b 1"),
            ({"a": 1}, "column 'a' of table 't' is one int"),
            ({"a": "xyz"}, "column 'a' of table 't' is one str"),
            ({}, "no columns"),
            ([(1, 2), (3,)], "row 2 of table 't' has 1 values and row 1 has 2"),
            ([{"a": 1}, (1,)], "row 2 of table 't' is tuple"),
            ({"a": [1, "x"]}, r"mixes int \(row 1\) and str \(row 2: 'x'\)"),
            ({"": [1]}, "column 1 of table 't' has no name"),
            ({("a", "b"): [1]}, "is not text"),
            (np.zeros((2, 2, 2)), "3 dimensions"),
            (3, "kind not accepted: int"),
            ({1, 2}, "kind not accepted: set"),
            ((i for i in range(3)), "kind not accepted: generator"),
            (None, "kind not accepted: NoneType"),
            ({"a": ["\ud800"]}, "column 'a'"),
        ],
    )
    def test_what_is_not_accepted_is_named(self, source: Any, message: str) -> None:
        with pytest.raises(BadInput, match=message) as caught:
            as_table("t", source)
        assert caught.value.remedy

    def test_the_error_says_what_is_accepted(self) -> None:
        with pytest.raises(BadInput, match=r"Polars.*list of dicts.*parquet"):
            as_table("t", object())

    @pytest.mark.parametrize(
        "source", [[], {"a": []}, [{"a": None}], pa.table({"a": [None, None]})]
    )
    def test_an_empty_table_is_refused_by_name(self, source: Any) -> None:
        with pytest.raises(EmptyTable, match="table 'near'"):
            as_table("near", source)


class TestTable:
    """The value itself."""

    def test_an_unknown_column_names_the_nearest(self) -> None:
        table = as_table("review", {"id": [1], "text": ["a"]})
        with pytest.raises(
            UnknownColumn, match="table 'review' has no column 'txt'; it has: id, text"
        ):
            table.column("txt")
        with pytest.raises(UnknownColumn, match="did you mean 'text'"):
            table.column("txt")

    def test_it_is_frozen_and_short_to_print(self) -> None:
        table = as_table("review", {"id": [1, 2], "text": ["a", "b"]})
        assert repr(table) == "Table('review', 2 rows: id integer, text text)"
        assert (table.n_rows, table.columns, table.source) == (2, ("id", "text"), None)
        with pytest.raises(AttributeError):
            table.name = "other"  # type: ignore[misc]
        assert hash(table) == hash(as_table("review", {"id": [1, 2], "text": ["a", "b"]}))
        assert table != as_table("other", table)
        assert as_table("other", table).arrow == table.arrow

    def test_derived_tables_may_be_empty(self) -> None:
        assert Table("t", pa.table({"id": pa.array([], pa.string())})).n_rows == 0
