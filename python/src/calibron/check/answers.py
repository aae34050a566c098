"""Checks the result of a measurement as Calibron would read it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..backend.errors import MeasurementError
from ..backend.units import factor, unit_of
from .netcdf import read_netcdf

RESULT_LIMIT = 64 * 1024
DATASET_LIMIT = 16 * 1024
_CLOCK_SECONDS = 2.0
_WITHOUT_COORDINATE = ("shot", "repetition", "trial", "run")


def answer_problems(known: Mapping[str, Any], request: dict[str, Any], text: str) -> list[str]:
    """What Calibron would refuse in the JSON of a result; empty if it accepts all."""
    constants: list[str] = []
    try:
        answer = json.loads(text, parse_constant=lambda name: constants.append(name))
    except ValueError:
        return ["The result is not JSON."]
    problems = [f"The result has {constants[0]}; send null for a point without a number."] if constants else []
    size = len(text.encode())
    if size > RESULT_LIMIT:
        problems.append(f"The result has {size} bytes; at most {RESULT_LIMIT} are allowed: send files by dataset_path.")
    if not isinstance(answer, dict) or not isinstance(answer.get("targets"), dict):
        return [*problems, "The result has no targets."]
    for target in request["targets"]:
        found = answer["targets"].get(target)
        if not isinstance(found, dict):
            problems.append(f"The result has nothing for target {target}.")
            continue
        problems += [f"Target {target}: {each}" for each in _target_problems(known, request, found)]
        if len(problems) > 10:
            break
    return problems + _time_problems(answer)


def _target_problems(known: Mapping[str, Any], request: dict[str, Any], found: dict[str, Any]) -> list[str]:
    has_data = "dataset_path" in found or "dataset" in found
    if known.get("declared"):
        if "outputs" not in found:
            return ["there are no outputs; Calibron cannot analyse the data of a task of your own."]
        return (_data_problems(known, request, found) if has_data else []) + _output_problems(known, found)
    if has_data:
        return _data_problems(known, request, found)
    if "outputs" in found:
        return _output_problems(known, found)
    return ["there is no dataset, dataset_path or outputs."]


def _data_problems(known: Mapping[str, Any], request: dict[str, Any], found: dict[str, Any]) -> list[str]:
    if "dataset_path" in found:
        path = Path(request["artifact_dir"], str(found["dataset_path"]))
        if not path.is_file() or not path.resolve().is_relative_to(Path(request["artifact_dir"]).resolve()):
            return ["dataset_path is no file in the request's artifact_dir."]
        try:
            return _dataset_problems(known, read_netcdf(path))
        except Exception as error:
            return [f"the data file cannot be read: {error}."]
    data = found["dataset"]
    size = len(json.dumps(data, separators=(",", ":")))
    large = (
        [f"the dataset has {size} bytes; more than {DATASET_LIMIT} belong into a file."] if size > DATASET_LIMIT else []
    )
    return large + _dataset_problems(known, data)


def _dataset_problems(known: Mapping[str, Any], data: Any) -> list[str]:
    if not isinstance(data, dict) or not all(isinstance(data.get(key), dict) for key in ("dims", "variables")):
        return ["the dataset must have dims, coordinates and variables."]
    coordinates = data.get("coordinates") or {}
    problems = [
        f"the dimension {name} has no coordinate."
        for name in data["dims"]
        if name not in coordinates and name not in _WITHOUT_COORDINATE
    ]
    for name, variable in {**coordinates, **data["variables"]}.items():
        problems += [f"{name} {each}" for each in _variable_problems(variable, data["dims"])]
    return problems + _expected_problems(known, data, coordinates)


def _variable_problems(variable: Any, dims: dict[str, Any]) -> list[str]:
    if not isinstance(variable, dict) or not isinstance(variable.get("values"), list):
        return ["has no list of values."]
    over = variable.get("dims", [])
    if any(each not in dims for each in over):
        return ["extends over a dimension that the dataset does not have."]
    count = math.prod(int(dims[each]) for each in over)
    if count != len(variable["values"]):
        return [f"has {len(variable['values'])} values; its dimensions have {count}."]
    odd = [each for each in variable["values"] if each is not None and not _is_number(each)]
    if odd:
        return [f"has {odd[0]!r}, which is not a number; send float(value) or null."]
    unit = str(variable.get("unit", ""))
    return [] if unit_of(unit) else [f'has the unit "{unit}", which is not known.']


def _expected_problems(known: Mapping[str, Any], data: dict[str, Any], coordinates: dict[str, Any]) -> list[str]:
    expected, task = known.get("dataset"), known.get("name", "the task")
    if expected is None:
        return []
    names = list(expected["variables"])
    present = data["variables"]
    if not any(name in present or name.removesuffix("_re") in present for name in names):
        return [f"none of the variables {', '.join(names)} is there; the analysis of {task} reads them."]
    axes = expected["variables"][names[0]]["dims"]
    problems = [
        f"the axis {name} is missing; the analysis of {task} reads it."
        for name in axes
        if name not in coordinates and name not in _WITHOUT_COORDINATE
    ]
    known = {**expected["coordinates"], **expected["variables"]}
    for name, variable in {**coordinates, **present}.items():
        if name.endswith(("_re", "_im")) or name not in known:
            continue
        try:
            factor(str(variable.get("unit", "")), known[name]["unit"])
        except MeasurementError as error:
            problems.append(f"the unit of {name} is wrong: {error}")
    return problems


def _output_problems(known: Mapping[str, Any], found: dict[str, Any]) -> list[str]:
    task, declared = known.get("name", "the task"), known.get("outputs", {})
    problems = []
    for name, output in found["outputs"].items():
        if name not in declared:
            problems.append(f"{name} is no output of {task}; it has {', '.join(declared) or 'none'}.")
            continue
        for key in ("value", "error"):
            number = output.get(key)
            if number is not None and not _is_number(number):
                problems.append(f"the {key} of {name} is {number!r}, not a number; send float(value).")
        error = output.get("error")
        if isinstance(error, int | float) and error < 0:
            problems.append(f"the error of {name} is negative.")
        try:
            scale = factor(str(output.get("unit", "")), declared[name]["unit"])
        except MeasurementError as wrong:
            problems.append(f"the unit of {name} is wrong: {wrong}")
            continue
        if known.get("declared") and _is_number(output.get("value")):
            problems += _bound_problems(name, output["value"] * scale, declared[name])
    r2 = (found.get("quality") or {}).get("r2")
    if isinstance(r2, int | float) and r2 > 1:
        problems.append(f"r2 is {r2}; it is at most 1.")
    return problems


def _bound_problems(name: str, value: float, declared: Mapping[str, Any]) -> list[str]:
    """What the gates would refuse of a value in the declared unit."""
    low, high = declared.get("minimum"), declared.get("maximum")
    unit = declared["unit"]
    if low is not None and (value < low or (declared.get("exclusive_minimum") and value == low)):
        return [f"{name} is {value:g} {unit}, below the declared minimum of {low:g}."]
    if high is not None and value > high:
        return [f"{name} is {value:g} {unit}, above the declared maximum of {high:g}."]
    return []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _time_problems(answer: dict[str, Any]) -> list[str]:
    times = {}
    for name in ("started_at", "finished_at"):
        if answer.get(name) is None:
            continue
        try:
            moment = datetime.fromisoformat(str(answer[name]))
        except ValueError:
            return [f"{name} is not an ISO 8601 time: {answer[name]}."]
        times[name] = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if len(times) == 2 and times["finished_at"] < times["started_at"]:
        return ["finished_at is before started_at."]
    if "finished_at" in times:
        offset = (times["finished_at"] - datetime.now(UTC)).total_seconds()
        if offset > _CLOCK_SECONDS:
            return [f"The worker's clock is {offset:.0f} s ahead; a time without an offset is read as UTC."]
        if offset < -600:
            return [f"The worker's clock is {-offset:.0f} s behind; a time without an offset is read as UTC."]
    return []
