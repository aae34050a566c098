"""Results, histories and metrics as pandas frames. `frame.attrs["units"]` has the unit of each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd


def number_of(value: Any) -> float:
    """A number as a float; NaN for what is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")


def wide(rows: Iterable[Mapping[str, Any]], index: str) -> pd.DataFrame:
    """Rows with `values` (by name: value, error, unit) as one line each: a column for each value and for its error."""
    units: dict[str, str] = {}
    lines = []
    for row in rows:
        line = {name: each for name, each in row.items() if name != "values"}
        for name, value in row["values"].items():
            line[name] = number_of(value.get("value"))
            line[f"{name}_error"] = number_of(value.get("error"))
            units[name] = units[f"{name}_error"] = value.get("unit") or ""
        lines.append(line)
    frame = pd.DataFrame(lines)
    if index in frame:
        frame = frame.set_index(index)
    frame.attrs["units"] = units
    return frame
