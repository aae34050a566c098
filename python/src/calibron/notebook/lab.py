"""A project and its chips in a notebook."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import xarray

from ..api import models as m
from ..client import Client
from ..command.results import explanation_lines
from ..runs import Run
from .files import figures, raw_data
from .frames import Frame, number_of, wide
from .lattice import draw
from .show import show_run


class Explanation:
    """Why a value is what it is; readable text in a notebook."""

    def __init__(self, found: m.Explanation) -> None:
        self.found = found

    def __str__(self) -> str:
        return "\n".join(explanation_lines(self.found.model_dump()))

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        first, *rest = str(self).split("\n")
        return "\n".join([f"**{first}**", "", *(f"- {line.strip()}" for line in rest)])


class Lab:
    """A project of an installation. Takes the same arguments as `calibron.Client`."""

    def __init__(self, *given: Any, client: Client | None = None, **named: Any) -> None:
        self.client = client or Client(*given, **named)

    def chip(self, chip_id: str | None = None) -> Chip:
        """A chip; without a name the only active one."""
        if chip_id is None:
            active = [each.chip_id for each in self.client.list_chips().chips if each.activity_status == "active"]
            if len(active) != 1:
                raise ValueError(f"Name the chip; this project has {', '.join(active) or 'none'}.")
            chip_id = active[0]
        return Chip(self.client, chip_id)

    def data(self, task_id: str) -> xarray.Dataset:
        """The raw data of a task result; of its last pass if there were several."""
        found = raw_data(self.client, task_id)
        if not found:
            raise ValueError(f"The task result {task_id} has no raw data.")
        return found[-1]

    def figures(self, task_id: str) -> list[go.Figure]:
        """The figures of a task result."""
        return figures(self.client, task_id)


class Chip:
    """A chip in a notebook."""

    def __init__(self, client: Client, chip_id: str) -> None:
        self.client = client
        self.chip_id = chip_id

    def __repr__(self) -> str:
        return f"Chip({self.chip_id!r})"

    def run(self, flow: str, **parameters: Any) -> Run:
        """Runs a flow on the chip, and shows it until its end."""
        return show_run(self.client.run(flow, chip=self.chip_id, **parameters))

    def task(
        self,
        name: str,
        target: str | int,
        *,
        run_parameters: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        backend: str | None = None,
        persist: bool = False,
        require_worker: bool | None = None,
    ) -> Run:
        """Measures a task on a target, and shows it until its end, with what it found.

        A sweep has its unit and kind: `run_parameters={"time_range": {"value": [0, 200, 41],
        "value_type": "np.linspace", "unit": "us"}}`. Other run parameters are plain values: `{"shots": 4096}`.
        With `persist` the outputs become calibration state, so that `values`, `explain` and `plot` show them.
        """
        run = self.client.task(
            name,
            chip=self.chip_id,
            target=target,
            run_parameters=run_parameters,
            inputs=inputs,
            backend=backend,
            persist=persist,
            require_worker=require_worker,
        )
        return show_run(run, outputs=True)

    def results(self, task: str, *, couplings: bool = False) -> Frame:
        """The newest result of a task for each target that has one: a column for each value and its error."""
        if couplings:
            latest = self.client.list_latest_coupling_results(chip_id=self.chip_id, task=task)
        else:
            latest = self.client.list_latest_qubit_results(chip_id=self.chip_id, task=task)
        rows = []
        for target, entry in latest.result.items():
            if isinstance(entry, m.PendingEntry):
                continue
            given = entry.model_dump()
            common = {name: given.get(name) for name in ("status", "end_at", "message", "execution_id", "task_id")}
            rows.append({"target": target, **common, "values": given.get("output_parameters") or {}})
        return wide(rows, "target")

    def values(self, parameter: str, *, couplings: bool = False) -> Frame:
        """A parameter of calibration state for each target: value, error, unit and when it was measured."""
        rows = []
        for part in self._parts(couplings=couplings):
            record = part.data.get(parameter)
            if record is not None:
                found = {"value": number_of(record.value), "error": number_of(record.error)}
                rows.append({"target": part.qid, **found, "unit": record.unit, "calibrated_at": record.calibrated_at})
        columns = ["target", "value", "error", "unit", "calibrated_at"]
        frame: Frame = Frame(rows, columns=columns).set_index("target")
        frame.attrs["units"] = {"value": frame["unit"].iloc[0], "error": frame["unit"].iloc[0]} if rows else {}
        return frame

    def history(self, parameter: str, target: str | int, limit: int = 100) -> Frame:
        """The versions of a parameter of a target, oldest first, by the time from which each was valid."""
        found = self.client.get_parameter_history(
            parameter_name=parameter, qid=str(target), chip_id=self.chip_id, limit=limit
        ).versions
        kept = ("version", "task_name", "execution_id", "task_id", "entity_id")
        rows = [
            {
                "time": each.valid_from,
                **{name: getattr(each, name) for name in kept},
                "values": {parameter: {"value": each.value, "error": each.error or None, "unit": each.unit}},
            }
            for each in reversed(found)
        ]
        return wide(rows, "time")

    def metrics(self, *, couplings: bool = False, within_hours: int | None = None) -> Frame:
        """The metrics of the chip as the console shows them: a row for each target, in the shown units.

        With `within_hours` from results of that time only.
        """
        config = self.client.get_metrics_config()
        found = self.client.get_chip_metrics(self.chip_id, within_hours=within_hours)
        shown = config.coupling_metrics if couplings else config.qubit_metrics
        rows: dict[str, dict[str, Any]] = {}
        for name, values in (found.coupling_metrics if couplings else found.qubit_metrics).items():
            unit, scale = (shown[name].unit, shown[name].scale) if name in shown else ("", 1.0)
            for target, each in values.items():
                scaled = {"value": number_of(each.value) * scale, "error": number_of(each.stddev) * scale, "unit": unit}
                rows.setdefault(target, {})[name] = scaled
        return wide([{"target": target, "values": values} for target, values in rows.items()], "target")

    def plot(self, parameter: str, *, couplings: bool = False) -> go.Figure:
        """Draws a parameter of calibration state on the lattice of the chip. Raises ValueError if no target has it."""
        frame = self.values(parameter, couplings=couplings)
        if frame.empty:
            parts = "coupling" if couplings else "qubit"
            raise ValueError(f"No {parts} of {self.chip_id} has a value of {parameter}.")
        topology = self.client.get_topology(self.client.get_chip(self.chip_id).topology_id).data
        unit = frame.attrs["units"].get("value", "")
        values, errors = frame["value"].dropna().to_dict(), frame["error"].dropna().to_dict()
        return draw(topology, values, title=f"{parameter} of {self.chip_id}", unit=unit, errors=errors)

    def explain(self, parameter: str, target: str | int) -> Explanation:
        """Why a value of calibration state is what it is."""
        found = self.client.get_parameter_history(
            parameter_name=parameter, qid=str(target), chip_id=self.chip_id, limit=1
        ).versions
        if not found:
            raise ValueError(f"There is no value of {parameter} for {target}.")
        return Explanation(self.client.explain_parameter_version(found[0].entity_id))

    def _parts(self, *, couplings: bool) -> list[m.Qubit] | list[m.Coupling]:
        if couplings:
            return list(self.client.iterate_couplings(self.chip_id, limit=100))
        return list(self.client.iterate_qubits(self.chip_id, limit=100))
