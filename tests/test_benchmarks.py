"""The benchmarks run, and say what they promise to say."""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import (
    dpl_snorkel,
    grounding,
    grounding_cases,
    inference,
    inference_cuda,
    label_model,
)
from benchmarks.dpl_predictors import make_predictor
from benchmarks.dpl_problems import problem_of_tokens
from benchmarks.dpl_score import gaps
from benchmarks.dpl_sets import Corpus, Labelled
from benchmarks.dpl_tokens import oracle_tokens, read_tokens, strongest, write_tokens
from benchmarks.grounding_psl import PeerAbsent, peer_python, read_log
from benchmarks.inference_graphs import QUICK, SPECS, draw, floor_bytes, read, write
from benchmarks.inference_sides import LeftOut, pgmax_python
from benchmarks.label_model_score import credit, gap, mean_scores, scores, summary
from benchmarks.label_model_sets import SPECS as VOTE_SPECS
from benchmarks.label_model_sets import Spec as VoteSpec
from benchmarks.label_model_sets import draw as draw_votes
from benchmarks.label_model_sets import quick as quick_votes
from tacit.errors import TacitWarning
from tacit.inference import BPConfig, infer

ROOT = Path(__file__).parent.parent
LOG = """\
2852 [main] INFO  org.linqs.psl.application.inference.InferenceApplication  - Grounding out model.
3558 [main] INFO  org.linqs.psl.application.inference.InferenceApplication  - Grounding complete.
3558 [main] DEBUG org.linqs.psl.application.inference.InferenceApplication  - Generated 100 terms.
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_grounding_ends_with_one_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The workers of one case have processes of their own, as all have when it counts."""
    elsewhere = grounding.worker

    def worker(command: list[str], limit: float) -> dict[str, Any]:
        if "pair" in command:
            return elsewhere(command, limit)
        monkeypatch.setattr(sys, "argv", command)
        importlib.import_module(command[0]).main()
        answer: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
        return answer

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(grounding, "worker", worker)
    monkeypatch.setattr(grounding_cases, "N_RULES", 20)
    monkeypatch.setattr(gc, "collect", lambda: 0)  # it takes long beside so many tests
    grounding.main(["--quick", "--json", "--sizes", "300", "--peer-python", "nowhere"])
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["left_out"] == []
    assert [record["case"] for record in report["cases"]] == ["unary", "pair", "group", "three_way"]
    for record in report["cases"]:
        assert record["groundings"] >= record["factors"] > 0
        assert record["ratio_vs_raw_join"] > 0
        assert record["ratio_vs_unmerged_join"] > 0
        assert record["memory_ratio"] > 0 or record["case"] != "pair"  # memory is reused here
    assert report["cases"][0]["queries"] == 1
    assert report["ratio_vs_raw_join"] == report["cases"][1]["ratio_vs_raw_join"]
    assert set(report) >= {"growth", "memory_ratio", "incremental_ratio", "speedup_vs_psl"}
    assert report["incremental_ratio"] > 0
    assert report["psl"] == {"skipped": "there is no Python at nowhere"}
    assert set(report["meanings"]) >= {"ratio_vs_raw_join", "speedup_vs_psl", "incremental_ratio"}


def test_growth_is_the_exponent() -> None:
    records = [{"groundings": n, "seconds": 3e-7 * n**1.25} for n in (10**5, 10**6, 10**7)]
    assert grounding.growth(records) == pytest.approx(1.25)
    assert grounding.growth(records[:1]) is None


def test_the_log_of_psl_tells_when_it_grounded() -> None:
    grounded = read_log(LOG)
    assert grounded.seconds == (0.706,)
    assert grounded.groundings == 100
    with pytest.raises(PeerAbsent, match="does not tell"):
        read_log("nothing")


def test_a_python_without_psl_is_a_reason() -> None:
    with pytest.raises(PeerAbsent, match="TACIT_PEERS"):
        peer_python(None)
    with pytest.raises(PeerAbsent, match="no pslpython or no Java"):
        peer_python(sys.executable)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_inference_ends_with_one_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Threads wait for each other on a busy machine.
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    monkeypatch.chdir(ROOT)
    graphs = ["--graphs", "chapter", "pairs_10k", "--peer-python", "nowhere"]
    inference.main(["--quick", "--json", *graphs])
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["left_out"] == []
    assert [record["graph"] for record in report["graphs"]] == ["chapter", "pairs_10k"]
    for record in report["graphs"]:
        assert record["ours"]["converged"]
        assert record["ours"]["many"] - record["ours"]["few"] == 30  # no sweep is left out
        assert record["pgmax"] == {"skipped": "there is no Python at nowhere"}
        assert record["floor_seconds"] > 0
        assert record["sweep_speedup_vs_pgmax"] is None
    assert report["pgmax_skipped"] == "there is no Python at nowhere"
    assert report["bytes_per_edge"] > 0
    assert report["bytes_per_added_edge"] is not None
    assert report["first_call_seconds"] > 0
    assert report["chapter_ms"] > 0
    wanted = {"growth", "x_of_floor", "build_speedup_vs_pgmax", "total_speedup_vs_pgmax"}
    assert set(report) >= wanted | {"sweep_speedup_vs_pgmax"}


def test_growth_of_sweeps_is_the_exponent() -> None:
    records = [{"edges": n, "ours": {"sweep_seconds": 2e-8 * n**1.1}} for n in (10**4, 10**6)]
    exponent, steps = inference.growth(records)
    assert exponent == pytest.approx(1.1)
    assert steps == [pytest.approx(1.1)]
    assert inference.growth(records[:1]) == (None, [])


def test_a_python_without_pgmax_is_a_reason() -> None:
    with pytest.raises(LeftOut, match="TACIT_PEERS"):
        pgmax_python(None)
    with pytest.raises(LeftOut, match="no PGMax there"):
        pgmax_python(sys.executable)


def test_drawn_graphs_are_what_they_say(tmp_path: Path) -> None:
    for spec in QUICK:
        arrays = draw(spec)
        assert arrays.pairs.shape == (spec.n_edges, 2)
        assert (arrays.pairs[:, 0] < arrays.pairs[:, 1]).all()
        assert len(np.unique(arrays.pairs, axis=0)) == spec.n_edges
        assert arrays.fields.shape == (spec.n_variables, spec.n_states)
        assert arrays.n_groups == spec.n_groups
        write(arrays, tmp_path / "graph.npz")
        found = read(tmp_path / "graph.npz")
        assert np.array_equal(found.pairs, arrays.pairs)
        assert found.coupling == spec.coupling
    assert [spec.name for spec in QUICK] == [spec.name for spec in SPECS]


def test_the_floor_of_a_binary_pair_is_40_bytes() -> None:
    spec = next(spec for spec in SPECS if spec.name == "pairs_1m")
    assert floor_bytes(spec, 0) == 40 * spec.n_edges + 16 * spec.n_variables
    assert floor_bytes(spec, 0, number=4) == 24 * spec.n_edges + 8 * spec.n_variables


def test_the_plain_sweeps_that_check_a_gpu_agree_with_inference() -> None:
    arrays = draw(next(spec for spec in QUICK if spec.name == "pairs_10k"))
    config = BPConfig(max_sweeps=8, tolerance=inference_cuda.NEVER)
    graph = inference_cuda.graph_of(arrays)
    with pytest.warns(TacitWarning, match="8 sweeps"):
        beliefs = infer(graph, "bp", config=config, log_unary=arrays.fields)
    assert beliefs.sweeps == 8
    assert beliefs.marginals() == pytest.approx(inference_cuda.plain(arrays, 8), abs=1e-9)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_label_models_end_with_one_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    sets = ["--sets", "imbalanced", "agnews", "--peer-python", "nowhere", "--data", "nowhere"]
    label_model.main(["--quick", "--json", *sets])
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["left_out"] == [{"set": "agnews", "why": "there is no folder text in nowhere"}]
    (record,) = report["sets"]
    assert record["set"] == "imbalanced"
    assert set(record["models"]) == {"tacit", "majority", "snorkel", "dawid_skene", "glad"}
    for model in ("tacit", "majority"):
        figures = record["models"][model]
        wanted = {"accuracy", "accuracy_covered", "fit_s", "predict_s", "memory_mb", "first_s"}
        assert set(figures) >= wanted
        assert 0.5 < figures["accuracy"] <= 1
        assert report["accuracy"]["imbalanced"][model] == figures["accuracy"]
    assert record["models"]["tacit"]["differs_by"] < 1e-9
    assert record["models"]["snorkel"] == {"skipped": "there is no Python at nowhere"}
    assert report["peers_skipped"] == "there is no Python at nowhere"
    assert report["fit_speedup_vs_snorkel"] == {"imbalanced": None}
    assert report["worst_gap"] == {"accuracy": None, "accuracy_covered": None}
    assert report["mean_accuracy"]["all_sets"]["accuracy"]["snorkel"] is None


def test_a_tie_counts_as_a_coin_would() -> None:
    posterior = np.array([[0.9, 0.1], [0.5, 0.5], [np.nan, np.nan], [0.2, 0.8]])
    assert credit(posterior, np.array([0, 0, 1, 0])).tolist() == [1.0, 0.5, 0.5, 0.0]


def test_the_true_posterior_is_calibrated() -> None:
    spec = VoteSpec(
        name="copies", about="", n_rows=50_000, n_functions=6, coverage=0.6, n_copies=3, odds=3.0
    )
    drawn = draw_votes(spec)
    assert drawn.true_posterior is not None
    believed = drawn.true_posterior[:, 1]
    for low in np.arange(0.0, 1.0, 0.1):
        chosen = (believed >= low) & (believed < low + 0.1)
        off = (drawn.gold[chosen] == 1).mean() - believed[chosen].mean()
        assert abs(off) < 4 * np.sqrt(0.25 / chosen.sum())


def test_drawn_votes_are_what_they_say() -> None:
    for spec in map(quick_votes, VOTE_SPECS):
        drawn = draw_votes(spec)
        assert drawn.votes.shape == (spec.n_rows, spec.n_functions)
        assert drawn.votes.min() >= -1
        assert drawn.votes.max() < spec.n_labels
        assert (drawn.votes >= 0).mean() == pytest.approx(spec.coverage, abs=0.05)
        assert drawn.true_posterior is not None
        assert scores(drawn.true_posterior, drawn)["accuracy"] > 0.6


def test_gaps_and_means_count_what_every_model_has() -> None:
    def figure(accuracy: float | None) -> dict[str, float | None]:
        return {"accuracy": accuracy, "accuracy_covered": accuracy}

    def record(name: str, *accuracies: float | None) -> dict[str, object]:
        models = ("tacit", "majority", "snorkel", "dawid_skene", "glad")
        found = {m: figure(a) for m, a in zip(models, accuracies, strict=True)}
        return {"set": name, "kind": "real", "models": found, "fit_speedup_vs_snorkel": None}

    records = [record("a", 0.8, 0.7, 0.9, 0.6, 1.0), record("b", 0.5, 0.5, None, 0.4, None)]
    assert gap(records[0], "accuracy") == (pytest.approx(-0.1), "snorkel")
    found = summary(records)
    assert found["worst_gap"]["accuracy"]["set"] == "a"
    assert found["mean_accuracy"]["real_sets_of_all_four"]["n_sets"] == 1
    assert found["mean_accuracy"]["real_sets"]["accuracy"]["tacit"] == pytest.approx(0.65)
    assert found["mean_accuracy"]["real_sets"]["accuracy"]["snorkel"] is None
    seeds = mean_scores([figure(0.8), figure(0.9)])
    assert seeds["accuracy"] == pytest.approx(0.85)
    assert seeds["accuracy_spread"] == pytest.approx(0.1)


HAS_SST2 = (Path(os.environ.get("TACIT_DATA", "nowhere")) / "text" / "sst2").is_dir()


@pytest.mark.skipif(not HAS_SST2, reason="TACIT_DATA names no folder with text/sst2")
def test_dpl_reports_every_method(tmp_path: Path) -> None:
    kept = tmp_path / "report.json"
    command = [sys.executable, "-m", "benchmarks.dpl", "--quick", "--json", str(kept)]
    command += ["--sets", "sst2", "--sizes", "20", "--peer-python", "nowhere"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(kept.read_text())
    (record,) = report["sets"]
    (problem,) = record["problems"]
    assert (record["set"], problem["n_tokens"]) == ("sst2", 20)
    assert problem["methods"]["snorkel"] == {"skipped": "there is no Python at nowhere"}
    for method in ("majority", "label_model", "dpl"):
        figures = problem["methods"][method]
        assert 0.4 < figures["accuracy"] <= 1
        assert figures["n_seeds"] == 1  # the linear predictor has no chance in it
        assert 0.4 < figures["runs"][0]["labels_accuracy"] <= 1
    assert set(record["supervised"]) == {"supervised", "bag_of_words"}
    assert report["gaps"]["dpl_minus_snorkel"] is None
    assert "train_speedup_vs_hf" in report["meanings"]
    assert "supervised bag of words" in answer.stdout


def drawn_corpus() -> Corpus:
    """Texts of two labels, each with words of its own."""
    random = np.random.default_rng(0)
    gold = random.integers(0, 2, 400)
    own = [["dull", "awful"], ["superb", "fun"]]
    texts = [f"a {random.choice(own[label])} film {random.integers(50)}" for label in gold]
    part = Labelled(texts, gold)
    return Corpus(
        name="drawn",
        labels=("neg", "pos"),
        knowledge="oracle tokens",
        train=part,
        test=part,
        votes=None,
        keywords=None,
    )


def test_oracle_tokens_are_those_of_their_label(tmp_path: Path) -> None:
    tokens = oracle_tokens(drawn_corpus(), n_each=2)
    assert {label: set(words) for label, words in tokens.items()} == {
        "neg": {"dull", "awful"},
        "pos": {"superb", "fun"},
    }
    write_tokens({"drawn": tokens}, tmp_path / "tokens.json")
    assert read_tokens(tmp_path / "tokens.json") == {"drawn": tokens}
    assert [len(words) for words in strongest(tokens, 2).values()] == [1, 1]


def test_labels_by_snorkel_come_back_from_a_file(tmp_path: Path) -> None:
    corpus, path = drawn_corpus(), tmp_path / "labels.npz"
    problem = problem_of_tokens(corpus, {"neg": ("dull",), "pos": ("superb",)}, 2)
    assert problem.matrix.shape == (400, 2)
    assert problem.for_peers().gold.size == 0  # peers never see gold
    written = dpl_snorkel.write_labels(lambda p, seed: p.majority(), [problem], 2, path)
    assert written == []
    assert dpl_snorkel.by_file(path)(problem, 1) == pytest.approx(problem.majority())
    with pytest.raises(LeftOut, match="no labels of drawn_2_seed_2"):
        dpl_snorkel.by_file(path)(problem, 2)
    with pytest.raises(LeftOut, match="Snorkel needs 3 functions"):
        dpl_snorkel.by_peers("nowhere")(problem, 0)


def test_texts_are_prepared_once_for_all_predictors() -> None:
    corpus, first = drawn_corpus(), make_predictor("linear", "cpu")
    prepared = first.prepare(corpus.train.texts)
    assert first.fresh(1).prepare(tuple(corpus.train.texts)) is prepared
    assert first.prepare(prepared) is prepared
    target = np.eye(2)[corpus.train.gold]
    assert np.exp(first.fit_soft(prepared, target).log_probs(corpus.test.texts)).shape == (400, 2)


def test_gaps_are_means_over_problems_that_have_both() -> None:
    def problem(dpl: float, snorkel: float | None, chapter: float) -> dict[str, object]:
        methods: dict[str, object] = {"dpl": {"accuracy": dpl}}
        for rival in ("majority", "label_model", "snorkel_all"):
            methods[rival] = {"accuracy": 0.5}
        methods["snorkel"] = {"skipped": "no"} if snorkel is None else {"accuracy": snorkel}
        return {"methods": methods, "chapter": {"dpl": chapter}}

    found = gaps([{"problems": [problem(0.8, 0.7, 0.75), problem(0.6, None, 0.65)]}])
    assert found["dpl_minus_majority"] == pytest.approx(0.2)
    assert found["dpl_minus_snorkel"] == pytest.approx(0.1)
    assert found["dpl_minus_chapters_dpl"] == pytest.approx(0.0)


def test_a_run_of_one_method_alone_has_no_gaps() -> None:
    alone = {"methods": {"snorkel": {"accuracy": 0.7}}, "chapter": {"dpl": 0.8}}
    assert set(gaps([{"problems": [alone]}]).values()) == {None}
