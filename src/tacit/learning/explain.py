"""Explaining a label: its log-odds as a sum of what each piece of evidence contributes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import BadInput
from tacit.learning.described import Described, function_name, posteriors
from tacit.learning.explanation import Explanation, Kind, Neighbour, Part
from tacit.learning.incoming import Incoming, incoming
from tacit.learning.spoken import (
    Row,
    Traces,
    id_of,
    possible_labels,
    row_of,
    ruled_out,
    spoken_of,
)
from tacit.learning.supervision import added_to_labels
from tacit.learning.versus import Versus
from tacit.learning.votes import Floats

if TYPE_CHECKING:
    from tacit.learning.label_model import LabelModel

NOTHING = 1e-7  # a remainder that is not worth a line
MOST_TRACED = 40  # parts whose rows are looked up; the others show their keys

Source = int | Incoming | None  # where a part comes from: a weight, a factor, or neither
Draft = tuple[Part, Source]


def explain(
    model: LabelModel,
    instance: object,
    name: str | None = None,
    *,
    label: str | None = None,
    against: str | None = None,
    log_psi: Floats | None = None,
    rows: bool = True,
    traces: Traces | None = None,
) -> Explanation:
    """Why an instance has its label: the log-odds against the runner-up, part by part.

    Evidence on the label alone contributes its weight times its count. A formula that ties the
    label to others contributes what it says given what those others believe without this
    instance: on a tree, where nothing but this instance connects them, these contributions are
    exact. Otherwise the others agree or disagree among themselves, which no formula says alone:
    the difference is a part of its own, "loops". It also holds what an approximate method is off.

    - `name`: the label function, where there are several.
    - `label`, `against`: the two labels; else the most probable one and the runner-up.
    - `log_psi`: a predictor's log-probabilities of this instance's labels, multiplied in.
    - `rows`: whether to look up the rows that made each formula speak; quicker without.
    - `traces`: of this model, which look them up; who explains many keeps one open.
    """
    described = Described(model)
    name = function_name(model, name)
    row = row_of(model, name, instance)
    psi = _checked(log_psi, len(model.labels_[name]))
    versus = Versus.of(model.labels_[name], posteriors(model)[name][row], psi, label, against)
    case = _Case(model, described, name, row, versus)
    alone = [*case.unary(), *case.plain(psi), *case.hard()]
    joint = case.joint()
    log_odds = versus.log_odds(
        possible_labels(model, name, row), [part.contribution for part, _ in (*alone, *joint)]
    )
    drafts = _balanced(log_odds, alone, joint)
    drafts.sort(key=lambda draft: -_size(draft[0]))
    parts = case.with_rows(drafts, traces) if rows else [part for part, _ in drafts]
    return Explanation(
        function=name,
        instance=instance,
        label=versus.label,
        against=versus.against,
        probabilities=dict(zip(versus.labels, versus.probabilities.tolist(), strict=True)),
        log_odds=log_odds,
        parts=tuple(parts),
        note=versus.note(log_odds),
    )


@dataclass(frozen=True, slots=True)
class _Case:
    """One instance, two of its labels, and all that bears on them."""

    model: LabelModel
    described: Described
    name: str
    row: int
    versus: Versus

    def unary(self) -> list[Draft]:
        """What each weight says of this label alone."""
        standing = set(self.model.votes_[self.name].standing.weight.tolist())
        graph = self.model.graph_
        expected = set() if graph is None else set(graph.expectations.weight.tolist())
        found: list[Draft] = []
        for weight, counts in spoken_of(self.model, self.name, self.row).items():
            kind: Kind = "standing" if weight in standing else "evidence"
            kind = "expectation" if weight in expected else kind
            count = self.versus.between(counts)
            part = self._part(weight, kind, float(self.described.values[weight]) * count, count)
            if self.model.graph_ is None:
                vote = self.versus.labels[int(counts.argmax())]
                part = replace(part, rows=({**part.rows[0], "label": vote},))
            found.append((part, weight))
        return found

    def plain(self, log_psi: Floats | None) -> list[Draft]:
        """The bias of the labels, and what a predictor says."""
        found: list[Draft] = []
        bias = self.model.bias_[self.name]
        if bias.any():
            formula = "how common the labels are, as learned"
            worth = self.versus.between(bias)
            part = Part(kind="bias", name="class bias", contribution=worth, formula=formula)
            found.append((part, None))
        own = self.model.network_.get(self.name)
        said = [own[self.row]] if own is not None else []
        for log_votes in said + ([log_psi] if log_psi is not None else []):
            worth = self.versus.between(log_votes)
            formula = "log-probabilities of the labels"
            part = Part(kind="predictor", name="predictor", contribution=worth, formula=formula)
            found.append((part, None))
        return found

    def hard(self) -> list[Draft]:
        """Hard evidence on this label alone."""
        found: list[Draft] = []
        for weight, out in ruled_out(self.model, self.name, self.row).items():
            worth = self.versus.between(np.where(out, -np.inf, 0.0))
            found.append((self._part(weight, "hard", worth), weight))
        return found

    def joint(self) -> list[Draft]:
        """What each formula says that ties this label to others."""
        model = self.model
        if model.graph_ is None or model.beliefs_ is None:
            return []
        plain = added_to_labels(model.graph_, model.bias_, model.network_)
        variable = model.graph_.span(self.name).first_variable + self.row
        found: list[Draft] = []
        for one in incoming(model.factors_, model.graph_, model.beliefs_.weights, plain, variable):
            worth = self.versus.between(one.log_message)
            others = [v for v in one.variables if v != variable]
            part = self._part(one.weight, "neighbours", worth, one.count)
            part = replace(part, neighbours=tuple(map(self._neighbour, others)))
            found.append((part, one))
        return found

    def with_rows(self, drafts: list[Draft], kept: Traces | None) -> list[Part]:
        """The parts with the rows that made them speak; those beyond the first show their keys."""
        if self.model.graph_ is None:
            return [part for part, _ in drafts]
        first = drafts[:MOST_TRACED]
        weights = [s for p, s in first if isinstance(s, int) and p.kind != "expectation"]
        parts = []
        own = closing(Traces(self.model.factors_)) if kept is None else nullcontext(kept)
        with own as traces:
            of_weight = traces.of_label(self.name, self.row, weights)
            for part, source in first:
                told: tuple[Row, ...] = ()
                if isinstance(source, Incoming):
                    told = traces.of_factor(source)
                elif source is not None:
                    told = of_weight.get(source, ())
                parts.append(replace(part, rows=told or part.rows))
        return [*parts, *(part for part, _ in drafts[MOST_TRACED:])]

    def _part(self, weight: int, kind: Kind, worth: float, count: float = math.nan) -> Part:
        described = self.described
        key = described.key(weight)
        return Part(
            kind=kind,
            name=described.names[weight],
            contribution=worth,
            formula=described.formula(weight),
            rows=(key,) if key else (),
            weight=float(described.values[weight]),
            error=float(described.errors[weight]),
            count=count,
        )

    def _neighbour(self, variable: int) -> Neighbour:
        name, instance, row = id_of(self.model, variable)
        probabilities = posteriors(self.model)[name][row]
        best = int(probabilities.argmax())
        return Neighbour(name, instance, self.model.labels_[name][best], float(probabilities[best]))


def _balanced(log_odds: float, alone: list[Draft], joint: list[Draft]) -> list[Draft]:
    """All parts, with one for what the others miss, so that they add up to the log-odds."""
    told = _total(alone)
    if math.isnan(log_odds):
        return [*alone, *joint]
    if math.isinf(log_odds):
        if any(part.contribution == log_odds for part, _ in (*alone, *joint)):
            return [*alone, *joint]
        formula = "hard evidence on labels that this one is tied to"
        part = Part(kind="hard", name="ties", contribution=log_odds, formula=formula)
        return [*alone, *joint, (part, None)]
    if not math.isfinite(_total(joint)):  # a rounded message: only their sum is known
        others = tuple(one for part, _ in joint for one in part.neighbours)
        part = Part(kind="neighbours", name="ties", contribution=log_odds - told, neighbours=others)
        return [*alone, (part, None)]
    missed = log_odds - told - _total(joint)
    if abs(missed) < NOTHING:
        return [*alone, *joint]
    formula = "what the neighbours have in common, being tied to each other"
    part = Part(kind="loops", name="loops", contribution=missed, formula=formula)
    return [*alone, *joint, (part, None)]


def _total(drafts: Iterable[Draft]) -> float:
    return sum(part.contribution for part, _ in drafts)


def _size(part: Part) -> float:
    return math.inf if math.isnan(part.contribution) else abs(part.contribution)


def _checked(log_psi: Floats | None, n_labels: int) -> Floats | None:
    """A predictor's log-probabilities, refused where they are none."""
    if log_psi is None:
        return None
    found = np.asarray(log_psi, dtype=np.float64)
    if found.shape != (n_labels,):
        raise BadInput(
            f"log_psi has the shape {found.shape}",
            remedy=f"give the log-probability of each of the {n_labels} labels",
        )
    if np.isnan(found).any() or (found == np.inf).any() or (found == -np.inf).all():
        raise BadInput(
            "log_psi holds what is no log-probability", remedy="use finite numbers, or -inf for 0"
        )
    return found
