"""Models put back onto their data: all that they said before they were saved, they say again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import tacit
from tacit.data.sample import sample
from tacit.errors import BadFile, BadInput
from tacit.learning import dpl
from tacit.learning.label_model import LabelModel
from tacit.learning.restoring import numbers_of
from tacit.learning.saved_evidence import evidence_of

from .fitted_models import DECLARATIONS, FORMULAS, task_of
from .killed_run import model, problem
from .test_plausible import texts as texts_with_and
from .test_silenced import long_texts

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

Problem = tuple[tacit.Task, tacit.Program]


def with_texts(task: tacit.Task, domain: str, texts: list[str]) -> tacit.Task:
    """The same task, with a text for each instance of a table."""
    tables: dict[str, Any] = {name: table.arrow for name, table in task.tables.items()}
    tables[domain] = {"id": task.instances(domain).ids.to_pylist(), "text": texts}
    return tacit.Task(tables, text=f"{domain}.text")


def every_kind() -> Problem:
    """Two label functions, and every kind of evidence at once."""
    rules = "\n".join(f"{name}: {FORMULAS[name]}" for name in FORMULAS)
    texts = ["good day", "fine day", "odd day", "good and fine", "odd night"]
    return with_texts(task_of(7), "item", texts), tacit.Program.parse(DECLARATIONS + rules)


def drawn_votes(n: int = 300) -> np.ndarray:
    """Six functions, all of them often wrong, of which the last two repeat the first."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, n)
    votes = np.where(rng.random((n, 6)) < 0.5, truth[:, None], rng.integers(0, 3, (n, 6)))
    votes[rng.random((n, 6)) < 0.2] = -1
    votes[:, 4:] = np.where(rng.random((n, 2)) < 0.9, votes[:, :1], votes[:, 4:])
    return votes


def matrix() -> Problem:
    votes = drawn_votes()
    task, program = tacit.from_label_matrix(votes, labels=["a", "b", "c"])
    return with_texts(task, "item", [f"w{max(row)} v{row[0]}" for row in votes]), program


def functions() -> Problem:
    """Labelling functions, one of which is another's copy."""

    def long(text: str) -> str | None:
        return "pos" if len(text) > 42 else None

    def lengthy(text: str) -> str | None:
        return "pos" if len(text) > 41 else None

    def sides(text: str) -> str | None:
        return "pos" if "superb" in text else "neg" if "awful" in text else None

    task, _ = problem("free")
    texts = task.inputs("review").to_pylist()
    words = {"pos": ["fine"], "neg": ["dull"]}
    return tacit.text_classification(
        texts, labels=["neg", "pos"], keywords=words, functions=[long, lengthy, sides]
    )


def silenced() -> Problem:
    texts, words = long_texts(4, n=150)
    return tacit.text_classification(texts, labels=["neg", "pos"], keywords=words)


def common() -> Problem:
    """A word of nearly all texts, whose weight cannot be what it was given."""
    words = {"pos": ["and", "superb"], "neg": ["dull"]}
    return tacit.text_classification(texts_with_and(), labels=["neg", "pos"], keywords=words)


def joint() -> Problem:
    oncology = sample("oncology")
    return oncology.task, tacit.Program.parse(oncology.rules)


FOR_Y = {"y": "linear", "z": None}
CASES: dict[str, tuple[Callable[[], Problem], dict[str, Any]]] = {
    "text": (lambda: problem("free"), {}),
    "tied": (lambda: problem("tied"), {}),
    "folds": (lambda: problem("free"), {"folds": 3}),
    "every kind": (every_kind, {"predictor": FOR_Y, "label_model": LabelModel(max_steps=3)}),
    "matrix": (matrix, {"label_model": LabelModel()}),
    "silence tells": (matrix, {"label_model": LabelModel(abstention="informative")}),
    "functions": (functions, {"label_model": LabelModel(class_prior="learned")}),
    "silenced": (silenced, {"label_model": LabelModel()}),
    "common": (common, {"label_model": LabelModel()}),
    "given": (silenced, {"label_model": LabelModel(keywords="given"), "sharpness": None}),
    "oncology": (joint, {"rounds": 1, "label_model": LabelModel(max_steps=2)}),
}


@pytest.fixture(scope="module", params=CASES)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[tacit.DPL, tacit.DPL]:
    """A model as it was fitted, and as it was saved, loaded and put back onto its data."""
    make, settings = CASES[request.param]
    task, program = make()
    fitted = model(**({"rounds": 2} | settings)).fit(task, program)
    folder = tmp_path_factory.mktemp("runs") / "run"
    fitted.save(folder)
    return fitted, tacit.load(folder).on(make()[0])


def by_function(of: Any) -> dict[str, Any]:
    return of if isinstance(of, dict) else {"": of}


def test_all_that_it_said_it_says_again(pair: tuple[tacit.DPL, tacit.DPL]) -> None:
    before, after = pair
    mine, theirs = by_function(after.posterior_), by_function(before.posterior_)
    assert list(mine) == list(theirs)
    for name, posterior in theirs.items():
        assert_array_equal(mine[name], posterior)
    assert (after.weights_, after.history_) == (before.weights_, before.history_)
    assert after.analysis().as_dict() == before.analysis().as_dict()
    for name in before.predictors_:
        for field in ("evidence", "network", "together", "has_evidence"):
            found = getattr(after.views(name), field)
            assert_array_equal(found, getattr(before.views(name), field))


def test_explanations_are_the_same(pair: tuple[tacit.DPL, tacit.DPL]) -> None:
    before, after = pair
    assert isinstance(before.label_model_, LabelModel)
    variables = before.label_model_.factors_.variables
    for function, instances in zip(variables.functions, variables.instances, strict=True):
        for row in (0, len(instances) // 2):
            instance = instances.ids[row].as_py()
            mine = after.explain(instance, function.name)
            assert mine.as_dict() == before.explain(instance, function.name).as_dict()


def test_what_was_found_of_the_evidence_is_there(pair: tuple[tacit.DPL, tacit.DPL]) -> None:
    before, after = pair[0].label_model_, pair[1].label_model_
    assert isinstance(before, LabelModel)
    assert isinstance(after, LabelModel)
    assert (after.dependencies_, after.silenced_) == (before.dependencies_, before.silenced_)
    assert_array_equal([*after.errors_.values()], [*before.errors_.values()])
    assert (after.fitted_.heights, after.fitted_.settled) == (
        before.fitted_.heights,
        before.fitted_.settled,
    )
    for name, shares in by_function(before.class_prior_).items():
        found = by_function(after.class_prior_)[name]
        np.testing.assert_allclose(found, shares, atol=1e-3 if before.beliefs_ else 1e-12)


def test_the_cases_are_what_they_say(tmp_path: Path) -> None:
    joins = model(**CASES["matrix"][1]).fit(*matrix()).label_model_
    assert isinstance(joins, LabelModel)
    assert {0, 4, 5} <= {at for each in joins.dependencies_["y"] for at in each.pair}
    votes = joins._objective.likelihoods[0].votes
    assert votes.n_sources != joins.votes_["y"].n_sources  # some are joined
    silent = model(label_model=LabelModel()).fit(*silenced()).label_model_
    assert isinstance(silent, LabelModel)
    assert silent.silenced_


def test_nothing_is_learned_and_no_network_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, program = problem("tied")
    fitted = model().fit(task, program)
    fitted.save(tmp_path / "run")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("this takes long")

    loaded = tacit.load(tmp_path / "run")
    monkeypatch.setattr(type(loaded.predictor_), "prepare", refuse)
    monkeypatch.setattr(type(loaded.predictor_), "log_probs", refuse)
    monkeypatch.setattr("tacit.learning.label_model.climb", refuse)
    monkeypatch.setattr(dpl, "learn", refuse)
    again = loaded.on(task)
    assert again.explain("r3").as_dict() == fitted.explain("r3").as_dict()
    assert_array_equal(again.views().network, fitted.views().network)


def test_it_can_be_saved_loaded_and_built_upon(tmp_path: Path) -> None:
    task, program = problem("free")
    fitted = model().fit(task, program)
    fitted.save(tmp_path / "first")
    tacit.load(tmp_path / "first").save(tmp_path / "second")
    again = tacit.load(tmp_path / "second").on(task)
    again.save(tmp_path / "third")
    last = tacit.load(tmp_path / "third").on(task)
    assert last.analysis().as_dict() == fitted.analysis().as_dict()
    assert last.on(task) is last
    mine, theirs = last.attention(), fitted.attention()
    assert mine.words == theirs.words
    assert_array_equal(mine.share, theirs.share)
    larger = tacit.Program.parse(program.show() + 'w: 1.0 token(r, "warm") => sentiment(r) = pos\n')
    grown = model().fit(task, larger, previous=last)
    assert_array_equal(grown.posterior_, model().fit(task, larger).posterior_)


def test_a_program_that_grew_from_another(tmp_path: Path) -> None:
    task, program = problem("tied")
    larger = tacit.Program.parse(program.show() + 'w: 1.0 token(r, "warm") => sentiment(r) = pos\n')
    grown = model().fit(task, larger, previous=model().fit(task, program))
    grown.save(tmp_path / "run")
    again = tacit.load(tmp_path / "run").on(task)
    assert_array_equal(again.posterior_, grown.posterior_)
    assert again.explain("r5").as_dict() == grown.explain("r5").as_dict()


def test_networks_that_cannot_be_saved_make_no_difference() -> None:
    """A scikit-learn classifier has no file format, but what it said has."""
    from dataclasses import replace

    from sklearn.naive_bayes import MultinomialNB  # type: ignore[import-untyped]

    task, program = problem("tied")
    fitted = model(predictor=MultinomialNB()).fit(task, program)
    kept = fitted.clone()
    assert isinstance(fitted.label_model_, LabelModel)
    kept.label_model_ = replace(evidence_of(fitted.label_model_), numbers=numbers_of(fitted))
    kept.predictors_, kept.history_ = fitted.predictors_, fitted.history_
    again = kept.on(problem("tied")[0])
    assert_array_equal(again.posterior_, fitted.posterior_)
    assert again.explain("r0").as_dict() == fitted.explain("r0").as_dict()


def test_other_data_are_refused(tmp_path: Path) -> None:
    task, program = problem("free")
    fitted = model(rounds=1).fit(task, program)
    fitted.save(tmp_path / "run")
    other = task.with_table("near", {"a": ["r0"], "b": ["r1"]})
    for one in (tacit.load(tmp_path / "run"), fitted):
        with pytest.raises(BadInput, match="other data than this task") as error:
            one.on(other)
        assert "fit again" in str(error.value.remedy)
    with pytest.raises(BadInput, match="nothing is learned yet"):
        model().on(task)


def test_runs_of_before_are_read_but_not_put_back(tmp_path: Path) -> None:
    """A folder without numbers.parquet still predicts."""
    import json

    task, program = problem("free")
    fitted = model(rounds=1).fit(task, program)
    fitted.save(tmp_path / "run")
    (tmp_path / "run" / "numbers.parquet").unlink()
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    del about["files"]["numbers.parquet"]
    (tmp_path / "run" / "run.json").write_text(json.dumps(about))
    loaded = tacit.load(tmp_path / "run")
    assert loaded.predict(["superb"]) == fitted.predict(["superb"])
    with pytest.raises(BadFile, match="earlier version") as error:
        loaded.on(task)
    assert "fit and save it again" in str(error.value.remedy)


@pytest.mark.parametrize("method", ["explain", "analysis", "views", "attention"])
def test_what_needs_data_says_how_to_get_it(tmp_path: Path, method: str) -> None:
    task, program = problem("free")
    model(rounds=1).fit(task, program).save(tmp_path / "run")
    asked = getattr(tacit.load(tmp_path / "run"), method)
    with pytest.raises(BadInput, match=r"on\(task\)"):
        asked("r1") if method == "explain" else asked()
