"""The votes of a program as a label matrix, which Snorkel's label model takes as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.data import Task
from tacit.errors import TooLarge
from tacit.graph.build import graph_of
from tacit.grounding import GroundFactors, ground_factors
from tacit.learning.votes import Votes
from tacit.learning.votes_of_graph import votes_of_graph
from tacit.logic.check import check
from tacit.logic.program import Program
from tacit.logic.traverse import label_functions
from tacit.report.snorkel import LARGEST, label_matrix


@dataclass(frozen=True, slots=True, eq=False)
class VoteMatrix:
    """A row for each instance, a column for each source of votes; -1 where it says nothing."""

    function: str  # the label function
    matrix: NDArray[np.int64]
    sources: tuple[str, ...]  # the names of columns
    labels: tuple[str, ...]  # what 0, 1, ... stand for
    ids: pa.Array
    left_out: tuple[str, ...]  # evidence that no column can hold


def vote_matrix(task: Task, program: Program, function: str) -> VoteMatrix:
    """What the evidence on single labels of one label function says.

    A source is whatever says one thing at a time: a keyword, a labelling function with all its
    answers. Evidence that ties labels to each other, or is hard, has no column.
    """
    check(program, task)
    factors = ground_factors(program, task)
    graph = graph_of(factors)
    spans = {span.name: span for span in graph.spans}
    votes = dict(zip(spans, votes_of_graph(factors, graph, count_alike=True), strict=True))
    own, labels = votes[function], spans[function].labels
    if own.n_instances * own.n_sources > LARGEST:
        raise TooLarge(
            f"a label matrix of {own.n_instances:,} instances and {own.n_sources:,} sources has "
            f"more than {LARGEST:,} cells",
            remedy="export the labels instead, or give the program fewer keywords",
        )
    return VoteMatrix(
        function,
        label_matrix(own, factors.weights.start),
        _source_names(own, factors),
        labels,
        task.instances(program.labels[function].domain).ids,
        tuple(_left_out(program, factors, own, function)),
    )


def write_vote_matrix(file: IO[bytes], found: VoteMatrix) -> None:
    """A compressed .npz of plain arrays: `matrix`, `sources`, `labels` and `ids`."""
    ids = found.ids
    keys = ids.to_numpy() if pa.types.is_integer(ids.type) else np.array(ids.to_pylist(), str)
    np.savez_compressed(
        file,
        matrix=found.matrix,
        sources=np.array(found.sources, str),
        labels=np.array(found.labels, str),
        ids=keys,
    )


def _source_names(votes: Votes, factors: GroundFactors) -> tuple[str, ...]:
    """The weight's name where a source has one; where it has several, what these share."""
    weights: dict[int, set[int]] = {}
    source = votes.source_of_event[votes.parts.event]
    for at, weight in zip(source.tolist(), votes.parts.weight.tolist(), strict=True):
        weights.setdefault(at, set()).add(weight)
    return tuple(_name(sorted(weights[at]), factors) for at in range(votes.n_sources))


def _name(own: list[int], factors: GroundFactors) -> str:
    weights = factors.weights
    if len(own) == 1:
        return weights.name_of(own[0])
    at = int(weights.block_of_weight[own[0]])
    block, first = weights.blocks[at], int(weights.first[at])
    keys = zip(*(block.key_of(weight - first) for weight in own), strict=True)
    shared = [str(values[0]) for values in keys if len(set(values)) == 1]
    return f"{block.evidence.name}[{', '.join(shared)}]" if shared else block.evidence.name


def _left_out(program: Program, factors: GroundFactors, own: Votes, function: str) -> list[str]:
    """The evidence on a label function of which no source makes a vote."""
    weights = factors.weights
    voting = {weights.blocks[at].evidence.name for at in weights.block_of_weight[own.parts.weight]}
    about = [one for one in program.evidence if function in label_functions(one.formula)]
    return [one.name for one in about if one.name not in voting]
