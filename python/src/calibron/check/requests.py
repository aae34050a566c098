"""Requests as Calibron sends them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ..catalog import catalog
from .declared import Known

_MUX = 4
_MANY = 1000


def targets_of(task: str, known: Known) -> list[str]:
    """One target of a task: a qubit, a coupling or the chip."""
    kind = known[task]["task_type"]
    return {"coupling": ["0-1"], "qubit": ["0"]}.get(kind, [""])


def most_targets_of(task: str, known: Known) -> list[str]:
    """As many targets as one measurement of a task may have."""
    scope = known[task]["scope"]
    count = {"mux": _MUX, "batch": _MANY}.get(scope, 1)
    if known[task]["task_type"] == "coupling":
        return [f"{2 * each}-{2 * each + 1}" for each in range(count)]
    return [str(each) for each in range(count)] if count > 1 else targets_of(task, known)


def request_of(task: str, directory: Path, *, known: Known | None = None, **changes: Any) -> dict[str, Any]:
    """A request for one target with the declared run parameters; a field that later versions may add is there, too."""
    tasks = catalog() if known is None else known
    declared = tasks.get(task, {"task_type": "qubit", "inputs": {}, "run_parameters": {}})
    targets = changes.pop("targets", targets_of(task, tasks) if task in tasks else ["0"])
    inputs = declared["inputs"]
    now = datetime.now(UTC)
    return {
        "contract": 1,
        "project_id": "check-project",
        "chip_id": "check-chip",
        "execution_id": now.strftime("%Y%m%d-001"),
        "epoch": 1,
        "task_id": str(uuid.uuid4()),
        "attempt": 1,
        "task_name": task,
        "task_type": declared["task_type"],
        "targets": targets,
        "input_parameters": inputs if len(targets) == 1 else {},
        **({"target_parameters": dict.fromkeys(targets, inputs)} if len(targets) > 1 else {}),
        "run_parameters": declared["run_parameters"],
        "artifact_dir": str(directory),
        "upload_token": "check-token",
        "deadline": (now + timedelta(seconds=300)).isoformat(),
        "timeout": 300,
        "added_by_a_later_version": {"ignore": ["this", 1, None]},
        **changes,
    }
