"""Python predicates: what they read, what they answer, and how they fail."""

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data import Predicate, Table, Task, as_table, evaluate, load_predicates, predicate
from tacit.errors import (
    BadFile,
    BadInput,
    DuplicateName,
    FunctionFailed,
    TacitWarning,
    UnknownColumn,
    UnknownTable,
)

REVIEWS = as_table(
    "review",
    {
        "id": ["a", "b", "c", "d"],
        "text": ["see [1]", "fine", None, "also [2]"],
        "stars": [5, 1, None, 4],
    },
)


def rows(table: Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.arrow.to_pylist()]


@predicate(table="review")
def cites(text: str | None) -> bool:
    return text is not None and "[" in text


class TestAnswers:
    """The relation holds the keys of the rows for which the function holds."""

    def test_per_row(self) -> None:
        relation = evaluate(cites, REVIEWS)
        assert (relation.name, relation.columns) == ("cites", ("id",))
        assert rows(relation) == [("a",), ("d",)]
        assert cites("[") is True

    def test_the_whole_row_and_settings(self) -> None:
        @predicate(table="review")
        def generous(row: dict[str, Any], least: int = 4) -> bool:
            return (row["stars"] or 0) >= least and row["id"] != "d"

        assert generous.parameters == ("row",)
        assert rows(evaluate(generous, REVIEWS)) == [("a",)]

    @pytest.mark.parametrize(
        "convert",
        [
            pytest.param(lambda truths: truths, id="arrow"),
            pytest.param(lambda truths: truths.to_pylist(), id="list"),
            pytest.param(lambda truths: np.asarray(truths.fill_null(False)), id="numpy"),
            pytest.param(lambda truths: truths.to_pandas(), id="pandas"),
            pytest.param(
                lambda truths: pytest.importorskip("polars").from_arrow(truths), id="polars"
            ),
        ],
    )
    def test_vectorised(self, convert: Any) -> None:
        @predicate(table="review", vectorised=True)
        def long(text: pa.ChunkedArray) -> Any:
            assert isinstance(text, pa.ChunkedArray)
            return convert(pc.greater(pc.utf8_length(text), 5))

        assert rows(evaluate(long, REVIEWS)) == [("a",), ("d",)]

    def test_values_and_none_for_no_row(self) -> None:
        @predicate(table="review", values=True)
        def words(text: str | None) -> int | None:
            return len(text.split()) if text else None

        assert rows(evaluate(words, REVIEWS)) == [("a", 2), ("b", 1), ("d", 2)]
        assert evaluate(words, REVIEWS).columns == ("id", "value")

        @predicate(table="review", values=True, vectorised=True)
        def upper(text: pa.ChunkedArray) -> Any:
            return pc.utf8_upper(text)

        assert rows(evaluate(upper, REVIEWS))[0] == ("a", "SEE [1]")

    def test_lists_are_several_facts_and_each_is_one_once(self) -> None:
        @predicate(table="review", values="word")
        def words(text: str | None) -> list[str] | None:
            return text.split() + text.split()[:1] if text else None

        relation = evaluate(words, REVIEWS)
        assert relation.columns == ("id", "word")
        assert rows(relation)[:3] == [("a", "see"), ("a", "[1]"), ("b", "fine")]
        assert (relation.n_rows, words.value_columns) == (5, ("word",))

    @pytest.mark.parametrize(
        "several",
        [
            pytest.param(tuple, id="tuple"),
            pytest.param(set, id="set"),
            pytest.param(frozenset, id="frozenset"),
            pytest.param(iter, id="iterator"),
            pytest.param(np.array, id="numpy"),
            pytest.param(pa.array, id="arrow"),
            pytest.param(dict.fromkeys, id="keys"),
        ],
    )
    @pytest.mark.parametrize("vectorised", [False, True])
    def test_whatever_holds_several_answers(self, several: Any, vectorised: bool) -> None:
        def one(text: str | None) -> Any:
            found = several([1, 2, 3]) if text == "fine" else None
            return found.keys() if isinstance(found, dict) else found

        def all_rows(text: pa.ChunkedArray) -> Any:
            return [one(value) for value in text.to_pylist()]

        function = all_rows if vectorised else one
        several_values = predicate(table="review", values=True, vectorised=vectorised)(function)
        assert rows(evaluate(several_values, REVIEWS)) == [("b", 1), ("b", 2), ("b", 3)]

    def test_generators_and_mixtures_of_one_and_many(self) -> None:
        @predicate(table="review", values=True)
        def numbers(text: str | None, stars: int | None) -> Any:
            yield stars
            yield from () if text is None else (len(text), 0.5)

        assert rows(evaluate(numbers, REVIEWS))[:3] == [("a", 5.0), ("a", 7.0), ("a", 0.5)]
        mixture = predicate(table="review", name="p", values=True)(
            lambda id: {"a": "x", "b": ["y", None, "x"], "c": None, "d": []}[id]
        )
        assert rows(evaluate(mixture, REVIEWS)) == [("a", "x"), ("b", "y"), ("b", "x")]

    def test_several_value_columns(self) -> None:
        @predicate(table="review", values=("class", "log_p"))
        def votes(id: str) -> Any:
            return {"a": ("pos", -0.5), "b": [("pos", -1), None, ("neg", -2)], "c": []}.get(id)

        relation = evaluate(votes, REVIEWS)
        assert relation.columns == ("id", "class", "log_p")
        assert rows(relation) == [("a", "pos", -0.5), ("b", "pos", -1.0), ("b", "neg", -2.0)]
        one_each = predicate(table="review", name="p", values=["x", "y"])(lambda id: (id, 1))
        assert rows(evaluate(one_each, REVIEWS))[:2] == [("a", "a", 1), ("b", "b", 1)]

    @pytest.mark.parametrize(
        "column",
        [
            pa.array([["x"], None, [], ["y", None, "x"]]),
            pa.chunked_array([[["x"], None], [[], ["y", "x"]]]),
            pa.array([["q"], ["x"], None, [], ["y", "x"]])[1:],
            np.array([["x"], None, [], ["y", "x"]], dtype=object),
            pytest.param("pandas", id="pandas"),
            pytest.param("polars", id="polars"),
        ],
    )
    def test_vectorised_lists(self, column: Any) -> None:
        if isinstance(column, str):
            library = pytest.importorskip(column)
            column = library.Series([["x"], None, [], ["y", "x"]])
        lists = predicate(table="review", name="p", values=True, vectorised=True)(lambda id: column)
        assert rows(evaluate(lists, REVIEWS)) == [("a", "x"), ("d", "y"), ("d", "x")]

    def test_vectorised_structs(self) -> None:
        one = pa.array([{"k": "x", "v": 1}, None, {"k": "y", "v": 2}, None])
        many = pa.array([[{"k": "x", "v": 1}, None], None, [{"k": "y", "v": 2}], []])
        for column in (one, many):
            declare = predicate(table="review", name="p", values=("a", "b"), vectorised=True)
            relation = evaluate(declare(lambda id, column=column: column), REVIEWS)
            assert rows(relation) == [("a", "x", 1), ("c", "y", 2)]

    def test_value_columns_make_way_for_keys(self) -> None:
        table = as_table("t", {"value": [1, 2], "value2": ["x", "y"]})
        both = predicate(table="t", name="p", keys=("value", "value2"), values=True)
        assert evaluate(both(lambda value: [value]), table).columns == ("value", "value2", "value3")

    scalars = st.one_of(st.none(), st.integers(-9, 9))
    pairs = st.one_of(st.none(), st.tuples(st.sampled_from("xyz"), st.integers(-3, 3)))

    @given(st.lists(st.one_of(scalars, st.lists(scalars)), min_size=1))
    def test_values_against_a_plain_loop(self, answers: list[Any]) -> None:
        self.compare(answers, True, lambda value: (value,))

    @given(st.lists(st.one_of(pairs, st.lists(pairs)), min_size=1))
    def test_tuples_against_a_plain_loop(self, answers: list[Any]) -> None:
        self.compare(answers, ("a", "b"), lambda value: value)

    def compare(self, answers: list[Any], values: Any, row: Any) -> None:
        table = as_table(
            "t", {"id": [i // 2 for i in range_list(answers)], "at": range_list(answers)}
        )
        expected: dict[Any, None] = {}
        for i, answer in enumerate(answers):
            for value in answer if isinstance(answer, list) else [answer]:
                if value is not None:
                    expected[(i // 2, *row(value))] = None
        by_row = predicate(table="t", name="p", values=values)(lambda at: answers[at])
        at_once = predicate(table="t", name="p", values=values, vectorised=True)(lambda at: answers)
        assert rows(evaluate(by_row, table)) == rows(evaluate(at_once, table)) == list(expected)

    def test_each_fact_once_in_order_whatever_its_columns(self) -> None:
        n = 3_000
        keys = {"id": [i % 7 for i in range(n)], "x": [i % 5 or None for i in range(n)]}
        table = as_table("t", keys | {"y": [0.5 * (i % 4) for i in range(n)]})
        every = predicate(table="t", name="p", keys=("id", "x"), values=True)(lambda y: ["a", "b"])
        pairs = zip(keys["id"], keys["x"], strict=True)
        expected = dict.fromkeys((*pair, word) for pair in pairs for word in "ab")
        assert rows(evaluate(every, table)) == list(expected)
        wide = as_table("w", {f"c{j}": [(i * j) % 1009 for i in range(n)] for j in range(1, 9)})
        all_keys = predicate(table="w", name="p", keys=wide.columns)(lambda c1: True)
        distinct = dict.fromkeys(tuple(row.values()) for row in wide.arrow.to_pylist())
        assert rows(evaluate(all_keys, wide)) == list(distinct)

    def test_keys_are_plain(self) -> None:
        lists = as_table("t", {"words": [["a"], ["b"]], "id": [1, 2]})
        with pytest.raises(BadInput, match=r"'words' of table 't', a key of predicate 'p'"):
            evaluate(predicate(table="t", name="p")(lambda id: True), lists)
        assert rows(evaluate(predicate(table="t", name="p", keys="id")(lambda id: True), lists))

    @pytest.mark.parametrize("answer", [None, [], ()])
    @pytest.mark.parametrize("values", [True, ("a", "b")])
    def test_an_empty_relation(self, answer: Any, values: Any) -> None:
        none = predicate(table="review", name="none", values=values)(
            lambda id: None if answer == () else answer
        )
        relation = Task({"review": REVIEWS}, predicates=[none]).table("none")
        assert (relation.n_rows, len(relation.columns)) == (0, 1 + len(none.value_columns))

    def test_keys_name_the_tuple_once(self) -> None:
        near = as_table("near", [("a", "b", 1), ("a", "b", 2), ("a", "c", 3), ("b", "a", 4)])

        @predicate(table="near", keys=("c1", "c0"))
        def odd_or_last(c2: int) -> bool:
            return c2 != 2

        assert rows(evaluate(odd_or_last, near)) == [("b", "a"), ("c", "a"), ("a", "b")]
        one = predicate(table="near", name="any")(lambda c2: True)
        assert rows(evaluate(one, near)) == [("a",), ("b",)]

    @given(st.lists(st.one_of(st.none(), st.booleans()), min_size=1))
    def test_truths_select_rows_and_none_is_false(self, truths: list[bool | None]) -> None:
        table = as_table("t", {"id": range_list(truths), "x": pa.array(truths, pa.bool_())})
        by_row = predicate(table="t", name="p")(lambda x: x)
        at_once = predicate(table="t", name="p", vectorised=True)(lambda x: x)
        kept = [(i,) for i, truth in enumerate(truths) if truth]
        assert rows(evaluate(by_row, table)) == rows(evaluate(at_once, table)) == kept

    def test_numpy_truths_and_no_row_at_all(self) -> None:
        never = predicate(table="review", name="never")(lambda text: np.bool_(False))
        relation = evaluate(never, REVIEWS)
        assert (relation.n_rows, relation.kinds["id"]) == (0, "text")


@dataclass(frozen=True)
class Longer:
    """A function with a setting."""

    least: int

    def __call__(self, text: str) -> bool:
        return len(text) > self.least


def wrapped(word: str) -> Any:
    """A function behind another that keeps its name."""

    def contains(text: str) -> bool:
        return word in text

    @functools.wraps(contains)
    def quiet(text: str) -> bool:
        return contains(text or "")

    return quiet


def range_list(values: list[Any]) -> list[int]:
    return list(range(len(values)))


class TestFailures:
    """The error names the predicate, the row, the cause and how many rows fail."""

    def test_a_function_that_raises(self) -> None:
        @predicate(table="review")
        def shouts(text: str) -> bool:
            return text.upper()[6] == "1"

        with pytest.raises(FunctionFailed) as caught:
            evaluate(shouts, REVIEWS)
        message = str(caught.value)
        assert "predicate 'shouts' raised IndexError: string index out of range" in message
        assert "first at id 'b' (row 2 of table 'review'); 2 of 4 rows fail" in message
        assert 'on_error="abstain"' in message
        assert isinstance(caught.value.__cause__, IndexError)
        place = caught.value.place
        assert place is not None
        assert Path(place.source).name == Path(__file__).name
        assert "upper" in Path(__file__).read_text().splitlines()[place.line - 1]

    def test_abstaining_leaves_rows_out_and_warns(self) -> None:
        @predicate(table="review", on_error="abstain")
        def bracketed(text: str) -> bool:
            return text.index("[") > 0

        with pytest.warns(TacitWarning, match=r"'bracketed' raised.*2 of 4 rows fail.*left out"):
            relation = evaluate(bracketed, REVIEWS)
        assert rows(relation) == [("a",), ("d",)]

    def test_a_vectorised_function_that_raises(self) -> None:
        def broken(text: pa.ChunkedArray) -> Any:
            raise KeyError("no")

        with pytest.raises(FunctionFailed, match="'broken' raised KeyError"):
            evaluate(predicate(table="review", vectorised=True)(broken), REVIEWS)
        silent = predicate(table="review", vectorised=True, on_error="abstain")(broken)
        with pytest.warns(TacitWarning, match="left out"):
            assert evaluate(silent, REVIEWS).n_rows == 0

    @pytest.mark.parametrize(
        ("answer", "message"),
        [("yes", r"returned 'yes' \(str\), not True"), (1, r"returned 1 \(int\)"), ([], "list")],
    )
    def test_an_answer_that_is_no_truth(self, answer: object, message: str) -> None:
        wrong = predicate(table="review", name="wrong")(lambda text: answer)
        with pytest.raises(FunctionFailed, match=message) as caught:
            evaluate(wrong, REVIEWS)
        assert "4 of 4 rows" in str(caught.value)

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ([True], "returned 1 results for the 4 rows of table 'review'"),
            ([1, 0, 1, 0], "returned int64 and not truth values"),
            ([True, "x", 1, 0], "cannot be kept"),
            (True, "cannot be kept.*one bool"),
        ],
    )
    def test_vectorised_answers_are_checked(self, answer: object, message: str) -> None:
        wrong = predicate(table="review", name="wrong", vectorised=True)(lambda text: answer)
        with pytest.raises(FunctionFailed, match=message):
            evaluate(wrong, REVIEWS)

    @pytest.mark.parametrize("vectorised", [False, True])
    @pytest.mark.parametrize(
        ("values", "answer", "message"),
        [
            (True, {"x": 1}, r"returned \{'x': 1\} \(dict\), not a plain value, a list"),
            (True, [{"x": 1}], r"returned \[\{'x': 1\}\] \(list\)"),
            (True, [["x"]], r"returned \[\['x'\]\]"),
            (True, [("x", 1)], r"returned \[\('x', 1\)\]"),
            (("a", "b"), "x", r"returned 'x' \(str\), not a tuple \(a, b\) of plain values"),
            (("a", "b"), ("x",), r"returned \('x',\) \(tuple\)"),
            (("a", "b"), [("x", 1), ("x", 1, 2)], r"returned \[\('x', 1\), \('x', 1, 2\)\]"),
            (("a", "b"), [("x", [1])], r"returned \[\('x', \[1\]\)\]"),
            (("a", "b"), (("x", 1), ("y", 2)), "returned .* a list of such tuples"),
            (("a", "b"), {"a": "x", "b": 1}, r"returned .* \(dict\)"),
        ],
    )
    def test_answers_of_a_wrong_shape(
        self, values: Any, answer: Any, message: str, vectorised: bool
    ) -> None:
        def wrong(stars: int | None) -> Any:
            return answer if stars in (1, 4) else None

        def all_rows(stars: pa.ChunkedArray) -> Any:
            return [wrong(value) for value in stars.to_pylist()]

        function = all_rows if vectorised else wrong
        settings: dict[str, Any] = {"table": "review", "name": "wrong", "vectorised": vectorised}
        where = r".*first at id 'b' \(row 2 of table 'review'\); 2 of 4 rows fail"
        with pytest.raises(FunctionFailed, match=f"predicate 'wrong' {message}{where}"):
            evaluate(predicate(values=values, **settings)(function), REVIEWS)
        silent = predicate(values=values, on_error="abstain", **settings)(function)
        with pytest.warns(TacitWarning, match="left out"):
            assert evaluate(silent, REVIEWS).n_rows == 0

    def test_wrong_rows_alone_are_left_out(self) -> None:
        @predicate(table="review", values=True, on_error="abstain")
        def some(id: str) -> Any:
            return {"a": ["x", {}], "b": ["y", "z"]}.get(id, id)

        with pytest.warns(TacitWarning, match="1 of 4 rows fail"):
            found = rows(evaluate(some, REVIEWS))
        assert found == [("b", "y"), ("b", "z"), ("c", "c"), ("d", "d")]

    @pytest.mark.parametrize(
        ("values", "column"),
        [
            (True, pa.array([{"x": 1}] * 4)),
            (True, pa.array([[["x"]]] * 4)),
            (("a", "b"), pa.array(["x"] * 4)),
            (("a", "b"), pa.array([{"x": 1, "y": 2, "z": 3}] * 4)),
        ],
    )
    def test_arrow_columns_of_a_wrong_shape(self, values: Any, column: Any) -> None:
        wrong = predicate(table="review", name="wrong", values=values, vectorised=True)(
            lambda id: column
        )
        with pytest.raises(FunctionFailed, match=r"'wrong' returned .*id 'a' \(row 1.*4 of 4 rows"):
            evaluate(wrong, REVIEWS)

    def test_a_generator_that_raises(self) -> None:
        def broken(text: str) -> Any:
            yield 1
            yield text.index("[")

        with pytest.raises(FunctionFailed, match=r"raised ValueError.*id 'b'.*2 of 4 rows fail"):
            evaluate(predicate(table="review", values=True)(broken), REVIEWS)

        @predicate(table="review", values=True, vectorised=True, on_error="abstain")
        def all_rows(text: pa.ChunkedArray) -> Any:
            return [broken(value) for value in text.to_pylist()]

        with pytest.warns(TacitWarning, match="raised ValueError"):
            assert rows(evaluate(all_rows, REVIEWS)) == [("a", 1), ("a", 4), ("d", 1), ("d", 5)]

    def test_lists_of_several_types(self) -> None:
        mixed = predicate(table="review", name="mixed", values=("k", "v"))(
            lambda id: [("x", 1), (id, "one" if id == "c" else 2)]
        )
        where = r"column 'v' mixes int \(1 at id 'a' \(row 1.*str \('one' at id 'c' \(row 3"
        with pytest.raises(FunctionFailed, match=where):
            evaluate(mixed, REVIEWS)
        huge = predicate(table="review", name="huge", values=True)(lambda id: [2**70])
        with pytest.raises(FunctionFailed, match="'huge' cannot be kept"):
            evaluate(huge, REVIEWS)

    def test_values_of_several_types(self) -> None:
        mixed = predicate(table="review", name="mixed", values=True)(lambda stars: stars or "x")
        with pytest.raises(FunctionFailed, match=r"answers of predicate 'mixed'.*mixes int"):
            evaluate(mixed, REVIEWS)

    def test_a_parameter_that_is_no_column(self) -> None:
        wrong = predicate(table="review", name="wrong")(lambda txt: True)
        with pytest.raises(UnknownColumn, match="predicate 'wrong' reads 'txt'") as caught:
            evaluate(wrong, REVIEWS)
        assert "did you mean 'text'" in str(caught.value)
        with pytest.raises(UnknownColumn, match="'other'"):
            evaluate(predicate(table="review", name="p", keys="other")(lambda text: True), REVIEWS)


class TestDeclarations:
    """What cannot be a predicate is refused where it is declared."""

    def test_lambdas_and_partials_need_a_name(self) -> None:
        with pytest.raises(BadInput, match="no name of its own"):
            predicate(table="review")(lambda text: True)
        part = functools.partial(lambda text, word: word in (text or ""), word="fine")
        with pytest.raises(BadInput, match="no name of its own"):
            predicate(table="review")(part)
        named = predicate(table="review", name="fine")(part)
        assert rows(evaluate(named, REVIEWS)) == [("b",)]

    @pytest.mark.parametrize(
        "function",
        [lambda *texts: True, lambda **texts: True, lambda: True, lambda word=1: True, 3, cites],
    )
    def test_parameters_must_name_columns(self, function: Any) -> None:
        with pytest.raises(BadInput):
            predicate(table="review", name="p")(function)

    def test_settings_are_checked(self) -> None:
        with pytest.raises(BadInput, match="on_error"):
            predicate(table="review", on_error="ignore")  # type: ignore[arg-type]
        with pytest.raises(BadInput, match="cannot be a predicate's name"):
            predicate(table="review", name="a b")(lambda text: True)
        with pytest.raises(BadInput, match="vectorised and asks for `row`"):
            predicate(table="review", name="p", vectorised=True)(lambda row: True)

    def test_decorating_without_a_table(self) -> None:
        with pytest.raises(BadInput, match=r'@predicate\(table="review"\) above \'long\''):

            @predicate
            def long(text: str) -> bool:
                return len(text) > 3

        with pytest.raises(BadInput, match=r'@predicate\(table="product"\)'):
            predicate("product")
        with pytest.raises(BadInput, match="does not say which table"):
            predicate(values=True)
        with pytest.raises(BadInput, match="does not say which table"):
            predicate(table=3)  # type: ignore[arg-type]

    @pytest.mark.parametrize("values", [(), 1, [3], [""], ("a", "a"), {"a": 1}, None])
    def test_value_columns_are_named(self, values: Any) -> None:
        with pytest.raises(BadInput, match="values="):
            predicate(table="review", values=values)

    def test_a_predicate_is_frozen(self) -> None:
        with pytest.raises(AttributeError):
            cites.table = "other"  # type: ignore[misc]


class TestInTasks:
    """Relations of predicates are tables of the task, made when first asked for, once."""

    def test_lazily_and_once(self) -> None:
        calls: list[str] = []

        @predicate(table="review")
        def counted(id: str) -> bool:
            calls.append(id)
            return True

        task = Task({"review": REVIEWS}, predicates=[counted])
        assert calls == []
        assert task.has("counted")
        assert task.table("counted") is task.table("counted")
        assert calls == ["a", "b", "c", "d"]
        assert task.with_table("near", [("a", "b")]).table("counted").n_rows == 4
        assert len(calls) == 4, "an unrelated table does not run the predicate again"
        task.with_table("review", [{"id": "z"}]).table("counted")
        assert calls[4:] == ["z"]

    def test_over_derived_tables(self) -> None:
        shouting = predicate(table="token", name="short", keys=("review", "word"))(
            lambda word: len(word) < 2
        )
        bad = predicate(table="short", name="numbers", keys=("review",))(lambda word: word > "1")
        task = Task({"review": REVIEWS}, text="review.text", predicates=[shouting, bad])
        assert rows(task.table("short")) == [("a", "1"), ("d", "2")]
        assert rows(task.table("numbers")) == [("d",)]

    def test_mistakes_are_found_at_birth(self) -> None:
        def task(*predicates: Any) -> Task:
            return Task({"review": REVIEWS}, predicates=predicates)

        with pytest.raises(
            UnknownTable, match=r"'p' reads table 'reviw'(?s:.)*did you mean 'review'"
        ):
            task(predicate(table="reviw", name="p")(lambda text: True))
        with pytest.raises(UnknownColumn, match="'p' reads 'txt'"):
            task(predicate(table="review", name="p")(lambda txt: True))
        with pytest.raises(DuplicateName, match="'review' names two"):
            task(predicate(table="review", name="review")(lambda text: True))
        with pytest.raises(DuplicateName, match="'cites' names two"):
            task(cites).with_predicates(cites)
        with pytest.raises(BadInput, match=r"not a predicate(?s:.)*@tacit\.predicate"):
            task(len)
        circle = [
            predicate(table="q", name="p")(lambda id: True),
            predicate(table="p", name="q")(lambda id: True),
        ]
        with pytest.raises(BadInput, match="circle: p -> q -> p"):
            task(*circle)

    def test_the_fingerprint_follows_source_settings_and_closures(self) -> None:
        def made(word: str, **settings: Any) -> Predicate:
            return predicate(table="review", name="p", **settings)(lambda text: word in text)

        def fingerprint(one: Predicate) -> str:
            return Task({"review": REVIEWS}, predicates=[one]).fingerprint()

        same = fingerprint(made("a"))
        assert same == fingerprint(made("a"))
        assert same != fingerprint(made("b"))
        assert same != fingerprint(made("a", on_error="abstain"))
        assert same != fingerprint(predicate(table="review", name="p")(lambda text: not text))
        assert same != Task({"review": REVIEWS}).fingerprint()
        assert fingerprint(made("a", values=True)) != fingerprint(made("a", values="word"))
        listed = {predicate(table="t", name="p")(Longer(least)).describe() for least in (3, 4, 3)}
        assert len(listed) == 2, "a callable dataclass counts with its fields"
        wrappers = {predicate(table="t", name="p")(wrapped(word)).describe() for word in "aba"}
        assert len(wrappers) == 2, "a wrapper counts with what it wraps"
        low, high = {"LIMIT": 3}, {"LIMIT": 4}
        for scope in (low, high):
            exec("f = lambda text: len(text) > LIMIT", scope)  # a value of the module counts too
        limits = {predicate(table="review", name="p")(s["f"]).describe() for s in (low, high)}
        assert len(limits) == 2
        spaces = {"f": None, "g": None}
        exec("f = lambda text: 'a' in text\ng = lambda text: 'b' in text", spaces)  # no source
        bare = {predicate(table="review", name="p")(spaces[key]).describe() for key in "fg"}
        assert len(bare) == 2


class TestFiles:
    """Predicates in a Python file beside the rules."""

    def test_a_file_gives_its_predicates_in_order(self, tmp_path: Path) -> None:
        file = tmp_path / "rules.py"
        file.write_text(
            "from __future__ import annotations\n"
            "from dataclasses import dataclass\n"
            "from tacit.data import predicate\n"
            "@dataclass\nclass Limit:\n    least: int = 4\n"
            "@predicate(table='review')\ndef zeta(stars): return (stars or 0) >= Limit().least\n"
            "@predicate(table='review')\ndef alpha(text): return text == 'fine'\n"
            "again = zeta\n"
        )
        found = load_predicates(file)
        assert [p.name for p in found] == ["zeta", "alpha"]
        task = Task({"review": REVIEWS}, predicates=found)
        assert rows(task.table("zeta")) == [("a",), ("d",)]

    @pytest.mark.parametrize(
        ("source", "line", "message"),
        [
            ("x = 1\ny = 1 / 0\n", 2, "ZeroDivisionError"),
            ("x = 1\n\ndef f(:\n", 3, "SyntaxError"),
            ("import nowhere_to_be_found\n", 1, "ModuleNotFoundError"),
        ],
    )
    def test_a_broken_file_names_its_line(
        self, tmp_path: Path, source: str, line: int, message: str
    ) -> None:
        file = tmp_path / "rules.py"
        file.write_text(source)
        with pytest.raises(BadFile, match=message) as caught:
            load_predicates(file)
        assert caught.value.place is not None
        assert (caught.value.place.source, caught.value.place.line) == (str(file), line)

    def test_errors_of_the_library_pass_through(self, tmp_path: Path) -> None:
        file = tmp_path / "rules.py"
        file.write_text("from tacit.data import predicate\npredicate(table='t')(lambda x: 1)\n")
        with pytest.raises(BadInput, match="no name of its own"):
            load_predicates(file)
        with pytest.raises(BadFile, match="is not there"):
            load_predicates(tmp_path / "absent.py")


def test_good_predicates_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(cites, REVIEWS)
