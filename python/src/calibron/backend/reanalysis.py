"""Repeats the analysis of a task on raw data that Calibron keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import MeasurementError
from .netcdf import read_netcdf_dataset
from .outputs import Outputs
from .procedures import Task
from .request import CONTRACT, Request, read_request


def analyse_file(task: Task, path: Path, run_parameters: Mapping[str, Any]) -> Outputs:
    """Analyses a file of raw data with the inputs and run parameters that it names.

    `run_parameters` replaces values of the file, in the units that it has. Raises MeasurementError with a sentence.
    """
    if task.analyse is None:
        raise MeasurementError(f"{task.name} has no analysis of its own; declare it with analyse=.")
    try:
        data, attributes = read_netcdf_dataset(path)
        request = _request(attributes, path, run_parameters)
    except (OSError, TypeError, ValueError, KeyError) as error:
        raise MeasurementError(f"{path.name} is no raw data of Calibron: {error}.") from None
    if request.task != task.name:
        raise MeasurementError(f"{path.name} is of {request.task}, not of {task.name}.")
    return task.analyse(data, request)


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
