"""Inputs and run parameters of a request, as numbers and arrays in the unit that the procedure wants."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import MeasurementError
from .units import factor

_RANGES = ("np.linspace", "np.logspace", "np.arange", "range")


@dataclass(frozen=True)
class Parameter:
    """A value as it travels: a number, a text, a list, or the arguments of a numpy function, named by `value_type`."""

    name: str
    value: Any
    value_type: str
    unit: str

    def array(self, unit: str = "") -> NDArray[np.float64]:
        """The points of a range or list, in `unit`; by default in the parameter's own unit."""
        points = np.asarray(self._points(), dtype=np.float64)
        return points * factor(self.unit, unit)

    def _points(self) -> NDArray[np.float64]:
        if self.value_type not in _RANGES:
            values = self.value if isinstance(self.value, list) else [self.value]
            return np.array([self._number(each) for each in values])
        if not isinstance(self.value, list) or len(self.value) != 3:
            raise MeasurementError(f"{self.name} must have three numbers, because it is a {self.value_type}.")
        start, stop, third = (self._number(each) for each in self.value)
        if self.value_type == "np.linspace":
            return np.linspace(start, stop, int(third))
        if self.value_type == "np.logspace":
            return np.logspace(start, stop, int(third))
        if third == 0:
            raise MeasurementError(f"{self.name} has a step of 0.")
        return np.arange(start, stop, third)

    def number(self, unit: str = "") -> float:
        """The value as a number in `unit`; by default in the parameter's own unit."""
        return self._number(self.value) * factor(self.unit, unit)

    def integer(self) -> int:
        number = self._number(self.value)
        if not number.is_integer():
            raise MeasurementError(f"{self.name} must be an integer, not {self.value}.")
        return int(number)

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise MeasurementError(f"{self.name} must be a text, not {self.value}.")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise MeasurementError(f"{self.name} must be true or false, not {self.value}.")
        return self.value

    def _number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise MeasurementError(f"{self.name} must be a number, not {value}.")
        try:
            number = float(value)
        except ValueError:
            raise MeasurementError(f"{self.name} must be a number, not {value!r}.") from None
        if not math.isfinite(number):
            raise MeasurementError(f"{self.name} must be a finite number, not {value}.")
        return number


class Parameters(Mapping[str, Parameter]):
    """Parameters by name. A missing one raises MeasurementError with its name."""

    def __init__(self, what: str, parameters: Mapping[str, Parameter]) -> None:
        self._what = what
        self._parameters = dict(parameters)

    @classmethod
    def read(cls, what: str, wire: object) -> Parameters:
        """Reads parameters as a request has them. Raises MeasurementError for anything else."""
        if not isinstance(wire, Mapping):
            raise MeasurementError(f"The request has no {what}s.")
        return cls(what, {str(name): _read(what, str(name), value) for name, value in wire.items()})

    def __getitem__(self, name: str) -> Parameter:
        try:
            return self._parameters[name]
        except KeyError:
            known = ", ".join(self._parameters) or "none"
            raise MeasurementError(f"The request has no {self._what} {name}; it has {known}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def array(self, name: str, unit: str = "") -> NDArray[np.float64]:
        return self[name].array(unit)

    def number(self, name: str, unit: str = "", default: float | None = None) -> float:
        """A number in `unit`. `default` is used if the parameter is missing or null."""
        if default is not None and (name not in self or self[name].value is None):
            return default
        return self[name].number(unit)

    def integer(self, name: str, default: int | None = None) -> int:
        if default is not None and (name not in self or self[name].value is None):
            return default
        return self[name].integer()

    def text(self, name: str) -> str:
        return self[name].text()

    def flag(self, name: str) -> bool:
        return self[name].flag()


def _read(what: str, name: str, wire: object) -> Parameter:
    if not isinstance(wire, Mapping) or "value" not in wire:
        raise MeasurementError(f"The {what} {name} of the request has no value.")
    return Parameter(name, wire["value"], str(wire.get("value_type", "float")), str(wire.get("unit", "")))
