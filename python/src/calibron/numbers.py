"""Numbers for people: as many digits as the error leaves meaning to."""

from __future__ import annotations

import math
from typing import Any

_DIGITS = 6
"""Digits of a number whose error is not known."""
_MOST_DECIMALS = 9


def readable(value: Any, error: Any = None) -> str:
    """A value with its error, whose two digits say how many the value has: `33.73 ± 0.58`."""
    if _has(error) and _is_finite(value) and _is_extreme(value, error):
        return _scientific(value, error)
    shown, shown_error = readable_pair(value, error)
    return f"{shown} ± {shown_error}" if shown_error else shown


def readable_pair(value: Any, error: Any = None) -> tuple[str, str]:
    """A value and its error apart: `("33.73", "0.58")`. What there is not is empty."""
    if not _is_finite(value):
        return ("" if value is None or value != value else str(value)), ""
    if not _has(error):
        return (f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)), ""
    if _is_extreme(value, error):
        return f"{value:.{_DIGITS}g}", f"{error:.2g}"
    decimals = _decimals(error)
    shown, shown_error = (f"{round(each, decimals):.{max(decimals, 0)}f}" for each in (value, error))
    return shown, shown_error


def _decimals(error: float) -> int:
    return 1 - math.floor(math.log10(error))


def _is_extreme(value: float, error: float) -> bool:
    return _decimals(error) > _MOST_DECIMALS or abs(value) >= 10**_MOST_DECIMALS


def _scientific(value: float, error: float) -> str:
    """A tiny or huge value, with the power of ten once: `(1.230 ± 0.021)e-12`."""
    power = math.floor(math.log10(max(abs(value), error)))
    decimals = max(power + _decimals(error), 0)
    value, error = (each / 10.0**power for each in (value, error))
    return f"({value:.{decimals}f} ± {error:.{decimals}f})e{power:+03d}"


def _has(error: Any) -> bool:
    return _is_finite(error) and error > 0


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
