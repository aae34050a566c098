"""Repeats the analysis of a task on raw data that Calibron keeps."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from .answer import RESULT_LIMIT
from .dataset import Dataset, json_size
from .errors import MeasurementError
from .netcdf import read_netcdf_dataset
from .outputs import Outputs, Value
from .procedures import Task
from .request import CONTRACT, Request, read_request
from .units import factor

log = logging.getLogger("calibron.backend")


class Analysing:
    """Serves the activity `analyse`: Calibron sends stored data of a task of the lab, to be analysed again."""

    def __init__(self, tasks: Mapping[str, Task], threads: Executor) -> None:
        self._tasks = tasks
        self._threads = threads

    @activity.defn(name="analyse")
    async def analyse(self, wire: Any) -> dict[str, Any]:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self.answer, wire)
        except MeasurementError as error:
            raise ApplicationError(str(error), type="MeasurementError", non_retryable=True) from None

    def answer(self, wire: Any) -> dict[str, Any]:
        """What the analysis finds. Raises MeasurementError with a message."""
        name = str(wire.get("task_name"))
        task = self._tasks.get(name)
        if task is None or task.analyse is None:
            raise MeasurementError(f"This backend has no analysis of {name}.")
        request = read_request(
            {**wire, "targets": [wire.get("target")], "artifact_dir": "", "epoch": 0, "attempt": 1, "timeout": 300}
        )
        try:
            found = task.analyse(Dataset.read(wire["dataset"]), request).wire()
        except MeasurementError:
            raise
        except Exception as error:
            log.exception("the analysis of %s has a bug", name)
            raise MeasurementError(f"The analysis of {name} has a bug: {type(error).__name__}: {error}.") from None
        if json_size(found) > RESULT_LIMIT:
            raise MeasurementError(f"The result has more than {RESULT_LIMIT} bytes of JSON.")
        return found


def analyse_file(task: Task, path: Path, run_parameters: Mapping[str, Any]) -> Outputs:
    """Analyses a file of raw data with the inputs and run parameters that it names.

    `run_parameters` replaces values of the file, in the units that it has. Raises MeasurementError with a message.
    """
    if task.analyse is None:
        raise MeasurementError(f"{task.name} has no analysis of its own; declare it with analyse=.")
    if not path.is_file():
        raise MeasurementError(f"There is no file {path}.")
    try:
        data, attributes = read_netcdf_dataset(path)
        request = _request(attributes, path, run_parameters)
    except (OSError, TypeError, ValueError, KeyError) as error:
        raise MeasurementError(f"{path.name} is no raw data of Calibron: {error}.") from None
    if request.task != task.name:
        raise MeasurementError(f"{path.name} is of {request.task}, not of {task.name}.")
    return _in_declared_units(task, task.analyse(data, request))


def _in_declared_units(task: Task, found: Outputs) -> Outputs:
    """The outputs as Calibron would store them. Raises MeasurementError for a unit of another quantity."""
    declared = task.declaration.outputs if task.declaration else {}
    values: dict[str, Value] = {}
    for name, given in found.values.items():
        value = given if isinstance(given, Value) else Value(given)
        if name in declared and value.unit and value.value is not None:
            by = factor(value.unit, declared[name].unit)
            error = None if value.error is None else float(value.error) * by
            value = Value(float(value.value) * by, error, declared[name].unit)
        values[name] = value
    return replace(found, values=values)


def _request(attributes: Mapping[str, str], path: Path, changes: Mapping[str, Any]) -> Request:
    """The request as it was, as far as its analysis can need it."""
    run = json.loads(attributes["run_parameters"])
    unknown = [name for name in changes if name not in run]
    if unknown:
        raise MeasurementError(f"There is no run parameter {unknown[0]}; there are {', '.join(run) or 'none'}.")
    texts = {
        name: attributes.get(name, "") for name in ("project_id", "chip_id", "execution_id", "task_id", "task_type")
    }
    return read_request(
        {
            **texts,
            "contract": CONTRACT,
            "task_name": attributes["task_name"],
            "targets": attributes["qid"].split(","),
            "input_parameters": json.loads(attributes["input_parameters"]),
            "run_parameters": {name: {**each, "value": changes.get(name, each["value"])} for name, each in run.items()},
            "artifact_dir": str(path.parent),
            "epoch": 0,
            "attempt": 1,
            "timeout": 300,
        }
    )
