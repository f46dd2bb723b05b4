"""Which method of inference is meant: by its name, or by a configuration, which tells the name.

`BPConfig(at_least_one="noisy_or")` says as much as "bp" and how it is to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tacit.errors import BadInput, did_you_mean, listed

if TYPE_CHECKING:
    from tacit.inference.auto import AutoConfig
    from tacit.inference.bp import BPConfig
    from tacit.inference.exact import ExactConfig
    from tacit.inference.gibbs import GibbsConfig
    from tacit.inference.mean_field import MeanFieldConfig

Name = Literal["auto", "exact", "bp", "trw", "mean_field", "gibbs"]
Method: TypeAlias = "Name | AutoConfig | BPConfig | ExactConfig | GibbsConfig | MeanFieldConfig"

# For each method: its function, its configuration, and what else it can be asked for. They are
# loaded when they are called, so that naming `infer` does not load the compiler.
METHODS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "auto": ("solve_auto", "AutoConfig", ("maximise", "start", "device")),
    "exact": ("solve_exact", "ExactConfig", ("maximise",)),
    "bp": ("solve_bp", "BPConfig", ("maximise", "start", "device")),
    "trw": ("solve_trw", "TRWConfig", ()),
    "mean_field": ("solve_mean_field", "MeanFieldConfig", ("start",)),
    "gibbs": ("solve_gibbs", "GibbsConfig", ()),
}


def name_of(method: object) -> str:
    """The name of a method that was given by name or by configuration."""
    if isinstance(method, str) and method in METHODS:
        return method
    for name, (_, config, _) in METHODS.items():
        if type(method).__name__ == config:
            return name
    raise BadInput(
        f"no inference method {method!r}",
        remedy=did_you_mean(str(method), METHODS) or f"there are: {listed(METHODS)}",
    )


def config_type(name: str) -> Any:
    """The class that configures the method of this name."""
    return getattr(import_module(f"tacit.inference.{name}"), METHODS[name][1])


def is_config(value: object) -> bool:
    """Whether a value configures a method."""
    return is_dataclass(value) and type(value).__name__ in {own[1] for own in METHODS.values()}


def facts_of(config: Any) -> dict[str, Any]:
    """What a configuration says, and of which method."""
    return {"method": name_of(config)} | {
        field.name: getattr(config, field.name) for field in fields(config)
    }


def method_from(facts: Any) -> Any:
    """The method that facts are of, those of configurations inside it included."""
    if not isinstance(facts, Mapping):
        return facts
    own = {name: method_from(value) for name, value in facts.items() if name != "method"}
    return config_type(facts["method"])(**own)
