"""Pairs of instances as evidence: `sentiment("r17") = sentiment("r42")`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacit.data.instances import Instances
from tacit.logic.evidence import EXPERT, Evidence, Fixed, LabelFunction, Origin
from tacit.logic.formula import Constant, LabelOf, SameLabel, Value
from tacit.logic.naming import identifier
from tacit.logic.traverse import walk
from tacit.predictors.protocol import Floats, Longs
from tacit.proposals.scores import Vectors
from tacit.proposals.similar_pairs import similar_pairs

Pair = tuple[Value, Value]

SLIGHT = 1e-4  # a relative similarity that rounding alone may give to two copies of one text
DIGITS = 2  # of a weight: what is told beyond is noise


@dataclass(frozen=True, slots=True)
class PairProposal:
    """Two instances that may be said to have one label."""

    ends: Pair  # their ids
    score: float  # S_joint
    weight: float

    @property
    def name(self) -> str:
        """What it is called, unless that is taken: alike_r17_r42."""
        return identifier("alike", *map(str, self.ends))

    def evidence(
        self, label: LabelFunction, *, origin: Origin = EXPERT, name: str | None = None
    ) -> Evidence:
        """`alike_r17_r42: 1.52!  sentiment("r17") = sentiment("r42")`, as if it had been written.

        Its weight is fixed: a single pair tells nothing of its own weight.
        """
        one, other = (LabelOf(label.name, Constant(end)) for end in self.ends)
        return Evidence(name or self.name, SameLabel(one, other), Fixed(self.weight), origin=origin)


def propose_pairs(
    own: Vectors,
    pretrained: Vectors,
    network: Floats,
    instances: Instances,
    n: int,
    *,
    most: float,
    known: Iterable[Pair] = (),
) -> tuple[PairProposal, ...]:
    """The `n` pairs of the highest relative similarity, each instance in one of them at most.

    `network` (instances, labels) are its probabilities: pairs to whose ends it gives different
    labels, or of which it does not believe that they agree more often than by chance, are no
    candidates; nor are those that are known. A weight is at most `most`.
    """
    found = similar_pairs(
        own,
        pretrained,
        least=SLIGHT,
        kind=network.argmax(axis=1),
        known=_rows(known, instances),
    )
    likely = found.take(np.flatnonzero(_weights(network, found.pairs, most) > 0))
    best = likely.each_once(n)
    ids = [instances.ids.take(pa.array(best.pairs[:, side])).to_pylist() for side in (0, 1)]
    weights = _weights(network, best.pairs, most).tolist()
    return tuple(
        PairProposal((one, other), score, weight)
        for one, other, score, weight in zip(*ids, best.score.tolist(), weights, strict=True)
    )


def agreement_weight(network: Floats, pairs: Longs) -> Floats:
    """The weight at which Y_i = Y_j is as probable as the network's probabilities make it.

    With a = sum_y p_i(y) p_j(y) and k labels: log a - log((1 - a) / (k - 1)).
    """
    one, other = network[pairs.T]
    agree = np.clip((one * other).sum(axis=1), 1e-12, 1 - 1e-12)
    return np.asarray(np.log(agree) - np.log1p(-agree) + np.log(network.shape[1] - 1))


def _weights(network: Floats, pairs: Longs, most: float) -> Floats:
    """The weights of pairs as they are written."""
    return np.minimum(agreement_weight(network, pairs), most).round(DIGITS)


def pairs_said(evidence: Iterable[Evidence], label: LabelFunction) -> Iterator[Pair]:
    """The pairs of single instances of whose labels some evidence says how they go together."""
    for one in evidence:
        for node in walk(one.formula):
            if isinstance(node, SameLabel) and node.left.label == node.right.label == label.name:
                ends = node.left.item, node.right.item
                if isinstance(ends[0], Constant) and isinstance(ends[1], Constant):
                    yield ends[0].value, ends[1].value


def _rows(known: Iterable[Pair], instances: Instances) -> Longs:
    """Pairs of ids as rows; those of instances that are not there are left out."""
    ends = [end for pair in known for end in pair]
    rows = instances.indices_of(ends).reshape(-1, 2) if ends else np.zeros((0, 2), np.int64)
    return rows[(rows >= 0).all(axis=1)]
