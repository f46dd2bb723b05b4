"""The loop that trains networks on probabilities of labels."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import BadInput, NotFinite
from tacit.predictors.recurrent.soft_training import (
    Plan,
    device_called,
    endless_batches,
    seeded,
    soft_cross_entropy,
    train,
)

torch.set_num_threads(1)

CPU = torch.device("cpu")
N, LABELS = 40, 3


def regression(**settings: Any) -> tuple[torch.nn.Linear, Any]:
    """A linear model of random inputs, trained; and what was reported."""
    settings = {"target": targets(), "weight": np.ones(N), "seed": 0, "rows": None} | settings
    inputs = torch.randn(N, 4, generator=torch.Generator().manual_seed(5))
    rows = np.arange(N) if settings["rows"] is None else settings["rows"]
    with seeded(0, CPU):
        network = torch.nn.Linear(4, LABELS)
    told: list[tuple[int, int, float]] = []
    train(
        network,
        lambda batch: network(inputs[rows[batch]]),
        np.arange(N)[rows] + 1,
        settings["target"][rows],
        settings["weight"][rows],
        plan=settings.get("plan", Plan(min_steps=50)),
        seed=settings["seed"],
        report=lambda *args: told.append(args),
    )
    return network, told


def targets() -> Any:
    return np.random.default_rng(0).dirichlet(np.ones(LABELS), N)


def same(one: torch.nn.Linear, other: torch.nn.Linear) -> bool:
    return bool((one.weight == other.weight).all())


@given(n=st.integers(1, 100_000))
def test_few_inputs_pass_more_often_but_not_for_ever(n: int) -> None:
    plan = Plan(epochs=5, min_steps=300, max_epochs=100, batch_size=64)
    an_epoch = -(-n // plan.batch_for(n))
    assert 1 <= plan.batch_for(n) <= 64
    assert plan.n_steps(n) >= 5 * an_epoch
    assert plan.n_steps(n) >= 300 or plan.n_steps(n) == 100 * an_epoch
    assert plan.n_steps(n) == 5 * an_epoch or plan.n_steps(n) <= 300


@given(
    lengths=st.lists(st.integers(1, 500), min_size=1, max_size=60),
    size=st.integers(1, 10),
    seed=st.integers(0, 100),
)
def test_each_pass_has_every_row_once(lengths: list[int], size: int, seed: int) -> None:
    stream = endless_batches(np.array(lengths), size, np.random.default_rng(seed))
    for _ in range(2):
        batches = list(islice(stream, -(-len(lengths) // size)))
        assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
        assert max(map(len, batches)) <= size


def test_inputs_of_like_length_go_together() -> None:
    lengths = np.repeat([1, 1000], 64)
    batches = islice(endless_batches(lengths, 8, np.random.default_rng(0)), 16)
    assert all(len(set(lengths[batch])) == 1 for batch in batches)


def test_the_loss_is_the_cross_entropy() -> None:
    rng = np.random.default_rng(0)
    logits, target = rng.normal(size=(5, 3)), rng.dirichlet(np.ones(3), 5)
    weight = rng.uniform(size=5)
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    expected = -(weight[:, None] * target * log_probs).sum() / 5
    got = soft_cross_entropy(*map(torch.from_numpy, (logits, target, weight)))
    assert float(got) == pytest.approx(expected)


def test_training_approaches_the_least_loss() -> None:
    constant = np.tile([0.5, 0.3, 0.2], (N, 1))
    network, told = regression(target=constant, plan=Plan(min_steps=400, lr=0.05, weight_decay=0))
    probs = torch.softmax(network(torch.zeros(1, 4)), dim=1).detach().numpy()
    np.testing.assert_allclose(probs[0], constant[0], atol=0.02)
    entropy = -(constant[0] * np.log(constant[0])).sum()
    assert told[-1][2] == pytest.approx(entropy, abs=0.02)


def test_steps_are_reported() -> None:
    _, told = regression(plan=Plan(min_steps=50))
    assert [step for step, _, _ in told] == [20, 40, 50]
    assert {n_steps for _, n_steps, _ in told} == {50}


def test_weight_zero_is_absence_and_scale_does_not_matter() -> None:
    weight = np.random.default_rng(1).uniform(0.5, 2, N)
    weight[::3] = 0
    kept = np.flatnonzero(weight)
    full, _ = regression(weight=weight)
    assert same(full, regression(weight=weight, rows=kept)[0])
    assert same(full, regression(weight=weight * 4)[0])
    assert not same(full, regression()[0])


def test_the_same_seed_gives_the_same_bits() -> None:
    assert same(regression()[0], regression()[0])
    assert not same(regression()[0], regression(seed=1)[0])


def test_random_numbers_of_others_are_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    with seeded(7, CPU):
        torch.rand(5)
    assert (torch.rand(2) == expected).all()


def test_a_loss_that_is_no_number_is_told() -> None:
    with pytest.raises(NotFinite, match="smaller lr"):
        regression(plan=Plan(min_steps=40, lr=1e30))


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"batch_size": 0}, {"lr": 0.0}, {"clip": -1.0}])
def test_impossible_plans_are_refused(wrong: Any) -> None:
    with pytest.raises(BadInput):
        Plan(**wrong)


def test_devices_by_name() -> None:
    assert device_called("cpu") == CPU
    assert device_called("auto").type in ("cpu", "cuda")
    with pytest.raises(BadInput, match="not known"):
        device_called("abacus")
    if not torch.cuda.is_available():
        with pytest.raises(BadInput, match="no CUDA device"):
            device_called("cuda")


def overfitted(seed: int, **settings: Any) -> tuple[Any, int, Any]:
    """A network with room for noise, trained on noise; its steps; and its loss on any rows."""
    rng = np.random.default_rng(seed)
    inputs = torch.from_numpy(rng.normal(size=(600, 30)).astype(np.float32))
    target = np.eye(2)[rng.integers(0, 2, 600)]
    with seeded(seed, CPU):
        network = torch.nn.Sequential(
            torch.nn.Linear(30, 60), torch.nn.Tanh(), torch.nn.Linear(60, 2)
        )

    def loss(rows: Any) -> float:
        with torch.no_grad():
            found = torch.log_softmax(network(inputs[rows]), dim=1).numpy()
        return float(-(target[rows] * found).sum(axis=1).mean())

    plan = Plan(epochs=30, lr=1e-2, **settings)
    ones = np.ones(600)
    logits = lambda rows: network(inputs[rows])  # noqa: E731
    steps = train(network, logits, ones, target, ones, plan=plan, seed=seed, held_out_by=7)
    return network, steps, loss


@pytest.mark.parametrize("seed", range(3))
def test_what_is_held_out_ends_a_training_that_learns_noise(seed: int) -> None:
    held_out = np.flatnonzero(np.random.default_rng(7).random(600) < 0.2)
    _, all_steps, loss = overfitted(seed)
    _, steps, watched_loss = overfitted(seed, held_out=0.2)
    assert steps < all_steps
    assert loss(held_out) < 0.2  # it has learned them by heart
    assert watched_loss(held_out) < 0.8  # it has not seen them; chance is 0.69


def test_the_network_that_did_best_on_what_is_held_out_is_kept() -> None:
    held_out = np.flatnonzero(np.random.default_rng(7).random(600) < 0.2)
    _, few, loss = overfitted(0, held_out=0.2, patience=1)
    _, many, patient_loss = overfitted(0, held_out=0.2, patience=6)
    assert many > few
    assert patient_loss(held_out) <= loss(held_out) + 1e-6


def test_what_is_held_out_is_not_learned_from() -> None:
    inputs = torch.randn(300, 5, generator=torch.Generator().manual_seed(0))
    network, learned_from = torch.nn.Linear(5, 2), set()

    def logits(rows: Any) -> Any:
        if network.training:
            learned_from.update(rows.tolist())
        return network(inputs[rows])

    target = np.eye(2)[np.arange(300) % 2]
    plan = Plan(held_out=0.3)
    train(network, logits, np.ones(300), target, np.ones(300), plan=plan, seed=0, held_out_by=3)
    is_held_out = np.random.default_rng(3).random(300) < 0.3
    assert learned_from == set(np.flatnonzero(~is_held_out).tolist())


def test_few_inputs_are_all_learned_from() -> None:
    assert same(regression(plan=Plan(min_steps=50, held_out=0.2))[0], regression()[0])


@pytest.mark.parametrize("held_out", [-0.1, 1.0])
def test_a_share_that_is_none(held_out: float) -> None:
    with pytest.raises(BadInput, match="held_out"):
        Plan(held_out=held_out)
