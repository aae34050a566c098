"""Datasets as NetCDF-3 files, which Calibron keeps as raw data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import netcdf_file

from .dataset import Dataset, Variable


def write_netcdf(path: Path, data: Dataset, attributes: dict[str, str]) -> None:
    """Writes a file under another name first, so that readers never see a part of it."""
    partial = path.with_name(f".{path.name}.partial")
    with netcdf_file(partial, "w", version=2) as file:
        for name, axis in data.axes.items():
            file.createDimension(name, axis.values.size)
        for name, variable in {**data.axes, **data.variables}.items():
            _write(file, name, variable)
        for name, text in attributes.items():
            setattr(file, name, text.encode())
    partial.replace(path)


def _write(file: netcdf_file, name: str, variable: Variable) -> None:
    stored = file.createVariable(name, np.dtype(">f8"), variable.dims)
    stored[...] = np.where(np.isfinite(variable.values), variable.values, np.nan)
    if variable.unit:
        stored.units = variable.unit.encode()
    if variable.long_name:
        stored.long_name = variable.long_name.encode()
    if name not in file.dimensions:
        stored._FillValue = np.array(np.nan, dtype=">f8")


def read_netcdf_dataset(path: Path) -> tuple[Dataset, dict[str, str]]:
    """Reads a file as Calibron or this package writes it: its data, and its attributes that are texts."""
    with netcdf_file(path, "r", mmap=False) as file:
        data = Dataset()
        for name in file.dimensions:
            axis = file.variables[name]
            data.axis(name, np.array(axis[...], dtype=float), _text(axis, "units"), _text(axis, "long_name"))
        for name, stored in file.variables.items():
            if name in file.dimensions:
                continue
            values = np.array(stored[...], dtype=float)
            data.variable(name, values, _text(stored, "units"), _text(stored, "long_name"), stored.dimensions)
        attributes = {
            name: each.decode() for name, each in vars(file)["_attributes"].items() if isinstance(each, bytes)
        }
    return data, attributes


def _text(variable: object, name: str) -> str:
    value = getattr(variable, name, b"")
    return value.decode() if isinstance(value, bytes) else str(value)
