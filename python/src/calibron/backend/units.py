"""Units in which numbers travel, with the same spellings as Calibron accepts."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from .errors import MeasurementError


@dataclass(frozen=True)
class Unit:
    """A quantity, and the size of the unit in the quantity's base unit."""

    quantity: str
    scale: float


_SYMBOLS = {
    "s": "time",
    "Hz": "frequency",
    "V": "voltage",
    "A": "current",
    "W": "power",
    "T": "magnetic field",
    "K": "temperature",
    "rad": "angle",
    "Ω": "resistance",
}
_PREFIXES = {
    "f": 1e-15,
    "p": 1e-12,
    "n": 1e-9,
    "u": 1e-6,
    "μ": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
}
_WHOLE = {
    **dict.fromkeys(("min", "minute", "minutes"), Unit("time", 60)),
    **dict.fromkeys(("h", "hr", "hour", "hours"), Unit("time", 3600)),
    **dict.fromkeys(("d", "day", "days"), Unit("time", 86400)),
    **dict.fromkeys(("deg", "degree", "degrees", "°"), Unit("angle", math.pi / 180)),
    **dict.fromkeys(("turn", "turns", "rev"), Unit("angle", 2 * math.pi)),
    **dict.fromkeys(("dB", "dBFS", "decibel", "decibels"), Unit("level", 1)),
    "dBm": Unit("level against 1 mW", 1),
    **dict.fromkeys(("%", "percent"), Unit("number", 0.01)),
    "ppm": Unit("number", 1e-6),
    **dict.fromkeys(("hz", "HZ"), Unit("frequency", 1)),
    **dict.fromkeys(("khz", "KHz", "KHZ"), Unit("frequency", 1e3)),
    "MHZ": Unit("frequency", 1e6),
    **dict.fromkeys(("ghz", "Ghz", "GHZ"), Unit("frequency", 1e9)),
    **dict.fromkeys(("1/s", "s-1", "s^-1"), Unit("frequency", 1)),
    **dict.fromkeys(("°C", "Cel", "celsius"), Unit("temperature in degrees Celsius", 1)),
    "rad/s": Unit("angular frequency", 1),
    **dict.fromkeys(
        (
            *("1", "a.u.", "a.u", "au", "arb", "arb.", "arb.u.", "arb.unit", "arb.units", "arbitrary"),
            *("arbitraryunit", "arbitraryunits", "dimensionless", "none", "unitless"),
            *("count", "counts", "#", "FS"),
        ),
        Unit("number", 1),
    ),
}
_LONG_PREFIXES = {
    "femto": 1e-15,
    "pico": 1e-12,
    "nano": 1e-9,
    "micro": 1e-6,
    "milli": 1e-3,
    "kilo": 1e3,
    "mega": 1e6,
    "giga": 1e9,
    "tera": 1e12,
}
_LONG_NAMES = {
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    "hertz": "Hz",
    **dict.fromkeys(("volt", "volts"), "V"),
    **dict.fromkeys(("ampere", "amperes"), "A"),
    **dict.fromkeys(("watt", "watts"), "W"),
    "tesla": "T",
    "kelvin": "K",
    **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("ohm", "ohms"), "Ω"),
}
_SHORTENED = re.compile(r"([nuμmp])secs?")


def _plain(text: str) -> str:
    return re.sub(r"[\s${}\[\]\\]", "", unicodedata.normalize("NFKC", text))


def _written_out(text: str) -> Unit | None:
    short = _SHORTENED.fullmatch(text)
    if short:
        return Unit("time", _PREFIXES[short[1]])
    word = text.lower()
    prefix = next((each for each in _LONG_PREFIXES if word.startswith(each)), "")
    symbol = _LONG_NAMES.get(word[len(prefix) :])
    return Unit(_SYMBOLS[symbol], _LONG_PREFIXES.get(prefix, 1)) if symbol else None


def _simple(text: str) -> Unit | None:
    known = _WHOLE.get(text) or _WHOLE.get(text.lower())
    if known:
        return known
    if text in _SYMBOLS:
        return Unit(_SYMBOLS[text], 1)
    if text[:1] in _PREFIXES and text[1:] in _SYMBOLS:
        return Unit(_SYMBOLS[text[1:]], _PREFIXES[text[0]])
    return _written_out(text)


def unit_of(text: str) -> Unit | None:
    """The unit that a text means, also a quotient such as `MHz/a.u.`; None for an unknown one."""
    spelling = _plain(text)
    if spelling == "":
        return Unit("number", 1)
    alone = _simple(spelling)
    if alone:
        return alone
    above, _, below = spelling.partition("/")
    top, bottom = _simple(above), _simple(below)
    if not top or not bottom:
        return None
    is_number = bottom.quantity == "number"
    return Unit(top.quantity if is_number else f"{top.quantity} per {bottom.quantity}", top.scale / bottom.scale)


def factor(given: str, wanted: str) -> float:
    """The factor by which numbers in `given` are multiplied to be in `wanted`. An empty unit means any.

    Raises MeasurementError with a message that names both units when they do not convert.
    """
    if _plain(given) in ("", _plain(wanted)) or _plain(wanted) == "":
        return 1.0
    source, target = unit_of(given), unit_of(wanted)
    if source is None or target is None:
        unknown = given if source is None else wanted
        raise MeasurementError(f'The unit "{unknown}" is not known.')
    if source.quantity != target.quantity:
        message = f'"{given}" ({source.quantity}) cannot be converted to "{wanted}" ({target.quantity}).'
        raise MeasurementError(message)
    ratio = source.scale / target.scale
    power = round(math.log10(ratio))
    exact = float(f"1e{power}")
    return exact if math.isclose(ratio, exact, rel_tol=1e-12) else ratio
