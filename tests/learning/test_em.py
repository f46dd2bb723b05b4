"""Algorithm 1: the bound never falls, a silent network changes nothing, weights follow labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

import tacit
from tacit.data import sample
from tacit.learning.em import learn
from tacit.learning.em_config import EMConfig
from tacit.learning.predictor_step import (
    Network,
    balance,
    certainty,
    folds_for,
    lesson,
    network_vote,
)
from tacit.learning.rounds import State
from tacit.learning.supervision import Supervision
from tacit.learning.votes_of_graph import states_shares
from tacit.predictors.linear import Linear

TEXTS = [
    "good fun film",
    "bad dull film",
    "good plot",
    "dull",
    "fun and good",
    "bad",
    "a film",
    "plot",
]
KEYWORDS = {"pos": ["good", "fun"], "neg": ["bad", "dull"]}


class Rows:
    """Inputs by number."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: np.ndarray) -> Rows:
        return Rows(self.values[rows])


class Table:
    """A predictor that knows each first word by heart: its training is a full M-step."""

    def __init__(self, uniform: bool = False) -> None:
        self.uniform, self.probs, self.words = uniform, np.zeros((0, 0)), {}

    def prepare(self, inputs: Any) -> Rows:
        if isinstance(inputs, Rows):
            return inputs
        texts = inputs.to_pylist() if hasattr(inputs, "to_pylist") else inputs
        first = [text.split()[0] for text in texts]
        return Rows(np.array([self.words.setdefault(word, len(self.words)) for word in first]))

    def fit_soft(self, inputs: Any, target: Any, sample_weight: Any = None, **_: Any) -> Self:
        rows = self.prepare(inputs).values
        weight = np.ones(len(rows)) if sample_weight is None else sample_weight
        total = np.zeros((len(self.words), target.shape[1]))
        np.add.at(total, rows, weight[:, None] * target)
        if self.uniform:
            total[:] = 1.0
        self.probs = np.where(total.sum(axis=1, keepdims=True) > 0, total, 1.0)
        self.probs = self.probs / self.probs.sum(axis=1, keepdims=True)
        return self

    def log_probs(self, inputs: Any) -> np.ndarray:
        rows = self.prepare(inputs).values
        new = np.full((len(self.words) - len(self.probs), self.probs.shape[1]), 0.5)
        return np.log(np.maximum(np.vstack([self.probs, new])[rows], 1e-15))

    def fresh(self, random_state: int) -> Table:
        found = Table(self.uniform)
        found.words = self.words
        return found

    def save(self, folder: Any) -> None: ...

    @classmethod
    def load(cls, folder: Any) -> Table: ...


LETTER = EMConfig(rounds=8, settled=0.0, sharpness=None, doubtful="alike", balance="never")
AGREE = """
label sentiment(review) = neg | pos
observed token(review, word)
observed near(review, review)
good: 2.2 token(r, "good") => sentiment(r) = pos
bad:  2.2 token(r, "bad") => sentiment(r) = neg
dull: 1.0 token(r, "dull") => sentiment(r) = neg
agree: 1.0 near(r, s) => sentiment(r) = sentiment(s)
"""


def untied() -> tuple[tacit.Task, tacit.Program]:
    return tacit.text_classification(TEXTS * 3, labels=["neg", "pos"], keywords=KEYWORDS)


def tied() -> tuple[tacit.Task, tacit.Program]:
    reviews = [{"id": str(i), "text": text} for i, text in enumerate(TEXTS)]
    near = [("0", "2"), ("1", "3"), ("6", "7"), ("4", "6"), ("1", "5")]
    task = tacit.Task({"review": reviews, "near": near}, text="review.text")
    return task, tacit.Program.parse(AGREE)


def networks(task: tacit.Task, program: tacit.Program, predictor: Any) -> dict[str, Network]:
    return {
        name: Network(predictor, task.inputs(function.domain), 1, 0)
        for name, function in program.labels.items()
    }


@pytest.mark.parametrize("problem", [untied, tied])
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_with_exact_inference_the_bound_never_falls(problem: Any) -> None:
    task, program = problem()
    model = tacit.LabelModel(method="exact" if problem is tied else "auto", tolerance=1e-9)
    supervision = Supervision(model.fit(task, program))
    heights = []
    state = State()
    for number in range(1, 9):
        config = EMConfig(**{**vars_of(LETTER), "rounds": number})
        state = learn(supervision, networks_of(state, task, program), config, state=state)
        # With q renewed, the log-partition is the bound's top; what centring took off is put back.
        posterior = supervision.posterior(state.log_probs)
        heights.append(supervision.log_likelihood(posterior))
    assert np.diff(heights).min() > -1e-6
    assert heights[-1] > heights[0] + 1e-3


def vars_of(config: EMConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in EMConfig.__slots__}


_KEPT: dict[int, dict[str, Network]] = {}


def networks_of(state: State, task: tacit.Task, program: tacit.Program) -> dict[str, Network]:
    if not state.history:
        _KEPT[id(task)] = networks(task, program, Table())
    return _KEPT[id(task)]


@pytest.mark.parametrize("problem", [untied, tied])
@pytest.mark.parametrize("learn_weights", [False, True])
def test_a_uniform_predictor_leaves_the_label_model_as_it_is(
    problem: Any, learn_weights: bool
) -> None:
    task, program = problem()
    alone = tacit.LabelModel(tolerance=1e-10).fit(task, program)
    model = tacit.DPL(
        Table(uniform=True),
        label_model=tacit.LabelModel(tolerance=1e-10),
        learn_weights=learn_weights,
        rounds=4,
        settled=0.0,
    ).fit(task, program)
    np.testing.assert_allclose(model.posterior_, alone.posterior_, atol=2e-3)
    for name, weight in alone.weights_.items():
        assert model.weights_[name] == pytest.approx(weight, abs=2e-2)


def test_fixed_weights_and_a_uniform_predictor_equal_weighted_voting() -> None:
    text = AGREE.replace("2.2", "2.2!").replace("1.0", "1.0!")
    task, _ = tied()
    program = tacit.Program.parse(text)
    model = tacit.DPL(Table(uniform=True)).fit(task, program)
    beliefs = tacit.infer(tacit.ground(program, task), "exact")
    np.testing.assert_allclose(model.posterior_, beliefs.marginals("sentiment"), atol=1e-6)


def test_the_posterior_is_evidence_times_network() -> None:
    task, program = tied()
    model = tacit.DPL(Table(), rounds=2).fit(task, program)
    graph = tacit.ground(program, task)
    weights = np.array([model.weights_[name] for name in graph.weight_names or ()])
    network = {"sentiment": model.predictor_.log_probs(TEXTS)}
    beliefs = tacit.infer(graph, "exact", weights=weights, log_unary=network)
    np.testing.assert_allclose(model.posterior_, beliefs.marginals("sentiment"), atol=1e-6)


def test_the_parts_of_an_explanation_add_up_with_the_network_among_them() -> None:
    task, program = tied()
    model = tacit.DPL("linear").fit(task, program)
    for instance in ("0", "1", "6"):
        told = model.explain(instance)
        assert sum(part.contribution for part in told.parts) == pytest.approx(told.log_odds)
        (network,) = told.of_kind("predictor")
        assert network.contribution != 0
        own = model.posterior_[int(instance)]
        assert told.log_odds == pytest.approx(abs(np.log(own[1] / own[0])), abs=1e-6)


def test_the_weights_of_given_labels_match_their_slope() -> None:
    """At the top of the supervision step, how often evidence holds is what the network expects."""
    task, program = untied()
    supervision = Supervision(tacit.LabelModel(tolerance=1e-12).fit(task, program))
    random = np.random.default_rng(0)
    posterior = supervision.posterior({"label": random.normal(size=(24, 2))})
    name = next(iter(posterior.labels))
    posterior = supervision.posterior({name: random.normal(size=(24, 2))})
    supervision.fit_weights(posterior)
    at, objective = supervision.point, supervision.objective
    from tacit.learning.fitting import Objective
    from tacit.learning.supervision import LabelsGiven

    given_labels = Objective(
        objective.likelihoods,
        LabelsGiven(supervision.phases, objective, posterior),
        objective.start,
        np.ones(len(objective.start), dtype=bool),
        objective.has_bias,
        objective.priors,
    )
    flat = given_labels.flat(at)
    _, slope = given_labels.value_and_slope(flat)
    assert np.abs(slope).max() < 1e-2
    for k in range(len(flat)):  # the slope is that of the value
        step = np.zeros(len(flat))
        step[k] = 1e-5
        up, _ = given_labels.value_and_slope(flat + step)
        down, _ = given_labels.value_and_slope(flat - step)
        assert (up - down) / 2e-5 == pytest.approx(slope[k], abs=1e-4)


def test_permuting_instances_permutes_the_posterior() -> None:
    order = np.random.default_rng(1).permutation(24)
    texts = TEXTS * 3
    found = []
    for own in (texts, [texts[i] for i in order]):
        task, program = tacit.text_classification(own, labels=["neg", "pos"], keywords=KEYWORDS)
        found.append(np.asarray(tacit.DPL().fit(task, program).posterior_))
    np.testing.assert_allclose(found[1], found[0][order], atol=1e-3)


def test_the_same_settings_give_the_same_bits() -> None:
    task, program = untied()
    first, second = (tacit.DPL(folds=2).fit(task, program) for _ in range(2))
    assert np.array_equal(first.posterior_, second.posterior_)
    assert np.array_equal(first.predict_proba(TEXTS), second.predict_proba(TEXTS))


def test_folds_keep_a_network_from_what_it_was_told() -> None:
    task, program = untied()
    network = Network(Linear(), task.inputs(next(iter(program.labels.values())).domain), 3, 0)
    target = np.full((24, 2), 0.5)
    told = lesson(target, np.ones(24, bool), doubtful="alike", hard_above=None, balanced=False)
    network.fit(told, number=1, goes_on=False, report=lambda k: None)
    parts = [np.flatnonzero(network.fold == k) for k in range(3)]
    assert sorted(np.concatenate(parts)) == list(range(24))
    for part, own in zip(parts, network.of_fold, strict=True):
        rest = np.setdiff1d(np.arange(24), part)
        alone = own.fresh(0).fit_soft(network.prepared.take(rest), target[rest], np.ones(len(rest)))
        assert np.array_equal(own.log_probs(network.prepared), alone.log_probs(network.prepared))
        assert np.array_equal(network.log_probs()[part], own.log_probs(network.prepared)[part])


class ByHeart(Linear):
    """A network that repeats what it was told, by its own account."""

    memorises = True


@pytest.mark.parametrize(
    ("predictor", "folds", "warm_start", "anew"),
    [
        (Linear(), 1, True, False),
        (Linear(), 1, False, True),
        (ByHeart(), 1, True, True),  # it would keep to labels that are better known by now
        (Linear(), 2, True, True),
    ],
)
def test_a_round_begins_as_the_last_one_ended_or_anew(
    predictor: Linear, folds: int, warm_start: bool, anew: bool
) -> None:
    network = Network(predictor, TEXTS, folds, 0, warm_start=warm_start)
    target = np.eye(2)[np.arange(len(TEXTS)) % 2]
    told = lesson(
        target, np.ones(len(TEXTS), bool), doubtful="alike", hard_above=None, balanced=False
    )
    taught, dealt = [], []
    for number in (1, 2):
        network.fit(told, number=number, goes_on=number > 1, report=lambda k: None)
        taught.append((network.of_fold or [network.predictor])[0])
        dealt.append(network.fold.tolist())
    assert (taught[0] is not taught[1]) == anew
    assert (dealt[0] != dealt[1]) == (folds > 1)
    assert network.learns_last == (folds > 1)


def test_networks_that_learn_by_heart_vote_on_what_they_have_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task, program = untied()
    few = tacit.DPL(predictor=ByHeart()).fit(task, program)
    assert not few.votes_unseen()  # half of these would teach it too little
    monkeypatch.setattr("tacit.learning.predictor_step.FEWEST", 24)
    by_heart = tacit.DPL(predictor=ByHeart()).fit(task, program)
    (network,) = by_heart._trained.networks.values()  # type: ignore[union-attr]
    assert network.n_folds == 2
    assert by_heart.votes_unseen()
    as_asked = tacit.DPL(folds=2).fit(task, program)
    assert np.array_equal(by_heart.views().network, as_asked.views().network)
    (held_back,) = tacit.DPL().fit(task, program)._trained.networks.values()  # type: ignore[union-attr]
    assert held_back.n_folds == 0
    assert folds_for(ByHeart(), 1, 10**6) == 1


@pytest.mark.parametrize("folds", [1, 2])
def test_an_instance_as_it_is_need_not_be_written_out(folds: int) -> None:
    """None among altered copies is the instance itself, by whoever has not seen it."""
    network = Network(Linear(), TEXTS, folds, 0)
    target = np.eye(2)[np.arange(len(TEXTS)) % 2]
    told = lesson(
        target, np.ones(len(TEXTS), bool), doubtful="alike", hard_above=None, balanced=False
    )
    network.fit(told, number=1, goes_on=False, report=lambda k: None)
    rows = np.arange(len(TEXTS))[::-1]
    copies = [TEXTS[row] for row in rows]
    said = network.log_probs_of(copies, rows)
    some = [None if at % 3 else copy for at, copy in enumerate(copies)]
    assert np.array_equal(network.log_probs_of(some, rows), said)
    assert np.array_equal(network.log_probs_of([None] * len(rows), rows), said)
    assert np.array_equal(said, network.log_probs()[rows])


def test_hard_labels_are_those_probable_enough() -> None:
    posterior = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    told = lesson(posterior, np.ones(3, bool), doubtful="alike", hard_above=0.7, balanced=False)
    assert told.target.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert told.weight.tolist() == [1, 0, 1]


def test_what_nothing_is_known_of_teaches_nothing() -> None:
    assert certainty(np.array([[0.5, 0.5], [1.0, 0.0], [0.75, 0.25]])).tolist() == [0, 1, 0.5]


probabilities = st.lists(st.tuples(*[st.floats(0.01, 1.0)] * 3), min_size=1, max_size=20).map(
    lambda rows: np.array(rows) / np.sum(rows, axis=1, keepdims=True)
)


@given(probabilities, st.floats(0.5, 20.0))
@settings(max_examples=50, deadline=None)
def test_a_vote_has_the_spread_that_was_asked_for(probs: np.ndarray, sharpness: float) -> None:
    """But for what is added to a label of all instances alike; see the next test."""
    votes = network_vote(np.log(probs), sharpness)
    logs = np.log(probs) - np.log(probs).mean(axis=1, keepdims=True)
    odds = [logs[:, a] - logs[:, b] for a in range(3) for b in range(3) if a != b]
    spread = np.sqrt(np.mean(np.square(odds)))
    shift = votes - logs * (sharpness / spread if spread > 1e-9 else 0.0)
    assert np.allclose(shift, shift[0], atol=1e-6)


@given(probabilities, st.floats(0.5, 8.0))
@settings(max_examples=50, deadline=None)
def test_a_vote_is_for_no_label_far_more_often_than_the_network_says(
    probs: np.ndarray, sharpness: float
) -> None:
    said, votes = probs.mean(axis=0), softmax(network_vote(np.log(probs), sharpness), axis=1)
    assert (votes.mean(axis=0) >= said / 2 * (1 - 1e-2)).all()
    assert (votes.mean(axis=0) <= said * 2 * (1 + 1e-2)).all()


def test_what_a_network_prefers_everywhere_is_not_spread_out() -> None:
    """It says of all instances that the first label is a little more probable: of 38% it is not."""
    signs = np.linspace(-0.2, 0.2, 101)
    biased = np.stack([signs + 0.5, np.zeros(101)], axis=1)
    vote = softmax(network_vote(biased, 6.0), axis=1)
    assert vote[:, 1].mean() == pytest.approx(softmax(biased, axis=1)[:, 1].mean() / 2, rel=1e-3)
    assert vote[:, 1].argmax() == 0  # where least speaks for the first label
    fair = network_vote(np.stack([signs, np.zeros(101)], axis=1), 6.0)
    assert fair[:, 0] - fair[:, 1] == pytest.approx(signs * 6.0 / np.sqrt(np.mean(signs**2)))


@given(probabilities)
@settings(max_examples=50, deadline=None)
def test_balanced_labels_weigh_the_same(target: np.ndarray) -> None:
    weight = np.ones(len(target))
    scaled = weight * balance(target, weight)
    share = target.mean(axis=0)
    expected = np.minimum(1 / share / 3, 10.0)
    np.testing.assert_allclose(scaled, target @ expected)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("rounds", 0),
        ("labels", "firm"),
        ("sharpness", -1.0),
        ("hard_above", 1.5),
        ("folds", 0),
        ("folds", "some"),
        ("hide_words", "no"),
        ("hold_shares", "yes"),
        ("warm_start", "auto"),
    ],
)
def test_settings_that_mean_nothing_are_refused(setting: str, value: Any) -> None:
    with pytest.raises(tacit.TacitError, match=setting):
        tacit.DPL(**{setting: value}).config()


def test_no_evidence_is_an_error_with_a_remedy() -> None:
    task, program = tacit.text_classification(
        ["a", "b"], labels=["neg", "pos"], keywords={"pos": ["zebra"], "neg": ["yak"]}
    )
    with pytest.raises(tacit.TacitError, match="no instance has evidence"), pytest.warns():
        tacit.DPL().fit(task, program)


def test_stated_shares_switch_balancing_off() -> None:
    task, _ = tied()
    stated = tacit.Program.parse(AGREE + "balance: expect 0.5 +- 0.05: sentiment(r) = pos\n")
    for program, states in ((tacit.Program.parse(AGREE), False), (stated, True)):
        supervision = Supervision(tacit.LabelModel().fit(task, program))
        assert supervision.states_shares("sentiment") is states


def test_shares_are_stated_of_one_label_function_and_not_of_others() -> None:
    task, _ = tied()
    program = tacit.Program.parse(
        AGREE
        + """
label length(review) = short | long
fun: 2.2 token(r, "fun") => length(r) = short
balance: expect 0.5 +- 0.05: sentiment(r) = pos
"""
    )
    model = tacit.LabelModel().fit(task, program)
    found = {name: states_shares(model.graph_, name, own) for name, own in model.votes_.items()}
    assert found == {"sentiment": True, "length": False}


def test_several_label_functions_have_their_own_networks() -> None:
    oncology = sample("oncology")
    program = tacit.Program.parse(oncology.rules)
    model = tacit.DPL().fit(oncology.task, program)
    assert set(model.predictors_) == {"treats", "link"}
    assert {name: own.shape[1] for name, own in model.posterior_.items()} == {
        "treats": 2,
        "link": 2,
    }
    with pytest.raises(tacit.TacitError, match="which label function"):
        model.predict(["some text"])
    assert model.predict(["some text"], "link")[0] in ("no", "yes")
    only = tacit.DPL({"treats": "linear"}, rounds=2).fit(oncology.task, program)
    assert set(only.predictors_) == {"treats"}
    with pytest.raises(tacit.TacitError, match="did you mean 'treats'"):
        tacit.DPL({"treat": "linear"}).fit(oncology.task, program)


def test_what_the_user_gave_is_left_as_it_is() -> None:
    task, program = untied()
    label_model, predictor = tacit.LabelModel(), Linear()
    model = tacit.DPL(predictor, label_model=label_model).fit(task, program)
    assert not hasattr(label_model, "weights_")
    assert predictor.coef_ is None
    assert model.predictor_ is not predictor


def test_a_network_that_drops_a_label_is_warned_of() -> None:
    task, program = untied()

    class Biased(Table):
        def log_probs(self, inputs: Any) -> np.ndarray:
            return np.log(np.tile([0.95, 0.05], (len(self.prepare(inputs)), 1)))

        def fresh(self, random_state: int) -> Biased:
            return Biased()

    with pytest.warns(tacit.TacitWarning, match="all but drops"):
        tacit.DPL(Biased(), hold_shares=False).fit(task, program)
