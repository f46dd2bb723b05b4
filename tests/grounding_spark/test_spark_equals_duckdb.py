"""DuckDB and Spark ground every formula to the same arrays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from tacit.data import Task
from tacit.grounding import Engine, ground_factors
from tacit.logic.program import Program
from tests.grounding.cases import Case, grounding_cases
from tests.grounding_spark.arrays import differences, outcome

pytest.importorskip("pyspark", reason="PySpark (the extra 'spark') is not installed")

few = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would take minutes
)

DECLARATIONS = """
label    mood(review) = neg | pos | mixed
label    link(mention) = no | yes
observed token(review, word)
observed near(review, review)
observed seed(word, class)
observed score(review, number)
observed of(mention, review)
observed flag(review, truth)
"""

SHAPES = r"""
text:      2.2   token(r, "it's \\ \"q\"") => mood(r) = pos
twins_1:   2.2   token(r, "a") & seed("a", l) => mood(r) = l
twins_2:   2.2   token(r, "b\\") & seed("b\\", l) => mood(r) = l
keyed:     2.2   token(r, +w) & seed(w, +l) => mood(r) = +l
pair:      1.0   near(r, s) => mood(r) = mood(s)
expected:  expect 0.5 +- 0.05: mood(r) = pos
prior:     1.0   mood(r) = pos
absent:    1.0   token(r, w) & !seed(w, "pos") => mood(r) = neg
absent_2:  1.0   near(r, s) & !near(s, r) => mood(r) = mood(s)
at_least:  1.0   score(r, n) & n >= 2.5 => mood(r) = pos
whole:     1.0   of(m, r) & m < 2.5 => link(m) = yes
exactly_n: 1.0   score(r, 2.5) => mood(r) = neg
equal:     1.0   score(r, n) & score(s, n) & r != s => mood(r) = mood(s)
scaled:    1.0*n score(r, n) & n < 100 => mood(r) = pos
truth:     1.0   flag(r, true) => mood(r) = pos
truth_2:   1.0   flag(r, b) & b != false => mood(r) = pos
value:     1.0   token(r, w) & seed(w, l) => mood(r) = l
joined:    1.0   near(r, s) & r != s & token(r, w) & token(s, w) => mood(r) = mood(s)
either:    1.0   token(r, "a") | near(r, r) => mood(r) = mixed
both:      1.0   of(m, r) & mood(r) = pos => link(m) = yes
inside:    1.0   token(r, w) & (mood(r) = pos <=> seed(w, "pos"))
inside_2:  1.0   score(r, n) & (mood(r) = pos | n > 2)
inside_3:  1.0   token(r, w) & score(r, n) & (mood(r) = w | seed(w, "pos") | n > 2)
exists_w:  1.0   review(r) & (exists w: token(r, w) & seed(w, "pos")) => mood(r) = pos
not_any:   1.0   review(r) & !(exists w: token(r, w) & seed(w, "pos")) => mood(r) = mixed
at_most:   1.0   review(r) & (atmost 1 w: token(r, w)) => mood(r) = pos
exactly_2: 1.0   review(r) & (exactly 2 w: token(r, w)) => mood(r) = pos
pairs:     1.0   review(r) & (atmost 1 w, v: token(r, w) & token(r, v) & w < v) => mood(r) = mixed
smaller:   1.0   score(r, n) & (atmost 1 s, m: score(s, m) & m < n) => mood(r) = mixed
smaller_2: 1.0   score(r, n) & (exists s, m: score(s, m) & m < n & !near(r, s)) => mood(r) = pos
deep:      1.0   review(r) & (atmost 0 s: near(r, s) & !near(s, r)) => mood(r) = neg
deep_2:    1.0   review(r) & (atmost 0 s: near(r, s) & (exists w: token(s, w) & token(r, w)))
                 => mood(r) = neg
deep_3:    1.0   review(r) & !(exists s: near(r, s) & !(exists w: token(s, w) & token(r, w)))
                 => mood(r) = neg
deep_4:    1.0   token(r, v) & (exists s: near(r, s) & (atmost 0 t: near(s, t)
                 & (exists w: token(t, w) & token(r, w) & w != v))) => mood(r) = neg
deep_5:    1.0   score(r, n) & (exists s: review(s) & n > 1
                 & (atmost 0 w: token(r, w) & token(s, w) & n < 9)) => mood(r) = neg
group:     1.0   review(r) => exists m: of(m, r) & link(m) = yes
group_2:   1.0   review(r) => atmost 1 m: of(m, r) & link(m) = yes
group_3:   1.0   of(m, r) => exactly 1 s: near(r, s) & !near(s, r) & mood(s) = pos
group_4:   1.0   of(m, r) => (mood(r) = pos => (exists k: of(k, r) & link(k) = yes))
certain:   hard  seed("c", l) & token(r, "c") => mood(r) = l
never:     1.0   token(r, w) & seed(w, "nothing") => mood(r) = pos
"""

TABLES: dict[str, Any] = {
    "review": {"id": ["r1", "r2", "r3", "r4", "R1"]},
    "mention": {"id": [1, 2, 3]},
    "token": {
        "review": ["r1", "r1", "r1", "r2", "r2", "r3", None, "gone", "R1"],
        "word": ["a", "a", 'it\'s \\ "q"', "b\\", "a", "c", "d", "a", "pos"],
    },
    "near": {"one": ["r1", "r2", "r3", "r1", "r4"], "other": ["r2", "r1", "r3", "r2", "r1"]},
    "seed": {"word": ["a", "b\\", "c", "pos"], "class": ["pos", "neg", "mixed", "no label"]},
    "score": {
        "review": ["r1", "r2", "r3", "r4", "r1", "R1"],
        "number": [1.0, 2.5, 2.5, float("nan"), float("inf"), -0.0],
    },
    "of": {"mention": [1, 2, 3, 3], "review": ["r1", "r1", "r2", "r4"]},
    "flag": {"review": ["r1", "r2"], "truth": [True, False]},
}


def test_every_shape_grounds_alike(engine: Engine) -> None:
    rules = SHAPES.replace("\n  ", " ")  # a formula is one line
    program, task = Program.parse(DECLARATIONS + rules), Task(TABLES)
    here, there = ground_factors(program, task), ground_factors(program, task, engine=engine)
    assert differences(here, there) == []
    empty = [part.names for part in here.parts if not any((part.unary, part.tables, part.groups))]
    assert empty == [("expected",), ("never",)]  # every other shape has something to compare


@few
@given(case=st.one_of(grounding_cases(max_evidence=4), grounding_cases(hard=True)))
def test_random_programs_ground_alike(spark: Any, case: Case) -> None:
    from tacit.grounding.spark import SparkEngine

    engine = SparkEngine(spark)
    here = outcome(case.program, case.task)
    there = outcome(case.program, case.task, engine)
    engine.close()
    event("refused" if isinstance(here, str) else "grounded")
    assert differences(here, there) == []


def test_names_that_differ_in_case_alone_are_different(engine: Engine) -> None:
    rule = "a: 1.0 near(x, {0}) | Near({0}, x) => mood({0}) = pos | mood(x) = neg"
    declared = "label mood(review) = neg | pos\n"
    declared += "observed near(review, review)\nobserved Near(review, review)\n"
    tables = {name: TABLES[name] for name in ("review", "near")}
    task = Task(tables | {"Near": {"one": ["r2"], "other": ["r3"]}})
    told = [
        ground_factors(Program.parse(declared + rule.format(name)), task, engine=engine)
        for name in ("X", "y")
    ]
    assert differences(*told) == []
    assert sum(len(block.count) for block in told[0].tables) == 4


def test_repeated_grounding_in_one_engine_sees_the_new_tables(engine: Engine) -> None:
    program = Program.parse(DECLARATIONS + 'a: 1.0 token(r, "a") => mood(r) = pos')
    first = Task(TABLES)
    second = first.with_table("token", {"review": ["r4"], "word": ["a"]})
    for task in (first, second, first):
        there = ground_factors(program, task, engine=engine)
        assert differences(ground_factors(program, task), there) == []
