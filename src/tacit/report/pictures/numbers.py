"""Numbers as pictures and reports show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
LARGEST_WHOLE = 100_000  # above, a count is rounded where room is scarce
MINUS = "\N{MINUS SIGN}"


def finite(value: Any) -> float | None:
    """A number that can be drawn; None for what is absent, infinite or no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def count_shown(number: float) -> str:
    """How many: "12,345", and "1.2 M" where that is long."""
    if abs(number) < LARGEST_WHOLE:
        return f"{number:,.0f}"
    size, unit = next(step for step in _STEPS if abs(number) >= step[0])
    scaled = number / size
    if abs(scaled) >= 1000:
        return f"{number:.1e}"
    return f"{scaled:.0f} {unit}" if abs(scaled) >= 99.5 else f"{scaled:.1f} {unit}"


def percent_shown(share: float) -> str:
    """A share: "68 %", and "6.8 %" or "99.7 %" where that says more."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 < share < 1:
        return "> 99.9 %"
    near_end = share < 0.0995 or share > 0.9005
    return f"{100 * share:.1f} %" if near_end else f"{100 * share:.0f} %"


def exact_percent(share: float) -> str:
    """A share with one decimal, as tables have it: "68.0 %"."""
    return f"{100 * share:.1f} %"


def number_shown(value: float) -> str:
    """Any number in few characters."""
    size = abs(value)
    if value == 0:
        return "0"
    shown = f"{size:,.0f}" if size >= 1000 else f"{size:.3g}"
    shown = shown if 1e-3 <= size < 1e5 else f"{size:.1e}"
    return shown if value > 0 else f"{MINUS}{shown}"


def signed(value: float) -> str:
    """A contribution with its sign: "+1.23"."""
    if abs(value) < 0.005:
        return "0.00"
    shown = f"{abs(value):,.2f}" if abs(value) < 1e6 else f"{abs(value):.1e}"
    return ("+" if value > 0 else MINUS) + shown


def weight_shown(weight: Any, error: Any = None) -> str:
    """A weight with its standard error, as far as they are known: "2.31 ± 0.12"."""
    value, spread = finite(weight), finite(error)
    if value is None:
        return ""
    shown = signed(value) if value < 0 else signed(value).removeprefix("+")
    return shown if spread is None else f"{shown} ± {signed(spread).removeprefix('+')}"


def times_shown(count: Any) -> str:
    """How often a weight counts, where that is not once."""
    often = finite(count)
    return "" if often is None or abs(often) == 1 else f" × {number_shown(abs(often))}"


def total(numbers: Sequence[float]) -> float:
    """The sum, and 0 of nothing."""
    return math.fsum(numbers)
