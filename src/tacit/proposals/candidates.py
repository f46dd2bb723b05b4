"""Candidates: the features from which new evidence is chosen, and the instances that have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from tacit.data.task import Task
from tacit.errors import BadInput, UnknownPredicate, did_you_mean, listed
from tacit.learning.reading import evenly_spread
from tacit.logic.evidence import Evidence, LabelFunction, Observed
from tacit.logic.formula import Atom
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.proposals.conjunctions import conjunctions
from tacit.proposals.features import Feature
from tacit.proposals.frequency import Frequency, Longs
from tacit.proposals.relations import n_of_column, occurrences, relations
from tacit.proposals.said import said, truth_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateConfig:
    """What is taken for a candidate."""

    relations: tuple[str, ...] | None = None  # None: all that are about an instance
    frequency: Frequency = field(default_factory=Frequency)
    conjunctions: int = 0  # at most so many pairs: they are many, and seldom better than n-grams
    conjoined: int = 300  # the most frequent features are paired; the cost is their number squared

    def __post_init__(self) -> None:
        if self.conjunctions < 0 or self.conjoined < 0:
            raise BadInput("there cannot be fewer than no conjunctions", remedy="0 or more")


@dataclass(frozen=True)
class Candidates:
    """Features in a fixed order: single facts by relation and constants, then conjunctions."""

    label: LabelFunction  # the label that they may speak for
    features: tuple[Feature, ...]
    matrix: sparse.csr_array  # (instances, features) 1 where the instance has the feature
    n_of_feature: Longs  # how many instances have each
    declarations: tuple[Observed, ...]  # of the relations that they are made of

    def __post_init__(self) -> None:
        for array in (self.matrix.data, self.matrix.indices, self.matrix.indptr, self.n_of_feature):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.features)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The features as program text, by which ties are broken."""
        return tuple(feature.key for feature in self.features)

    @cached_property
    def by_feature(self) -> sparse.csc_array:
        """The matrix, ready to be read feature by feature."""
        return self.matrix.tocsc()

    def instances(self, feature: int, most: int | None = None) -> Longs:
        """The rows that have a feature; with `most`, so many of them, evenly spread."""
        by = self.by_feature
        rows = np.sort(by.indices[by.indptr[feature] : by.indptr[feature + 1]]).astype(np.int64)
        return rows if most is None else evenly_spread(rows, most)

    def without(self, features: Collection[Feature]) -> Candidates:
        """The candidates that are not among these."""
        gone = frozenset(features)
        kept = [at for at, feature in enumerate(self.features) if feature not in gone]
        return self._taken(kept)

    def extended(self, program: Program, *evidence: Evidence) -> Program:
        """The program with evidence from these candidates, and what has to be declared for it."""
        used = {name for one in evidence for name in _predicates(one)}
        new = (d for d in self.declarations if d.name in used and d.name not in program.observed)
        larger = replace(program, declarations=(*program.declarations, *new))
        return larger.with_evidence(*evidence)

    def _taken(self, kept: list[int]) -> Candidates:
        """Some of the candidates, in this order."""
        found = replace(
            self,
            features=tuple(self.features[at] for at in kept),
            matrix=self.matrix[:, kept],
            n_of_feature=self.n_of_feature[kept],
        )
        found.__dict__["keys"] = tuple(self.keys[at] for at in kept)  # they take long to write
        return found


def candidates(
    task: Task,
    program: Program,
    label: str | None = None,
    *,
    config: CandidateConfig | None = None,
    known: Collection[Feature] = (),
) -> Candidates:
    """The features that could become evidence for a label function (the only one, unless named).

    Left out are features that are too rare or too common, those from which the program draws a
    conclusion already, the `known` ones (proposed or rejected before), and whatever stands in a
    hard rule about the label, such as gold.
    """
    config = CandidateConfig() if config is None else config
    function = _function(program, label)
    declared = _chosen(task, program, function, config.relations)
    every = _single(task, declared, function, config.frequency)
    if config.conjunctions:
        every = _with_pairs(every, config)
    spoken, known = said(program, function), frozenset(known)
    kept = [
        at
        for at, feature in enumerate(every.features)
        if feature not in known and not spoken.covers(feature)
    ]
    return every._taken(kept)


def _function(program: Program, name: str | None) -> LabelFunction:
    """The label function that is meant."""
    if name is None and len(program.labels) == 1:
        return next(iter(program.labels.values()))
    if name is None or name not in program.labels:
        raise BadInput(
            f"which label function is meant? There are: {listed(program.labels)}",
            remedy=did_you_mean(str(name), program.labels) or "name it with label=...",
        )
    return program.labels[name]


def _chosen(
    task: Task, program: Program, label: LabelFunction, names: tuple[str, ...] | None
) -> list[Observed]:
    """The relations to make features of, by name; those named must be there."""
    secret = truth_tables(program, label)
    found = {r.name: r for r in relations(task, program, label) if r.name not in secret}
    for name in names or ():
        if name not in found:
            raise UnknownPredicate(
                f"no features of '{label.domain}' can be made of '{name}'; there are: "
                f"{listed(found)}",
                remedy=did_you_mean(name, found),
            )
    return [found[name] for name in sorted(found if names is None else set(names))]


def _single(
    task: Task, declared: Iterable[Observed], label: LabelFunction, frequency: Frequency
) -> Candidates:
    """Every feature of one fact that is frequent enough."""
    found = [o for r in declared if (o := occurrences(task, r, label, frequency))]
    features = [Feature(o.relation.name, c) for o in found for c in o.constants]
    n_instances = len(task.instances(label.domain))
    empty = sparse.csr_array((n_instances, 0))
    matrix = sparse.csr_array(sparse.hstack([empty, *(o.matrix for o in found)], format="csr"))
    order = sorted(range(len(features)), key=lambda at: _place(features[at]))
    whole = Candidates(
        label, tuple(features), matrix, n_of_column(matrix), tuple(o.relation for o in found)
    )
    return whole._taken(order)


def _with_pairs(every: Candidates, config: CandidateConfig) -> Candidates:
    """The candidates with conjunctions behind them."""
    pairs, matrix = conjunctions(
        list(every.features),
        every.matrix,
        config.frequency,
        n_most=config.conjunctions,
        among=config.conjoined,
    )
    whole = sparse.csr_array(sparse.hstack([every.matrix, matrix], format="csr"))
    features = (*every.features, *pairs)
    return replace(every, features=features, matrix=whole, n_of_feature=n_of_column(whole))


def _place(feature: Feature) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Where a feature stands in the order: values of different kinds can be compared as text."""
    return feature.predicate, tuple((type(c).__name__, str(c)) for c in feature.constants)


def _predicates(evidence: Evidence) -> set[str]:
    """The observed predicates that evidence speaks of."""

    return {node.predicate for node in walk(evidence.formula) if isinstance(node, Atom)}
