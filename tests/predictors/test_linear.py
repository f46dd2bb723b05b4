"""The linear predictor against a slow twin, and the properties that every predictor has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from tacit.errors import BadFile, BadInput, TacitWarning
from tacit.predictors.linear import Linear
from tacit.predictors.protocol import Attending, Predictor, Prepared
from tacit.predictors.regression.prepared_texts import PreparedTexts
from tacit.predictors.regression.softmax_regression import (
    ENOUGH,
    Problem,
    log_softmax,
    softmax_regression,
    zero_sum_basis,
)
from tests.oracles.linear import Floats, loss, ngrams_of, optimum

WORDS = ["good", "fine", "great", "bad", "poor", "dull", "the", "a", "of", "it", "plot", "end"]


def some_texts(n: int, seed: int = 0) -> tuple[list[str], Floats]:
    """Texts whose words tell which of three labels they have, and soft labels."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 3, n)
    texts = []
    for own in label:
        odds = np.where(np.arange(len(WORDS)) // 4 == own, 4.0, 1.0)
        texts.append(" ".join(rng.choice(WORDS, rng.integers(3, 12), p=odds / odds.sum())))
    soft = 0.7 * np.eye(3)[label] + 0.1
    return texts, soft


def random_problem(seed: int, n_labels: int) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    n, columns = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    dense = rng.normal(size=(n, columns)) * (rng.random((n, columns)) < 0.7)
    target = rng.dirichlet(np.full(n_labels, 0.7), n)
    return dense, target, rng.uniform(0.1, 3, n)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 4]), st.sampled_from([0.1, 1.0, 10.0]))
@example(147, 3, 0.1)  # the intercept alone is nearly flat: ENOUGH is reached early
def test_the_optimum_is_that_of_its_twin(seed: int, n_labels: int, l2: float) -> None:
    dense, target, weight = random_problem(seed, n_labels)
    found = softmax_regression(sparse.csr_array(dense), target, weight, l2=l2, max_steps=100)
    wanted = optimum(dense, target, weight, l2)
    best = loss(dense, target, weight, l2, wanted)
    assert loss(dense, target, weight, l2, found) <= best + 10 * ENOUGH * weight.sum()
    assert found[:-1] == pytest.approx(wanted[:-1], abs=0.02)
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 4]))
def test_the_loss_and_its_derivatives(seed: int, n_labels: int) -> None:
    dense, target, weight = random_problem(seed, n_labels)
    basis = zero_sum_basis(n_labels)
    problem = Problem(sparse.csr_array(dense), target, weight, 0.7, basis)
    rng = np.random.default_rng(seed)
    at, along = rng.normal(size=(2, dense.shape[1] + 1, n_labels - 1))

    def value(at: Floats) -> float:
        return problem.value(at, problem.scores(at))

    def probs(at: Floats) -> Floats:
        return np.exp(log_softmax(problem.scores(at)))

    def gradient(at: Floats) -> Floats:
        return problem.gradient(at, probs(at))

    assert value(at) == pytest.approx(loss(dense, target, weight, 0.7, at @ basis))
    ahead, behind = at + 1e-5 * along, at - 1e-5 * along
    slope = (value(ahead) - value(behind)) / 2e-5
    assert (gradient(at) * along).sum() == pytest.approx(slope, rel=1e-5, abs=1e-6)
    turn = (gradient(ahead) - gradient(behind)) / 2e-5
    assert problem.curve(along, probs(at)) == pytest.approx(turn, rel=1e-5, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 5]))
def test_steps_end_where_the_loss_is_lowest_along_them(seed: int, n_labels: int) -> None:
    dense, target, weight = random_problem(seed, n_labels)
    problem = Problem(sparse.csr_array(dense), target, weight, 0.1, zero_sum_basis(n_labels))
    at = 3 * np.random.default_rng(seed).normal(size=(dense.shape[1] + 1, n_labels - 1))
    scores = problem.scores(at)
    probs = np.exp(log_softmax(scores))
    gradient = problem.gradient(at, probs)
    step = problem.newton_step(gradient, probs)
    promised, moved = -(step * gradient).sum(), problem.scores(step)
    size = problem.how_far(at, scores, step, moved, promised)
    there = problem.gradient(at + size * step, np.exp(log_softmax(scores + size * moved)))
    assert abs((there * step).sum()) <= 0.11 * promised
    assert problem.value(at + size * step, scores + size * moved) < problem.value(at, scores)


def test_a_weight_of_zero_is_absence_and_of_two_is_twice() -> None:
    texts, soft = some_texts(40)
    model = Linear()
    prepared = model.prepare(texts)
    weight = np.random.default_rng(1).integers(0, 3, 40).astype(float)
    once = model.fresh(0).fit_soft(prepared, soft, weight)
    rows = np.repeat(np.arange(40), weight.astype(int))
    again = model.fresh(0).fit_soft(prepared.take(rows), soft[rows])
    assert once.log_probs(prepared) == pytest.approx(again.log_probs(prepared), abs=1e-4)
    present = np.flatnonzero(weight)
    same = model.fresh(0).fit_soft(prepared.take(present), soft[present], weight[present])
    assert (once.log_probs(prepared) == same.log_probs(prepared)).all()


def test_the_order_of_inputs_and_of_labels_does_not_matter() -> None:
    texts, soft = some_texts(60)
    base = Linear().fit_soft(texts, soft).log_probs(texts)
    order = np.random.default_rng(2).permutation(60)
    shuffled = [texts[i] for i in order]
    assert Linear().fit_soft(shuffled, soft[order]).log_probs(texts) == pytest.approx(
        base, abs=1e-4
    )
    turned = Linear().fit_soft(texts, soft[:, [2, 0, 1]]).log_probs(texts)
    assert turned == pytest.approx(base[:, [2, 0, 1]], abs=1e-4)


def test_a_few_texts_are_learned_by_heart() -> None:
    texts = [f"{text} x{i}" for i, text in enumerate(some_texts(50)[0])]
    rng = np.random.default_rng(3)
    label = rng.integers(0, 3, 50)
    model = Linear(l2=1e-4, min_count=1).fit_soft(texts, np.eye(3)[label])
    assert (model.log_probs(texts).argmax(axis=1) == label).all()
    assert np.exp(model.log_probs(texts)[np.arange(50), label]).min() > 0.95


def test_what_was_learned_holds_for_new_texts() -> None:
    texts, soft = some_texts(600)
    new, truth = some_texts(300, seed=1)
    found = Linear().fit_soft(texts, soft).log_probs(new)
    assert (found.argmax(axis=1) == truth.argmax(axis=1)).mean() > 0.75


SCRIPT = """
import sys
import numpy as np
for name in ("duckdb", "lark", "pydantic", "sqlglot", "torch", "sklearn"):
    sys.modules[name] = None
from tacit.predictors.linear import Linear
rng = np.random.default_rng(0)
texts = [" ".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 30)) for _ in range(3000)]
model = Linear().fit_soft(texts, rng.dirichlet([1, 1, 1], 3000))
print(model.log_probs(texts).tobytes().hex())
"""


def test_the_same_bits_on_any_number_of_threads_and_without_the_rest_of_the_library() -> None:
    found = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        found.append(run.stdout)
    assert found[0] == found[1]


def test_a_warm_start_goes_on_and_a_cold_one_forgets() -> None:
    texts, soft = some_texts(80)
    other = soft[:, [1, 2, 0]]
    cold = Linear().fit_soft(texts, soft).log_probs(texts)
    model = Linear().fit_soft(texts, other)
    assert (model.fit_soft(texts, soft).log_probs(texts) == cold).all()
    model.fit_soft(texts, other)
    assert model.fit_soft(texts, soft, warm_start=True).log_probs(texts) == pytest.approx(
        cold, abs=1e-3
    )
    steps: list[tuple[int, int, float]] = []
    model.fit_soft(texts, soft, warm_start=True, report=lambda *told: steps.append(told))
    assert len(steps) == 1
    assert steps[0][:2] == (1, model.max_steps)


def test_too_few_steps_are_told() -> None:
    texts, soft = some_texts(80)
    with pytest.warns(TacitWarning, match="raise max_steps"):
        Linear(max_steps=1).fit_soft(texts, soft)


def test_reports_fall() -> None:
    texts, soft = some_texts(80)
    told: list[float] = []
    Linear().fit_soft(texts, soft, report=lambda _, __, value: told.append(value))
    assert told == sorted(told, reverse=True)


def test_empty_and_unknown_texts_get_the_intercept() -> None:
    texts, soft = some_texts(30)
    model = Linear().fit_soft([*texts, "", None], np.vstack([soft, soft[:2]]))
    assert model.intercept_ is not None
    found = np.exp(model.log_probs(["", None, "zebra quagga", "?!"]))
    shares = np.exp(model.intercept_) / np.exp(model.intercept_).sum()
    assert found == pytest.approx(np.tile(shares, (4, 1)))
    assert found.sum(axis=1) == pytest.approx(1)


def test_texts_without_a_common_word_leave_the_class_shares() -> None:
    model = Linear().fit_soft(["a", "b", "c"], np.array([[0.9, 0.1], [0.6, 0.4], [0.6, 0.4]]))
    assert np.exp(model.log_probs(["a", ""])) == pytest.approx(np.array([[0.7, 0.3]] * 2), abs=1e-3)


def test_a_fresh_one_shares_the_vocabulary_and_has_learned_nothing() -> None:
    texts, soft = some_texts(20)
    model = Linear(l2=3.0).fit_soft(texts, soft)
    new = model.fresh(7)
    assert new.vocabulary_ is model.vocabulary_
    assert (new.l2, new.random_state) == (3.0, 7)
    with pytest.raises(BadInput, match="nothing"):
        new.log_probs(texts)


def test_what_another_vocabulary_prepared_is_read_again() -> None:
    texts, soft = some_texts(30)
    model = Linear().fit_soft(texts, soft)
    prepared = Linear(ngrams=(1, 1)).prepare(texts)
    assert (model.log_probs(prepared) == model.log_probs(texts)).all()
    adopted = Linear().fit_soft(prepared, soft)
    assert adopted.vocabulary_ is prepared.vocabulary


def test_it_keeps_the_contract(tmp_path: Path) -> None:
    texts, soft = some_texts(30)
    model = Linear(ngrams=(2, 3), min_count=1)
    assert isinstance(model, Predictor)
    assert isinstance(model, Attending)
    prepared = model.prepare(texts)
    assert isinstance(prepared, Prepared)
    assert model.prepare(prepared) is prepared
    rows = np.array([4, 4, 0])
    model.fit_soft(prepared, soft)
    assert (model.log_probs(prepared.take(rows)) == model.log_probs(prepared)[rows]).all()
    model.save(tmp_path / "model")
    loaded = Linear.load(tmp_path / "model")
    assert (loaded.log_probs(texts) == model.log_probs(texts)).all()
    assert loaded.top_features(3) == model.top_features(3)
    assert {path.suffix for path in (tmp_path / "model").iterdir()} == {".json", ".parquet"}
    model.fresh(0).save(tmp_path / "model")
    assert Linear.load(tmp_path / "model").coef_ is None
    Linear().save(tmp_path / "model")
    assert Linear.load(tmp_path / "model").vocabulary_ is None


def test_a_file_of_the_future_is_refused(tmp_path: Path) -> None:
    Linear().save(tmp_path)
    path = tmp_path / "linear.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(BadFile, match="99"):
        Linear.load(tmp_path)
    with pytest.raises(BadFile, match="cannot be read"):
        Linear.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "settings", [{"l2": 0}, {"min_count": 0}, {"max_features": -1}, {"ngrams": (2, 1)}]
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Linear(**settings).prepare(["a"])  # type: ignore[arg-type]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([(1, 1), (1, 2), (2, 3)]))
def test_attention_equals_its_twin(seed: int, ngrams: tuple[int, int]) -> None:
    texts, soft = some_texts(25, seed)
    texts = [*texts, "", "zebra quagga"]
    model = Linear(ngrams=ngrams, min_count=1)
    prepared = model.prepare([*texts[:-1], ""])
    model.fit_soft(prepared, np.vstack([soft, soft[:2]]))
    found = model.attention(texts)
    matrix = model.prepare(texts).matrix.toarray()
    for i in range(len(texts)):
        share = found.share[found.first[i] : found.first[i + 1]]
        assert share == pytest.approx(attention_twin(model, texts[i], matrix[i]), abs=1e-5)


def attention_twin(model: Linear, text: str, row: Floats) -> list[float]:
    """The share of each word, n-gram by n-gram."""
    assert model.coef_ is not None
    assert model.vocabulary_ is not None
    column = {name: at for at, name in enumerate(model.vocabulary_.names.to_pylist())}
    words = text.split()
    moved = [0.0] * len(words)
    for length in range(model.ngrams[0], model.ngrams[1] + 1):
        grams = ngrams_of(text, length, length)
        for start, gram in enumerate(grams):
            if gram in column:
                size = np.linalg.norm(model.coef_[column[gram]]) * row[column[gram]]
                for at in range(start, start + length):
                    moved[at] += size / grams.count(gram) / length
    total = sum(moved)
    return [one / total if total else 1 / len(words) for one in moved]


def test_the_strongest_ngrams_of_each_label() -> None:
    texts = ["good fun", "good day", "bad day", "bad fun"] * 5
    label = np.array([1, 1, 0, 0] * 5)
    top = Linear().fit_soft(texts, np.eye(2)[label]).top_features(1)
    assert top[0][0][0].startswith("bad")
    assert top[1][0][0].startswith("good")
    assert top[1][0][1] > 0


def test_prepared_texts_are_values() -> None:
    prepared = Linear().prepare(["a b", "a"])
    assert isinstance(prepared, PreparedTexts)
    with pytest.raises(AttributeError):
        prepared.matrix = prepared.matrix  # type: ignore[misc]
