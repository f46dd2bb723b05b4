"""tacit: from what an expert knows to a trained model, without labelled examples.

Names are loaded when they are first used, so that `import tacit` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit import data, logic
    from tacit.data import Predicate, Table, Task, predicate
    from tacit.errors import TacitError, TacitWarning
    from tacit.logic import Evidence, LabelFunction, Observed, Program, check

__version__ = "0.1.0"

_HOME = {
    "Task": "data",
    "Table": "data",
    "Predicate": "data",
    "predicate": "data",
    "Program": "logic",
    "Evidence": "logic",
    "LabelFunction": "logic",
    "Observed": "logic",
    "check": "logic",
    "TacitError": "errors",
    "TacitWarning": "errors",
}
_PACKAGES = ("data", "logic", "grounding", "learning", "report")

__all__ = [
    "Evidence",
    "LabelFunction",
    "Observed",
    "Predicate",
    "Program",
    "Table",
    "TacitError",
    "TacitWarning",
    "Task",
    "check",
    "data",
    "logic",
    "predicate",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name in _HOME:
        return getattr(import_module(f"tacit.{_HOME[name]}"), name)
    if name in _PACKAGES:
        return import_module(f"tacit.{name}")
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted({*__all__, *_HOME, *_PACKAGES, "__version__"})
