"""Raw data as xarray datasets, figures as Plotly figures."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import xarray

if TYPE_CHECKING:
    from ..client import Client


def read_dataset(content: bytes) -> xarray.Dataset:
    """A NetCDF file as a dataset in memory, with units, long names and the parameters as attributes."""
    engine = "scipy" if content[:3] == b"CDF" else "h5netcdf"
    with xarray.open_dataset(io.BytesIO(content), engine=engine) as opened:
        data = opened.load()
    for name in list(data.data_vars):
        text = str(name)
        if text.endswith("_re") and f"{text[:-3]}_im" in data:
            signal = data[text] + 1j * data[f"{text[:-3]}_im"]
            signal.attrs = {"units": data[text].attrs.get("units", ""), "long_name": text[:-3]}
            data[text[:-3]] = signal
    return data


def raw_data(client: Client, task_id: str) -> list[xarray.Dataset]:
    """The data of a task result: one dataset for each pass. Signals are complex, beside their quadratures."""
    paths = client.get_task_result(task_id).raw_data_path
    return [read_dataset(client.get_artifact(path=path)) for path in paths]


def figures(client: Client, task_id: str) -> list[go.Figure]:
    """The figures of a task result."""
    found = []
    for path in client.get_task_result(task_id).json_figure_path:
        described = json.loads(client.get_artifact(path=path))
        found.append(go.Figure(data=described.get("data"), layout=described.get("layout"), skip_invalid=True))
    return found
