"""Snorkel's labels for the benchmark of deep probabilistic logic.

Its label model runs in the peers' Python, or ran there before: on a machine without Snorkel, labels
are read from a file that `--make-snorkel` has written elsewhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.dpl_problems import Problem
from benchmarks.inference_sides import LeftOut, Side
from benchmarks.label_model_jobs import write
from benchmarks.label_model_sets import Floats

MODULE = "benchmarks.label_model_peers"
MEMORY = 12.0  # GB that it may take
FEWEST = 3  # functions: with fewer, Snorkel refuses

Labels = Callable[[Problem, int], Floats]  # of the train texts, by a seed


def by_peers(python: str) -> Labels:
    """Labels by Snorkel as it is installed in another Python."""

    @cache
    def labels(problem: Problem, seed: int) -> Floats:
        if problem.matrix.shape[1] < FEWEST:
            raise LeftOut(f"Snorkel needs {FEWEST} functions at least")
        with tempfile.TemporaryDirectory() as folder:
            given, answer = Path(folder) / "input.npz", Path(folder) / "labels.npy"
            write(problem.for_peers(), given)
            with Side(python, MODULE, given, MEMORY) as side:
                side.ask("load", model="snorkel")
                side.ask("run", seed=seed, posterior=str(answer))
            return _without_gaps(np.load(answer))

    return labels


def by_file(path: Path) -> Labels:
    """Labels that `write_labels` has written."""

    def labels(problem: Problem, seed: int) -> Floats:
        with np.load(path) as arrays:
            key = _key(problem, seed)
            if key not in arrays:
                raise LeftOut(f"{path.name} has no labels of {key}")
            found = arrays[key].astype(np.float64)
        if len(found) != len(problem.corpus.train):
            raise LeftOut(f"{path.name} has {len(found)} labels of {key}")
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    return labels


def absent(why: str) -> Labels:
    """No labels, for a reason."""

    def labels(problem: Problem, seed: int) -> Floats:
        raise LeftOut(why)

    return labels


def write_labels(labels: Labels, problems: Iterable[Problem], seeds: int, path: Path) -> list[str]:
    """Write the labels of many problems, for every seed; what could not be had, and why."""
    found, left_out = {}, []
    for problem in problems:
        try:
            for seed in range(seeds):
                found[_key(problem, seed)] = labels(problem, seed).astype(np.float32)
        except LeftOut as why:
            left_out.append(f"{problem.name}: {why}")
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **found)
    return left_out


def _key(problem: Problem, seed: int) -> str:
    return f"{problem.name}_seed_{seed}"


def _without_gaps(posterior: Floats) -> Floats:
    """Rows that came out as no number say nothing."""
    unknown = ~np.isfinite(posterior).all(axis=1, keepdims=True)
    return np.where(unknown, 1 / posterior.shape[1], posterior)
