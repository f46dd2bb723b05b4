"""Relations across sentences: the chapter's ablation on the text of Peng et al. and on CIViCmine.

Every row learns from Peng's 6,987 candidates as text without labels. It is tested on gold (all
seeds), and on Peng's automatic labels in folds by text (the first seed).
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from multiprocessing import get_context
from statistics import mean
from typing import Any, TypeVar

import numba
import numpy as np
import torch

from benchmarks.bio_jobs import Figures, Job, Setting, Table
from benchmarks.bio_relations_data import N_FOLDS, Corpora, Floats, Source, corpora
from benchmarks.bio_relations_rows import ROWS, gold_figures, on_fold, on_gold

Result = TypeVar("Result")
AT_ONCE = 14  # trainings beside each other: one keeps a GPU busy for a part of the time only
BASELINES: dict[str, Callable[[Corpora], Floats]] = {
    "all yes": lambda data: np.ones(len(data.gold)),
    "in KB": lambda data: data.known(data.gold_candidates).astype(np.float64),
}


def jobs(setting: Setting) -> list[Job]:
    """Every row and seed; on a GPU trainings run beside each other."""
    shop = Workshop(setting)
    found = [Job(name, 0, partial(shop.baseline, name)) for name in BASELINES]
    for name in ROWS:
        row = Trainings(name, shop)
        found += [
            Job(name, seed, partial(row.figures, seed), partial(row.begin, seed))
            for seed in range(setting.seeds)
        ]
    return found


@dataclass
class Workshop:
    """What all rows share: the data, and processes to train in where there is a GPU."""

    setting: Setting

    @cached_property
    def source(self) -> Source:
        """Where processes find the data; the parser is trained when it is first asked for."""
        return Source.made(self.setting.bio, device=self.device, quick=self.setting.quick)

    @cached_property
    def device(self) -> str:
        """Where networks are trained."""
        if self.setting.device != "auto":
            return self.setting.device
        return "cuda" if torch.cuda.is_available() else "cpu"

    @cached_property
    def pool(self) -> ProcessPoolExecutor | None:
        """Processes, on a GPU; on a CPU one training after the other has all cores."""
        if self.device == "cpu":
            return None
        pool = ProcessPoolExecutor(AT_ONCE, get_context("spawn"), initializer=_one_core)
        atexit.register(pool.shutdown, cancel_futures=True)
        return pool

    def baseline(self, name: str) -> Figures:
        """The figures of something that needs no training."""
        data = corpora(self.source)
        return gold_figures(data, BASELINES[name](data))

    def begun(self, run: Callable[..., Result], *given: Any) -> Callable[[], Result]:
        """A training that goes on in another process, or when it is asked for."""
        if self.pool is None:
            return partial(run, *given)
        result: Future[Result] = self.pool.submit(run, *given)
        return result.result


def _one_core() -> None:
    """A process of many has one core: torch and numba would each take all."""
    torch.set_num_threads(1)
    numba.set_num_threads(1)


@dataclass
class Trainings:
    """The trainings of a row."""

    name: str
    shop: Workshop
    _begun: dict[str, Callable[[], Figures]] = field(default_factory=dict)

    def figures(self, seed: int) -> Figures:
        """The figures of one seed; those on automatic labels come with the first."""
        self.begin(seed)
        found = dict(self._begun[f"seed {seed}"]())
        if seed == 0 and ROWS[self.name].automatic:
            folds = [run() for key, run in self._begun.items() if key.startswith("fold")]
            found |= {key: mean(own[key] for own in folds) for key in folds[0]}
        return found

    def begin(self, seed: int) -> None:
        """Begin the training of a seed, and with the first one those on folds."""
        if f"seed {seed}" in self._begun:
            return
        shop, source = self.shop, self.shop.source
        if ROWS[self.name].vectors:
            source.make_vectors()
        self._begun[f"seed {seed}"] = shop.begun(on_gold, self.name, source, seed)
        n_folds = 1 if shop.setting.quick else N_FOLDS
        for fold in range(n_folds if ROWS[self.name].automatic and not seed else 0):
            self._begun[f"fold {fold}"] = shop.begun(on_fold, self.name, source, fold)


RELATIONS = Table(
    title="Relations between drug, gene and variant (the chapter's Table 2)",
    columns=(
        *("precision", "recall", "f1", "ap", "auto_accuracy", "auto_f1", "extracted", "unique"),
        *("error_gene-mutation", "error_relation"),
    ),
    jobs=jobs,
    chapter={  # precision of a sample; what was extracted from about a million articles
        "DS only": {"precision": 0.64, "extracted": 6768 / 0.64, "unique": 2738},
        "DPL": {"precision": 0.73, "extracted": 7666 / 0.73, "unique": 4144},
        "- DS": {"precision": 0.29, "extracted": 7555 / 0.29, "unique": 4912},
        "- DP": {"precision": 0.67, "extracted": 4826 / 0.67, "unique": 2629},
        "- DP (entity)": {"precision": 0.70, "extracted": 7638 / 0.70, "unique": 4074},
        "- JI": {"precision": 0.72, "extracted": 7418 / 0.72, "unique": 4011},
        "BiLSTM": {"precision": 0.60, "extracted": 6243 / 0.60, "unique": 3427},
        "+ EMB": {"precision": 0.74, "extracted": 8478 / 0.74, "unique": 4821},
    },
    meanings={
        "precision, recall, f1, ap": "on the 264 candidates of CIViCmine's sentences, 170 of which "
        "are true by people's marks, at a probability of 0.5; to say yes to all gives an F1 of "
        "0.783. ap is average precision. This gold is not fresh: about 18 pilot trainings had been "
        "tested on it before the rows were fixed",
        "auto_accuracy, auto_f1": "on folds of Peng's text that were not learned from, against "
        "Peng's automatic labels. Word vectors (+ EMB) are learned from all of Peng's text, those "
        "folds too, without labels",
        "extracted, unique": "candidates of Peng's text that the network says yes to, and their "
        "distinct triples; the chapter's are of all its articles",
        "error_...": "of wrong extractions on CIViCmine, the share with this error; the chapter "
        "has gene-mutation 0.45 and relation 0.24, and counts errors in entities, which gold "
        "mentions do not have",
    },
)
