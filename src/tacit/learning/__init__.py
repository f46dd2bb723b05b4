"""Learning: the weights of evidence, with the labels hidden."""

from __future__ import annotations

from tacit.learning.label_model import LabelModel

__all__ = ["LabelModel"]
