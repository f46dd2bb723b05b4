"""Models put back onto their data: what was learned is taken as it was saved, never learned again.

Data are not saved with a model. Given the same data, the program is grounded once more, and the
numbers that were saved beside the weights put all in place: explanations, analysis and views are
then those of the model that was saved. Nothing here depends on the network: what it said of each
instance is among these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import astuple, fields

import numpy as np

from tacit.data import Task
from tacit.errors import BadFile, BadInput
from tacit.grounding import GroundFactors
from tacit.grounding.engine import DuckDBEngine
from tacit.grounding.ground import LIMIT, Grounder
from tacit.grounding.template import batches, template
from tacit.learning.checkpoints import Arrays, arrays_under
from tacit.learning.dependencies import Dependency
from tacit.learning.dpl import DPL
from tacit.learning.fitting import Fitted, Point
from tacit.learning.joining import JoinedVotes, joined
from tacit.learning.label_model import LabelModel
from tacit.learning.predictor_step import Network
from tacit.learning.rounds import State
from tacit.learning.saved_evidence import SavedEvidence, of_early_version
from tacit.learning.supervision import Supervision
from tacit.learning.trained import Trained
from tacit.learning.votes import Floats, Votes
from tacit.logic.program import Program


def numbers_of(model: DPL) -> Arrays | None:
    """All that puts a fitted model back onto its data; None where that was never saved."""
    evidence = model.label_model_
    if isinstance(evidence, SavedEvidence):
        return evidence.numbers
    assert model._trained is not None  # it was fitted here, or put back
    fitted, objective = evidence.fitted_, evidence._objective
    learned = np.zeros(len(objective.start))
    learned[objective.learned] = 1.0
    found: Arrays = {
        "batches": _batches(evidence),
        "weights": fitted.point.weights,
        "learned": learned,
        "heights": np.array(fitted.heights),
        "settled": np.array([float(fitted.settled)]),
        "slope": fitted.slope,
    }
    for at, (name, labels) in enumerate(evidence.labels_.items()):
        votes = objective.likelihoods[at].votes
        found[f"log_rates/{name}"] = fitted.point.log_rates[at]
        found[f"biases/{name}"] = fitted.point.biases[at]
        if isinstance(votes, JoinedVotes):
            found[f"joined/{name}"] = votes.group_of_source.astype(np.float64)
        rows = np.array([astuple(each) for each in evidence.dependencies_[name]], np.float64)
        found[f"dependencies/{name}"] = rows.reshape(-1, len(fields(Dependency)))
        silenced = [labels.index(one) for one in evidence.silenced_.get(name, ())]
        found[f"silenced/{name}"] = np.array(silenced, np.float64)
    state = model._trained.state
    found |= {f"log_probs/{name}": own for name, own in state.log_probs.items()}
    found |= {f"first_shares/{name}": own for name, own in state.first_shares.items()}
    return found | {f"shares/{name}": own for name, own in state.shares.items()}


def restored(model: DPL, task: Task) -> DPL:
    """A model that was loaded, on the data that it was learned from.

    It explains, analyses and gives views as it did before it was saved. A task with other data is
    refused.
    """
    evidence = model.label_model_
    if not isinstance(evidence, SavedEvidence):
        if evidence.task_ != task:
            raise _other_data()
        return model
    if evidence.task != task.fingerprint():
        raise _other_data()
    if evidence.numbers is None:
        raise of_early_version()
    supervision = Supervision(_label_model(model, evidence, evidence.numbers, task))
    names = ("log_probs", "shares", "first_shares")
    arrays = {name: arrays_under(evidence.numbers, name) for name in names}
    state = State(history=model.history_, **arrays)
    found = model.clone()
    found._keep(supervision, model.predictors_, state)
    supervision.model.__dict__["errors_"] = evidence.errors_
    found._trained = Trained(supervision, _Networks(found, task), state, found.config())
    return found


def _label_model(model: DPL, evidence: SavedEvidence, numbers: Arrays, task: Task) -> LabelModel:
    """The label model as it was when its last weight was learned."""
    found = LabelModel() if model.label_model is None else copy(model.label_model)
    votes = found._hold(_grounded(evidence.program_, task, numbers["batches"]))
    if found.weight_names_ != tuple(evidence.weights["name"].to_pylist()):
        raise _other_version()
    found.votes_ = dict(zip(found.labels_, votes, strict=True))
    weights, learned = found.factors_.weights, numbers["learned"] > 0
    as_joined = _as_joined(found, numbers)
    has_bias = [found._learns_bias(name, learned) for name in found.votes_]
    may_learn = weights.is_learned & found._spoken(votes, weights.n_weights)
    stays = may_learn & ~learned
    start, priors = found._plausible(weights.start, stays, found._priors())
    found._objective = found._objective_of(as_joined, start, learned, has_bias, priors)
    found._taught_objective = found._objective.learning(may_learn)
    found.fitted_ = _fitted(numbers)
    if [own.n_events for own in as_joined] != list(map(len, found.fitted_.point.log_rates)):
        raise _other_version()
    found.dependencies_ = {
        name: tuple(Dependency(int(row[0]), int(row[1]), *row[2:]) for row in own.tolist())
        for name, own in arrays_under(numbers, "dependencies").items()
    }
    found.silenced_ = {
        name: tuple(found.labels_[name][int(at)] for at in own)
        for name, own in arrays_under(numbers, "silenced").items()
        if len(own)
    }
    return found


def _fitted(numbers: Arrays) -> Fitted:
    """Where learning ended."""
    point = Point(
        numbers["weights"],
        tuple(arrays_under(numbers, "log_rates").values()),
        tuple(arrays_under(numbers, "biases").values()),
    )
    heights, settled = tuple(numbers["heights"].tolist()), bool(numbers["settled"][0])
    return Fitted(point, heights, settled, numbers["slope"])


def _batches(model: LabelModel) -> Floats:
    """For each piece of evidence in turn, the number of the batch that it was grounded in."""
    parts = model.factors_.parts
    number = {name: at for at, part in enumerate(parts) for name in part.names}
    return np.array([float(number[one.name]) for one in model.program_.evidence])


def _grounded(program: Program, task: Task, batch_of_evidence: Floats) -> GroundFactors:
    """The factors of a program in the order in which they were when it was learned.

    Evidence of one shape is grounded together, but not with what was there before a program grew:
    the order of weights, of votes and of messages depends on that.
    """
    if len(batch_of_evidence) != len(program.evidence):
        raise _other_version()
    engine = DuckDBEngine()
    try:
        grounder = Grounder(program, task, engine, LIMIT)
        for number in np.unique(batch_of_evidence):
            members = np.flatnonzero(batch_of_evidence == number).tolist()
            found = batches(template(program.evidence[at]) for at in members)
            if len(found) != 1:
                raise _other_version()
            grounder.ground(found[0], int(number))
        return grounder.result()
    finally:
        engine.close()


def _as_joined(model: LabelModel, numbers: Arrays) -> list[Votes]:
    """The votes, with the sources joined that were found to repeat each other."""
    groups = arrays_under(numbers, "joined")
    if any(len(own) != model.votes_[name].n_sources for name, own in groups.items()):
        raise _other_version()
    return [
        joined(own, groups[name].astype(np.int32), silence_tells=model._silence_tells)
        if name in groups
        else own
        for name, own in model.votes_.items()
    ]


class _Networks(Mapping[str, Network]):
    """The networks with their inputs, which are prepared when first asked for.

    To prepare them takes far longer than all else, and an explanation needs none of it.
    """

    def __init__(self, model: DPL, task: Task) -> None:
        self._model, self._task = model, task
        self._made: dict[str, Network] = {}

    def __getitem__(self, name: str) -> Network:
        if name not in self._made:
            own = {name: self._model.predictors_[name]}
            self._made |= self._model._networks(self._task, self._model.program_, own, None)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._model.predictors_)

    def __len__(self) -> int:
        return len(self._model.predictors_)


def _other_data() -> BadInput:
    return BadInput(
        "the model was learned from other data than this task holds",
        remedy="give the task that it was fitted to, or fit again",
    )


def _other_version() -> BadFile:
    return BadFile(
        "the evidence of this model does not fit what its program says of the data, as if another "
        "version of tacit had saved it",
        remedy="fit and save it again: with the same data it learns the same",
    )
