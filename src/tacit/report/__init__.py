"""Reports: scores, and the baselines that every result stands beside."""

from __future__ import annotations

from tacit.report.compare import compare, compare_matrix
from tacit.report.comparison import Comparison, Row
from tacit.report.metrics import accuracy, brier, log_loss, macro_f1

__all__ = [
    "Comparison",
    "Row",
    "accuracy",
    "brier",
    "compare",
    "compare_matrix",
    "log_loss",
    "macro_f1",
]
