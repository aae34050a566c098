"""The worker under test together with the Temporal that is played for it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..catalog import catalog
from .requests import request_of
from .temporal import Attempt, Ended, FakeTemporal
from .worker import WorkerProcess


class Wrong(Exception):
    """The worker does something that the lab has to fix; the message says what."""


class Skip(Exception):
    """The check cannot be made with this worker; the message says why."""


@dataclass
class Subject:
    """What a check works with."""

    temporal: FakeTemporal
    worker: WorkerProcess
    directory: Path
    tasks: list[str]
    """Tasks that the worker measures."""
    patience: float
    """Seconds that a measurement may take."""
    slow: dict[str, Any] = field(default_factory=dict)
    """Run parameters with which a measurement takes some seconds."""
    known: dict[str, dict[str, Any]] = field(default_factory=lambda: dict(catalog()))
    """The catalog, and what the worker declares."""
    epoch: int = 1
    duration: float = 0.0
    """Seconds that the usual request of the first task took."""

    @property
    def task(self) -> str:
        return self.tasks[0]

    def facts(self, task: str) -> dict[str, Any]:
        """What is known about a task, with its name."""
        return {**self.known.get(task, {}), "name": task}

    def request(self, task: str | None = None, **changes: Any) -> dict[str, Any]:
        """A new request of the current run."""
        epoch = changes.pop("epoch", self.epoch)
        return request_of(task or self.task, self.directory, known=self.known, epoch=epoch, **changes)

    def slow_request(self, **changes: Any) -> dict[str, Any]:
        """A request whose measurement takes long enough to be interrupted. Raises Skip if there is none."""
        if not self.slow:
            raise Skip("The measurement ends within moments; pass --slow NAME=VALUE so that it takes ten seconds.")
        request = self.request(**changes)
        run = dict(request["run_parameters"])
        for name, value in self.slow.items():
            run[name] = {**run.get(name, {"value_type": "int", "unit": ""}), "value": value}
        return {**request, "run_parameters": run}

    def offer(self, request: Any, **options: Any) -> Attempt:
        return self.temporal.offer(request, **options)

    async def ended(self, attempt: Attempt, seconds: float | None = None) -> Ended:
        """The end of an attempt. Raises Wrong if it does not end in time."""
        limit = self.patience if seconds is None else seconds
        try:
            return await asyncio.wait_for(asyncio.shield(attempt.ended), limit)
        except TimeoutError:
            attempt.cancel = attempt.forgotten = True
            begun = "did not end" if attempt.started.is_set() else "was not even taken"
            raise Wrong(f"The activity {attempt.activity} {begun} within {limit:g} s.") from None

    async def measured(self, request: Any, **options: Any) -> dict[str, Any]:
        """The result of a request. Raises Wrong if it fails."""
        ended = await self.ended(self.offer(request, **options))
        if ended.kind != "completed":
            raise Wrong(f"The measurement {ended.kind}: {ended.text or 'without a message'}")
        result = json.loads(ended.text)
        if not isinstance(result, dict):
            raise Wrong("The result is not an object.")
        return result

    async def refused(self, request: Any, what: str) -> Ended:
        """The failure with which the worker refuses a request. Raises Wrong if it measures, or fails otherwise."""
        ended = await self.ended(self.offer(request))
        if ended.kind == "completed":
            raise Wrong(f"The worker measured {what}.")
        if ended.kind != "failed" or not ended.text.strip():
            raise Wrong(f"The worker ended {what} as {ended.kind} without a message.")
        if not ended.non_retryable:
            raise Wrong(f"The failure for {what} is retryable; mark it as non-retryable.")
        return ended

    async def begun(self, attempt: Attempt, seconds: float = 1.0) -> None:
        """Waits until a slow measurement is under way. Raises Skip if it has ended."""
        waiting = asyncio.create_task(attempt.beaten.wait())
        either: set[asyncio.Future[Any]] = {waiting, attempt.ended}
        try:
            await asyncio.wait(either, timeout=self.patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        beaten = attempt.beaten.is_set()
        answered = attempt.ended.done() and attempt.ended.result().kind == "completed"
        if not beaten and answered and attempt.request.get("attempt", 1) > 1:
            raise Wrong(
                "It answered the next attempt with what it had measured before it was stopped: "
                "a stopped measurement has no result, whatever the instrument returns."
            )
        if not beaten:
            raise Wrong("The worker sent no heartbeat by Temporal's client.")
        await asyncio.sleep(seconds)
        if attempt.ended.done():
            raise Skip("The measurement ended before it could be interrupted; pass --slow NAME=VALUE.")
