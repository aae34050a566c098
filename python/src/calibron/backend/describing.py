"""The activity `describe`: what a backend is, and what it measures now."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable, Mapping
from typing import Any

from temporalio import activity

from ..version import VERSION
from .clock import Clock
from .procedures import Task
from .request import CONTRACT
from .turns import Turns

HealthCheck = Callable[[], str | None]

_HEALTH_SECONDS = 5.0


class Describing:
    """Describes a worker to Calibron, which asks when the worker appears and every minute."""

    def __init__(
        self,
        *,
        identity: str,
        version: str,
        at_once: int,
        tasks: Mapping[str, Task],
        turns: Turns,
        health: Callable[[], HealthCheck | None],
        clock: Clock,
    ) -> None:
        self._identity = identity
        self._version = version
        self._at_once = at_once
        self._tasks = tasks
        self._turns = turns
        self._health = health
        self._started_at = clock.now().isoformat()

    @activity.defn(name="describe")
    async def describe(self, _request: Any = None) -> dict[str, Any]:
        return await self.description()

    async def description(self) -> dict[str, Any]:
        return {
            "contract": CONTRACT,
            "identity": self._identity,
            "software": f"calibron {VERSION}, Python {platform.python_version()}",
            "version": self._version,
            "started_at": self._started_at,
            "at_once": self._at_once,
            "problem": await self._problem(),
            "tasks": [_described(task) for task in self._tasks.values()],
            "measuring": [
                {
                    "project_id": running.request.project_id,
                    "execution_id": running.request.execution_id,
                    "task_id": running.request.task_id,
                    "task_name": running.request.task,
                    "targets": list(running.request.targets[:20]),
                    "since": running.since,
                    "progress": running.request.control.progress,
                }
                for running in self._turns.running
            ],
        }

    async def _problem(self) -> str | None:
        check = self._health()
        if check is None:
            return None
        try:
            problem = await asyncio.wait_for(asyncio.to_thread(check), _HEALTH_SECONDS)
        except TimeoutError:
            return f"The health check gave no answer within {_HEALTH_SECONDS:g} s."
        except Exception as error:
            return f"The health check failed: {error}"
        return str(problem) if problem else None


def _described(task: Task) -> dict[str, Any]:
    described = {
        "name": task.name,
        "description": task.description,
        "run_parameters": dict(task.run_parameters),
    }
    if task.declaration is not None:
        described["declaration"] = task.declaration.wire()
    return described
