"""The label model: what the evidence alone says about each label, its weights learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacit.data import Task
from tacit.errors import BadInput
from tacit.graph import FactorGraph
from tacit.graph.build import graph_of
from tacit.grounding import GroundFactors, ground_factors
from tacit.inference import Beliefs
from tacit.inference.choosing import Method
from tacit.learning.applying import inferred, labels_on, single
from tacit.learning.casting import labels_of_matrix, votes_of_matrix
from tacit.learning.cautions import (
    warn_of_common,
    warn_of_difference,
    warn_of_evidence,
    warn_of_polarity,
    warn_of_silence,
)
from tacit.learning.dependencies import learn
from tacit.learning.fitting import (
    Apart,
    Fitted,
    Objective,
    Point,
    Priors,
    climb,
)
from tacit.learning.information import standard_errors
from tacit.learning.likelihood import VoteLikelihood
from tacit.learning.plausible import held_to_plausible
from tacit.learning.settings import check_settings, finite
from tacit.learning.silenced import as_given, silenced
from tacit.learning.supervision import added_to_labels
from tacit.learning.tied import Tied
from tacit.learning.votes import Floats, Truths, Votes
from tacit.learning.votes_of_graph import is_tied, states_shares, votes_of_graph
from tacit.logic.check import check
from tacit.logic.functions import FUNCTION_WEIGHT
from tacit.logic.matrix import LabelMatrix
from tacit.logic.program import Program

if TYPE_CHECKING:
    from tacit.learning.evidence_table import EvidenceTable
    from tacit.learning.explanation import Explanation

BIAS_DEVIATION = 0.5  # of a label's bias, as of weights: a looser one goes astray on few rows
MANY_PAIRS = 3e6  # of sources, times labels: to look for dependencies among more takes long


class LabelModel:
    """Learns how far each piece of evidence can be trusted, and what the labels then are.

    - `class_prior`: what is believed of an instance of which nothing is said. "even": any label is
      as likely as any other; "learned": some labels are more common, by a bias that is learned.
      "auto" learns it where every source votes for several labels: only then do votes, and not
      silence, tell how common labels are.
    - `abstention`: with "informative", that a source is silent is evidence too.
    - `prior_deviation`: how far a learned weight may stray from what the expert wrote, where the
      program does not say (`2.2 ~ 2.2 +- 1.0`). At 0.5, some forty instances move it half way.
    - `polarity`: with "keep", a learned weight keeps the sign that the expert gave it; with "free"
      it may turn. A warning names what stands at 0, or has turned.
    - `keywords`: of evidence that can speak for one label only, the weights stay as "given". Or
      they do so but for such as speak of most instances, which get the highest weight that is
      "plausible". "auto" learns them, and is plausible where learning would leave nothing that
      speaks for some label; `silenced_` names the labels that learning would have silenced.
    - `dependencies`: with "learned", sources of which one mostly repeats the other are found, and
      what they repeat counts as said once when weights are learned. "auto" does so unless there
      are very many sources.
    - `method`: of inference, where labels are tied to each other: its name, or its configuration
      (`BPConfig(at_least_one="noisy_or")` is the chapter's way with at-least-one groups).
    - `max_steps`, `tolerance`: the climb ends with a step that gains less log-likelihood.

    After `fit`: `posterior_` is (instances, labels), or a dict of such arrays when the program has
    several label functions; `weights_` maps each weight's name to its value, `errors_` to its
    standard error; `class_prior_` are the shares of labels that the model expects,
    `dependencies_` what was found of sources that repeat each other.
    """

    fitted_: Fitted
    _objective: Objective
    _taught_objective: Objective  # with labels given, as by a network: then all can be learned
    beliefs_: Beliefs | None  # where labels are tied to each other
    network_: dict[str, Floats]  # what a network adds to each label, by label function; see `take`

    def __init__(
        self,
        *,
        class_prior: Literal["auto", "learned", "even"] = "auto",
        abstention: Literal["ignored", "informative"] = "ignored",
        prior_deviation: float = 0.5,
        polarity: Literal["keep", "free"] = "keep",
        keywords: Literal["auto", "plausible", "given"] = "auto",
        dependencies: Literal["auto", "learned", "ignored"] = "auto",
        method: Method = "auto",
        max_steps: int = 200,
        tolerance: float = 0.01,
    ) -> None:
        self.class_prior = class_prior
        self.abstention = abstention
        self.prior_deviation = prior_deviation
        self.polarity = polarity
        self.keywords = keywords
        self.dependencies = dependencies
        self.method = method
        self.max_steps = max_steps
        self.tolerance = tolerance

    def fit(
        self, task: Task, program: Program, *, previous: GroundFactors | None = None
    ) -> LabelModel:
        """Learn the weights of a program from a task's data, without labels.

        With `previous`, the factors of a program that this one begins with, only the formulas that
        are new are grounded.
        """
        check(program, task)
        votes = self._hold(ground_factors(program, task, previous=previous))
        weights = self.factors_.weights
        self._learn(votes, weights.start, weights.is_learned, self._priors())
        return self

    def _hold(self, factors: GroundFactors) -> tuple[Votes, ...]:
        """Hold all that a program says of a task; the votes in that, by label function."""
        graph = graph_of(factors)
        self.program_, self.task_, self.factors_ = factors.program, factors.task, factors
        self.graph_: FactorGraph | None = graph
        self.labels_ = {span.name: span.labels for span in graph.spans}
        self.weight_names_ = graph.weight_names or ()
        return votes_of_graph(factors, graph, count_alike=not is_tied(graph))

    def fit_matrix(
        self,
        matrix: Any,
        labels: Sequence[str] | None = None,
        *,
        functions: Sequence[str] | None = None,
        per_class: bool = False,
        weight: float = FUNCTION_WEIGHT,
    ) -> LabelModel:
        """Learn from a label matrix (instances, functions) of label indices, -1 = abstain.

        The same as `fit(*tacit.from_label_matrix(...))`, without tables in between: the quick way
        for many rows. Labels are called "0", "1", ... unless named.
        """
        known = LabelMatrix.of(matrix, labels, functions)
        with _refusing_strays(known):
            votes = votes_of_matrix(known.votes, len(known.labels), per_class=per_class)
        names = known.weight_names(per_class=per_class)
        start = np.full(len(names), finite("weight", weight))
        self.labels_ = {"y": known.labels}
        self.weight_names_ = names
        self.graph_ = None
        priors = Priors(start, np.full(len(names), self.prior_deviation), BIAS_DEVIATION)
        self._learn((votes,), start, np.ones(len(names), dtype=bool), priors)
        return self

    def _learn(
        self, votes: tuple[Votes, ...], start: Floats, is_learned: Truths, priors: Priors
    ) -> None:
        """Climb the likelihood, and infer the labels once more at its top."""
        check_settings(self)
        for found in ("errors_", "_posteriors"):
            self.__dict__.pop(found, None)  # of an earlier fit
        self.votes_ = dict(zip(self.labels_, votes, strict=True))
        if self._tied_graph is None:
            warn_of_evidence(self.votes_, self.labels_, self.weight_names_, is_learned)
        is_learned = is_learned & self._spoken(votes, len(start))
        self._climb(votes, start, is_learned, priors)
        stays = self._explained_away(votes, start) & is_learned
        if stays.any():
            given = start
            start, priors = self._plausible(given, stays, priors)
            warn_of_common(self.weight_names_, start < given)
            self._climb(votes, start, is_learned & ~stays, priors)
        self._taught_objective = self._objective.learning(is_learned)
        self._name(self.fitted_.point)
        self._infer()
        self.network_ = {}
        warn_of_polarity(self.weight_names_, priors.mean, self.fitted_)
        for name, own in self.votes_.items():
            warn_of_difference(name, own, start, self._by_pattern[name])

    def take(
        self,
        point: Point,
        labels: dict[str, Floats],
        beliefs: Beliefs | None,
        network: dict[str, Floats],
    ) -> None:
        """Hold what Algorithm 1 has made of weights and labels, with what a network says of these.

        `network` is what it adds to each label: (instances, labels), by label function.
        """
        self.__dict__.pop("errors_", None)  # those of the weights before
        self.fitted_ = replace(self.fitted_, point=point)
        self._name(point)
        self.beliefs_, self._posteriors, self.network_ = beliefs, labels, network

    def _name(self, point: Point) -> None:
        self.weights_ = dict(zip(self.weight_names_, point.weights.tolist(), strict=True))
        self.bias_ = dict(zip(self.labels_, point.biases, strict=True))

    def _climb(
        self, votes: tuple[Votes, ...], start: Floats, is_learned: Truths, priors: Priors
    ) -> None:
        """Learn weights, and where asked for which sources depend on each other."""
        has_bias = [self._learns_bias(name, is_learned) for name in self.votes_]

        def fit(own: Sequence[Votes]) -> tuple[Objective, Fitted]:
            objective = self._objective_of(own, start, is_learned, has_bias, priors)
            fitted = climb(
                objective,
                keep_polarity=self.polarity == "keep",
                max_steps=self.max_steps,
                tolerance=self.tolerance,
            )
            return objective, fitted

        if self._learns_dependencies(votes):
            found = learn(votes, start, fit, silence_tells=self._silence_tells)
            self._objective, self.fitted_ = found.objective, found.fitted
            dependencies = found.dependencies
        else:
            self._objective, self.fitted_ = fit(votes)
            dependencies = ((),) * len(votes)
        self.dependencies_ = dict(zip(self.labels_, dependencies, strict=True))

    def _plausible(self, start: Floats, stays: Truths, priors: Priors) -> tuple[Floats, Priors]:
        """Weights that stay as given, and what is believed of them, no higher than they can be."""
        if self.keywords == "given":
            return start, priors
        unstated = [
            own for name, own in self.votes_.items() if not states_shares(self.graph_, name, own)
        ]
        return held_to_plausible(unstated, start, stays, priors)

    def _priors(self) -> Priors:
        """What the program says of weights; what it does not say is near where they start."""
        weights = self.factors_.weights
        mean = weights.start.copy()
        deviations = np.full(weights.n_weights, self.prior_deviation)
        stated = [block.evidence.prior for block in weights.blocks]
        for prior, low, high in zip(stated, weights.first, weights.first[1:], strict=False):
            if prior is not None:
                mean[low:high], deviations[low:high] = prior.mean, prior.deviation
        return Priors(mean, deviations, BIAS_DEVIATION)

    def _objective_of(
        self,
        votes: Sequence[Votes],
        start: Floats,
        is_learned: Truths,
        has_bias: Sequence[bool],
        priors: Priors,
    ) -> Objective:
        """What is to be climbed, where sources that repeat each other are joined already."""
        likelihoods = [VoteLikelihood(own, silence_tells=self._silence_tells) for own in votes]
        phases: Apart | Tied = Apart(likelihoods)
        if self._tied_graph is not None:
            phases = Tied(self._tied_graph, likelihoods, self.method)
        return Objective(likelihoods, phases, start, is_learned, has_bias, priors)

    def _explained_away(self, votes: tuple[Votes, ...], start: Floats) -> Truths:
        """The weights that stay as given, as learning would silence some of the labels."""
        stays = np.zeros(len(start), dtype=bool)
        self.silenced_: dict[str, tuple[str, ...]] = {}
        for (name, labels), own in zip(self.labels_.items(), votes, strict=True):
            lost = silenced(own, start, self.fitted_.point.weights)
            if self.polarity == "keep" and len(lost):
                self.silenced_[name] = tuple(labels[at] for at in lost)
                warn_of_silence(name, self.silenced_[name])
            if self.keywords != "auto" or name in self.silenced_:
                stays |= as_given(own, len(start))
        return stays

    @property
    def _silence_tells(self) -> bool:
        """Whether it is evidence too that a source is silent."""
        return self.abstention == "informative"

    @property
    def _tied_graph(self) -> FactorGraph | None:
        """The factor graph, where anything in it ties labels to each other."""
        return self.graph_ if self.graph_ is not None and is_tied(self.graph_) else None

    def _learns_dependencies(self, votes: tuple[Votes, ...]) -> bool:
        """Whether dependencies between sources are to be looked for."""
        if self.dependencies != "auto":
            return self.dependencies == "learned"
        return all(own.n_sources**2 * own.n_labels <= MANY_PAIRS for own in votes)

    def _learns_bias(self, name: str, is_learned: Truths) -> bool:
        """Whether a bias of the labels is to be learned."""
        votes = self.votes_[name]
        if self.class_prior != "auto":
            return self.class_prior == "learned"
        if self._silence_tells:
            return True
        if states_shares(self.graph_, name, votes) or not is_learned[votes.weights].any():
            return False
        telling = np.unique(votes.source_of_event[~votes.is_constant])
        return len(telling) > 0 and bool(votes.is_many_sided[telling].all())

    def _spoken(self, votes: tuple[Votes, ...], n_weights: int) -> Truths:
        """Which weights have any grounding."""
        spoken = np.zeros(n_weights, dtype=bool)
        for own in votes:
            spoken[own.weights] = True
        for block in self.graph_.blocks if self.graph_ is not None else ():
            spoken[block.potentials.weight] = True
        return spoken

    def _infer(self) -> None:
        """The labels under the learned weights, by pattern; of a graph, by instance too."""
        point, votes = self.fitted_.point, self.votes_
        self.beliefs_ = None
        if self.graph_ is None:
            found = self._objective.phases.seen(point.weights, point.biases).labels
            self._by_pattern = dict(zip(votes, found, strict=True))
        else:
            added = added_to_labels(self.graph_, self.bias_, {})
            labels, self.beliefs_ = inferred(self.graph_, point.weights, added, self.method)
            self._by_pattern = {name: labels[name][votes[name].an_instance] for name in votes}
            self._posteriors = labels

    @cached_property
    def _posteriors(self) -> dict[str, Floats]:
        """The labels by instance: of a label matrix, written out when they are first asked for."""
        return {name: own.by_instance(self._by_pattern[name]) for name, own in self.votes_.items()}

    @property
    def posterior_(self) -> Floats | dict[str, Floats]:
        """The probability of each label, in instance order."""
        self._require_fitted()
        return single(self._posteriors)

    @property
    def class_prior_(self) -> Floats | dict[str, Floats]:
        """The share of each label that the model expects before it sees any vote."""
        self._require_fitted()
        shares = self._objective.class_shares(self.fitted_.point)
        return single(dict(zip(self.labels_, shares, strict=True)))

    @cached_property
    def errors_(self) -> dict[str, float]:
        """The standard error of each weight; not a number where it was not learned."""
        self._require_fitted()
        errors = standard_errors(self._objective, self.fitted_.point)
        return dict(zip(self.weight_names_, errors.tolist(), strict=True))

    def predict_proba(self, task: Task) -> Floats | dict[str, Floats]:
        """The probability of each label on another task, with the weights as they were learned.

        Evidence with keys that were not seen before keeps the weight that the program gives it;
        evidence on tables that this task does not have is left out, with a warning.
        """
        self._require_fitted()
        if self.graph_ is None:
            raise BadInput(
                "the label model was fitted on a label matrix", remedy="use predict_matrix(matrix)"
            )
        return labels_on(
            task, self.program_, weights=self.weights_, biases=self.bias_, method=self.method
        )

    def predict_matrix(self, matrix: Any) -> Floats:
        """The probability of each label for the rows of another label matrix."""
        self._require_fitted()
        if self.graph_ is not None:
            raise BadInput("the label model was fitted on a task", remedy="use predict_proba(task)")
        (labels,) = self.labels_.values()
        known = LabelMatrix.of(matrix, labels)
        n_functions = known.votes.shape[1]
        per_class = len(self.weight_names_) == n_functions * len(labels)
        if not per_class and len(self.weight_names_) != n_functions:
            raise BadInput(
                f"the matrix has {n_functions} columns, but the label model was fitted on "
                f"{len(self.weight_names_)} functions",
                remedy="give the same functions in the same order",
            )
        point = self.fitted_.point
        weights = point.weights.reshape(n_functions, -1)
        worth = np.broadcast_to(weights, (n_functions, len(labels)))
        with _refusing_strays(known):
            return labels_of_matrix(known.votes, worth, point.biases[0])

    def explain(self, instance: object, name: str | None = None, **settings: Any) -> Explanation:
        """Why an instance has its label, as a sum of parts: see `tacit.learning.explain`."""
        from tacit.learning.explain import explain

        return explain(self, instance, name, **settings)

    def analysis(self, gold: Any = None) -> EvidenceTable:
        """One row for each weight: how far its evidence reaches, and how far it is trusted."""
        from tacit.learning.analysis import analysis

        return analysis(self, gold)

    def _require_fitted(self) -> None:
        if not hasattr(self, "weights_"):
            raise BadInput("the label model is not fitted", remedy="call fit(task, program) first")


@contextmanager
def _refusing_strays(known: LabelMatrix) -> Iterator[None]:
    """Name the vote that indexes no label, where one is found as votes are read."""
    try:
        yield
    except IndexError:
        known.check_votes()
        raise
