"""Runs as handles, with coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from .api import models as m
from .runs import Event
from .transport.errors import RunFailed

if TYPE_CHECKING:
    from .async_client import AsyncClient


class AsyncRun:
    """A run of a flow or a task."""

    def __init__(self, client: AsyncClient, started: m.StartedRun | str) -> None:
        self._client = client
        self.started = None if isinstance(started, str) else started
        self.execution_id = started if isinstance(started, str) else started.execution_id

    def __repr__(self) -> str:
        return f"AsyncRun({self.execution_id!r})"

    async def execution(self) -> m.Execution:
        """The record of the run, as it is now."""
        return await self._client.get_execution(self.execution_id)

    async def status(self) -> str:
        """scheduled, running, completed, failed or cancelled."""
        return str((await self.execution()).status)

    def watch(self) -> AsyncIterator[Event]:
        """The events of the run as they happen, until its end. A lost connection is opened again where it broke off."""
        return self._client.watch_execution(self.execution_id)

    async def wait(
        self, timeout: float | None = None, *, check: bool = True, each: Callable[[Event], object] | None = None
    ) -> AsyncRun:
        """Waits for the end of the run, and calls `each` with its events.

        Raises RunFailed if the run did not complete, unless `check` is false, and TimeoutError after `timeout` seconds.
        """
        try:
            async with asyncio.timeout(timeout):
                async for event in self.watch():
                    if each is not None:
                        each(event)
        except TimeoutError:
            raise TimeoutError(f"The run {self.execution_id} has not ended within {timeout} s.") from None
        execution = await self.execution()
        if check and execution.status != "completed":
            raise RunFailed(self.execution_id, str(execution.status), execution.message or "")
        return self

    async def pause(self) -> AsyncRun:
        """Pauses the run: measurements in flight end, and nothing new starts."""
        await self._client.pause_execution(self.execution_id)
        return self

    async def resume(self) -> AsyncRun:
        await self._client.resume_execution(self.execution_id)
        return self

    async def stop(self) -> AsyncRun:
        """Ends the run after the measurements in flight."""
        await self._client.stop_execution(self.execution_id)
        return self

    async def cancel(self) -> AsyncRun:
        """Ends the run now: measurements in flight are aborted."""
        await self._client.cancel_execution(self.execution_id)
        return self

    async def retry_failed(self) -> AsyncRun:
        """Starts a run that measures the targets again on which this one failed."""
        return AsyncRun(self._client, await self._client.retry_execution(self.execution_id, m.ExecutionRetry()))

    async def results(self, task: str | None = None) -> list[m.TaskResultItem]:
        """The task results of the run."""
        found = self._client.iterate_task_results(execution_id=self.execution_id, task_name=task, limit=100)
        return [each async for each in found]

    def log(self) -> AsyncIterator[m.ExecutionLogEntry]:
        """What the flow logged and recorded so far."""
        return self._client.iterate_execution_log(self.execution_id)
