"""Two views of the same instances: what the evidence says of them, and what the network says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.learning.votes import Floats, Truths

CLEAR = 1e-6  # by which one label leads


@dataclass(frozen=True, slots=True)
class Views:
    """What is believed of a label function's instances; arrays are (instances, labels)."""

    evidence: Floats  # by the evidence alone
    network: Floats  # by the network alone
    together: Floats  # by both, as the network was taught
    has_evidence: Truths  # (instances)

    @property
    def by_network(self) -> Floats:
        """The network's choice as 0 and 1."""
        return np.asarray(np.eye(self.network.shape[1])[self.network.argmax(axis=1)])


def is_told(evidence: Floats, has_evidence: Truths) -> Truths:
    """Where evidence prefers a label; two instances that are only tied to each other have none."""
    two = np.sort(evidence, axis=1)[:, -2:]
    return np.asarray(has_evidence & (two[:, 1] - two[:, 0] > CLEAR))
