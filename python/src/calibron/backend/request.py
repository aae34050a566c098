"""A request to measure, as a procedure sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .control import Control
from .errors import MeasurementError
from .parameters import Parameters

CONTRACT = 1
"""The version of the contract that this package speaks."""

_TEXTS = ("project_id", "chip_id", "execution_id", "task_id", "task_name", "task_type", "artifact_dir")
_SAME = ("task_id", "task_name", "targets", "input_parameters", "target_parameters", "run_parameters")


@dataclass(frozen=True)
class Request:
    """What to measure. Numbers and ranges are read with their unit: `request.run.array("time_range", "s")`."""

    task: str
    task_type: str
    targets: tuple[str, ...]
    """Qubits such as `3` or couplings such as `0-1`."""
    run: Parameters
    """Run parameters: settings of the experiment."""
    project_id: str
    chip_id: str
    execution_id: str
    task_id: str
    epoch: int
    attempt: int
    pass_number: int
    timeout: float
    """Seconds that the measurement may take."""
    artifact_dir: Path
    upload_token: str | None
    wire: Mapping[str, Any] = field(repr=False)
    """The request as it came."""
    control: Control = field(default_factory=Control, repr=False, compare=False)

    @property
    def target(self) -> str:
        """The only target. Raises MeasurementError if there are several."""
        if len(self.targets) != 1:
            raise MeasurementError(f"{self.task} measures one target at a time here, not {len(self.targets)}.")
        return self.targets[0]

    @property
    def inputs(self) -> Parameters:
        """Calibration values of the only target."""
        return self.inputs_of(self.target)

    def inputs_of(self, target: str) -> Parameters:
        """Calibration values of one of the targets."""
        of_targets = self.wire.get("target_parameters")
        if isinstance(of_targets, Mapping):
            return Parameters.read("input", of_targets.get(target, {}))
        return Parameters.read("input", self.wire.get("input_parameters"))

    @property
    def stopped(self) -> bool:
        """Whether the measurement must stop now."""
        return self.control.stopped

    def raise_if_stopped(self) -> None:
        """Call it between the parts of a long measurement: it raises `Stopped` when the measurement must stop."""
        self.control.raise_if_stopped()

    def wait(self, seconds: float) -> None:
        """Waits like `time.sleep`, but raises `Stopped` as soon as the measurement must stop."""
        if self.control.wait(seconds):
            self.control.raise_if_stopped()

    def progress(self, fraction: float) -> None:
        """Reports which part of the measurement is done, between 0 and 1."""
        self.control.report(fraction)

    def log(self, line: str) -> None:
        """Writes a line to the log of the worker, and sends it with the result."""
        self.control.write(line)

    def key(self) -> str:
        """Names the measurement among those of the worker."""
        return f"{self.task_id}_{self.pass_number}"

    def same(self) -> dict[str, Any]:
        """What makes two requests the same measurement, whenever and however often they arrive."""
        return {"pass": self.pass_number} | {name: self.wire[name] for name in _SAME if name in self.wire}


def read_request(wire: object) -> Request:
    """Checks a request against the contract. Raises MeasurementError with the first thing that is wrong."""
    if not isinstance(wire, Mapping):
        raise MeasurementError("The request is not an object.")
    if wire.get("contract") != CONTRACT:
        raise MeasurementError(f"This worker speaks contract {CONTRACT}, not {wire.get('contract')}.")
    for name in _TEXTS:
        if not isinstance(wire.get(name), str):
            raise MeasurementError(f"The request has no {name}.")
    targets = wire.get("targets")
    if not isinstance(targets, list) or not targets or not all(isinstance(each, str) for each in targets):
        raise MeasurementError("The request has no targets.")
    token = wire.get("upload_token")
    return Request(
        task=wire["task_name"],
        task_type=wire["task_type"],
        targets=tuple(targets),
        run=Parameters.read("run parameter", wire.get("run_parameters")),
        project_id=wire["project_id"],
        chip_id=wire["chip_id"],
        execution_id=wire["execution_id"],
        task_id=wire["task_id"],
        epoch=_integer(wire, "epoch"),
        attempt=_integer(wire, "attempt"),
        pass_number=_integer(wire, "pass", 1),
        timeout=_seconds(wire),
        artifact_dir=Path(wire["artifact_dir"]),
        upload_token=token if isinstance(token, str) else None,
        wire=wire,
    )


def _integer(wire: Mapping[str, Any], name: str, default: int | None = None) -> int:
    value = wire.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or int(value) != value:
        raise MeasurementError(f"The request's {name} is not an integer.")
    return int(value)


def _seconds(wire: Mapping[str, Any]) -> float:
    value = wire.get("timeout")
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise MeasurementError("The request has no timeout.")
    return float(value)
