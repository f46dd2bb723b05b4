"""The benchmarks run, and say what they promise to say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import inference, inference_cuda
from benchmarks.grounding import growth
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
def test_grounding_ends_with_one_json_object() -> None:
    command = [sys.executable, "-m", "benchmarks.grounding", "--quick", "--json", "--sizes", "300"]
    command += ["--peer-python", "nowhere"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout.splitlines()[-1])
    assert report["left_out"] == []
    assert [record["case"] for record in report["cases"]] == ["unary", "pair", "group", "three_way"]
    for record in report["cases"]:
        assert record["groundings"] >= record["factors"] > 0
        assert record["ratio_vs_raw_join"] > 0
        assert record["ratio_vs_unmerged_join"] > 0
        assert record["memory_ratio"] > 0
    assert report["cases"][0]["queries"] == 1
    assert report["ratio_vs_raw_join"] == report["cases"][1]["ratio_vs_raw_join"]
    assert set(report) >= {"growth", "memory_ratio", "incremental_ratio", "speedup_vs_psl"}
    assert report["psl"] == {"skipped": "there is no Python at nowhere"}
    assert set(report["meanings"]) >= {"ratio_vs_raw_join", "speedup_vs_psl", "incremental_ratio"}


def test_growth_is_the_exponent() -> None:
    records = [{"groundings": n, "seconds": 3e-7 * n**1.25} for n in (10**5, 10**6, 10**7)]
    assert growth(records) == pytest.approx(1.25)
    assert growth(records[:1]) is None


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
def test_inference_ends_with_one_json_object() -> None:
    command = [sys.executable, "-m", "benchmarks.inference", "--quick", "--json"]
    command += ["--graphs", "chapter", "pairs_10k", "--peer-python", "nowhere"]
    alone = {
        **os.environ,
        "NUMBA_NUM_THREADS": "1",
    }  # threads wait for each other on a busy machine
    answer = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=alone
    )
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout.splitlines()[-1])
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


def test_the_floor_of_a_binary_pair_is_44_bytes() -> None:
    spec = next(spec for spec in SPECS if spec.name == "pairs_1m")
    assert floor_bytes(spec, 0) == 44 * spec.n_edges + 16 * spec.n_variables
    assert floor_bytes(spec, 0, number=4) == 28 * spec.n_edges + 8 * spec.n_variables


def test_the_plain_sweeps_that_check_a_gpu_agree_with_inference() -> None:
    arrays = draw(next(spec for spec in QUICK if spec.name == "pairs_10k"))
    config = BPConfig(max_sweeps=8, tolerance=inference_cuda.NEVER)
    graph = inference_cuda.graph_of(arrays)
    with pytest.warns(TacitWarning, match="8 sweeps"):
        beliefs = infer(graph, "bp", config=config, log_unary=arrays.fields)
    assert beliefs.sweeps == 8
    assert beliefs.marginals() == pytest.approx(inference_cuda.plain(arrays, 8), abs=1e-9)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_label_models_end_with_one_json_object() -> None:
    command = [sys.executable, "-m", "benchmarks.label_model", "--quick", "--json"]
    command += ["--sets", "imbalanced", "agnews", "--peer-python", "nowhere", "--data", "nowhere"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout.splitlines()[-1])
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
