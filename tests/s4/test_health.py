"""The health of a growing program: each number against a loop over its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learning.views import Views
from tacit.s4 import Health, S4Config
from tacit.s4.health import SeedSays, Yardstick, changed, measure, symptom

Rows = list[list[float]]


def some_views(rng: np.random.Generator, n: int, n_labels: int) -> Views:
    """Beliefs of any kind: sure ones, and ones where two labels or all of them are alike."""

    def beliefs() -> np.ndarray:
        q = rng.dirichlet(np.full(n_labels, 0.5), size=n)
        q[rng.random(n) < 0.2] = np.eye(n_labels)[rng.integers(n_labels)]
        q[rng.random(n) < 0.2] = 1 / n_labels
        return q

    return Views(beliefs(), beliefs(), beliefs(), rng.random(n) < 0.6)


def some_functions(seed: int, n_functions: int) -> tuple[dict[str, Views], ...]:
    """Views at the start, a round before, and now; of label functions of different sizes."""
    rng = np.random.default_rng(seed)
    sizes = {
        f"y{k}": (int(rng.integers(1, 9)), int(rng.integers(2, 5))) for k in range(n_functions)
    }
    return tuple(
        {name: some_views(rng, n, n_labels) for name, (n, n_labels) in sizes.items()}
        for _ in range(3)
    )


def first_best(row: list[float]) -> int:
    return row.index(max(row))


def seeds_say(start: Views) -> dict[int, int]:
    """By instance, the label that the seeds name: they must speak of it, and prefer one label."""
    found = {}
    for i, row in enumerate(start.evidence.tolist()):
        second, best = sorted(row)[-2:]
        if start.has_evidence[i] and best - second > 1e-6:
            found[i] = first_best(row)
    return found


def slow_remembered(start: Views, now: Views) -> float:
    """A mean over all labels; a label that seeds never name counts 0, and 1 if they name none."""
    says, network = seeds_say(start), now.network.tolist()
    if not says:
        return 1.0
    total = 0.0
    n_labels = len(network[0])
    for label in range(n_labels):
        rows = [i for i, own in says.items() if own == label]
        if rows:
            total += sum(first_best(network[i]) == label for i in rows) / len(rows)
    return total / n_labels


def slow_imbalance(now: Views) -> float:
    network = now.network.tolist()
    n_labels = len(network[0])
    count = [sum(first_best(row) == label for row in network) for label in range(n_labels)]
    return sum(abs(own / len(network) - 1 / n_labels) for own in count) / 2


def slow_changed(before: dict[str, Views], now: dict[str, Views]) -> float:
    others = [
        first_best(old) != first_best(new)
        for name in now
        for old, new in zip(
            before[name].evidence.tolist(), now[name].evidence.tolist(), strict=True
        )
    ]
    return sum(others) / len(others)


def slow_agreement(now: dict[str, Views]) -> float:
    same = [
        first_best(own.evidence.tolist()[i]) == first_best(own.network.tolist()[i])
        for own in now.values()
        for i in seeds_say(own)  # where it is clear what the evidence says
    ]
    return sum(same) / len(same) if same else 1.0


def slow_seed_log(start: dict[str, Views], now: dict[str, Views]) -> float:
    logs = [
        math.log(max(now[name].network[i, label], 1e-9))
        for name in now
        for i, label in seeds_say(start[name]).items()
    ]
    return sum(logs) / len(logs) if logs else 0.0


@given(st.integers(0, 10**6), st.integers(1, 2))
@settings(max_examples=150)
def test_every_number_is_its_definition(seed: int, n_functions: int) -> None:
    start, before, now = some_functions(seed, n_functions)
    found = measure(now, SeedSays.of(start), before)
    each = list(now)
    with_evidence = [bool(own) for name in each for own in now[name].has_evidence]
    assert found.coverage == pytest.approx(sum(with_evidence) / len(with_evidence))
    assert found.agreement == pytest.approx(slow_agreement(now))
    remembered = [slow_remembered(start[name], now[name]) for name in each]
    assert found.remembered == pytest.approx(sum(remembered) / len(each))
    imbalance = [slow_imbalance(now[name]) for name in each]
    assert found.imbalance == pytest.approx(sum(imbalance) / len(each))
    assert found.changed == changed(before, now) == pytest.approx(slow_changed(before, now))
    assert found.seed_log_likelihood == pytest.approx(slow_seed_log(start, now))
    assert Health.from_dict(found.as_dict()) == found


@given(st.integers(0, 10**6))
@settings(max_examples=50)
def test_the_order_of_instances_and_of_labels_does_not_matter(seed: int) -> None:
    start, before, now = some_functions(seed, 1)
    rng = np.random.default_rng(seed)
    n, n_labels = now["y0"].network.shape
    rows, labels = rng.permutation(n), rng.permutation(n_labels)

    def other(views: dict[str, Views]) -> dict[str, Views]:
        own = views["y0"]
        arrays = [array[rows][:, labels] for array in (own.evidence, own.network, own.together)]
        return {"y0": Views(*arrays, own.has_evidence[rows])}

    def untied(views: dict[str, Views]) -> dict[str, Views]:
        """Of equally probable labels the first is chosen, so that their order would matter."""
        own, noise = views["y0"], rng.random((n, n_labels)) * 1e-3
        return {
            "y0": Views(own.evidence + noise, own.network + noise, own.together, own.has_evidence)
        }

    start, before, now = map(untied, (start, before, now))
    one = measure(now, SeedSays.of(start), before)
    two = measure(other(now), SeedSays.of(other(start)), other(before))
    assert one.as_dict() == pytest.approx(two.as_dict())


def sure(labels: list[int], n_labels: int = 2) -> np.ndarray:
    return np.eye(n_labels)[labels]


def test_a_network_that_says_one_label_of_all_has_forgotten_the_others() -> None:
    told = Views(sure([0, 1, 1, 1]), sure([1, 1, 1, 1]), sure([0, 1, 1, 1]), np.ones(4, bool))
    found = measure({"y": told}, SeedSays.of({"y": told}), None)
    assert found.remembered == 0.5  # not three in four
    assert found.imbalance == 0.5
    assert found.agreement == 0.75
    assert found.changed == 1.0  # nothing came before


def test_labels_that_seeds_never_name_count_nothing() -> None:
    told = Views(sure([0, 0], 4), sure([0, 0], 4), sure([0, 0], 4), np.ones(2, bool))
    assert measure({"y": told}, SeedSays.of({"y": told}), None).remembered == 0.25


def test_without_any_evidence_nothing_can_be_forgotten() -> None:
    even = np.full((3, 2), 0.5)
    silent = Views(even, sure([0, 1, 1]), even, np.zeros(3, bool))
    found = measure({"y": silent}, SeedSays.of({"y": silent}), None)
    assert (found.coverage, found.agreement, found.remembered) == (0.0, 1.0, 1.0)


def test_instances_that_are_only_tied_to_each_other_agree_with_nobody() -> None:
    evidence = np.array([[0.1, 0.9], [0.5, 0.5], [0.5, 0.5]])  # a word, and a pair
    tied = Views(evidence, sure([1, 1, 1]), evidence, np.ones(3, bool))
    found = measure({"y": tied}, SeedSays.of({"y": tied}), None)
    assert (found.coverage, found.agreement) == (1.0, 1.0)


def test_seeds_that_contradict_each_other_say_nothing() -> None:
    even = Views(
        np.array([[0.5, 0.5], [0.5, 0.5 + 1e-9]]), sure([0, 1]), sure([0, 1]), np.ones(2, bool)
    )
    assert len(SeedSays.of({"y": even}).rows["y"]) == 0


HEALTHY = Health(
    coverage=0.5,
    agreement=0.9,
    remembered=0.95,
    seed_log_likelihood=-0.1,
    imbalance=0.1,
    changed=1.0,
)


def health(**other: float) -> Health:
    return Health(**(HEALTHY.as_dict() | other))


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_symptom_is_what_is_worse_than_the_guard_allows(
    remembered: float, imbalance: float
) -> None:
    config = S4Config(most_forgotten=0.25, most_shifted=0.125)
    found = symptom(health(remembered=remembered, imbalance=imbalance), HEALTHY, config)
    if 0.95 - remembered > 0.25:
        assert "forgotten" in str(found)
    elif imbalance - 0.1 > 0.125:
        assert "prefers some labels" in str(found)
    else:
        assert found is None


def test_a_symptom_is_told_in_numbers() -> None:
    config = S4Config(most_forgotten=0.03, most_shifted=0.1)
    assert symptom(HEALTHY, HEALTHY, config) is None
    assert symptom(health(remembered=1.0, imbalance=0.0), HEALTHY, config) is None
    assert symptom(health(remembered=0.93, imbalance=0.0), HEALTHY, config) is None
    assert symptom(health(remembered=0.85, imbalance=0.0), HEALTHY, config) is not None
    forgotten = symptom(health(remembered=0.75), HEALTHY, config)
    assert forgotten == "the network has forgotten 20.0% of what the seeds say"
    shifted = symptom(health(imbalance=0.4), HEALTHY, config)
    assert shifted is not None
    assert "by 30.0% more than at the start" in shifted


def by_network(*shares: float) -> Views:
    """Ten instances, of which a network gives so many the first label and the second one."""
    rows = np.repeat(np.eye(2), [round(10 * own) for own in shares], axis=0)
    even = np.full((10, 2), 0.5)
    return Views(even, rows, rows, np.zeros(10, dtype=bool))


@pytest.mark.parametrize(
    ("now", "held", "free"),
    [
        ((0.2, 0.8), None, None),
        ((0.3, 0.7), None, None),
        ((0.5, 0.5), "have shifted by 30.0%", None),  # towards labels alike common
        ((0.0, 1.0), "some labels to others by 20.0%", "some labels to others by 20.0%"),
    ],
)
def test_shares_that_were_near_the_truth_must_not_shift_either_way(
    now: tuple[float, float], held: str | None, free: str | None
) -> None:
    config, start = S4Config(most_shifted=0.15).where(held=True), {"y": by_network(0.2, 0.8)}
    for trusted, expected in ((["y"], held), ((), free)):
        found = Yardstick.of(start, trusted).symptom({"y": by_network(*now)}, config)
        assert (found is None) == (expected is None)
        assert (expected or "") in (found or "")


@pytest.mark.parametrize(
    ("where", "forgotten", "unlearned"),
    [
        ({}, 0.02, 2.0),
        ({"held": True}, 0.05, 2.0),
        ({"another_learns_last": True}, 0.02, 0.0),
    ],
)
def test_what_the_guard_allows_where_nothing_is_said(
    where: dict[str, bool], forgotten: float, unlearned: float
) -> None:
    found = S4Config().where(**where)
    assert (found.most_forgotten, found.most_unlearned) == (forgotten, unlearned)
    own = S4Config(most_forgotten=0.3, most_unlearned=1.0)
    assert own.where(**where) == own
