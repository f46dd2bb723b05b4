"""Settings of the label model: what each may be."""

from __future__ import annotations

import math
from typing import Any

from tacit.errors import BadInput, did_you_mean, listed
from tacit.inference.choosing import name_of

COARSEST = 1.0  # a tolerance beyond this would stop the climb before it begins

CHOICES = {
    "class_prior": ("auto", "learned", "even"),
    "abstention": ("ignored", "informative"),
    "polarity": ("keep", "free"),
    "keywords": ("auto", "plausible", "given"),
    "dependencies": ("auto", "learned", "ignored"),
}


def check_settings(model: Any) -> None:
    """Refuse settings that mean nothing."""
    for setting, known in CHOICES.items():
        value = getattr(model, setting)
        if value not in known:
            raise BadInput(
                f"{setting}={value!r} is none of: {listed(known)}",
                remedy=did_you_mean(str(value), known),
            )
    name_of(model.method)
    if not finite("prior_deviation", model.prior_deviation) > 0:
        raise BadInput(
            f"prior_deviation={model.prior_deviation} leaves weights no room",
            remedy="give a number above 0, or fix weights in the program (2.2!)",
        )
    if not 0 < finite("tolerance", model.tolerance) <= COARSEST:
        raise BadInput(
            f"tolerance={model.tolerance} is too coarse to learn anything",
            remedy=f"give a number above 0, up to {COARSEST:g}",
        )
    if finite("max_steps", model.max_steps) < 1:
        raise BadInput(
            f"max_steps={model.max_steps} allows no step",
            remedy="give at least 1, or fix weights in the program (2.2!)",
        )


def finite(setting: str, value: Any) -> float:
    """A setting that is a finite number, or an error that names it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{setting}={value!r} is not a finite number", remedy="give a number")
    return float(value)
