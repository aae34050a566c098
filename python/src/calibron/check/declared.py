"""Tasks that a worker declares, in the form of the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Known = Mapping[str, Mapping[str, Any]]
"""Facts of tasks by name, as in the catalog."""


def declared_task(declaration: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a declared task, with a value within its bounds for each input."""
    return {
        "task_type": declaration.get("type", "qubit"),
        "scope": "target",
        "inputs": {name: _input(each) for name, each in declaration.get("inputs", {}).items()},
        "run_parameters": {
            name: {"value": each.get("value"), "value_type": each.get("value_type"), "unit": each.get("unit", "")}
            for name, each in declaration.get("run_parameters", {}).items()
        },
        "outputs": {
            name: {**each, "unit": each.get("unit", "")} for name, each in declaration.get("outputs", {}).items()
        },
        "declared": True,
    }


def _input(declared: Mapping[str, Any]) -> dict[str, Any]:
    low, high = declared.get("minimum"), declared.get("maximum")
    value = declared.get("fallback")
    if value is None:
        value = 1.0 if low is None else low + 1.0
        if high is not None and value > high:
            value = high if low is None else (low + high) / 2
    return {"value": value, "unit": declared.get("unit", ""), "value_type": "float"}
