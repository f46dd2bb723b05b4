"""Reports: scores, the baselines that every result stands beside, and the record of a run.

Names are loaded when they are first used: a page that shows a record needs no baselines.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.report.as_html import html_report
    from tacit.report.as_markdown import markdown_report
    from tacit.report.comparing import compare, compare_matrix
    from tacit.report.comparison import Comparison, Row
    from tacit.report.metrics import accuracy, average_precision, brier, log_loss, macro_f1
    from tacit.report.record import RunRecord, read_record

_HOME = {
    "Comparison": "comparison",
    "Row": "comparison",
    "RunRecord": "record",
    "accuracy": "metrics",
    "average_precision": "metrics",
    "brier": "metrics",
    "compare": "comparing",
    "compare_matrix": "comparing",
    "html_report": "as_html",
    "log_loss": "metrics",
    "macro_f1": "metrics",
    "markdown_report": "as_markdown",
    "read_record": "record",
}

__all__ = [
    "Comparison",
    "Row",
    "RunRecord",
    "accuracy",
    "average_precision",
    "brier",
    "compare",
    "compare_matrix",
    "html_report",
    "log_loss",
    "macro_f1",
    "markdown_report",
    "read_record",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.report' has no attribute {name!r}")
    return getattr(import_module(f"tacit.report.{_HOME[name]}"), name)
