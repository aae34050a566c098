"""Runs a procedure and turns however it ends into an outcome that can be kept."""

from __future__ import annotations

import asyncio
import logging
import traceback
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from .answer import answer_of, by_target, dataset_of
from .clock import Clock
from .errors import MeasurementError, Stopped
from .files import Files
from .kept import KeptResults
from .outputs import Outputs
from .procedures import Analysis, Task
from .request import Request

log = logging.getLogger("calibron.backend")


class Measurer:
    """Measures one request after another and keeps each outcome before it is delivered."""

    def __init__(self, results: KeptResults, files: Files, clock: Clock, threads: Executor) -> None:
        self._results = results
        self._files = files
        self._clock = clock
        self._threads = threads

    async def measure(self, task: Task, request: Request) -> dict[str, Any]:
        """The kept outcome. Raises only what ended a measurement that had to stop."""
        started_at = self._clock.now().isoformat()
        result: dict[str, Any] | None = None
        failure: str | None = None
        try:
            returned = await task.run(request, self._threads)
            # An instrument that was aborted may return what it has by then, as if it had finished.
            request.raise_if_stopped()
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(self._threads, self._answer, task, request, returned)
        except Exception as error:
            if request.stopped:
                raise
            failure = _message(task, error)
        times = {"started_at": started_at, "finished_at": self._clock.now().isoformat()}
        if result is not None:
            result |= times
        return self._results.keep(request, {"result": result, "failure": failure, **times})

    def _answer(self, task: Task, request: Request, returned: object) -> dict[str, Any]:
        """The result of a measurement, after its own analysis if the task has one."""
        if task.analyse is not None:
            measured = by_target(request, returned)
            returned = {target: _analysed(task.analyse, request, each) for target, each in measured.items()}
        return answer_of(request, returned, self._files)


def _analysed(analyse: Analysis, request: Request, measured: object) -> Outputs:
    data = dataset_of(measured)
    if data is None:
        raise MeasurementError(f"{request.task} returned a {type(measured).__name__}, not a Dataset to analyse.")
    return replace(analyse(data, request), data=data)


def _message(task: Task, error: Exception) -> str:
    if isinstance(error, MeasurementError):
        log.warning("%s failed: %s", task.name, error)
        return str(error)
    if isinstance(error, Stopped):
        return f"{task.name} ended itself as stopped although nothing stopped it."
    log.exception("%s of this backend has a bug", task.name)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rsplit('/', 1)[-1]}, line {frames[-1].lineno})" if frames else ""
    return f"{task.name} of this backend has a bug: {type(error).__name__}: {error}{place}"
