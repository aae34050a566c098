"""A lab's own tasks: what a backend declares of a task that Calibron's catalog does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..catalog import catalog
from .units import unit_of

TaskType = Literal["qubit", "coupling"]
ValueType = Literal["np.linspace", "np.logspace", "np.arange", "range", "int", "float", "str", "list", "bool"]


@dataclass(frozen=True)
class Input:
    """A calibration value that a task reads before it measures."""

    unit: str = ""
    description: str = ""
    required: bool = True
    """Whether the task fails before it measures if the chip has no such value."""
    fallback: float | None = None
    """Used if the chip has no such value."""
    source: Literal["control", "target", "coupling"] | None = None
    """For a task of couplings: whose value it is."""
    parameter: str | None = None
    """Name of the stored value, if it is another."""
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False


@dataclass(frozen=True)
class RunParameter:
    """A setting of a measurement with its default. A sweep has three numbers, as `np.linspace` takes them."""

    value: Any
    unit: str = ""
    description: str = ""
    value_type: ValueType | None = None
    """By default that of the value."""
    choices: Sequence[str] | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False


@dataclass(frozen=True)
class Output:
    """A value that a task finds. Outside of its bounds the result is refused."""

    unit: str = ""
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    """Whether the minimum itself is refused, too."""
    optional: bool = False
    """Whether it may be missing."""


@dataclass(frozen=True)
class Declaration:
    """All that Calibron has to know of a task of the lab."""

    type: TaskType
    outputs: Mapping[str, Output]
    inputs: Mapping[str, Input] = field(default_factory=dict)
    run_parameters: Mapping[str, RunParameter] = field(default_factory=dict)
    threshold: float | None = None
    timeout: float | None = None
    goes_on_when_refused: bool = False

    def wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "type": self.type,
            "inputs": {name: _input(each) for name, each in self.inputs.items()},
            "run_parameters": {name: _run_parameter(each) for name, each in self.run_parameters.items()},
            "outputs": {name: _known(vars(each)) for name, each in self.outputs.items()},
            "r2_threshold": self.threshold,
            "goes_on_when_refused": self.goes_on_when_refused,
        }
        if self.timeout is not None:
            wire["timeout"] = self.timeout
        return wire


def declaration_of(
    name: str,
    task_type: TaskType,
    outputs: Mapping[str, Output | str],
    *,
    inputs: Mapping[str, Input | str],
    run_parameters: Mapping[str, Any],
    threshold: float | None,
    timeout: float | None,
    goes_on_when_refused: bool,
) -> Declaration:
    """The declaration with all shorthands written out.

    Raises ValueError for a name of the catalog or an unknown unit.
    """
    if name in catalog():
        raise ValueError(f"Calibron's catalog has a task {name}; give your own task another name.")
    if not outputs:
        raise ValueError(f"{name} declares no output.")
    declaration = Declaration(
        type=task_type,
        outputs={key: Output(each) if isinstance(each, str) else each for key, each in outputs.items()},
        inputs={key: Input(each) if isinstance(each, str) else each for key, each in inputs.items()},
        run_parameters={
            key: each if isinstance(each, RunParameter) else RunParameter(each) for key, each in run_parameters.items()
        },
        threshold=threshold,
        timeout=timeout,
        goes_on_when_refused=goes_on_when_refused,
    )
    for part in (declaration.inputs, declaration.run_parameters, declaration.outputs):
        for key, each in part.items():
            if unit_of(each.unit) is None:
                raise ValueError(f"{key} of {name} has the unit {each.unit!r}, which Calibron does not know.")
    return declaration


def _input(given: Input) -> dict[str, Any]:
    wire = _known(vars(given))
    if "source" in wire:
        wire["from"] = wire.pop("source")
    return wire


def _run_parameter(given: RunParameter) -> dict[str, Any]:
    wire = _known({**vars(given), "value_type": given.value_type or _type_of(given.value)})
    value = given.value
    wire["value"] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    return wire


def _type_of(value: Any) -> ValueType:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, str):
        return "str"
    return "list" if isinstance(value, Sequence) else "float"


def _known(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What is not stated is left out."""
    return {name: value for name, value in fields.items() if value is not None}
