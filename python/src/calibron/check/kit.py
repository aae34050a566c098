"""The conformance kit: plays Temporal and Calibron against a worker and says what the lab has to fix."""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .basic import BASIC, measures
from .declared import declared_task
from .interrupted import INTERRUPTED
from .report import Finding, Report
from .subject import Skip, Subject, Wrong
from .temporal import FakeTemporal
from .worker import WorkerProcess

Check = Callable[[Subject], Awaitable[None]]

CHECKS: tuple[Check, ...] = (*BASIC, *INTERRUPTED)

_SLOW_SECONDS = 12.0
_MOST_SHOTS = 10_000_000
_MEASURABLE = 0.05


def name_of(check: Check) -> str:
    return (check.__doc__ or "").strip()


async def check_worker(
    command: Sequence[str],
    *,
    tasks: Sequence[str] = (),
    slow: Mapping[str, Any] | None = None,
    patience: float = 60.0,
    env: Mapping[str, str] | None = None,
    report: Report | None = None,
    only: Sequence[str] = (),
    log: Path | None = None,
) -> Report:
    """Starts a worker by its command and puts it to all checks.

    `tasks` names the tasks to measure; a worker with `describe` says them itself. `slow` are run parameters with which
    a measurement takes some ten seconds. `only` selects checks by parts of their names. `log` keeps what the worker
    writes.
    """
    made = report or Report()
    with tempfile.TemporaryDirectory(prefix="calibron-check-") as directory:
        async with FakeTemporal() as temporal:
            worker = WorkerProcess(command, temporal, log or Path(directory, "worker.log"), env or {})
            data = Path(directory, "data")
            data.mkdir()
            subject = Subject(temporal, worker, data, list(tasks), patience, dict(slow or {}))
            try:
                await _run(subject, made, only)
            finally:
                await worker.kill()
    return made


async def _run(subject: Subject, report: Report, only: Sequence[str]) -> None:
    try:
        await subject.worker.start()
    except (ChildProcessError, OSError) as error:
        report.add(Finding("starts and asks for work", "failed", str(error)))
        return
    report.add(Finding("starts and asks for work", "passed"))
    if not subject.tasks:
        subject.tasks = await _described_tasks(subject)
    if not subject.tasks:
        report.add(Finding(name_of(measures), "failed", "Name the tasks that it measures: --task CheckT1."))
        return
    for check in CHECKS:
        if check is not measures and only and not any(part in name_of(check) for part in only):
            continue
        report.add(await _finding(check, subject))
        if check is measures:
            if report.outcome_of(name_of(measures)) == "failed" and not subject.duration:
                return
            _choose_slow(subject)


async def _finding(check: Check, subject: Subject) -> Finding:
    try:
        await check(subject)
    except Wrong as wrong:
        detail = str(wrong)
        with contextlib.suppress(ChildProcessError):
            await subject.worker.kill()
            await subject.worker.start()
        return Finding(name_of(check), "failed", detail)
    except Skip as skip:
        return Finding(name_of(check), "skipped", str(skip))
    return Finding(name_of(check), "passed")


async def _described_tasks(subject: Subject) -> list[str]:
    try:
        ended = await subject.ended(subject.offer({}, activity="describe"), 20)
    except Wrong:
        return []
    if ended.kind != "completed":
        return []
    names = []
    for task in json.loads(ended.text).get("tasks", []):
        names.append(str(task.get("name")))
        if isinstance(task.get("declaration"), dict):
            subject.known[names[-1]] = declared_task(task["declaration"])
    return [name for name in names if name in subject.known]


def _choose_slow(subject: Subject) -> None:
    """Takes enough shots that a measurement lasts long enough to be interrupted, if its duration grows with them."""
    shots = subject.known.get(subject.task, {}).get("run_parameters", {}).get("shots")
    if subject.slow or shots is None or subject.duration < _MEASURABLE:
        return
    wanted = math.ceil(shots["value"] * max(_SLOW_SECONDS / subject.duration, 1))
    subject.slow = {"shots": min(wanted, _MOST_SHOTS)}
