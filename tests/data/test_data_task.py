"""Tasks: tables by name, what the predictor reads, derived tables and fingerprints."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data import Task, TextReference
from tacit.errors import (
    BadFile,
    BadInput,
    DuplicateIds,
    DuplicateName,
    EmptyTable,
    UnknownColumn,
    UnknownTable,
)

REVIEWS = {"id": ["r1", "r2"], "text": ["Superb film!", None], "n": [1, 2]}
NEAR = [("r1", "r2")]


def task(**settings: Any) -> Task:
    return Task({"review": REVIEWS, "near": NEAR}, text="review.text", **settings)


def rows(table: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.arrow.to_pylist()]


class TestTables:
    """Looking things up."""

    def test_given_tables(self) -> None:
        assert list(task().tables) == ["review", "near"]
        assert task().table("near").columns == ("c0", "c1")
        assert task().names == ("review", "near", "token", "ngram")
        assert task().has("ngram")
        assert not task().has("gram")
        assert task().text == (TextReference("review", "text"),)

    def test_an_unknown_table_names_the_nearest_and_lists_all(self) -> None:
        with pytest.raises(
            UnknownTable, match="no table 'reviw'; it has: review, near, token"
        ) as e:
            task().table("reviw")
        assert "did you mean 'review'" in str(e.value)
        with pytest.raises(UnknownTable, match=r'text="review.text"'):
            Task({"review": REVIEWS}).table("token")

    @pytest.mark.parametrize("name", ["", "my table", "a.b", "1st", 3])
    def test_names_must_be_usable_in_rules(self, name: Any) -> None:
        with pytest.raises(BadInput, match="cannot be a table's name"):
            Task({name: NEAR})

    @pytest.mark.parametrize("tables", [{}, [], None, "review.csv"])
    def test_a_task_needs_named_tables(self, tables: Any) -> None:
        with pytest.raises(BadInput, match="a task"):
            Task(tables)

    @pytest.mark.parametrize("empty", [[], {"id": []}, [{"id": None}]])
    def test_an_empty_table_is_refused_at_birth(self, empty: Any) -> None:
        with pytest.raises(EmptyTable, match="'near'"):
            Task({"review": REVIEWS, "near": empty})

    def test_files(self, tmp_path: Path) -> None:
        file = tmp_path / "review.csv"
        file.write_text("id,text\nr1,good\n")
        made = Task.from_files({"review": file}, text="review.text")
        assert made.tables["review"].source == str(file)
        assert made == Task({"review": [{"id": "r1", "text": "good"}]}, text="review.text")
        with pytest.raises(BadFile, match="is not there"):
            Task.from_files({"review": tmp_path / "reviw.csv"})


class TestText:
    """What the predictor reads."""

    def test_inputs(self) -> None:
        assert isinstance(task().inputs("review"), pa.ChunkedArray)
        assert task().inputs("review").to_pylist() == ["Superb film!", None]
        several = Task(
            {"review": REVIEWS, "item": {"id": [1], "features": [[0.5, 1.0]]}},
            text=["item.features", "review.text"],
        )
        assert several.inputs("item").to_pylist() == [[0.5, 1.0]]
        assert several.table("token").columns == ("review", "word"), "the first column of text"

    def test_without_text_the_remedy_is_shown(self) -> None:
        with pytest.raises(BadInput, match=r"reads for table 'review'(?s:.)*text='review\.text'"):
            Task({"review": REVIEWS}).inputs("review")
        with pytest.raises(BadInput, match=r"text=\['review\.text', 'near\.c1'\]"):
            task().inputs("near")

    @pytest.mark.parametrize(
        ("text", "error", "message"),
        [
            ("text", BadInput, r"write 'review\.text'"),
            ("review", BadInput, r"write 'review\.n'"),
            (".text", BadInput, "does not name a column"),
            ([3], BadInput, "does not name a column"),
            ("reviw.text", UnknownTable, "did you mean 'review'"),
            ("review.txt", UnknownColumn, "did you mean 'text'"),
            (["review.text", "review.n"], DuplicateName, "two columns of table 'review'"),
        ],
    )
    def test_references_are_checked_at_birth(self, text: Any, error: type, message: str) -> None:
        with pytest.raises(error, match=message):
            Task({"review": REVIEWS}, text=text)


class TestInstances:
    """The first column names each row once."""

    def test_order_and_look_up(self) -> None:
        instances = task().instances("review")
        assert instances.ids.to_pylist() == ["r1", "r2"]
        assert (len(instances), instances.index_of("r2")) == (2, 1)
        assert instances.indices_of(["r2", "r9", "r1"]).tolist() == [1, -1, 0]
        assert instances.indices_of(pa.array(["r2"])).tolist() == [1]
        with pytest.raises(BadInput, match=r"no instance 'r3'(?s:.)*did you mean"):
            instances.index_of("r3")
        assert "review" in repr(instances)

    def test_integer_ids(self) -> None:
        instances = Task({"review": {"id": [30, 10]}}).instances("review")
        assert instances.index_of(10) == 1
        with pytest.raises(BadInput, match="no instance '10'"):
            instances.index_of("10")

    @pytest.mark.parametrize(
        ("ids", "message"),
        [
            (["a", "b", "a", "b", "a"], "the id 'a' in rows 1 and 3, 'b' in rows 2 and 4"),
            (["a", None], "row 2 of table 'review' has no id"),
            ([1, 1], "the id 1 in rows 1 and 2"),
        ],
    )
    def test_repeated_or_missing_ids(self, ids: list[Any], message: str) -> None:
        with pytest.raises(DuplicateIds, match=message):
            Task({"review": {"id": ids}}).instances("review")

    def test_texts_as_ids_get_their_own_remedy(self) -> None:
        made = Task({"review": {"text": ["good", "good"]}}, text="review.text")
        with pytest.raises(DuplicateIds, match="put an id column before it"):
            made.instances("review")

    def test_lists_are_no_ids(self) -> None:
        with pytest.raises(BadInput, match="not ids"):
            Task({"review": {"id": [[1], [2]]}}).instances("review")


class TestTokens:
    """Words of the text are tables too."""

    def test_derived_once(self) -> None:
        made = task()
        assert rows(made.table("token")) == [("r1", "superb"), ("r1", "film")]
        assert rows(made.table("ngram")) == [("r1", "superb film")]
        assert made.table("token") is made.table("token")
        assert made.table("token").columns == ("review", "word")
        assert made.table("ngram").columns == ("review", "words")
        assert made.with_table("seed", ["superb"]).table("token") is made.table("token")
        changed = made.with_table("review", {"id": ["x"], "text": ["new"]})
        assert rows(changed.table("token")) == [("x", "new")]

    def test_a_given_table_wins(self) -> None:
        made = task().with_table("token", [("r1", "given")])
        assert rows(made.table("token")) == [("r1", "given")]
        assert made.names.count("token") == 1

    def test_further_columns(self) -> None:
        mentions = {"id": [1, 2], "window": ["of the EGFR", "the"]}
        made = task().with_table("mention", mentions).with_tokens("mention.window", name="word")
        assert rows(made.table("word")) == [(1, "of"), (1, "the"), (1, "egfr"), (2, "the")]
        pairs = made.with_tokens("mention.window", name="pair", ngrams=(2, 2))
        assert rows(pairs.table("pair")) == [(1, "of the"), (1, "the egfr")]
        with pytest.raises(DuplicateName, match="'pair' names two"):
            pairs.with_table("pair", NEAR)
        with pytest.raises(BadInput, match="holds integer, not text"):
            task().with_tokens("review.n", name="word")

    def test_no_words_at_all_is_an_empty_relation(self) -> None:
        made = Task({"review": {"id": [1], "text": ["..."]}}, text="review.text")
        assert made.table("token").n_rows == made.table("ngram").n_rows == 0


class TestValues:
    """A task is a value: it does not change, and equal content is equal."""

    def test_frozen(self) -> None:
        made = task()
        with pytest.raises(AttributeError):
            made.text = ()  # type: ignore[misc]
        with pytest.raises(TypeError):
            made.tables["near"] = made.tables["review"]  # type: ignore[index]
        before = made.fingerprint()
        made.with_table("seed", ["x"])
        assert made.fingerprint() == before
        assert made.names == task().names

    def test_changing_the_source_later_changes_nothing(self) -> None:
        source = {"id": ["a", "b"], "text": ["x", "y"]}
        made = Task({"review": source})
        source["text"][0] = "changed"
        assert made.table("review").column("text").to_pylist() == ["x", "y"]

    def test_changing_an_array_in_place_changes_nothing(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        column, square = np.array([1, 2, 3]), np.array([[1.0, 2.0], [3.0, 4.0]])
        frame = pandas.DataFrame({"id": [1, 2, 3]})
        made = Task({"a": {"id": column}, "b": square, "c": frame})
        before = made.fingerprint()
        column[0], square[0, 0], frame.loc[0, "id"] = 99, 99, 99
        assert Task(made.tables).fingerprint() == before

    def test_repr_shows_one_line_a_table(self) -> None:
        assert repr(task()).splitlines() == [
            "Task",
            "  review: 2 rows (id, text, n)",
            "  near: 1 rows (c0, c1)",
            "  the predictor reads review.text",
            "  derived when asked: token, ngram",
        ]

    def test_order_of_tables_does_not_matter_and_names_do(self) -> None:
        one = Task({"a": NEAR, "b": REVIEWS})
        assert one == Task({"b": REVIEWS, "a": NEAR})
        assert hash(one) == hash(Task({"b": REVIEWS, "a": NEAR}))
        assert one != Task({"b": NEAR, "a": REVIEWS})
        assert one != Task({"a": NEAR, "b": REVIEWS}, text="b.text")
        assert len(one.fingerprint()) == 32
        assert int(one.fingerprint(), 16) >= 0

    @given(
        st.lists(st.tuples(st.text("ab", max_size=3), st.integers(0, 3)), min_size=1, max_size=4),
        st.lists(st.tuples(st.text("ab", max_size=3), st.integers(0, 3)), min_size=1, max_size=4),
    )
    @settings(max_examples=200)
    def test_fingerprints_are_equal_exactly_where_rows_are(
        self, left: list[tuple[str, int]], right: list[tuple[str, int]]
    ) -> None:
        same = Task({"t": left}).fingerprint() == Task({"t": right}).fingerprint()
        assert same == (left == right)

    @given(st.lists(st.text("ab", max_size=3), min_size=2, max_size=5), st.integers(0, 5))
    def test_chunks_do_not_matter(self, values: list[str], cut: int) -> None:
        whole = pa.table({"id": values})
        pieces = pa.concat_tables([whole.slice(0, cut), whole.slice(cut)])
        assert Task({"t": pieces}) == Task({"t": whole}) == Task({"t": {"id": values}})

    def test_column_names_count(self) -> None:
        assert Task({"t": {"a": [1]}}) != Task({"t": {"b": [1]}})
        assert Task({"t": {"a": [1], "b": [2]}}) != Task({"t": {"b": [2], "a": [1]}})
        assert Task({"t": {"a": [1]}}) != Task({"t": {"a": [1.0]}})
        assert Task({"t": {"a": [[1], [2]]}}) != Task({"t": {"a": [[1, 2], []]}})

    def test_where_a_value_ends_and_which_is_null_count(self) -> None:
        assert Task({"t": {"a": ["ab", "c"]}}) != Task({"t": {"a": ["a", "bc"]}})
        assert Task({"t": {"a": ["", None]}}) != Task({"t": {"a": [None, ""]}})
        assert Task({"t": {"a": [0, None]}}) != Task({"t": {"a": [0, 0]}})

    def test_the_fingerprint_is_the_same_in_another_process(self) -> None:
        code = (
            "from tacit.data import Task, predicate\n"
            "p = predicate(table='t', name='p')(lambda a, words=frozenset('abc'): True)\n"
            "print(Task({'t': {'a': [1, 2]}}, predicates=[p]).fingerprint())"
        )
        outputs = {
            subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
            ).stdout
            for seed in ("1", "2")
        }
        assert len(outputs) == 1


def test_importing_loads_no_frame_library() -> None:
    code = (
        "import sys, tacit.data\n"
        "heavy = {'pandas', 'polars', 'datasets', 'duckdb', 'torch', 'pyarrow.parquet'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"
