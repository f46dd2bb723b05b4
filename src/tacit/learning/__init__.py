"""Learning: the weights of evidence, with the labels hidden."""

from __future__ import annotations

from tacit.learning.label_model import LabelModel
from tacit.learning.unary import UnaryConfig, UnaryEvidence, fit_unary

__all__ = ["LabelModel", "UnaryConfig", "UnaryEvidence", "fit_unary"]
