"""Turns what a procedure returns into the result that travels."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from .dataset import Dataset, json_size
from .errors import MeasurementError
from .files import Files
from .outputs import Outputs
from .request import Request

RESULT_LIMIT = 64 * 1024
"""Bytes of JSON; Calibron refuses a larger result."""
INLINE_LIMIT = 16 * 1024
"""Bytes of JSON of a dataset that travels inside the result."""
_RESERVED = 12 * 1024
"""Bytes of a result that datasets leave to the log and to times, …"""
_PER_TARGET = 50
"""… and for each target to its name and the path of a file."""


def answer_of(request: Request, returned: object, files: Files) -> dict[str, Any]:
    """The result for all targets. Raises MeasurementError when something is missing or does not fit."""
    by_targets = by_target(request, returned)
    budget = RESULT_LIMIT - _RESERVED - sum(_PER_TARGET + 2 * len(target) for target in by_targets)
    targets: dict[str, Any] = {}
    for target, measured in by_targets.items():
        data = measured.data if isinstance(measured, Outputs) else dataset_of(measured)
        if data is None and not isinstance(measured, Outputs):
            kind = type(measured).__name__
            raise MeasurementError(f"{request.task} returned a {kind} for {target}, not a Dataset or Outputs.")
        found = measured.wire() if isinstance(measured, Outputs) else {}
        if data is not None:
            limit = min(INLINE_LIMIT, budget)
            wire = data.wire() if data.count() <= limit else None
            size = json_size(wire) if wire is not None else limit + 1
            if wire is not None and size <= limit:
                budget -= size
                found["dataset"] = wire
            else:
                found["dataset_path"] = files.deliver(request, target, data)
        targets[target] = found
    answer: dict[str, Any] = {"targets": targets}
    text = request.control.log_text()
    if text:
        answer["log"] = text
    size = json_size(answer)
    if size > RESULT_LIMIT:
        raise MeasurementError(f"The result has {size} bytes of JSON; at most {RESULT_LIMIT} are allowed.")
    return answer


def by_target(request: Request, returned: object) -> Mapping[str, object]:
    if isinstance(returned, Mapping) and not _is_xarray(returned):
        missing = [each for each in request.targets if each not in returned]
        if missing:
            raise MeasurementError(f"{request.task} returned nothing for {', '.join(missing[:5])}.")
        return {each: returned[each] for each in request.targets}
    if len(request.targets) > 1:
        count = len(request.targets)
        raise MeasurementError(f"{request.task} must return a dictionary by target, because there are {count}.")
    return {request.targets[0]: returned}


def _is_xarray(value: object) -> bool:
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(value, xarray.Dataset)


def dataset_of(measured: object) -> Dataset | None:
    if isinstance(measured, Dataset):
        return measured
    return Dataset.from_xarray(measured) if _is_xarray(measured) else None  # type: ignore[arg-type]
