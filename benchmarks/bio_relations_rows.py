"""The rows of the relation table: what evidence each has, what its network reads, how it learns."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tacit
from benchmarks.bio_errors import errors, shares
from benchmarks.bio_relations_data import Corpora, Floats, Longs, Source, corpora
from examples.bio import relations
from examples.bio.triples import Candidate
from tacit.errors import TacitWarning
from tacit.inference import BPConfig
from tacit.learning.label_model import LabelModel
from tacit.predictors.graph_lstm import GraphLSTM
from tacit.report.extraction_scores import extraction_scores

DS = ("in_kb", "not_in_kb")
ENTITY = tuple(own.name for own in relations.ENTITY)
DP = (*ENTITY, *(own.name for own in relations.RELATION))
JI = ("once",)


@dataclass(frozen=True, slots=True)
class Row:
    """One way to learn."""

    without: tuple[str, ...] = ()  # evidence of the chapter that is left out
    expert: bool = False  # whether the expert's evidence is added
    grammar: bool = True  # whether the network reads dependencies
    blind: bool = True  # whether names are hidden from it
    vectors: bool = False  # whether it begins with word vectors of the domain
    rounds: int = 3  # as in the chapter
    automatic: bool = False  # whether it is also tested on Peng's automatic labels: five trainings
    settings: dict[str, Any] = field(default_factory=dict)  # of DPL


# The chapter's letter: labels are thresholded and re-balanced, the network is taken at its word.
HARD = {"labels": "hard", "balance": "always", "sharpness": None, "doubtful": "alike"}
NOISY_OR = {"label_model": LabelModel(method=BPConfig(at_least_one="noisy_or"))}

ROWS = {
    "DS only": Row(without=(*DP, *JI), rounds=1, automatic=True, settings=HARD),  # as Peng et al.
    "DPL": Row(automatic=True),
    "- DS": Row(without=DS, automatic=True),
    "- DP": Row(without=DP, automatic=True),
    "- DP (entity)": Row(without=ENTITY, automatic=True),
    "- JI": Row(without=JI, automatic=True),
    "- DP - JI": Row(without=(*DP, *JI)),
    "BiLSTM": Row(grammar=False, automatic=True),
    "+ EMB": Row(vectors=True),
    "hard EM": Row(automatic=True, settings=HARD),
    "noisy-or": Row(settings=NOISY_OR),
    "names shown": Row(blind=False, automatic=True),
    "+ expert": Row(expert=True, automatic=True),
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is trained."""

    epochs: int = 10  # of each round, as in the chapter
    hidden: int = 100
    batch_size: int = 256  # on a GPU a step takes about as long whatever it holds
    lr: float = 2e-3  # larger batches allow larger steps
    rounds: int = 3  # at most


FULL = Size()
QUICK = Size(epochs=1, hidden=16, batch_size=32, rounds=2)


def learned(row: Row, source: Source, rows: Longs, seed: int, size: Size) -> tacit.DPL:
    """A model that has learned from some candidates, without their labels."""
    data = corpora(source)
    rounds = min(row.rounds, size.rounds)
    network = GraphLSTM(
        hidden=size.hidden,
        epochs=size.epochs * size.rounds // rounds,  # every row trains as long
        min_steps=0,
        batch_size=size.batch_size,
        lr=size.lr,
        random_state=seed,
        device=source.device,
        vectors=source.vectors if row.vectors else None,
    )
    model = tacit.DPL(
        network,
        rounds=rounds,
        random_state=seed,
        **row.settings,
    )
    program = relations.program(expert=row.expert).without(*row.without)
    task = data.task(rows, blind=row.blind, grammar=row.grammar)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # evidence that is contradicted, and the like
        return model.fit(task, program)


def on_gold(name: str, source: Source, seed: int) -> dict[str, float]:
    """Learned from all of Peng's text: figures on gold, and what is extracted from that text."""
    row, data, begin = ROWS[name], corpora(source), time.perf_counter()
    model = learned(row, source, np.arange(len(data.train)), seed, size_of(source))
    seconds = time.perf_counter() - begin
    said = probability(model, row, data, data.gold_candidates)
    names = [own.names for own in data.train]
    found = extraction_scores(probability(model, row, data, data.train), tuples=names)
    return gold_figures(data, said) | {
        "extracted": float(found.extractions),
        "unique": float(found.unique_tuples or 0),
        "training_seconds": round(seconds, 1),
    }


def on_fold(name: str, source: Source, fold: int) -> dict[str, float]:
    """Learned from the texts of other folds: figures on this one's automatic labels."""
    row, data = ROWS[name], corpora(source)
    inside = data.fold == fold
    model = learned(row, source, np.flatnonzero(~inside), 0, size_of(source))
    some = [data.train[at] for at in np.flatnonzero(inside)]
    own = extraction_scores(probability(model, row, data, some), data.automatic[inside])
    return {"auto_accuracy": own.accuracy, "auto_f1": own.f1}


def size_of(source: Source) -> Size:
    """How much is trained there."""
    return QUICK if source.quick else FULL


def gold_figures(data: Corpora, said_yes: Floats) -> dict[str, float]:
    """Precision, recall, F1, average precision and types of error on gold."""
    is_true = np.array([own.is_true for own in data.gold])
    own = extraction_scores(said_yes, is_true)
    wrong = [data.gold[at] for at in np.flatnonzero((said_yes >= 0.5) & ~is_true)]
    by_type = shares(errors(one.gold, *one.places) for one in wrong)
    return {
        "precision": own.precision,
        "recall": own.recall,
        "f1": own.f1,
        "ap": own.average_precision,
        "yes": own.extractions / own.n_gold,
        **{f"error_{kind}": share for kind, share in by_type.items()},
    }


def probability(model: tacit.DPL, row: Row, data: Corpora, some: list[Candidate]) -> Floats:
    """The network's probability of yes."""
    read = data.readings(some, blind=row.blind, grammar=row.grammar)
    return np.asarray(model.predict_proba(read)[:, 1])
