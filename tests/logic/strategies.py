"""Hypothesis strategies of terms, formulas, worlds, evidence and whole programs.

`formulas()` yields anything over a small fixed vocabulary, well formed or not. `programs()` yields
programs that are well formed by construction, with odd names, labels and constants.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tacit.logic.evidence import (
    Evidence,
    Expect,
    Fixed,
    Hard,
    LabelFunction,
    Learned,
    Normal,
    Observed,
    Origin,
    Weight,
)
from tacit.logic.formula import (
    OPERATORS,
    RESERVED,
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Not,
    Or,
    SameLabel,
    Term,
    Truth,
    Value,
    Variable,
)
from tacit.logic.program import Program
from tacit.logic.traverse import variables
from tacit.logic.vocabulary import Vocabulary
from tacit.logic.wellformed import evidence_problems
from tests.logic.formula_writer import Draw, FormulaWriter
from tests.oracles.semantics import World

# -- the fixed vocabulary of formulas() ------------------------------------------------------------

PREDICATES = {"seen": 1, "near": 2, "between": 3}
LABELS = {"mood": ("neg", "pos", "so so"), "link": ("no", "pos")}
VARIABLES = ("r", "s", "w", "n")
SMALL_VALUES: tuple[Value, ...] = ("a", "pos", 1, 2.5)

ODD_TEXTS = (
    "", " ", "a", "pos", "Zürich", "日本語", "🧬", "it's", 'say "x"', "back\\slash", "\\n", "#1",
    "// no", "two\nlines", "tab\there", "cr\rhere", "\x00", "\u2028", "true", "hard", "1", "-2.5",
    "x" * 60, "a => b", "p(x)", "+w", "e\u0301",
)  # fmt: skip
ODD_NAMES = ("x", "X1", "_", "_a", "größe", "名", "a_b_c", "camelCase", "v", "e1", "É")
ODD_LABELS = (
    "so so", "true", "false", "hard", "1", "-1.5", "né(e)", "a|b", "it's", '"q"', "名", "no",
)  # fmt: skip


def values() -> st.SearchStrategy[Value]:
    """Constants of every kind, the odd ones often."""
    whole = st.integers(-(10**18) + 1, 10**18 - 1)
    numbers = st.one_of(st.integers(-3, 3), whole, st.floats(allow_nan=False, allow_infinity=False))
    texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=8))
    return st.one_of(texts, numbers, st.booleans())


def identifiers() -> st.SearchStrategy[str]:
    """Names that program text can hold, short and often odd."""
    plain = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
    return st.one_of(plain, st.sampled_from(ODD_NAMES)).filter(lambda name: name not in RESERVED)


def terms(constants: st.SearchStrategy[Value] | None = None) -> st.SearchStrategy[Term]:
    """Variables, some of them marked `+`, and constants."""
    marks = st.sampled_from([False, False, False, True])
    named = st.builds(Variable, st.sampled_from(VARIABLES), marks)
    return st.one_of(named, st.builds(Constant, constants if constants is not None else values()))


def leaves(constants: st.SearchStrategy[Value] | None = None) -> st.SearchStrategy[Formula]:
    """Formulas without parts: atoms, label atoms, comparisons and truth values."""
    term = terms(constants)
    subject = st.builds(LabelOf, st.sampled_from(sorted(LABELS)), term)
    names = sorted({name for labels in LABELS.values() for name in labels})
    label = st.one_of(st.builds(Constant, st.sampled_from(names)), term)
    atoms = [
        st.builds(Atom, st.just(name), st.tuples(*[term] * arity))
        for name, arity in PREDICATES.items()
    ]
    return st.one_of(
        *atoms,
        st.builds(LabelIs, subject, label),
        st.builds(SameLabel, subject, subject),
        st.builds(Comparison, term, st.sampled_from(OPERATORS), term),
        st.builds(Truth, st.booleans()),
    )


def formulas(
    constants: st.SearchStrategy[Value] | None = None, max_leaves: int = 8
) -> st.SearchStrategy[Formula]:
    """Arbitrary formulas of every node kind over the fixed vocabulary, shadowing included."""
    quantified = st.lists(st.sampled_from(VARIABLES), min_size=1, max_size=2, unique=True).map(
        lambda names: tuple(map(Variable, names))
    )
    quantifier = st.sampled_from(["atleast", "atmost", "exactly"])

    def larger(part: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        several = st.lists(part, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Not, part),
            st.builds(And, several),
            st.builds(Or, several),
            st.builds(Implies, part, part),
            st.builds(Iff, part, part),
            st.builds(Count, quantifier, st.integers(0, 3), quantified, part),
        )

    return st.recursive(leaves(constants), larger, max_leaves=max_leaves)


def small_formulas(max_leaves: int = 6) -> st.SearchStrategy[Formula]:
    """Formulas over the few values of `worlds()`, so that facts are often true."""
    return formulas(st.sampled_from(SMALL_VALUES), max_leaves)


@st.composite
def worlds(draw: Draw) -> World:
    """Small worlds over the fixed vocabulary in which every value has every label."""
    value = st.sampled_from(SMALL_VALUES)
    tables = {
        name: draw(st.frozensets(st.tuples(*[value] * arity), max_size=6))
        for name, arity in PREDICATES.items()
    }
    items = {*SMALL_VALUES, *(label for labels in LABELS.values() for label in labels)}
    labels = {
        (name, item): draw(st.sampled_from(space))
        for name, space in LABELS.items()
        for item in sorted(items, key=str)
    }
    return World(tables, labels)


def bindings() -> st.SearchStrategy[dict[str, Value]]:
    """A value for every variable of the fixed vocabulary."""
    return st.fixed_dictionaries({name: st.sampled_from(SMALL_VALUES) for name in VARIABLES})


# -- evidence and programs -------------------------------------------------------------------------


def finite() -> st.SearchStrategy[float]:
    """Finite numbers, common ones first."""
    usual = st.sampled_from([0.0, 1.0, 2.2, -1.5, 1e-7, 1e22])
    return st.one_of(usual, st.floats(allow_nan=False, allow_infinity=False))


def weights() -> st.SearchStrategy[Weight]:
    """Weights of all four kinds."""
    share = st.floats(0, 1)
    return st.one_of(
        st.builds(Learned, finite()),
        st.builds(Fixed, finite()),
        st.builds(Hard),
        st.builds(Expect, share, st.one_of(st.just(0.0), share)),
    )


def origins() -> st.SearchStrategy[Origin]:
    """Origins with facts of every kind."""
    said = st.one_of(st.sampled_from(ODD_TEXTS), st.integers(-9, 10**17), finite())
    facts = st.lists(st.tuples(identifiers(), said), max_size=3).map(tuple)
    return st.one_of(st.just(Origin()), st.builds(Origin, identifiers(), facts))


@st.composite
def vocabularies(draw: Draw) -> tuple[LabelFunction | Observed, ...]:
    """Declarations: one to three label functions and one to four observed predicates."""
    names = draw(st.lists(identifiers(), min_size=9, max_size=9, unique=True))
    domains, functions, predicates = names[:3], names[3:6], names[6:]
    label = st.one_of(st.sampled_from(ODD_LABELS), st.from_regex(r"[A-Z]{2,4}", fullmatch=True))
    declared: list[LabelFunction | Observed] = []
    for name in functions[: draw(st.integers(1, 3))]:
        labels = draw(st.lists(label, min_size=2, max_size=4, unique=True))
        declared.append(LabelFunction(name, draw(st.sampled_from(domains)), tuple(labels)))
    used = [d.domain for d in declared if isinstance(d, LabelFunction)]
    for name in predicates[: draw(st.integers(1, 3))]:
        others = draw(st.lists(st.sampled_from(domains), max_size=2))
        order = draw(st.permutations([draw(st.sampled_from(used)), *others]))
        declared.append(Observed(name, tuple(order)))
    return tuple(draw(st.permutations(declared)))


@st.composite
def evidence(draw: Draw, vocabulary: Vocabulary, name: str = "e") -> Evidence:
    """Well-formed evidence over a vocabulary, with weights, priors, scales and origins."""
    weight = draw(weights())
    formula = FormulaWriter(draw, vocabulary, values()).formula()
    prior, scale = None, None
    if isinstance(weight, Learned) and draw(st.booleans()):
        prior = Normal(draw(finite()), draw(st.floats(1e-9, 1e9)))
    free = sorted(variables(formula))
    if free and isinstance(weight, Learned | Fixed) and draw(st.integers(0, 4)) == 0:
        scale = Variable(draw(st.sampled_from(free)))
    return Evidence(name, formula, weight, prior, scale, draw(origins()))


@st.composite
def programs(draw: Draw, max_evidence: int = 3) -> Program:
    """Well-formed programs."""
    declarations = draw(vocabularies())
    vocabulary = Vocabulary.of(declarations)
    size = draw(st.integers(0, max_evidence))
    names = draw(st.lists(identifiers(), min_size=size, max_size=size, unique=True))
    pieces = [
        draw(evidence(vocabulary, name).filter(lambda e: not evidence_problems(e, vocabulary)))
        for name in names
    ]
    return Program(declarations, tuple(pieces))
