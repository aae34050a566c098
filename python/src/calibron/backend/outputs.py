"""Values that a backend analysed itself."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, SupportsFloat

from .dataset import Dataset
from .errors import MeasurementError


@dataclass(frozen=True)
class Value:
    """A value with its standard error, in a unit; without one in the catalog's unit."""

    value: SupportsFloat | None
    error: SupportsFloat | None = None
    unit: str = ""


@dataclass(frozen=True)
class Outputs:
    """Finished values of one target, such as `Outputs({"t1": Value(51.2, 0.8, "us")}, r2=0.998)`."""

    values: Mapping[str, Value]
    r2: SupportsFloat | None = None
    figures: Sequence[object] = field(default_factory=tuple)
    """Plotly figures, their dictionaries or their JSON."""
    raw_data: Sequence[str | Path] = field(default_factory=tuple)
    """Files in the request's `artifact_dir`."""
    data: Dataset | None = None
    """What was measured, which is kept as raw data. Only for a task of your own: others are analysed by Calibron."""

    def wire(self) -> dict[str, Any]:
        outputs = {name: _wire_value(name, value) for name, value in self.values.items()}
        wire: dict[str, Any] = {"outputs": outputs}
        if self.r2 is not None:
            wire["quality"] = {"r2": _number("r2", self.r2)}
        if self.figures:
            wire["figures"] = [_figure(each) for each in self.figures]
        if self.raw_data:
            wire["raw_data"] = [str(each) for each in self.raw_data]
        return wire


def _wire_value(name: str, value: Value | SupportsFloat) -> dict[str, Any]:
    if not isinstance(value, Value):
        value = Value(value)
    wire: dict[str, Any] = {"value": _number(name, value.value)}
    if value.error is not None:
        wire["error"] = _number(f"the error of {name}", value.error)
    if value.unit:
        wire["unit"] = value.unit
    return wire


def _number(name: str, value: SupportsFloat | None) -> float | None:
    """A number of any kind as a float; None for NaN and infinity, which JSON does not have."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise MeasurementError(f"{name} is not a number: {value!r}.") from None
    return number if math.isfinite(number) else None


def _figure(figure: object) -> object:
    to_json = getattr(figure, "to_json", None)
    if callable(to_json):
        return json.loads(to_json())
    return figure
