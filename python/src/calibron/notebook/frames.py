"""Results, histories and metrics as pandas frames. `frame.attrs["units"]` has the unit of each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from ..numbers import readable_pair

_ERROR = "_error"


class Frame(pd.DataFrame):  # type: ignore[misc]
    """A frame that shows each value and its error with the digits that mean something. The numbers in it have all."""

    @property
    def _constructor(self) -> type[Frame]:
        return Frame

    def _repr_html_(self) -> str | None:
        found: str | None = self.shown()._repr_html_()
        return found

    def __repr__(self) -> str:
        return repr(self.shown())

    def shown(self) -> pd.DataFrame:
        """The frame as text."""
        frame = pd.DataFrame(self).copy()
        for name in self.columns:
            error = "error" if name == "value" else f"{name}{_ERROR}"
            if error in self.columns:
                pairs = [readable_pair(*each) for each in zip(self[name], self[error], strict=True)]
                frame[name], frame[error] = ([pair[place] for pair in pairs] for place in (0, 1))
        return frame.fillna("")


def number_of(value: Any) -> float:
    """A number as a float; NaN for what is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")


def wide(rows: Iterable[Mapping[str, Any]], index: str) -> Frame:
    """Rows with `values` (by name: value, error, unit) as one line each: a column for each value and for its error."""
    units: dict[str, str] = {}
    lines = []
    for row in rows:
        line = {name: each for name, each in row.items() if name != "values"}
        for name, value in row["values"].items():
            line[name] = number_of(value.get("value"))
            line[f"{name}{_ERROR}"] = number_of(value.get("error"))
            units[name] = units[f"{name}{_ERROR}"] = value.get("unit") or ""
        lines.append(line)
    frame = Frame(lines)
    if index in frame:
        frame = frame.set_index(index)
    frame.attrs["units"] = units
    return frame
