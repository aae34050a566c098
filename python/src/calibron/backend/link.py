"""Heartbeats whose answers are seen: they tell whether Temporal still waits for a measurement."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from datetime import timedelta
from typing import Any, Protocol

from temporalio import activity
from temporalio.client import AsyncActivityCancelledError, AsyncActivityHandle
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from .clock import Clock
from .request import Request

_USUAL_TIMEOUT = 10.0
_LONGEST_PAUSE = 1.0
"""Seconds between two heartbeats. The answer to one tells that the run was cancelled."""
_REMEMBERED = 500
_SHORTEST_LIMIT = 0.01
"""Seconds for the answer to a heartbeat. The SDK takes a limit below a microsecond for none."""


class Sender(Protocol):
    """Sends heartbeats. Raises the errors of Temporal's client."""

    async def send(self, details: dict[str, Any], seconds: float) -> None: ...

    def note(self, details: dict[str, Any]) -> None:
        """Tells the SDK, which ends an activity that it has not heard for too long."""


class ActivitySender:
    """Heartbeats of the activity that runs."""

    def __init__(self) -> None:
        token = activity.info().task_token
        self._handle: AsyncActivityHandle = activity.client().get_async_activity_handle(task_token=token)

    async def send(self, details: dict[str, Any], seconds: float) -> None:
        await self._handle.heartbeat(details, rpc_timeout=timedelta(seconds=seconds))

    def note(self, details: dict[str, Any]) -> None:
        activity.heartbeat(details)


class CutOffs:
    """By task, the attempts during which this worker was alive and had no answer from Temporal."""

    def __init__(self) -> None:
        self._attempts: OrderedDict[str, list[int]] = OrderedDict()

    def of(self, request: Request) -> list[int]:
        return list(self._attempts.get(request.task_id, []))

    def add(self, request: Request) -> None:
        self._attempts.setdefault(request.task_id, []).append(request.attempt)
        while len(self._attempts) > _REMEMBERED:
            self._attempts.popitem(last=False)


def silence_limit(timeout: float | None) -> float:
    """Seconds without an answer after which the instrument is stopped: 3 s before another worker may use it."""
    known = timeout or _USUAL_TIMEOUT
    return known - min(3.0, 0.3 * known)


class Link:
    """The connection of one attempt to Temporal."""

    def __init__(
        self, request: Request, sender: Sender, timeout: float | None, clock: Clock, cut_offs: CutOffs
    ) -> None:
        self._request = request
        self._sender = sender
        self._clock = clock
        self._cut_offs = cut_offs
        self._earlier = cut_offs.of(request)
        self._limit = silence_limit(timeout)
        self._heard = clock.monotonic()
        self.established = asyncio.Event()

    def _left(self) -> float:
        return max(self._heard + self._limit - self._clock.monotonic(), 0.0)

    def _details(self) -> dict[str, Any]:
        details: dict[str, Any] = {"cut_off_attempts": self._earlier}
        if self._request.control.progress is not None:
            details["progress"] = self._request.control.progress
        return details

    async def beat(self) -> bool:
        """Sends a heartbeat. Returns whether Temporal answered that it waits for this measurement."""
        sent = self._clock.monotonic()
        details = self._details()
        try:
            await self._sender.send(details, max(self._left(), _SHORTEST_LIMIT))
        except AsyncActivityCancelledError:
            pass  # An answer, too: the SDK's own heartbeat below learns the same and cancels the activity.
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                message = "Nothing waits for this measurement any more."
                raise ApplicationError(message, type="Fenced", non_retryable=True) from None
            return False
        self._heard = sent
        self._sender.note(details)
        return True

    async def run(self) -> None:
        """Beats until it raises, because the instrument must be stopped. Sets `established` at the first answer.

        Without that answer nothing may be measured: a request may arrive after it was given to another worker.
        """
        while True:
            if await self.beat():
                self.established.set()
            await self._pause()

    async def _pause(self) -> None:
        await self._clock.sleep(min(self._limit / 3, _LONGEST_PAUSE, self._left()))
        if self._left() == 0:
            self._cut_offs.add(self._request)
            message = "The worker was cut off from Temporal."
            raise ApplicationError(message, type="WorkerShutdown", non_retryable=True)
