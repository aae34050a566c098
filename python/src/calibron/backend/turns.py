"""Which measurements of a worker exclude each other."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from .clock import Clock
from .request import Request

_REMEMBERED = 10_000


class Outdated(Exception):
    """The request belongs to a run that a later run of its project has replaced."""


@dataclass
class Running:
    """A measurement under way."""

    request: Request
    since: str
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Turns:
    """Measurements under way. A later run of a project, or a later attempt, ends those before it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: list[Running] = []
        self._epochs: OrderedDict[str, int] = OrderedDict()

    @property
    def running(self) -> list[Running]:
        return list(self._running)

    @asynccontextmanager
    async def turn(self, request: Request) -> AsyncIterator[None]:
        """Registers a measurement, and stops and awaits those that it excludes. Raises `Outdated`."""
        project = request.project_id
        highest = self._epochs.get(project, request.epoch)
        if request.epoch < highest:
            raise Outdated(f"Run {request.epoch} of the project was followed by run {highest}.")
        self._epochs[project] = request.epoch
        while len(self._epochs) > _REMEMBERED:
            self._epochs.popitem(last=False)
        before = [each for each in self._running if _excludes(request, each.request)]
        own = Running(request, self._clock.now().isoformat())
        self._running.append(own)
        try:
            for each in before:
                each.request.control.stop("Another attempt or a later run follows.")
            for each in before:
                await each.ended.wait()
            yield
        finally:
            own.ended.set()
            self._running.remove(own)


def _excludes(request: Request, other: Request) -> bool:
    if request.project_id != other.project_id:
        return False
    return other.epoch < request.epoch or other.task_id == request.task_id
