"""Runs as handles."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .api import models as m
from .transport.errors import RunFailed
from .transport.senders import stream_deadline

if TYPE_CHECKING:
    from .client import Client

Event = (
    m.ExecutionStateEvent
    | m.ExecutionProgressEvent
    | m.ExecutionTaskEvent
    | m.ExecutionLogEvent
    | m.ExecutionWaitingEvent
    | m.ExecutionEndEvent
)

ENDED = ("completed", "failed", "cancelled")
_PAGE = 500


class Run:
    """A run of a flow or a task."""

    def __init__(self, client: Client, started: m.StartedRun | str) -> None:
        self._client = client
        self.started = None if isinstance(started, str) else started
        self.execution_id = started if isinstance(started, str) else started.execution_id

    def __repr__(self) -> str:
        return f"Run({self.execution_id!r})"

    @property
    def execution(self) -> m.Execution:
        """The record of the run, as it is now."""
        return self._client.get_execution(self.execution_id)

    @property
    def status(self) -> str:
        """scheduled, running, completed, failed or cancelled."""
        return str(self.execution.status)

    def watch(self) -> Iterator[Event]:
        """The events of the run as they happen, until its end. A lost connection is opened again where it broke off."""
        return self._client.watch_execution(self.execution_id)

    def wait(
        self, timeout: float | None = None, *, check: bool = True, each: Callable[[Event], object] | None = None
    ) -> Run:
        """Waits for the end of the run, and calls `each` with its events.

        Raises RunFailed if the run did not complete, unless `check` is false, and TimeoutError after `timeout` seconds.
        """
        token = stream_deadline.set(None if timeout is None else time.monotonic() + timeout)
        try:
            for event in self.watch():
                if each is not None:
                    each(event)
        except TimeoutError:
            raise TimeoutError(f"The run {self.execution_id} has not ended within {timeout} s.") from None
        finally:
            stream_deadline.reset(token)
        execution = self.execution
        if check and execution.status != "completed":
            raise RunFailed(self.execution_id, str(execution.status), execution.message or "")
        return self

    def pause(self) -> Run:
        """Pauses the run: measurements in flight end, and nothing new starts."""
        self._client.pause_execution(self.execution_id)
        return self

    def resume(self) -> Run:
        self._client.resume_execution(self.execution_id)
        return self

    def stop(self) -> Run:
        """Ends the run after the measurements in flight."""
        self._client.stop_execution(self.execution_id)
        return self

    def cancel(self) -> Run:
        """Ends the run now: measurements in flight are aborted."""
        self._client.cancel_execution(self.execution_id)
        return self

    def retry_failed(self) -> Run:
        """Starts a run that measures the targets again on which this one failed."""
        return Run(self._client, self._client.retry_execution(self.execution_id, m.ExecutionRetry()))

    def results(self, task: str | None = None) -> list[m.TaskResultItem]:
        """The task results of the run."""
        return list(self._client.iterate_task_results(execution_id=self.execution_id, task_name=task, limit=100))

    def log(self) -> Iterator[m.ExecutionLogEntry]:
        """What the flow logged and recorded so far."""
        return self._client.iterate_execution_log(self.execution_id)


def flow_body(
    chip: str | None,
    qids: Sequence[str | int] | None,
    backend: str | None,
    options: dict[str, Any],
    parameters: dict[str, Any],
) -> m.FlowExecution:
    given = {
        **parameters,
        "chip_id": chip,
        "qids": None if qids is None else [str(each) for each in qids],
        "backend_name": backend,
    }
    body: dict[str, Any] = {"parameters": {name: value for name, value in given.items() if value is not None}}
    body |= {name: value for name, value in options.items() if value is not None}
    return m.FlowExecution.model_validate(body)


def task_body(
    chip: str,
    target: str | int,
    run_parameters: dict[str, Any] | None,
    inputs: dict[str, Any] | None,
    *,
    backend: str | None,
    persist: bool,
    options: dict[str, Any],
) -> m.TaskExecution:
    body: dict[str, Any] = {
        "chip_id": chip,
        "qid": str(target),
        "run_parameter_overrides": run_parameters or {},
        "input_parameter_overrides": inputs or {},
        "persist_output_parameters": persist,
    }
    if backend is not None:
        body["backend_name"] = backend
    body |= {name: value for name, value in options.items() if value is not None}
    return m.TaskExecution.model_validate(body)
