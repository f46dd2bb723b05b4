"""The rows of the joint table: what is learned, in which order, and what each row says of tests."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import tacit
from benchmarks.bio_joint_data import JointData, JointSource, joint_data
from benchmarks.bio_joint_scores import Figures, figures, linking_figures
from benchmarks.bio_linking_gold import Floats, scores
from benchmarks.bio_relations_rows import DP, HARD, JI, Size, size_of
from examples.bio import joint, relations
from tacit.errors import TacitWarning
from tacit.predictors.bilstm_attention import BiLSTMAttention
from tacit.predictors.graph_lstm import GraphLSTM

DS_ONLY, RE, TRN, TST = "DS only", "RE", "+ EL (TRN)", "+ EL (TRN/TST)"
ONE, ONE_NETWORK = "one program", "one program (network)"


def plain_row(source: JointSource, seed: int, *, only_ds: bool) -> dict[str, Figures]:
    """Relations without a linker: the network's word on every match."""
    data, begin = joint_data(source), time.perf_counter()
    program = relations.program().without(*((*DP, *JI) if only_ds else ()))
    task = joint.relation_task(data.train.some, data.book, data.triples)
    model = _fitted(task, program, source, seed, only_ds=only_ds)
    name = DS_ONLY if only_ds else RE
    return {name: figures(data, *_said(model, data)) | _seconds(begin)}


def filter_rows(source: JointSource, seed: int) -> dict[str, Figures]:
    """The chapter's way: a linker first, then its doubts in training, then as a filter at test."""
    data, begin = joint_data(source), time.perf_counter()
    linker = _quietly(
        tacit.DPL(_bilstm(source, seed), sharpness=None, random_state=seed),
        data.pool,
        joint.linker(),
    )
    genes = [_posterior(linker, side.mentions)["link"][side.gene_row] for side in data.sides]
    task = joint.relation_task(data.train.some, data.book, data.triples, genes[0].tolist())
    model = _fitted(task, joint.filtered(), source, seed)
    every = _said(model, data)
    kept = [np.where(own < joint.P_TST, 0.0, said) for own, said in zip(genes, every, strict=True)]
    found = linking_figures(data, genes[1], _sampled(linker, data)) | _seconds(begin)
    return {TRN: figures(data, *every) | found, TST: figures(data, *kept) | found}


def joint_rows(source: JointSource, seed: int) -> dict[str, Figures]:
    """One program for both, by all that it says of a test, and by the relations' network alone.

    No knowledge base is asked at test, as networks do not ask one either.
    """
    data, begin = joint_data(source), time.perf_counter()
    some = data.train.some
    task = joint.joint_task(
        joint.relation_task(some, data.book, data.triples), some, [data.pool, data.train.mentions]
    )
    networks = {"treats": _graph_lstm(source, seed), "link": _bilstm(source, seed)}
    rounds = _size(source).rounds
    model = tacit.DPL(networks, rounds=rounds, random_state=seed)
    model = _quietly(model, task, joint.joint())
    both = []
    for side in data.sides:
        own = joint.relation_task(side.some, data.book, None)
        both.append(_posterior(model, joint.joint_task(own, side.some, [side.mentions])))
    linked = both[1]["link"][data.gold.gene_row]
    found = linking_figures(data, linked, _sampled(model, data)) | _seconds(begin)
    return {
        ONE: figures(data, *(own["treats"] for own in both)) | found,
        ONE_NETWORK: figures(data, *_said(model, data)) | _seconds(begin),
    }


def _seconds(begin: float) -> Figures:
    return {"training_seconds": round(time.perf_counter() - begin, 1)}


# ---- models ----------------------------------------------------------------------------------


def _fitted(
    task: tacit.Task,
    program: tacit.Program,
    source: JointSource,
    seed: int,
    *,
    only_ds: bool = False,
) -> tacit.DPL:
    """A relation extractor; with distant supervision only, as Peng et al. trained theirs."""
    size = _size(source)
    rounds = 1 if only_ds else size.rounds
    network = _graph_lstm(source, seed, epochs=size.epochs * size.rounds // rounds)
    settings: dict[str, Any] = HARD if only_ds else {}
    return _quietly(tacit.DPL(network, rounds=rounds, random_state=seed, **settings), task, program)


def _size(source: JointSource) -> Size:
    """The relation table's; a quick run is smaller still, since every row reads long texts."""
    size = size_of(source.relations)
    return replace(size, hidden=8, rounds=1) if source.relations.quick else size


def _graph_lstm(source: JointSource, seed: int, epochs: int | None = None) -> GraphLSTM:
    size = _size(source)
    return GraphLSTM(
        hidden=size.hidden,
        epochs=epochs or size.epochs,
        min_steps=0,
        batch_size=size.batch_size,
        lr=size.lr,
        random_state=seed,
        device=source.relations.device,
    )


def _bilstm(source: JointSource, seed: int) -> BiLSTMAttention:
    """The chapter's; in larger batches, which a GPU takes as fast, with larger steps."""
    quick = source.relations.quick
    return BiLSTMAttention(
        vectors=source.vectors,
        hidden=16 if quick else 100,
        epochs=1 if quick else 5,
        min_steps=0,
        batch_size=256,
        lr=2e-3,
        held_out=0.1,  # as in the linking table
        random_state=seed,
        device=source.relations.device,
    )


def _quietly(model: tacit.DPL, task: tacit.Task, program: tacit.Program) -> tacit.DPL:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # evidence that is contradicted, and the like
        return model.fit(task, program)


def _posterior(model: tacit.DPL, task: tacit.Task) -> dict[str, Floats]:
    """The probability of yes by evidence and networks, by label function."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # no knowledge base is asked
        found = model.posterior_on(task)
    by_function = found if isinstance(found, dict) else {"link": found}
    return {name: np.asarray(own[:, 1]) for name, own in by_function.items()}


def _said(model: tacit.DPL, data: JointData) -> list[Floats]:
    """The relations' network on what it learned from, and on both tests."""
    sides = [
        joint.relation_task(side.some, data.book, None).inputs("candidate").to_pylist()
        for side in data.sides
    ]
    return [np.asarray(model.predict_proba(own, "treats")[:, 1]) for own in sides]


def _sampled(model: tacit.DPL, data: JointData) -> Figures:
    """Linking on the sample of the linking table, by evidence and network; no relations there."""
    if data.source.relations.quick:
        return {}
    test, own = data.linking.matched, data.linking.sampled
    said = _posterior(model, test.task)["link"]
    found = scores(said[test.rows][own], test.gold.is_gene[own])
    return {"el_accuracy": found["accuracy"], "el_f1": found["f1"]}
