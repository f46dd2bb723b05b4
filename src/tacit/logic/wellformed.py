"""What must be true of a program whatever the data: names, arities, types, labels and safety."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tacit.errors import (
    ArityMismatch,
    BadFormula,
    DuplicateName,
    Place,
    TacitError,
    TypeMismatch,
    UnknownLabel,
    UnknownPredicate,
    UnsafeFormula,
    did_you_mean,
    listed,
)
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.formula import (
    Atom,
    Constant,
    Count,
    Formula,
    LabelIs,
    LabelOf,
    SameLabel,
    Truth,
    Variable,
)
from tacit.logic.normal import simplify
from tacit.logic.safety import label_ranged, unbound, unconnected
from tacit.logic.traverse import is_hidden, per_value_variables, terms, variables, walk
from tacit.logic.vocabulary import Vocabulary


def problems(declarations: Sequence[Declaration], evidence: Sequence[Evidence]) -> list[TacitError]:
    """Everything that is wrong with a program, in the order in which it is written."""
    vocabulary = Vocabulary.of(declarations)
    found = declaration_problems(declarations) + name_problems(evidence)
    for piece in evidence:
        found.extend(evidence_problems(piece, vocabulary))
    return found


def declaration_problems(declarations: Sequence[Declaration]) -> list[TacitError]:
    """Names that are declared twice."""
    seen: dict[str, Declaration] = {}
    found: list[TacitError] = []
    for declaration in declarations:
        first = seen.setdefault(declaration.name, declaration)
        if first is not declaration:
            found.append(
                DuplicateName(
                    f"'{declaration.name}' is declared twice{_line(first.place)}",
                    place=declaration.place,
                    remedy="keep one of the two",
                )
            )
    return found


def name_problems(evidence: Iterable[Evidence]) -> list[TacitError]:
    """Formula names that are used twice."""
    seen: dict[str, Evidence] = {}
    found: list[TacitError] = []
    for piece in evidence:
        first = seen.setdefault(piece.name, piece)
        if first is not piece:
            found.append(
                DuplicateName(
                    f"two formulas are called '{piece.name}'{_line(first.place)}",
                    place=piece.place,
                    remedy="give each formula a name of its own",
                )
            )
    return found


def evidence_problems(evidence: Evidence, vocabulary: Vocabulary) -> list[TacitError]:
    """Everything that is wrong with one formula.

    Later checks rely on what earlier ones establish, so the first that finds something ends the
    search: one mistake, one message.
    """
    checks: tuple[Callable[[Evidence, Vocabulary], Iterator[TacitError]], ...] = (
        _unknown_names,
        _wrong_arities,
        _unknown_labels,
        _wrong_domains,
        _says_nothing,
        _unsafe_variables,
        _unconnected_variables,
    )
    if vocabulary.presumes(evidence):
        return []  # what it uses could not be read: nothing can be said of it
    for check in checks:
        if found := list(check(evidence, vocabulary)):
            return found
    return []


def _line(place: Place | None) -> str:
    return f" (first in line {place.line})" if place else ""


def _label_subjects(formula: Formula) -> Iterator[LabelOf]:
    for node in walk(formula):
        if isinstance(node, LabelIs):
            yield node.subject
        elif isinstance(node, SameLabel):
            yield from (node.left, node.right)


def _unknown_names(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Predicates and label functions that were not declared."""
    uses = [(s.label, s.place) for s in _label_subjects(evidence.formula)]
    for label, place in uses:
        if label not in vocabulary.labels:
            yield _unknown(evidence, label, place, "a label function", vocabulary.labels)
    for node in walk(evidence.formula):
        if isinstance(node, Atom) and node.predicate not in vocabulary.observed:
            known = [*vocabulary.observed, *vocabulary.labels]
            yield _unknown(evidence, node.predicate, node.place, "a predicate", known)


def _unknown(
    evidence: Evidence, name: str, place: Place | None, what: str, known: Iterable[str]
) -> TacitError:
    known = list(known)
    return UnknownPredicate(
        f"formula '{evidence.name}' uses '{name}', which is not declared as {what}; "
        f"declared: {listed(known)}",
        place=place and Place(place.source, place.line, place.column, len(name), place.text),
        remedy=did_you_mean(name, known) or "declare it: observed name(domain, ...)",
    )


def _wrong_arities(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Atoms with too many or too few arguments."""
    for node in walk(evidence.formula):
        if isinstance(node, Atom):
            declared = vocabulary.observed[node.predicate]
            if len(node.terms) != declared.arity:
                signature = f"{declared.name}({', '.join(declared.domains)})"
                yield ArityMismatch(
                    f"formula '{evidence.name}' gives '{node.predicate}' {len(node.terms)} "
                    f"argument{'s' * (len(node.terms) != 1)}; it takes {declared.arity}",
                    place=node.place,
                    remedy=f"it is declared as {signature}",
                )


def _unknown_labels(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Label values outside their space, and variables that look like a misspelt label."""
    ranged = label_ranged(evidence.formula)
    for node in walk(evidence.formula):
        if not isinstance(node, LabelIs):
            continue
        function = vocabulary.labels[node.subject.label]
        match node.value:
            case Constant(value) if value in function.labels:
                continue
            case Constant(value):
                name = str(value)
            case Variable(name) if name not in ranged or ranged[name] > 1 or node.value.per_value:
                continue
        yield UnknownLabel(
            f"formula '{evidence.name}' uses label '{name}'; {function.name} has: "
            f"{listed(function.labels)}",
            place=node.value.place,
            remedy=did_you_mean(name, function.labels) or "use one of its labels",
        )
    for term in terms(evidence.formula):
        if isinstance(term, Variable) and term.name in vocabulary.label_names:
            yield DuplicateName(
                f"formula '{evidence.name}' calls a variable '{term.name}', which is a label",
                place=term.place,
                remedy="rename the variable",
            )


def _uses(formula: Formula, vocabulary: Vocabulary) -> Iterator[tuple[Variable, str]]:
    """Each use of a variable in a place that has a domain."""
    for node in walk(formula):
        if isinstance(node, Atom):
            domains = vocabulary.observed[node.predicate].domains
            for term, domain in zip(node.terms, domains, strict=True):
                if isinstance(term, Variable):
                    yield term, domain
    for subject in _label_subjects(formula):
        if isinstance(subject.item, Variable):
            yield subject.item, vocabulary.labels[subject.label].domain


def _wrong_domains(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Variables used for two different kinds of thing, and labels that can never be equal."""
    seen: dict[str, str] = {}
    for variable, domain in _uses(evidence.formula, vocabulary):
        first = seen.setdefault(variable.name, domain)
        if first != domain:
            yield TypeMismatch(
                f"formula '{evidence.name}' uses '{variable.name}' both as a {first} and "
                f"as a {domain}",
                place=variable.place,
                remedy="use two variables, or give both declarations the same domain name",
            )
    for node in walk(evidence.formula):
        if isinstance(node, SameLabel):
            left, right = (vocabulary.labels[s.label] for s in (node.left, node.right))
            if not set(left.labels) & set(right.labels):
                yield TypeMismatch(
                    f"formula '{evidence.name}' equates labels of '{left.name}' and "
                    f"'{right.name}', which have no label in common",
                    place=node.place,
                )


def _unsafe_variables(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Variables that nothing binds, so that the formula would speak of anything at all."""
    domains = {variable.name: domain for variable, domain in _uses(evidence.formula, vocabulary)}
    for variable in unbound(evidence.formula):
        domain = domains.get(variable.name)
        tables = {function.domain for function in vocabulary.labels.values()}
        remedy = "add a fact about it to the condition"
        if domain in tables:
            remedy += f", such as {domain}({variable.name})"
        yield UnsafeFormula(
            f"formula '{evidence.name}': nothing in the condition binds '{variable.name}'; "
            "it appears only under negation, in a comparison or in the conclusion",
            place=variable.place,
            remedy=remedy,
        )
    scale = evidence.scale
    if scale is not None and scale.name not in variables(evidence.formula):
        yield UnsafeFormula(
            f"formula '{evidence.name}' is scaled by '{scale.name}', which it does not bind",
            place=scale.place,
            remedy=f"use '{scale.name}' as the numeric argument of a fact in the condition",
        )


def _unconnected_variables(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Variables that would be combined each with each."""
    tables = {function.domain for function in vocabulary.labels.values()}
    if (pair := unconnected(evidence.formula, tables)) is not None:
        one, other = pair
        yield UnsafeFormula(
            f"formula '{evidence.name}' pairs every '{one.name}' with every '{other.name}': "
            "no fact or comparison connects them",
            place=other.place,
            remedy="add a fact that names both, or its table, such as review(r), to mean every one",
        )


def _says_nothing(evidence: Evidence, vocabulary: Vocabulary) -> Iterator[TacitError]:
    """Formulas without a hidden label, or true or false whatever the labels are."""
    del vocabulary
    formula = evidence.formula
    inner = {v.name for n in walk(formula) if isinstance(n, Count) for v in n.variables}
    keyed = {t.name for t in terms(formula) if isinstance(t, Variable) and t.per_value}
    for name in sorted((keyed & inner) - set(per_value_variables(formula))):
        yield BadFormula(
            f"formula '{evidence.name}': '+{name}' cannot key the weight from inside a quantifier",
            place=evidence.place,
        )
    if not is_hidden(formula):
        yield BadFormula(
            f"formula '{evidence.name}' says nothing about a label",
            place=evidence.place,
            remedy="let its conclusion name one, such as => sentiment(r) = pos",
        )
        return
    simple = simplify(formula)
    if isinstance(simple, Truth):
        always = "true" if simple.value else "false"
        yield BadFormula(
            f"formula '{evidence.name}' is always {always}: nothing can be learned from it",
            place=evidence.place,
        )
