"""What the grounding benchmark grounds: a program, tables of any size, and the same as bare SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacit.logic.program import Program

Tables = dict[str, pa.Table]
Longs = NDArray[np.int64]

N_RULES = 200
N_NEIGHBOURS = 10
WORDS_OF_A_REVIEW = 20
LABELS = "label y(review) = neg | pos\n"
PAIRS = """FROM near n JOIN instances a ON a.id = n.one JOIN instances b ON b.id = n.other"""
TRIPLES = """FROM near n
    JOIN token t ON t.review = n.one
    JOIN token u ON u.review = n.other AND u.word = t.word
    JOIN instances a ON a.id = n.one JOIN instances b ON b.id = n.other"""
UNORDERED = "SELECT least(a.row, b.row) AS i, greatest(a.row, b.row) AS j, count(*) AS n"


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of formula.

    `merged` is the SQL that yields the rows that grounding keeps (equal groundings are one row with
    a count), `plain` the join alone. Both read the case's tables by name, and the relation
    `instances` of (id, row).
    """

    name: str
    program: Callable[[], Program]
    tables: Callable[[int], Tables]
    domain: str  # the table whose rows have labels
    merged: str
    plain: str
    says: str  # what a grounding is
    as_written: bool = False  # whether the bare queries join in the order written


def ids(kind: str, numbers: Longs) -> pa.Array:
    """Text ids of equal length, such as "review-00000017"."""
    digits = pa.array(np.arange(int(numbers.max(initial=-1)) + 1)).cast(pa.large_string())
    padded = pc.utf8_lpad(digits, width=8, padding="0")
    start = pa.scalar(f"{kind}-", pa.large_string())
    known = pc.binary_join_element_wise(start, padded, pa.scalar("", pa.large_string()))
    return known.take(pa.array(numbers))


def words(numbers: Longs) -> pa.Array:
    """Words by number, as "w17"."""
    known = [f"w{i}" for i in range(int(numbers.max(initial=-1)) + 1)]
    return pa.array(known, pa.large_string()).take(pa.array(numbers))


def pairs(n_items: int, n_each: int, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """Distinct neighbours of each item in any order; of every fifth pair, both directions."""
    n_both = n_each // 5
    band = max(1, n_items // (4 * n_each))  # each neighbour has a stretch of distances of its own
    items = np.arange(n_items)
    one: list[Longs] = []
    other: list[Longs] = []
    for at in range(n_each - n_both):
        near = (items + 1 + at * band + rng.integers(0, band, n_items)) % n_items
        one.append(items)
        other.append(near)
        if at < n_both:
            one.append(near)
            other.append(items)
    order = rng.permutation(n_items * n_each)
    return np.concatenate(one)[order], np.concatenate(other)[order]


def review(n_items: int) -> pa.Table:
    """The reviews."""
    return pa.table({"id": ids("review", np.arange(n_items))})


def unary_tables(size: int) -> Tables:
    """Reviews of twenty distinct words each, of which ten have a rule."""
    rng = np.random.default_rng(1)
    n_items = max(1, 2 * size // WORDS_OF_A_REVIEW)
    band = 2 * N_RULES // WORDS_OF_A_REVIEW
    place = np.tile(np.arange(WORDS_OF_A_REVIEW), n_items)
    word = place * band + rng.integers(0, band, len(place))
    order = rng.permutation(len(place))
    owner = np.repeat(np.arange(n_items), WORDS_OF_A_REVIEW)[order]
    token = pa.table({"review": ids("review", owner), "word": words(word[order])})
    return {"review": review(n_items), "token": token}


def unary_program() -> Program:
    """Two hundred keywords, in turn for either label."""
    rules = [
        f'r{i}: 2.2 token(r, "w{i}") => y(r) = {("neg", "pos")[i % 2]}' for i in range(N_RULES)
    ]
    return Program.parse(LABELS + "observed token(review, word)\n" + "\n".join(rules))


def pair_tables(size: int, name: str = "near") -> Tables:
    """Pairs of reviews, ten to a review."""
    n_items = max(50, size // N_NEIGHBOURS)
    one, other = pairs(n_items, N_NEIGHBOURS, np.random.default_rng(2))
    return {
        "review": review(n_items),
        name: pa.table({"one": ids("review", one), "other": ids("review", other)}),
    }


def pair_program() -> Program:
    """Neighbours agree."""
    return Program.parse(
        LABELS + "observed near(review, review)\nagree: 1.0 near(r, s) => y(r) = y(s)"
    )


def implies_program() -> Program:
    """A label spreads to neighbours: PSL can say this, but not that two labels are equal."""
    return Program.parse(
        LABELS + "observed near(review, review)\nspread: 1.0 near(r, s) & y(r) = pos => y(s) = pos"
    )


def group_tables(size: int) -> Tables:
    """Drugs with four candidates on average: some have hundreds, and some have none."""
    rng = np.random.default_rng(3)
    n_drugs = max(1, size // 4)
    drug = (n_drugs * rng.random(size) ** 2).astype(np.int64)
    candidate = np.arange(size)
    args = pa.table({"candidate": ids("candidate", candidate), "drug": ids("drug", drug)})
    return {
        "candidate": pa.table({"id": ids("candidate", candidate)}),
        "args": args.take(pa.array(rng.permutation(size))),
        "kb": pa.table({"drug": ids("drug", np.arange(n_drugs))}),
    }


def group_program() -> Program:
    """What the knowledge base has is said somewhere."""
    return Program.parse(
        "label y(candidate) = no | yes\n"
        "observed args(candidate, drug)\nobserved kb(drug)\n"
        "once: 3.0 kb(d) => exists c: args(c, d) & y(c) = yes"
    )


def three_way_tables(size: int) -> Tables:
    """Reviews of ten words, the n-th most frequent word about 1/n as often; five neighbours."""
    rng = np.random.default_rng(4)
    n_items = max(50, size * 100 // 617)  # so many shared words come out
    one, other = pairs(n_items, N_NEIGHBOURS // 2, rng)
    n_words = 500
    share = 1 / (np.arange(n_words) + 2.0)
    word = rng.choice(n_words, size=n_items * 10, p=share / share.sum())
    token = np.unique(np.repeat(np.arange(n_items), 10) * n_words + word)
    rng.shuffle(token)
    return {
        "review": review(n_items),
        "near": pa.table({"one": ids("review", one), "other": ids("review", other)}),
        "token": pa.table(
            {"review": ids("review", token // n_words), "word": words(token % n_words)}
        ),
    }


def three_way_program() -> Program:
    """Neighbours agree, once for each word that they share."""
    return Program.parse(
        LABELS + "observed near(review, review)\nobserved token(review, word)\n"
        "share: 1.0 near(r, s) & token(r, w) & token(s, w) => y(r) = y(s)"
    )


CASES = (
    Case(
        name="unary",
        program=unary_program,
        tables=unary_tables,
        domain="review",
        merged="""SELECT a.row AS i, r.rule AS rule, count(*) AS n FROM token t
            JOIN rules r ON r.word = t.word JOIN instances a ON a.id = t.review GROUP BY ALL""",
        plain="""SELECT a.row AS i, r.rule AS rule FROM token t
            JOIN rules r ON r.word = t.word JOIN instances a ON a.id = t.review""",
        says=f"a token that one of {N_RULES} keyword rules names (half of all tokens)",
    ),
    Case(
        name="pair",
        program=pair_program,
        tables=pair_tables,
        domain="review",
        merged=f"{UNORDERED} {PAIRS} GROUP BY ALL",
        plain=f"SELECT a.row AS i, b.row AS j {PAIRS}",
        says="a row of near(r, s), by text ids; a fifth come in both directions",
    ),
    Case(
        name="group",
        program=group_program,
        tables=group_tables,
        domain="candidate",
        merged="""SELECT DISTINCT k.drug AS g, a.row AS i FROM kb k
            JOIN args x ON x.drug = k.drug JOIN instances a ON a.id = x.candidate""",
        plain="""SELECT k.drug AS g, a.row AS i FROM kb k
            JOIN args x ON x.drug = k.drug JOIN instances a ON a.id = x.candidate""",
        says="a member of a group: a row of args(c, d)",
    ),
    Case(
        name="three_way",
        program=three_way_program,
        tables=three_way_tables,
        domain="review",
        merged=f"{UNORDERED} {TRIPLES} GROUP BY ALL",
        plain=f"SELECT a.row AS i, b.row AS j {TRIPLES}",
        says="a word that both reviews of a row of near(r, s) have; the bare queries join in the "
        "order written, since the order that DuckDB picks takes minutes",
        as_written=True,
    ),
)
IMPLIES = Case(
    name="implies",
    program=implies_program,
    tables=pair_tables,
    domain="review",
    merged=f"SELECT a.row AS i, b.row AS j, count(*) AS n {PAIRS} GROUP BY ALL",
    plain=f"SELECT a.row AS i, b.row AS j {PAIRS}",
    says="a row of near(r, s); the rule that PSL is given too",
)
BY_NAME = {case.name: case for case in (*CASES, IMPLIES)}


def rules_relation() -> pa.Table:
    """The keywords of the unary case with their numbers, for its bare query."""
    return pa.table({
        "word": pa.array([f"w{i}" for i in range(N_RULES)], pa.large_string()),
        "rule": pa.array(np.arange(N_RULES, dtype=np.int32)),
    })  # fmt: skip
