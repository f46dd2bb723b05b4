"""Learning: the weights of evidence, with the labels hidden."""

from __future__ import annotations

from tacit.learning.dpl import DPL
from tacit.learning.label_model import LabelModel
from tacit.learning.saving import load

__all__ = ["DPL", "LabelModel", "load"]
