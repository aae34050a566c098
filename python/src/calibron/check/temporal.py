"""Plays a Temporal server for one worker: hands it activities and sees every call, also those that it refuses."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import grpc
import grpc.aio
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.common.v1 import ActivityType, Payload, Payloads, WorkflowExecution, WorkflowType
from temporalio.api.workflowservice.v1 import request_response_pb2 as messages

_POLL_SECONDS = 20.0
_SERVICE = "temporal.api.workflowservice.v1.WorkflowService"

Method = Callable[[Any, Any], Awaitable[Any]]


@dataclass(frozen=True)
class Ended:
    """How a worker ended an activity."""

    kind: str
    """completed, failed or cancelled"""
    at: float
    text: str = ""
    """JSON of the result, or the message of the failure."""
    failure_type: str = ""
    non_retryable: bool = True


@dataclass
class Attempt:
    """An activity that was offered to the worker."""

    activity: str
    request: Any
    heartbeat_timeout: float
    token: bytes = field(default_factory=lambda: uuid.uuid4().bytes)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    beaten: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at the first answered heartbeat."""
    calls: list[tuple[float, Any]] = field(default_factory=list)
    """Heartbeats with their times, answered or not."""
    refused: list[Ended] = field(default_factory=list)
    """Ends that the worker reported while Temporal could not be reached."""
    ended: asyncio.Future[Ended] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    cancel: bool = False
    forgotten: bool = False
    holds_heartbeats: bool = False


class FakeTemporal:
    """The part of Temporal's interface that a worker for activities uses."""

    def __init__(self) -> None:
        self.address = ""
        self.queue: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The queue that the worker asks for activities."""
        self.refuses_ends = False
        self._mended = asyncio.Event()
        self._mended.set()
        self._offers: asyncio.Queue[Attempt] = asyncio.Queue()
        self._attempts: dict[bytes, Attempt] = {}
        self._server = grpc.aio.server()
        self.polls = 0

    async def __aenter__(self) -> Self:
        handlers = {name: _handler(name, method) for name, method in self._methods().items()}
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, handlers),))
        port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._mended.set()
        await self._server.stop(0)

    def cut(self) -> None:
        """From now on nothing is answered."""
        self._mended.clear()

    def mend(self) -> None:
        self._mended.set()

    def offer(self, request: Any, *, activity: str = "measure", heartbeat_timeout: float = 10.0) -> Attempt:
        """Offers an activity to the worker."""
        attempt = Attempt(activity, request, heartbeat_timeout)
        self._attempts[attempt.token] = attempt
        self._offers.put_nowait(attempt)
        return attempt

    async def _reachable(self, context: Any) -> None:
        if not self._mended.is_set():
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the network is cut")

    def _methods(self) -> dict[str, Method]:
        return {
            "GetSystemInfo": self._get_system_info,
            "DescribeNamespace": self._describe_namespace,
            "ShutdownWorker": self._shutdown_worker,
            "RecordWorkerHeartbeat": self._record_worker_heartbeat,
            "PollWorkflowTaskQueue": self._poll_workflow_task_queue,
            "PollNexusTaskQueue": self._poll_nexus_task_queue,
            "PollActivityTaskQueue": self._poll_activity_task_queue,
            "RecordActivityTaskHeartbeat": self._record_activity_task_heartbeat,
            "RespondActivityTaskCompleted": self._respond_activity_task_completed,
            "RespondActivityTaskFailed": self._respond_activity_task_failed,
            "RespondActivityTaskCanceled": self._respond_activity_task_canceled,
        }

    async def _get_system_info(self, request: Any, context: Any) -> Any:
        await self._reachable(context)
        return messages.GetSystemInfoResponse(server_version="1.29.0")

    async def _describe_namespace(self, request: Any, context: Any) -> Any:
        await self._reachable(context)
        return messages.DescribeNamespaceResponse()

    async def _shutdown_worker(self, request: Any, context: Any) -> Any:
        return messages.ShutdownWorkerResponse()

    async def _record_worker_heartbeat(self, request: Any, context: Any) -> Any:
        return messages.RecordWorkerHeartbeatResponse()

    async def _poll_workflow_task_queue(self, request: Any, context: Any) -> Any:
        await asyncio.sleep(_POLL_SECONDS)
        return messages.PollWorkflowTaskQueueResponse()

    async def _poll_nexus_task_queue(self, request: Any, context: Any) -> Any:
        await asyncio.sleep(_POLL_SECONDS)
        return messages.PollNexusTaskQueueResponse()

    async def _poll_activity_task_queue(self, request: Any, context: Any) -> Any:
        await self._reachable(context)
        name = request.task_queue.name
        if not name.startswith("backend:"):
            await asyncio.sleep(_POLL_SECONDS)
            return messages.PollActivityTaskQueueResponse()
        if not self.queue.done():
            self.queue.set_result(name)
        self.polls += 1
        try:
            attempt = await asyncio.wait_for(self._offers.get(), _POLL_SECONDS)
        except TimeoutError:
            return messages.PollActivityTaskQueueResponse()
        finally:
            self.polls -= 1
        if context.cancelled() or context.done():
            self._offers.put_nowait(attempt)
            return messages.PollActivityTaskQueueResponse()
        attempt.started.set()
        return _task(attempt)

    async def _record_activity_task_heartbeat(self, request: Any, context: Any) -> Any:
        attempt = self._attempts.get(request.task_token)
        if attempt is not None:
            attempt.calls.append((time.monotonic(), _first(request.details)))
        await self._mended.wait()
        if attempt is None or attempt.forgotten or attempt.ended.done():
            await context.abort(grpc.StatusCode.NOT_FOUND, "the activity is not known any more")
            return None
        while attempt.holds_heartbeats:
            await asyncio.sleep(0.02)
        attempt.beaten.set()
        return messages.RecordActivityTaskHeartbeatResponse(cancel_requested=attempt.cancel)

    async def _respond_activity_task_completed(self, request: Any, context: Any) -> Any:
        data = request.result.payloads[0].data.decode() if request.result.payloads else "null"
        await self._end(request.task_token, Ended("completed", time.monotonic(), data), context)
        return messages.RespondActivityTaskCompletedResponse()

    async def _respond_activity_task_failed(self, request: Any, context: Any) -> Any:
        info = request.failure.application_failure_info
        ended = Ended("failed", time.monotonic(), request.failure.message, info.type, info.non_retryable)
        await self._end(request.task_token, ended, context)
        return messages.RespondActivityTaskFailedResponse()

    async def _respond_activity_task_canceled(self, request: Any, context: Any) -> Any:
        await self._end(request.task_token, Ended("cancelled", time.monotonic()), context)
        return messages.RespondActivityTaskCanceledResponse()

    async def _end(self, token: bytes, ended: Ended, context: Any) -> None:
        attempt = self._attempts.get(token)
        if attempt is not None and (self.refuses_ends or not self._mended.is_set()):
            attempt.refused.append(ended)
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the network is cut")
        if attempt is None or attempt.forgotten or attempt.ended.done():
            if attempt is not None:
                attempt.refused.append(ended)
            await context.abort(grpc.StatusCode.NOT_FOUND, "the activity is not known any more")
            return
        attempt.ended.set_result(ended)


def _handler(name: str, method: Method) -> Any:
    return grpc.unary_unary_rpc_method_handler(
        method,
        request_deserializer=getattr(messages, f"{name}Request").FromString,
        response_serializer=getattr(messages, f"{name}Response").SerializeToString,
    )


def _first(payloads: Payloads) -> Any:
    try:
        return json.loads(payloads.payloads[0].data)
    except (IndexError, ValueError):
        return None


def _task(attempt: Attempt) -> Any:
    now = Timestamp()
    now.GetCurrentTime()
    text = json.dumps(attempt.request).encode()
    return messages.PollActivityTaskQueueResponse(
        task_token=attempt.token,
        workflow_namespace="calibron",
        workflow_type=WorkflowType(name="check"),
        workflow_execution=WorkflowExecution(workflow_id="check", run_id=str(uuid.uuid4())),
        activity_type=ActivityType(name=attempt.activity),
        activity_id=str(uuid.uuid4()),
        input=Payloads(payloads=[Payload(metadata={"encoding": b"json/plain"}, data=text)]),
        scheduled_time=now,
        current_attempt_scheduled_time=now,
        started_time=now,
        attempt=1,
        start_to_close_timeout=Duration(seconds=600),
        schedule_to_close_timeout=Duration(seconds=600),
        heartbeat_timeout=Duration(
            nanos=int(attempt.heartbeat_timeout % 1 * 1e9), seconds=int(attempt.heartbeat_timeout)
        ),
    )
