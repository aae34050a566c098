"""Operations of the interface: executions. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import overload

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ExecutionsOperations(Sender):
    def list_executions(
        self,
        *,
        chip_id: str,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ExecutionList:
        """The executions of a chip, newest first."""
        return self._model(
            Call(
                "GET",
                "/executions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ExecutionList,
        )

    def iterate_executions(
        self,
        *,
        chip_id: str,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.ExecutionSummary]:
        """The executions of a chip, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/executions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "executions",
            m.ExecutionSummary,
        )

    def get_artifact(self, *, path: str) -> bytes:
        """A figure description (JSON) or raw data (NetCDF), as a download."""
        return self._bytes(Call("GET", "/executions/artifact", query={"path": path}))

    def preview_artifact(self, *, path: str) -> m.ArtifactPreview:
        """The first rows of a NetCDF file of at most 64 MiB."""
        return self._model(Call("GET", "/executions/artifact/preview", query={"path": path}), m.ArtifactPreview)

    def get_artifact_archive(self, *, paths: list[str]) -> bytes:
        """Several files in one ZIP archive; repeated names get _2, _3, …."""
        return self._bytes(Call("GET", "/executions/artifacts/archive", query={"paths": paths}))

    def check_availability(self, body: m.CheckAvailability, *, project: str | None = None) -> m.ProjectAvailability:
        """Whether a run could start now; reserves nothing."""
        return self._model(
            Call("POST", "/executions/check-availability", json=body, project=project, takes_project=True),
            m.ProjectAvailability,
        )

    def get_figure(self, *, path: str, theme: str | None = None) -> bytes:
        """A figure as PNG."""
        return self._bytes(Call("GET", "/executions/figure", query={"path": path, "theme": theme}))

    def get_lock_status(self, *, project: str | None = None) -> m.LockStatus:
        """Whether a calibration holds the project, and which."""
        return self._model(Call("GET", "/executions/lock-status", project=project, takes_project=True), m.LockStatus)

    @overload
    def get_execution(
        self,
        execution_id: str,
        *,
        fields: None = None,
        tasks_skip: int | None = None,
        tasks_limit: int | None = None,
        project: str | None = None,
    ) -> m.Execution: ...
    @overload
    def get_execution(
        self,
        execution_id: str,
        *,
        fields: list[str],
        tasks_skip: int | None = None,
        tasks_limit: int | None = None,
        project: str | None = None,
    ) -> m.ExecutionPart: ...
    def get_execution(
        self,
        execution_id: str,
        *,
        fields: list[str] | None = None,
        tasks_skip: int | None = None,
        tasks_limit: int | None = None,
        project: str | None = None,
    ) -> m.Execution | m.ExecutionPart:
        """One execution with its tasks; the id of its flow run finds it too."""
        return self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}",
                query={"fields": fields, "tasks_skip": tasks_skip, "tasks_limit": tasks_limit},
                project=project,
                takes_project=True,
            ),
            m.Execution if fields is None else m.ExecutionPart,
        )

    def watch_execution(
        self, execution_id: str, *, project: str | None = None
    ) -> Iterator[
        m.ExecutionStateEvent
        | m.ExecutionProgressEvent
        | m.ExecutionTaskEvent
        | m.ExecutionLogEvent
        | m.ExecutionWaitingEvent
        | m.ExecutionEndEvent
    ]:
        """The events of a run as they happen."""
        return self._events(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/events",
                resumes=True,
                project=project,
                takes_project=True,
            ),
            m.ExecutionStateEvent
            | m.ExecutionProgressEvent
            | m.ExecutionTaskEvent
            | m.ExecutionLogEvent
            | m.ExecutionWaitingEvent
            | m.ExecutionEndEvent,
        )

    def get_execution_forecast(self, execution_id: str, *, project: str | None = None) -> m.ExecutionForecast:
        """How long a run takes, by earlier runs of the same request and its own pace."""
        return self._model(
            Call("GET", f"/executions/{Call.part(execution_id)}/forecast", project=project, takes_project=True),
            m.ExecutionForecast,
        )

    def get_execution_log(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.ExecutionLog:
        """What the flow of an execution logged and recorded, in order."""
        return self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/log",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ExecutionLog,
        )

    def iterate_execution_log(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.ExecutionLogEntry]:
        """What the flow of an execution logged and recorded, in order, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/log",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "log",
            m.ExecutionLogEntry,
        )

    def pause_execution(self, execution_id: str, *, project: str | None = None) -> m.RunControlAnswer:
        """Pause a run: no further measurement starts until it is resumed; those that a worker has taken end."""
        return self._model(
            Call("POST", f"/executions/{Call.part(execution_id)}/pause", project=project, takes_project=True),
            m.RunControlAnswer,
        )

    def re_execute_execution(
        self,
        execution_id: str,
        body: m.ExecutionReExecution,
        *,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.StartedRun:
        """Run a flow again, linked to an earlier execution."""
        return self._model(
            Call(
                "POST",
                f"/executions/{Call.part(execution_id)}/re-execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    def resume_execution(self, execution_id: str, *, project: str | None = None) -> m.RunControlAnswer:
        """Resume a paused run."""
        return self._model(
            Call("POST", f"/executions/{Call.part(execution_id)}/resume", project=project, takes_project=True),
            m.RunControlAnswer,
        )

    def retry_execution(
        self,
        execution_id: str,
        body: m.ExecutionRetry,
        *,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.StartedRun:
        """Run the targets of an execution again that did not complete."""
        return self._model(
            Call(
                "POST",
                f"/executions/{Call.part(execution_id)}/retry",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    def list_execution_stages(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.ExecutionStageList:
        """The stages of an execution in order, with counts and yields."""
        return self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/stages",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ExecutionStageList,
        )

    def iterate_execution_stages(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.ExecutionStage]:
        """The stages of an execution in order, with counts and yields, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/stages",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "stages",
            m.ExecutionStage,
        )

    def get_execution_stage(
        self, execution_id: str, index: int, *, project: str | None = None
    ) -> m.ExecutionStageDetail:
        """One stage with the values that it found on each target."""
        return self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/stages/{Call.part(index)}",
                project=project,
                takes_project=True,
            ),
            m.ExecutionStageDetail,
        )

    def stop_execution(self, execution_id: str, *, project: str | None = None) -> m.RunControlAnswer:
        """Stop a run once the measurements that a worker has taken have ended; tasks that did not start are skipped."""
        return self._model(
            Call("POST", f"/executions/{Call.part(execution_id)}/stop", project=project, takes_project=True),
            m.RunControlAnswer,
        )

    def get_execution_time(self, execution_id: str, *, project: str | None = None) -> m.ExecutionTime:
        """Where the time of an execution went; the parts add up to the whole."""
        return self._model(
            Call("GET", f"/executions/{Call.part(execution_id)}/time", project=project, takes_project=True),
            m.ExecutionTime,
        )

    def get_execution_time_as_picture(self, execution_id: str, *, project: str | None = None) -> bytes:
        """The same as a picture."""
        return self._bytes(
            Call("GET", f"/executions/{Call.part(execution_id)}/time/picture", project=project, takes_project=True)
        )

    def cancel_execution(self, flow_run_id: str, *, project: str | None = None) -> m.CancelResult:
        """Cancel a run that is scheduled, pending, running or paused."""
        return self._model(
            Call("POST", f"/executions/{Call.part(flow_run_id)}/cancel", project=project, takes_project=True),
            m.CancelResult,
        )

    def list_tags(self, *, project: str | None = None) -> m.TagList:
        """The tags of the executions of the project, each once, by name."""
        return self._model(Call("GET", "/tags", project=project, takes_project=True), m.TagList)


class AsyncExecutionsOperations(AsyncSender):
    async def list_executions(
        self,
        *,
        chip_id: str,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ExecutionList:
        """The executions of a chip, newest first."""
        return await self._model(
            Call(
                "GET",
                "/executions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ExecutionList,
        )

    def iterate_executions(
        self,
        *,
        chip_id: str,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.ExecutionSummary]:
        """The executions of a chip, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/executions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "executions",
            m.ExecutionSummary,
        )

    async def get_artifact(self, *, path: str) -> bytes:
        """A figure description (JSON) or raw data (NetCDF), as a download."""
        return await self._bytes(Call("GET", "/executions/artifact", query={"path": path}))

    async def preview_artifact(self, *, path: str) -> m.ArtifactPreview:
        """The first rows of a NetCDF file of at most 64 MiB."""
        return await self._model(Call("GET", "/executions/artifact/preview", query={"path": path}), m.ArtifactPreview)

    async def get_artifact_archive(self, *, paths: list[str]) -> bytes:
        """Several files in one ZIP archive; repeated names get _2, _3, …."""
        return await self._bytes(Call("GET", "/executions/artifacts/archive", query={"paths": paths}))

    async def check_availability(
        self, body: m.CheckAvailability, *, project: str | None = None
    ) -> m.ProjectAvailability:
        """Whether a run could start now; reserves nothing."""
        return await self._model(
            Call("POST", "/executions/check-availability", json=body, project=project, takes_project=True),
            m.ProjectAvailability,
        )

    async def get_figure(self, *, path: str, theme: str | None = None) -> bytes:
        """A figure as PNG."""
        return await self._bytes(Call("GET", "/executions/figure", query={"path": path, "theme": theme}))

    async def get_lock_status(self, *, project: str | None = None) -> m.LockStatus:
        """Whether a calibration holds the project, and which."""
        return await self._model(
            Call("GET", "/executions/lock-status", project=project, takes_project=True), m.LockStatus
        )

    @overload
    async def get_execution(
        self,
        execution_id: str,
        *,
        fields: None = None,
        tasks_skip: int | None = None,
        tasks_limit: int | None = None,
        project: str | None = None,
    ) -> m.Execution: ...
    @overload
    async def get_execution(
        self,
        execution_id: str,
        *,
        fields: list[str],
        tasks_skip: int | None = None,
        tasks_limit: int | None = None,
        project: str | None = None,
    ) -> m.ExecutionPart: ...
    async def get_execution(
        self,
        execution_id: str,
        *,
        fields: list[str] | None = None,
        tasks_skip: int | None = None,
        tasks_limit: int | None = None,
        project: str | None = None,
    ) -> m.Execution | m.ExecutionPart:
        """One execution with its tasks; the id of its flow run finds it too."""
        return await self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}",
                query={"fields": fields, "tasks_skip": tasks_skip, "tasks_limit": tasks_limit},
                project=project,
                takes_project=True,
            ),
            m.Execution if fields is None else m.ExecutionPart,
        )

    def watch_execution(
        self, execution_id: str, *, project: str | None = None
    ) -> AsyncIterator[
        m.ExecutionStateEvent
        | m.ExecutionProgressEvent
        | m.ExecutionTaskEvent
        | m.ExecutionLogEvent
        | m.ExecutionWaitingEvent
        | m.ExecutionEndEvent
    ]:
        """The events of a run as they happen."""
        return self._events(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/events",
                resumes=True,
                project=project,
                takes_project=True,
            ),
            m.ExecutionStateEvent
            | m.ExecutionProgressEvent
            | m.ExecutionTaskEvent
            | m.ExecutionLogEvent
            | m.ExecutionWaitingEvent
            | m.ExecutionEndEvent,
        )

    async def get_execution_forecast(self, execution_id: str, *, project: str | None = None) -> m.ExecutionForecast:
        """How long a run takes, by earlier runs of the same request and its own pace."""
        return await self._model(
            Call("GET", f"/executions/{Call.part(execution_id)}/forecast", project=project, takes_project=True),
            m.ExecutionForecast,
        )

    async def get_execution_log(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.ExecutionLog:
        """What the flow of an execution logged and recorded, in order."""
        return await self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/log",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ExecutionLog,
        )

    def iterate_execution_log(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.ExecutionLogEntry]:
        """What the flow of an execution logged and recorded, in order, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/log",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "log",
            m.ExecutionLogEntry,
        )

    async def pause_execution(self, execution_id: str, *, project: str | None = None) -> m.RunControlAnswer:
        """Pause a run: no further measurement starts until it is resumed; those that a worker has taken end."""
        return await self._model(
            Call("POST", f"/executions/{Call.part(execution_id)}/pause", project=project, takes_project=True),
            m.RunControlAnswer,
        )

    async def re_execute_execution(
        self,
        execution_id: str,
        body: m.ExecutionReExecution,
        *,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.StartedRun:
        """Run a flow again, linked to an earlier execution."""
        return await self._model(
            Call(
                "POST",
                f"/executions/{Call.part(execution_id)}/re-execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    async def resume_execution(self, execution_id: str, *, project: str | None = None) -> m.RunControlAnswer:
        """Resume a paused run."""
        return await self._model(
            Call("POST", f"/executions/{Call.part(execution_id)}/resume", project=project, takes_project=True),
            m.RunControlAnswer,
        )

    async def retry_execution(
        self,
        execution_id: str,
        body: m.ExecutionRetry,
        *,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.StartedRun:
        """Run the targets of an execution again that did not complete."""
        return await self._model(
            Call(
                "POST",
                f"/executions/{Call.part(execution_id)}/retry",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    async def list_execution_stages(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.ExecutionStageList:
        """The stages of an execution in order, with counts and yields."""
        return await self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/stages",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ExecutionStageList,
        )

    def iterate_execution_stages(
        self, execution_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.ExecutionStage]:
        """The stages of an execution in order, with counts and yields, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/stages",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "stages",
            m.ExecutionStage,
        )

    async def get_execution_stage(
        self, execution_id: str, index: int, *, project: str | None = None
    ) -> m.ExecutionStageDetail:
        """One stage with the values that it found on each target."""
        return await self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/stages/{Call.part(index)}",
                project=project,
                takes_project=True,
            ),
            m.ExecutionStageDetail,
        )

    async def stop_execution(self, execution_id: str, *, project: str | None = None) -> m.RunControlAnswer:
        """Stop a run once the measurements that a worker has taken have ended; tasks that did not start are skipped."""
        return await self._model(
            Call("POST", f"/executions/{Call.part(execution_id)}/stop", project=project, takes_project=True),
            m.RunControlAnswer,
        )

    async def get_execution_time(self, execution_id: str, *, project: str | None = None) -> m.ExecutionTime:
        """Where the time of an execution went; the parts add up to the whole."""
        return await self._model(
            Call("GET", f"/executions/{Call.part(execution_id)}/time", project=project, takes_project=True),
            m.ExecutionTime,
        )

    async def get_execution_time_as_picture(self, execution_id: str, *, project: str | None = None) -> bytes:
        """The same as a picture."""
        return await self._bytes(
            Call("GET", f"/executions/{Call.part(execution_id)}/time/picture", project=project, takes_project=True)
        )

    async def cancel_execution(self, flow_run_id: str, *, project: str | None = None) -> m.CancelResult:
        """Cancel a run that is scheduled, pending, running or paused."""
        return await self._model(
            Call("POST", f"/executions/{Call.part(flow_run_id)}/cancel", project=project, takes_project=True),
            m.CancelResult,
        )

    async def list_tags(self, *, project: str | None = None) -> m.TagList:
        """The tags of the executions of the project, each once, by name."""
        return await self._model(Call("GET", "/tags", project=project, takes_project=True), m.TagList)
