"""Hands an outcome to Temporal until it is taken."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from .clock import Clock
from .request import Request

_TRY = timedelta(seconds=5)
_PAUSE = 0.5


async def deliver(kept: dict[str, Any], request: Request, clock: Clock) -> dict[str, Any]:
    """Delivers a kept outcome. The SDK's own completion gives up after some ten seconds without a network."""
    mark = {} if kept["attempt"] == request.attempt else {"measured_in_attempt": kept["attempt"]}
    failure = None
    if kept["failure"] is not None:
        failure = ApplicationError(kept["failure"], type="MeasurementError", non_retryable=True)
    answer: dict[str, Any] = {**(kept["result"] or {}), **mark}
    handle = activity.client().get_async_activity_handle(task_token=activity.info().task_token)
    while not activity.is_worker_shutdown():
        activity.heartbeat()
        try:
            if failure is not None:
                await handle.fail(failure, rpc_timeout=_TRY)
            else:
                await handle.complete(answer, rpc_timeout=_TRY)
            activity.raise_complete_async()
        except RPCError as error:
            if error.status in (RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT):
                break  # Temporal does not wait for this attempt any more, or cannot take the answer.
            await clock.sleep(_PAUSE)
    if failure is not None:
        raise failure
    return answer
