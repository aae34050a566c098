"""Reads a file of measured data into the shape of an inline dataset."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from scipy.io import netcdf_file


def read_netcdf(path: Path) -> dict[str, Any]:
    """Reads NetCDF-3 by scipy, NetCDF-4 and zipped Zarr by xarray if there is one. Raises an error with a message."""
    with path.open("rb") as file:
        start = file.read(4)
    if start[:3] == b"CDF":
        return _read_classic(path)
    try:
        import xarray
    except ImportError:
        raise ValueError(
            "it is no NetCDF-3 file; NetCDF-4 needs xarray and h5netcdf, zipped Zarr needs xarray and zarr"
        ) from None
    from ..backend.dataset import Dataset

    if start[:2] == b"PK":
        group = _zarr_folder(path)
        with _zarr_store(path) as store, xarray.open_zarr(store, group=group, consolidated=False) as data:
            return Dataset.from_xarray(data).wire()
    with xarray.open_dataset(path) as data:
        return Dataset.from_xarray(data).wire()


def _zarr_store(path: Path) -> Any:
    try:
        from zarr.storage import ZipStore
    except ImportError:
        raise ValueError("it is a zip archive, and reading zipped Zarr needs zarr") from None
    return ZipStore(path, mode="r")


def _zarr_folder(path: Path) -> str | None:
    """The folder that holds the store, as in a zipped directory; None if the archive itself is the store."""
    with ZipFile(path) as archive:
        names = archive.namelist()
    if any(name in names for name in ("zarr.json", ".zgroup")):
        return None
    folders = {name.split("/", 1)[0] for name in names if "/" in name}
    return folders.pop() if len(folders) == 1 else None


def _read_classic(path: Path) -> dict[str, Any]:
    with netcdf_file(path, "r", mmap=False) as file:
        variables = {name: _variable(variable) for name, variable in file.variables.items()}
        dims = {name: int(size or 0) for name, size in file.dimensions.items()}
    return {
        "dims": dims,
        "coordinates": {name: each for name, each in variables.items() if name in dims},
        "variables": {name: each for name, each in variables.items() if name not in dims},
    }


def _variable(variable: Any) -> dict[str, Any]:
    values = np.asarray(variable[...], dtype=float).ravel().tolist()
    units = getattr(variable, "units", b"")
    return {
        "dims": list(variable.dimensions),
        "values": [each if math.isfinite(each) else None for each in values],
        "unit": units.decode() if isinstance(units, bytes) else str(units),
    }
