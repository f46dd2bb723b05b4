"""S4: the program grows itself, by structured self-training and by asking a person."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.s4.config import S4Config
    from tacit.s4.estimator import S4
    from tacit.s4.health import Health

_HOME = {"S4": "estimator", "S4Config": "config", "Health": "health"}

__all__ = ["S4", "Health", "S4Config"]


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.s4' has no attribute {name!r}")
    return getattr(import_module(f"tacit.s4.{_HOME[name]}"), name)
