"""The activity `measure` of a backend."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from .clock import Clock
from .delivery import deliver
from .errors import MeasurementError
from .kept import KeptResults
from .link import ActivitySender, CutOffs, Link
from .outcome import Measurer
from .procedures import Task
from .request import Request, read_request
from .turns import Outdated, Turns

log = logging.getLogger("calibron.backend")


async def _first(*tasks: asyncio.Task[Any]) -> None:
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for its end, whatever that is."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


_NAMED = 5
"""Targets that a log line names."""


def _named(targets: Sequence[str]) -> str:
    more = f" and {len(targets) - _NAMED} more" if len(targets) > _NAMED else ""
    return ", ".join(targets[:_NAMED]) + more


_PATIENCE = 10.0
"""Seconds between two log lines about an instrument that does not stop."""


def failed(message: str, kind: str = "MeasurementError") -> ApplicationError:
    return ApplicationError(message, type=kind, non_retryable=True)


class Measuring:
    """Serves requests to measure, as docs/backend-contract.md describes."""

    def __init__(
        self, tasks: Mapping[str, Task], measurer: Measurer, results: KeptResults, turns: Turns, clock: Clock
    ) -> None:
        self._tasks = tasks
        self._measurer = measurer
        self._results = results
        self._turns = turns
        self._clock = clock
        self._cut_offs = CutOffs()
        self._project: str | None = None

    @activity.defn(name="measure")
    async def measure(self, wire: Any) -> Any:
        try:
            request = read_request(wire)
        except MeasurementError as error:
            raise failed(str(error)) from None
        task = self._tasks.get(request.task)
        if task is None:
            raise failed(f"This instrument has no {request.task}; it has {', '.join(self._tasks) or 'no task'}.")
        timeout = activity.info().heartbeat_timeout
        seconds = timeout.total_seconds() if timeout else None
        link = Link(request, ActivitySender(), seconds, self._clock, self._cut_offs)
        beating = asyncio.create_task(link.run())
        try:
            async with self._turns.turn(request):
                kept = self._results.find(request) or await self._measure(task, request, link, beating)
        except Outdated as outdated:
            raise failed(str(outdated), "Fenced") from None
        except asyncio.CancelledError:
            raise self._cancelled() from None
        finally:
            await _ended(beating)
        return await deliver(kept, request, self._clock)

    async def _measure(self, task: Task, request: Request, link: Link, beating: asyncio.Task[None]) -> dict[str, Any]:
        """Measures as soon as Temporal confirms that it waits for this attempt, and until something stops it."""
        stopped = asyncio.create_task(request.control.until_stopped())
        established = asyncio.create_task(link.established.wait())
        running: asyncio.Task[dict[str, Any]] | None = None
        limit: asyncio.Task[None] | None = None
        try:
            await _first(established, beating, stopped)
            if established.done() and not stopped.done() and not beating.done():
                self._note_project(request)
                running = asyncio.create_task(self._measurer.measure(task, request))
                limit = asyncio.create_task(self._clock.sleep(request.timeout))
                await _first(running, beating, stopped, limit)
                if running.done() and not (request.stopped and running.exception()):
                    return running.result()
            if beating.done():
                beating.result()
            if request.stopped:
                raise failed(request.control.stop_reason, "Fenced")
            raise failed(f"The instrument gave no result within {request.timeout:g} s.")
        finally:
            # Only when the instrument is quiet may this attempt end. Heartbeats go on meanwhile if they can.
            if running is not None and not running.done():
                await self._quiet(task, request, running)
            for each in (stopped, established, limit):
                if each is not None:
                    await _ended(each)

    async def _quiet(self, task: Task, request: Request, running: asyncio.Task[dict[str, Any]]) -> None:
        request.control.stop("The measurement was stopped.")
        loop = asyncio.get_running_loop()
        hook = loop.run_in_executor(None, task.stop, request) if task.stop else None
        while not running.done():
            try:
                await asyncio.wait({running}, timeout=_PATIENCE)
            except asyncio.CancelledError:
                continue  # The SDK cancels again when the worker's grace ends; the instrument still works.
            if not running.done():
                log.warning("%s was stopped, but its function has not returned yet", task.name)
        if hook is not None:
            error = (await asyncio.gather(hook, return_exceptions=True))[0]
            if isinstance(error, BaseException):
                log.error("the stop function of %s failed: %s", task.name, error)
        running.exception()

    def _cancelled(self) -> BaseException:
        details = activity.cancellation_details()
        if activity.is_worker_shutdown() or (details is not None and details.worker_shutdown):
            return failed("The worker stops.", "WorkerShutdown")
        return asyncio.CancelledError("The measurement was stopped.")

    def _note_project(self, request: Request) -> None:
        if self._project is not None and self._project != request.project_id:
            log.info("now measuring for project %s, before for %s", request.project_id, self._project)
        self._project = request.project_id
        log.info("measuring %s on %s for project %s", request.task, _named(request.targets), request.project_id)
