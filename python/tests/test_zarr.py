"""Zipped Zarr stores, as `calibron backend check` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import xarray
from zarr.storage import ZipStore

from calibron.check.netcdf import read_netcdf

VALUES = [[0.5, -1.0, 2.0], [3.0, 4.5, -6.0]]


def written(path: Path, zarr_format: int) -> Path:
    """A store as a lab writes it with xarray."""
    data = xarray.Dataset(
        {"iq_re": (("target", "time"), VALUES, {"units": "V"})},
        coords={"time": ("time", [0.0, 0.1, 0.2], {"units": "us"})},
    )
    with ZipStore(path, mode="w") as store:
        data.to_zarr(store, zarr_format=zarr_format, consolidated=False)
    return path


def in_a_folder(path: Path) -> Path:
    """The same store, zipped together with its folder."""
    folded = path.with_name("folded.zip")
    with ZipFile(path) as archive, ZipFile(folded, "w") as target:
        for name in archive.namelist():
            target.writestr(f"sweep.zarr/{name}", archive.read(name))
    return folded


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("place", [lambda path: path, in_a_folder], ids=["at the top", "in a folder"])
def test_a_zipped_zarr_store_is_read_as_a_dataset(tmp_path: Path, zarr_format: int, place: Any) -> None:
    read = read_netcdf(place(written(tmp_path / "sweep.zip", zarr_format)))
    assert read["dims"] == {"target": 2, "time": 3}
    assert read["variables"]["iq_re"]["values"] == [value for row in VALUES for value in row]
    assert read["variables"]["iq_re"]["unit"] == "V"
    assert read["coordinates"]["time"]["unit"] == "us"
