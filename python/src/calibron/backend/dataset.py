"""Measured data with named axes and units."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import MeasurementError

if TYPE_CHECKING:
    import xarray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Variable:
    """An array over named axes."""

    dims: tuple[str, ...]
    values: Numbers
    unit: str
    long_name: str


class Dataset:
    """Data of one target, for Calibron to fit.

    >>> times = np.linspace(0, 100_000, 51)
    >>> data = Dataset().axis("time", times, "ns", "Waiting time").signal("iq", np.exp(-times / 5e4))

    An analysis reads `data.axes["time"].values` and `data.variables["iq_re"].values`, which are numpy arrays; beside
    `values` each has `unit` and `long_name`. Complex numbers are added by `signal`, which makes the variables
    `<name>_re` and `<name>_im`, real ones by `variable`.
    """

    def __init__(self) -> None:
        self.axes: dict[str, Variable] = {}
        self.variables: dict[str, Variable] = {}

    def axis(self, name: str, points: ArrayLike, unit: str = "", long_name: str = "") -> Self:
        """Adds an axis. Variables extend over the axes in the order in which these were added."""
        values = _real(name, points)
        if values.ndim != 1 or values.size == 0:
            raise MeasurementError(f"The axis {name} must be a list of at least one number.")
        self.axes[name] = Variable((name,), values, unit, long_name)
        return self

    def variable(
        self,
        name: str,
        values: ArrayLike,
        unit: str = "",
        long_name: str = "",
        dims: Sequence[str] | None = None,
    ) -> Self:
        """Adds an array of real numbers. NaN stands for a point without a number."""
        array = _real(name, values)
        over = tuple(self.axes if dims is None else dims)
        missing = [each for each in over if each not in self.axes]
        if missing:
            raise MeasurementError(f"The variable {name} extends over {missing[0]}, which is no axis.")
        shape = tuple(self.axes[each].values.size for each in over)
        if array.shape != shape:
            axes = ", ".join(f"{each}: {self.axes[each].values.size}" for each in over)
            raise MeasurementError(f"The variable {name} has the shape {array.shape}; its axes are {axes}.")
        self.variables[name] = Variable(over, array, unit, long_name)
        return self

    def signal(
        self,
        name: str,
        values: ArrayLike,
        unit: str = "a.u.",
        long_name: str = "",
        dims: Sequence[str] | None = None,
    ) -> Self:
        """Adds a complex signal as its quadratures `<name>_re` and `<name>_im`."""
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = np.array([complex(each) for each in array.ravel()]).reshape(array.shape)
        self.variable(f"{name}_re", array.real, unit, f"{long_name or name}, in phase", dims)
        return self.variable(f"{name}_im", array.imag, unit, f"{long_name or name}, in quadrature", dims)

    @classmethod
    def from_xarray(cls, data: xarray.Dataset) -> Dataset:
        """Takes the axes, variables, units and long names of an `xarray.Dataset`."""
        made = cls()
        for dim in data.sizes:
            name = str(dim)
            points = data.coords.get(dim, None)
            values = np.arange(data.sizes[dim]) if points is None else points.values
            attributes = {} if points is None else points.attrs
            made.axis(name, values, *_labels(attributes))
        for key, array in data.data_vars.items():
            unit, long_name = _labels(array.attrs)
            dims = [str(each) for each in array.dims]
            if np.iscomplexobj(array.values):
                made.signal(str(key), array.values, unit or "a.u.", long_name, dims)
            else:
                made.variable(str(key), array.values, unit, long_name, dims)
        return made

    @classmethod
    def read(cls, wire: Mapping[str, Any]) -> Dataset:
        """Takes data as `wire` writes them. Raises KeyError, TypeError or ValueError if they are not."""
        made = cls()
        for name, length in wire["dims"].items():
            point = wire["coordinates"].get(name, {})
            made.axis(name, _numbers(point.get("values", range(length))), *_wire_labels(point))
        for name, each in wire["variables"].items():
            shape = tuple(wire["dims"][dim] for dim in each["dims"])
            made.variable(name, _numbers(each["values"]).reshape(shape), *_wire_labels(each), each["dims"])
        return made

    def wire(self) -> dict[str, Any]:
        """The data as JSON values; null where there is no number."""
        if not self.variables:
            raise MeasurementError("The dataset has no variable.")
        return {
            "dims": {name: int(axis.values.size) for name, axis in self.axes.items()},
            "coordinates": {name: _wire_variable(axis) for name, axis in self.axes.items()},
            "variables": {name: _wire_variable(variable) for name, variable in self.variables.items()},
        }

    def count(self) -> int:
        """Number of values of all variables: a lower bound of the size as JSON, without making it."""
        return sum(variable.values.size for variable in self.variables.values())


def json_size(value: object) -> int:
    """Bytes of a value as the JSON that travels."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode())


def _labels(attributes: Any) -> tuple[str, str]:
    return str(attributes.get("units", attributes.get("unit", ""))), str(attributes.get("long_name", ""))


def _wire_labels(variable: Mapping[str, Any]) -> tuple[str, str]:
    return str(variable.get("unit", "")), str(variable.get("long_name", ""))


def _numbers(values: Iterable[float | None]) -> Numbers:
    return np.array([math.nan if each is None else each for each in values], dtype=np.float64)


def _real(name: str, values: ArrayLike) -> Numbers:
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise MeasurementError(f"{name} is complex: add it as a signal.")
    try:
        return np.ascontiguousarray(np.ma.filled(np.ma.asarray(array, dtype=np.float64), np.nan))
    except (TypeError, ValueError):
        raise MeasurementError(f"{name} has something that is not a number.") from None


def _wire_variable(variable: Variable) -> dict[str, Any]:
    flat: list[float] = variable.values.ravel().tolist()
    return {
        "dims": list(variable.dims),
        "values": [value if math.isfinite(value) else None for value in flat],
        "unit": variable.unit,
        "long_name": variable.long_name,
    }
