"""The tasks that a backend serves."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .dataset import Dataset
from .declaring import Declaration
from .outputs import Outputs
from .request import Request

Procedure = Callable[[Request], object] | Callable[[Request], Awaitable[object]]
StopHook = Callable[[Request], object]
Analysis = Callable[[Dataset, Request], Outputs]


@dataclass(frozen=True)
class Task:
    """A task with the function that measures it."""

    name: str
    procedure: Procedure
    description: str = ""
    run_parameters: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of this backend, which clients show."""
    declaration: Declaration | None = None
    """For a task that is not in Calibron's catalog."""
    analyse: Analysis | None = None
    """Finds the outputs in what was measured."""
    stop: StopHook | None = None
    """Stops the instrument during this request. It is called from another thread than the procedure."""

    async def run(self, request: Request, threads: Executor) -> object:
        """Measures: a coroutine in the event loop, a blocking function in a thread."""
        if inspect.iscoroutinefunction(self.procedure):
            return await self._run_coroutine(request)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, partial(self.procedure, request))

    async def _run_coroutine(self, request: Request) -> object:
        """A coroutine is cancelled when the measurement must stop."""
        running = asyncio.ensure_future(_awaited(self.procedure(request)))
        stopped = asyncio.ensure_future(request.control.until_stopped())
        try:
            await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                running.cancel()
            try:
                return await running
            except asyncio.CancelledError:
                request.raise_if_stopped()
                raise
        finally:
            stopped.cancel()


async def _awaited(value: object) -> object:
    return await value if isinstance(value, Awaitable) else value
