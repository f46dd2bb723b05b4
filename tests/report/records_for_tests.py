"""Records of runs to try pictures and reports on: one with everything in it, and any at all."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from tacit.report.record import (
    CalibrationBin,
    FunctionRecord,
    GoldScores,
    InstanceRecord,
    Made,
    Matrix,
    RunRecord,
    Snapshot,
)

SEEDS = """\
label    sentiment(review) = neg | pos
label    topic(review) = film | book | music
observed token(review, word)
observed near(review, review)
praise:  2.2   token(r, "superb") => sentiment(r) = pos
blame:   2.2   token(r, "awful") => sentiment(r) = neg
agree:   1.0   near(r, s) => sentiment(r) = sentiment(s)
gold:    hard  token(r, "<script>alert(1)</script>") => sentiment(r) = neg
"""
HOSTILE = "<script>alert('x')</script>"


def part(name: str, contribution: float | None, **more: Any) -> dict[str, Any]:
    """A part of an explanation, as `Part.as_dict` makes it."""
    usual = {
        "kind": "evidence",
        "name": name,
        "contribution": contribution,
        "formula": f'token(r, "{name}") => sentiment(r) = pos',
        "rows": [{"r": "r17"}],
        "weight": contribution,
        "error": 0.12,
        "count": 1.0,
        "neighbours": [],
    }
    return usual | more


def explanation(parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An explanation, as `Explanation.as_dict` makes it."""
    worths = [one["contribution"] for one in parts]
    whole = None if any(worth is None for worth in worths) else math.fsum(worths)
    share = 1.0 if whole is None else 1 / (1 + math.exp(-max(-500.0, min(500.0, whole))))
    usual = {
        "function": "sentiment",
        "instance": "r17",
        "label": "pos",
        "against": "neg",
        "probabilities": {"neg": 1 - share, "pos": share},
        "log_odds": whole,
        "note": "",
        "parts": parts,
    }
    return usual | more


def neighbours(n: int, function: str = "sentiment") -> list[dict[str, Any]]:
    """Neighbours of a joint decision."""
    return [
        {
            "function": function,
            "instance": f"r{100 + at}",
            "label": ("pos", "neg")[at % 3 == 2],
            "probability": 0.55 + 0.4 * math.sin(at) ** 2,
        }
        for at in range(n)
    ]


def tied_explanation() -> dict[str, Any]:
    """Why r17 is positive: words, a network, and five neighbours."""
    parts = [
        part("praise", 2.31, formula='token(r, "superb") => sentiment(r) = pos'),
        part("predictor", 1.42, kind="predictor", weight=None, error=None, count=None),
        part("seeds[dull, neg]", -0.97, weight=0.97, count=-1.0),
    ]
    parts += [
        part(
            "agree" if at < 3 else "same_author",
            worth,
            kind="neighbours",
            weight=1.0,
            formula="near(r, s) => sentiment(r) = sentiment(s)",
            neighbours=[one],
        )
        for at, (one, worth) in enumerate(
            zip(neighbours(5), (0.41, 0.38, -0.22, 0.2, 0.11), strict=True)
        )
    ]
    parts += [
        part("class bias", -0.14, kind="bias", weight=None, error=None, count=None),
        part("loops", -0.05, kind="loops", weight=None, error=None, count=None),
    ]
    return explanation(parts)


def gold_scores(confusion: Matrix) -> GoldScores:
    """Scores that fit a confusion matrix; calibration is made up."""
    n = sum(map(sum, confusion))
    right = [row[at] for at, row in enumerate(confusion)]
    given = [sum(row[at] for row in confusion) for at in range(len(confusion))]
    precision = tuple(a / b if b else None for a, b in zip(right, given, strict=True))
    recall = tuple(a / b if b else None for a, b in zip(right, map(sum, confusion), strict=True))
    f1 = tuple(
        2 * p * r / (p + r) if p and r else None for p, r in zip(precision, recall, strict=True)
    )
    bins = [
        (0.55, 0.49, 40),
        (0.65, 0.6, 66),
        (0.75, 0.78, 91),
        (0.85, 0.81, 120),
        (0.97, 0.93, 310),
    ]
    return GoldScores(
        n=n,
        accuracy=sum(right) / n if n else 0.0,
        confusion=confusion,
        precision=precision,
        recall=recall,
        f1=f1,
        calibration=tuple(CalibrationBin(n=m, confidence=c, accuracy=a) for c, a, m in bins),
        calibration_error=0.042,
    )


def sentiment() -> FunctionRecord:
    """A label function with gold labels."""
    sure = (0,) * 10 + (120, 140, 155, 170, 190, 210, 240, 290, 420, 565)
    return FunctionRecord(
        name="sentiment",
        domain="review",
        labels=("neg", "pos"),
        n_instances=2500,
        counts=(1180, 1320),
        coverage=0.91,
        agreement=0.87,
        sureness=sure,
        gold=gold_scores(((980, 160), (120, 1240))),
    )


def topic() -> FunctionRecord:
    """A label function without."""
    return FunctionRecord(
        name="topic",
        domain="review",
        labels=("film", "book", HOSTILE),
        n_instances=2500,
        counts=(1500, 700, 300),
        coverage=0.4,
        agreement=None,
        sureness=(0,) * 6 + (300, 200, 150, 100, 120, 130, 140, 160, 180, 190, 200, 210, 220, 200),
    )


def snapshots(n_rounds: int = 5, answers: tuple[int, ...] = (5, 10, 20)) -> tuple[Snapshot, ...]:
    """The seeds, some rounds, some answers."""
    found: list[Snapshot] = []
    stages: list[tuple[Any, int]] = [("seeds", 0)]
    stages += [("round", at + 1) for at in range(n_rounds)]
    stages += [("answers", n) for n in answers]
    before = (1700, 800)
    for at, (stage, number) in enumerate(stages):
        x = 1 - math.exp(-at / 2.5)
        now = (1700 - round(520 * x), 800 + round(520 * x))
        moved = max(0, now[1] - before[1])
        back = 15 if at else 0
        flow = ((before[0] - moved - back, moved + back), (back, before[1] - back))
        found.append(
            Snapshot(
                stage=stage,
                number=number,
                rules=4 + 6 * at,
                program=f"{at:04d}abcd",
                health={
                    "coverage": 0.22 + 0.69 * x,
                    "agreement": 0.95 - 0.08 * x,
                    "remembered": 0.99 - 0.02 * x,
                    "seed_log_likelihood": -0.35 + 0.2 * x,
                    "imbalance": 0.18 - 0.12 * x,
                    "changed": 1.0 if not at else 0.3 / at,
                },
                counts={"sentiment": now, "topic": (1500 - at * 10, 700, 300 + at * 10)},
                flow=None if not at else {"sentiment": flow},
                accuracy={"sentiment": 0.71 + 0.18 * x},
            )
        )
        before = now
    return tuple(found)


def evidence_row(name: str, **more: Any) -> dict[str, Any]:
    """A row of the evidence table, as `EvidenceRow.as_dict` makes it."""
    usual: dict[str, Any] = {
        "name": name,
        "formula": f'token(r, "{name}") => sentiment(r) = pos',
        "origin": "expert",
        "functions": ["sentiment"],
        "labels": ["pos"],
        "coverage": 0.08,
        "overlap": 0.05,
        "conflict": 0.01,
        "start": 2.2,
        "weight": 2.31,
        "error": 0.12,
        "state": "learned",
        "implied_accuracy": 0.91,
        "empirical_accuracy": 0.89,
        "n_gold": 200,
        "n_groundings": 0,
        "holds": None,
    }
    return usual | more


def evidence() -> tuple[dict[str, Any], ...]:
    """Evidence of every kind."""
    words = [
        "tender",
        "radiant",
        "witty",
        "graceful",
        "moving",
        "dull",
        "clumsy",
        "stale",
        "hollow",
    ]
    learned = [
        evidence_row(
            word,
            origin="sst" if at < 6 else "fal",
            coverage=0.002 * (at + 1) ** 2,
            weight=0.6 + 0.2 * at,
            error=0.5 / (at + 1),
            labels=["pos" if at < 5 else "neg"],
        )
        for at, word in enumerate(words)
    ]
    return (
        evidence_row("praise"),
        evidence_row("blame", labels=["neg"], coverage=0.11, weight=1.9, error=0.1),
        *learned,
        evidence_row(
            "agree", coverage=None, overlap=None, conflict=None, weight=1.0, n_groundings=4420,
            holds=0.82, implied_accuracy=None, empirical_accuracy=0.8, labels=[],
            formula="near(r, s) => sentiment(r) = sentiment(s)",
        ),
        evidence_row("gold", weight=None, error=None, state="hard", coverage=0.004, labels=["neg"]),
        evidence_row("unused", coverage=0.0, state="unused", weight=2.2, error=None),
        evidence_row(HOSTILE, coverage=0.03, weight=-0.4, formula=f'token(r, "{HOSTILE}")'),
    )  # fmt: skip


def additions() -> tuple[dict[str, Any], ...]:
    """Rules that joined, one of them taken out."""
    found = []
    for at, word in enumerate(["tender", "radiant", "witty", "graceful", "moving", "dull", "luck"]):
        answered = at >= 5
        found.append(
            {
                "name": f"pos_{word}", "function": "sentiment", "label": "pos", "words": word,
                "formula": f'token(r, "{word}") => sentiment(r) = pos',
                "origin": "fal" if answered else "sst", "round": None if answered else at // 2 + 1,
                "who": "ada" if answered else "self-training", "when": 1.79e9 + at,
                "state": "rolled back" if word == "luck" else "in force",
                "why": "the network has forgotten 6.0% of what the seeds say" * (word == "luck"),
            }
        )  # fmt: skip
    return tuple(found)


def questions() -> tuple[dict[str, Any], ...]:
    """Questions with their answers."""
    pairs = [("dull", "neg"), ("plot", "reject"), ("moving", "pos"), (HOSTILE, "skip")]
    return tuple(
        {
            "feature": word,
            "function": "sentiment",
            "answer": said,
            "who": "ada",
            "when": 1.79e9 + at,
        }
        for at, (word, said) in enumerate(pairs)
    )


def made(command: str = "tacit grow reviews --budget 20") -> Made:
    """How it was made."""
    return Made(
        command=command,
        when=1.79e9,
        seconds=83.4,
        seed=0,
        versions={"tacit": "0.1.0", "python": "3.11.9", "numpy": "2.1.0"},
        data="3f8a0c11d2e4b596",
        program="9b1de77f00aa4c21",
        settings={"rounds": 3, "predictor": {"kind": "linear", "l2": 0.5}, "grow": {"budget": 20}},
    )


def instances() -> tuple[InstanceRecord, ...]:
    """Instances that were picked."""
    hard = explanation(
        [part("gold", None, kind="hard", weight=None), part("praise", 2.31)],
        note="hard evidence rules neg out",
        probabilities={"neg": 0.0, "pos": 1.0},
    )
    return (
        InstanceRecord(
            function="sentiment",
            id="r17",
            text="A superb film, if a little dull in its middle; I loved the end.",
            posterior=(0.035, 0.965),
            why="sure of pos",
            explanation=tied_explanation(),
            gold="pos",
        ),
        InstanceRecord(
            function="sentiment",
            id="r2044",
            text=f"Not what I expected. {HOSTILE} " + "And it goes on and on. " * 30,
            posterior=(0.48, 0.52),
            why="in doubt",
            explanation=explanation([part("praise", 0.3), part("blame", -0.22)], instance="r2044"),
            gold="neg",
        ),
        InstanceRecord(
            function="sentiment",
            id="r9",
            text="A gold one.",
            posterior=(0.0, 1.0),
            why="sure of pos",
            explanation=hard | {"instance": "r9"},
        ),
    )


def example_record() -> RunRecord:
    """A record with everything in it."""
    return RunRecord(
        kind="grow",
        name="reviews",
        predictor="linear",
        made=made(),
        functions=(sentiment(), topic()),
        program=SEEDS.replace("2.2 ", "2.31"),
        evidence=evidence(),
        instances=instances(),
        snapshots=snapshots(),
        rounds=tuple(
            {"number": n, "changed": 0.5 / n**2, "agreement": 0.8 + n / 50, "loss": 0.6 / n,
             "log_likelihood": -1234.5 + n, "seconds": 0.4}
            for n in (1, 2, 3)
        ),
        additions=additions(),
        questions=questions(),
        reason="labels have settled: 0.4% changed in the last round",
        notes=("agree says nothing of 12 % of the reviews", f"a note with {HOSTILE}"),
        seeds=SEEDS,
        facts={"budget": 20},
    )  # fmt: skip


def bare_record() -> RunRecord:
    """The least that a record can be."""
    empty = FunctionRecord(
        name="y", domain="item", labels=("a", "b"), n_instances=0, counts=(0, 0), coverage=0.0,
        agreement=None, sureness=(0,) * 20,
    )  # fmt: skip
    return RunRecord(
        kind="fit", name="bare", predictor="linear", made=made("tacit fit"), functions=(empty,),
        program="label y(item) = a | b\n", evidence=(),
    )  # fmt: skip


# Names as corpora have them: tags, quotes, controls, half pairs, right to left, long ones.
names = st.one_of(
    st.sampled_from(
        [HOSTILE, "]]>", "a&b;", '"><b onload="x', "\x00\x1b[31m", "\ud800", "שלום", "😀"]
    ),
    st.text(max_size=200),
)
numbers = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
shares = st.floats(min_value=0, max_value=1)
counts = st.integers(min_value=0, max_value=10**15)


@st.composite
def explanations(draw: st.DrawFn) -> dict[str, Any]:
    """Explanations of any shape: none, many and infinite parts, odd names, neighbours."""
    label, against = draw(st.lists(names, min_size=2, max_size=2, unique=True))
    neighbour = st.fixed_dictionaries(
        {"function": names, "instance": names, "label": names, "probability": shares}
    )
    parts = draw(
        st.lists(
            st.builds(
                part,
                names,
                st.none() | numbers,
                kind=st.sampled_from(["evidence", "neighbours", "hard"]),
                formula=names,
                weight=st.none() | numbers,
                error=st.none() | numbers,
                count=st.none() | numbers,
                neighbours=st.lists(neighbour, max_size=40),
            ),
            max_size=30,
        )
    )
    whole = draw(st.none() | numbers)
    probabilities = {label: draw(shares), against: draw(shares)}
    return explanation(
        parts,
        instance=draw(names),
        function=draw(names),
        label=label,
        against=against,
        log_odds=whole,
        probabilities=probabilities,
    )


def matrices(n: int) -> st.SearchStrategy[Matrix]:
    """Square matrices of counts."""
    row = st.lists(counts, min_size=n, max_size=n).map(tuple)
    return st.lists(row, min_size=n, max_size=n).map(tuple)


@st.composite
def functions(draw: st.DrawFn, *, most: int = 30) -> FunctionRecord:
    """Label functions with one label or many, counts of nothing or of far too much."""
    labels = tuple(draw(st.lists(names, min_size=1, max_size=most, unique=True)))
    n = len(labels)
    own = tuple(draw(st.lists(counts, min_size=n, max_size=n)))
    one_bin = st.builds(CalibrationBin, n=counts, confidence=shares, accuracy=shares)
    gold = GoldScores(
        n=draw(counts),
        accuracy=draw(shares),
        confusion=draw(matrices(n)),
        precision=(None,) * n,
        recall=(None,) * n,
        f1=(None,) * n,
        calibration=tuple(draw(st.lists(one_bin, max_size=20))),
        calibration_error=draw(shares),
    )
    return FunctionRecord(
        name=draw(names),
        domain=draw(names),
        labels=labels,
        n_instances=sum(own),
        counts=own,
        coverage=draw(shares),
        agreement=draw(st.none() | shares),
        sureness=tuple(draw(st.lists(counts, min_size=20, max_size=20))),
        gold=draw(st.none() | st.just(gold)),
    )


@st.composite
def snapshots_of(draw: st.DrawFn, function: FunctionRecord) -> tuple[Snapshot, ...]:
    """Fits on the way, in any order of stages, with counts that need not fit each other."""
    n = len(function.labels)
    health_names = st.sampled_from(["coverage", "agreement", "remembered", "seed_log_likelihood"])
    one = st.builds(
        Snapshot,
        stage=st.sampled_from(["seeds", "round", "answers"]),
        number=st.integers(0, 10**6),
        rules=st.integers(0, 10**6),
        program=names,
        health=st.dictionaries(health_names | names, numbers, max_size=6),
        counts=st.just({})
        | st.lists(counts, min_size=n, max_size=n).map(lambda own: {function.name: tuple(own)}),
        flow=st.none() | matrices(n).map(lambda own: {function.name: own}),
        accuracy=st.none() | st.dictionaries(names, shares, max_size=9),
    )
    return tuple(draw(st.lists(one, max_size=8)))


evidence_rows = st.lists(
    st.builds(
        evidence_row,
        names,
        origin=st.sampled_from(["expert", "sst", "fal", HOSTILE]),
        formula=names,
        labels=st.lists(names, max_size=3),
        coverage=st.none() | shares,
        weight=st.none() | numbers,
        error=st.none() | numbers,
        state=st.sampled_from(["learned", "hard", "unused", "fixed"]),
    ),
    max_size=40,
)
