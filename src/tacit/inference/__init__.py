"""Inference: marginals, expected counts and the log-partition of a factor graph.

Names are loaded when they are first used: inference on a GPU does without the CPU's compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.inference.auto import AutoConfig
    from tacit.inference.beliefs import Beliefs, Diagnostics
    from tacit.inference.bp import BPConfig
    from tacit.inference.checking import SpotCheck, spot_check
    from tacit.inference.exact import ExactConfig
    from tacit.inference.gibbs import GibbsConfig
    from tacit.inference.mean_field import MeanFieldConfig
    from tacit.inference.methods import infer
    from tacit.inference.trw import TRWConfig

_HOME = {
    "AutoConfig": "auto",
    "BPConfig": "bp",
    "Beliefs": "beliefs",
    "Diagnostics": "beliefs",
    "ExactConfig": "exact",
    "GibbsConfig": "gibbs",
    "MeanFieldConfig": "mean_field",
    "SpotCheck": "checking",
    "TRWConfig": "trw",
    "infer": "methods",
    "spot_check": "checking",
}

__all__ = [
    "AutoConfig",
    "BPConfig",
    "Beliefs",
    "Diagnostics",
    "ExactConfig",
    "GibbsConfig",
    "MeanFieldConfig",
    "SpotCheck",
    "TRWConfig",
    "infer",
    "spot_check",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.inference' has no attribute {name!r}")
    value = getattr(import_module(f"tacit.inference.{_HOME[name]}"), name)
    globals()[name] = value
    return value
