"""Exponentials and logarithms that the compiler can turn into vector instructions.

The library functions are called once for each number; these are plain arithmetic, so a loop over
them runs on four or eight numbers at once. Errors are below 1e-15, relative to the result or to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

HARD = 1e8  # a log-odds that no soft evidence outweighs, and that sums still resolve to 1e-8

# Division by zero is infinite, not an error: a check would keep loops from becoming vector code.
# The compiler may merge operations and ignore the sign of zero, but infinities stay what they are.
_FAST = {"nsz", "arcp", "contract"}
compiled = njit(error_model="numpy", fastmath=_FAST, cache=True)
parallel = njit(error_model="numpy", fastmath=_FAST, cache=True, parallel=True)
no_nan = njit(error_model="numpy", fastmath=_FAST | {"nnan"}, cache=True)  # of finite numbers alone
inlined = njit(error_model="numpy", inline="always")

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10


@intrinsic
def bits_of(typing_context: Any, number: Any) -> Any:
    """The bits of a float64 as an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


@intrinsic
def from_bits(typing_context: Any, bits: Any) -> Any:
    """The float64 with these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@inlined
def exp_negative(x: float) -> float:
    """exp(x) for x <= 0; below -700 it stays at exp(-700).

    exp(x) = 2^n exp(r) with n the nearest integer to x / ln 2, so |r| < 0.35, and exp(r) by a
    polynomial fitted there (Chebyshev, degree 10, error 2e-16).
    """
    x = max(x, -700.0)
    n = np.int64(x * 1.4426950408889634 - 0.5)
    r = (x - float(n) * _LN2_HIGH) - float(n) * _LN2_LOW
    p = 2.7626426376580335e-07
    p = p * r + 2.7640263790318923e-06
    p = p * r + 2.4801504180837137e-05
    p = p * r + 0.00019841170070971308
    p = p * r + 0.0013888888932619635
    p = p * r + 0.008333333385825085
    p = p * r + 0.04166666666657277
    p = p * r + 0.16666666666553953
    p = p * r + 0.5000000000000006
    p = p * r + 1.0000000000000069
    p = p * r + 1.0
    return p * from_bits((n + 1023) << 52)  # type: ignore[call-arg]


@inlined
def _log_quotient(s: float, n: float) -> float:
    """log(2^n (1 + s) / (1 - s)) = n ln 2 + 2 artanh(s) for |s| <= 0.2.

    artanh(s) = s + s^3 p(s^2) with p fitted there (Chebyshev, degree 6, error 2e-15).
    """
    z = s * s
    p = 0.07558763818825436
    p = p * z + 0.07641904721877
    p = p * z + 0.09092302958573677
    p = p * z + 0.11111091428784257
    p = p * z + 0.14285714417685472
    p = p * z + 0.1999999999966879
    p = p * z + 0.3333333333333347
    return n * _LN2_HIGH + (2.0 * s + (2.0 * s * z * p + n * _LN2_LOW))


@inlined
def log_positive(x: float) -> float:
    """log(x) for x > 0 that is not denormal: x = 2^n m with m between 0.71 and 1.42."""
    bits: Any = bits_of(x)  # type: ignore[call-arg]
    n = (bits - 0x3FE6A09E667F3BCD) >> 52
    m = from_bits(bits - (n << 52))
    return _log_quotient((m - 1.0) / (m + 1.0), float(n))


@inlined
def log_ratio(x: float, y: float) -> float:
    """log(x / y) with a single division, for positive x and y that are not denormal.

    y is scaled by the power of two that brings it nearest to x: as the bits of a number grow
    nearly with its logarithm, their difference tells which.
    """
    difference: Any = bits_of(x) - bits_of(y)  # type: ignore[call-arg]
    n = (difference + (1 << 51)) >> 52
    near = y * from_bits((n + 1023) << 52)
    return _log_quotient((x - near) / (x + near), float(n))


@inlined
def log1p_positive(x: float) -> float:
    """log(1 + x) for x >= 0, exact to rounding for small x as well."""
    u = 1.0 + x
    return log_positive(u) + (x - (u - 1.0)) / u


@inlined
def softplus(x: float) -> float:
    """log(1 + exp(x))."""
    return max(x, 0.0) + log1p_positive(exp_negative(-abs(x)))


@inlined
def log_add(x: float, y: float) -> float:
    """log(exp(x) + exp(y)); either may be minus infinity."""
    high = max(x, y)
    if high == -np.inf:
        return high
    return high + log1p_positive(exp_negative(-abs(x - y)))


@inlined
def clamped(x: float) -> float:
    """A log-odds kept within what sums can resolve."""
    return min(max(x, -HARD), HARD)


@inlined
def below(x: float, high: float) -> float:
    """How far x lies below the highest of its kind, kept within what sums can resolve."""
    return max(x - high, -HARD) if high > -np.inf else 0.0
