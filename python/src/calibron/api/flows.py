"""Operations of the interface: flows. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class FlowsOperations(Sender):
    def list_flows(self, *, project: str | None = None) -> m.FlowList:
        """The flows of the project, most recently changed first."""
        return self._model(Call("GET", "/flows", project=project, takes_project=True), m.FlowList)

    def save_flow(
        self, body: m.FlowCreate, *, if_match: str | None = None, project: str | None = None
    ) -> m.SavedFlowAnswer:
        """Save a flow under its name; an earlier one of that name is replaced."""
        return self._model(
            Call("POST", "/flows", conditions={"if-match": if_match}, json=body, project=project, takes_project=True),
            m.SavedFlowAnswer,
        )

    def list_flow_helpers(self) -> list[str]:
        """The files that declare what a flow works with, the main one first."""
        return self._model(Call("GET", "/flows/helpers"), list[str])

    def get_flow_helper(self, filename: str) -> str:
        """The text of one helper file."""
        return self._model(Call("GET", f"/flows/helpers/{Call.part(filename)}"), str)

    def list_flow_templates(self) -> list[m.FlowTemplate]:
        """Shipped starting points for flows."""
        return self._model(Call("GET", "/flows/templates"), list[m.FlowTemplate])

    def get_flow_template(self, template_id: str) -> m.FlowTemplateDetail:
        """One template with its code."""
        return self._model(Call("GET", f"/flows/templates/{Call.part(template_id)}"), m.FlowTemplateDetail)

    def delete_flow(self, name: str, *, if_match: str | None = None, project: str | None = None) -> m.Message:
        """Delete a flow with its schedules."""
        return self._model(
            Call(
                "DELETE",
                f"/flows/{Call.part(name)}",
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_flow(self, name: str, *, project: str | None = None) -> m.FlowDetail:
        """One flow with its code."""
        return self._model(Call("GET", f"/flows/{Call.part(name)}", project=project, takes_project=True), m.FlowDetail)

    def draft_flow(self, name: str, body: m.FlowDraftQuestion, *, project: str | None = None) -> m.FlowDraft:
        """Have a language model draft or change a flow; it is checked, and not saved."""
        return self._model(
            Call("POST", f"/flows/{Call.part(name)}/agent/codex", json=body, project=project, takes_project=True),
            m.FlowDraft,
        )

    def stream_flow_draft(
        self, name: str, body: m.FlowDraftQuestion, *, project: str | None = None
    ) -> Iterator[
        m.AnswerStatusEvent
        | m.AnswerTextEvent
        | m.AnswerErrorEvent
        | m.FlowDraftSummaryEvent
        | m.FlowDraftDiffEvent
        | m.FlowDraftCompleteEvent
    ]:
        """The same, with events about its progress: `summary_delta`, `diff`, then `complete` with the draft."""
        return self._events(
            Call(
                "POST", f"/flows/{Call.part(name)}/agent/codex/stream", json=body, project=project, takes_project=True
            ),
            m.AnswerStatusEvent
            | m.AnswerTextEvent
            | m.AnswerErrorEvent
            | m.FlowDraftSummaryEvent
            | m.FlowDraftDiffEvent
            | m.FlowDraftCompleteEvent,
        )

    def execute_flow(
        self, name: str, body: m.FlowExecution, *, project: str | None = None, idempotency_key: str | None = None
    ) -> m.StartedRun:
        """Start a run of a flow."""
        return self._model(
            Call(
                "POST",
                f"/flows/{Call.part(name)}/execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    def list_flow_versions(
        self, name: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.FlowVersionList:
        """The kept versions of a flow, most recently saved first."""
        return self._model(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/versions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.FlowVersionList,
        )

    def iterate_flow_versions(
        self, name: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.FlowVersion]:
        """The kept versions of a flow, most recently saved first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/versions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.FlowVersion,
        )

    def get_flow_version(self, name: str, version_id: str, *, project: str | None = None) -> m.FlowVersionDetail:
        """One version of a flow with its code."""
        return self._model(
            Call(
                "GET", f"/flows/{Call.part(name)}/versions/{Call.part(version_id)}", project=project, takes_project=True
            ),
            m.FlowVersionDetail,
        )

    def restore_flow_version(
        self, name: str, version_id: str, *, if_match: str | None = None, project: str | None = None
    ) -> m.SavedFlowAnswer:
        """Restore a version of a flow: it is saved again as the current one."""
        return self._model(
            Call(
                "POST",
                f"/flows/{Call.part(name)}/versions/{Call.part(version_id)}/restore",
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.SavedFlowAnswer,
        )


class AsyncFlowsOperations(AsyncSender):
    async def list_flows(self, *, project: str | None = None) -> m.FlowList:
        """The flows of the project, most recently changed first."""
        return await self._model(Call("GET", "/flows", project=project, takes_project=True), m.FlowList)

    async def save_flow(
        self, body: m.FlowCreate, *, if_match: str | None = None, project: str | None = None
    ) -> m.SavedFlowAnswer:
        """Save a flow under its name; an earlier one of that name is replaced."""
        return await self._model(
            Call("POST", "/flows", conditions={"if-match": if_match}, json=body, project=project, takes_project=True),
            m.SavedFlowAnswer,
        )

    async def list_flow_helpers(self) -> list[str]:
        """The files that declare what a flow works with, the main one first."""
        return await self._model(Call("GET", "/flows/helpers"), list[str])

    async def get_flow_helper(self, filename: str) -> str:
        """The text of one helper file."""
        return await self._model(Call("GET", f"/flows/helpers/{Call.part(filename)}"), str)

    async def list_flow_templates(self) -> list[m.FlowTemplate]:
        """Shipped starting points for flows."""
        return await self._model(Call("GET", "/flows/templates"), list[m.FlowTemplate])

    async def get_flow_template(self, template_id: str) -> m.FlowTemplateDetail:
        """One template with its code."""
        return await self._model(Call("GET", f"/flows/templates/{Call.part(template_id)}"), m.FlowTemplateDetail)

    async def delete_flow(self, name: str, *, if_match: str | None = None, project: str | None = None) -> m.Message:
        """Delete a flow with its schedules."""
        return await self._model(
            Call(
                "DELETE",
                f"/flows/{Call.part(name)}",
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_flow(self, name: str, *, project: str | None = None) -> m.FlowDetail:
        """One flow with its code."""
        return await self._model(
            Call("GET", f"/flows/{Call.part(name)}", project=project, takes_project=True), m.FlowDetail
        )

    async def draft_flow(self, name: str, body: m.FlowDraftQuestion, *, project: str | None = None) -> m.FlowDraft:
        """Have a language model draft or change a flow; it is checked, and not saved."""
        return await self._model(
            Call("POST", f"/flows/{Call.part(name)}/agent/codex", json=body, project=project, takes_project=True),
            m.FlowDraft,
        )

    def stream_flow_draft(
        self, name: str, body: m.FlowDraftQuestion, *, project: str | None = None
    ) -> AsyncIterator[
        m.AnswerStatusEvent
        | m.AnswerTextEvent
        | m.AnswerErrorEvent
        | m.FlowDraftSummaryEvent
        | m.FlowDraftDiffEvent
        | m.FlowDraftCompleteEvent
    ]:
        """The same, with events about its progress: `summary_delta`, `diff`, then `complete` with the draft."""
        return self._events(
            Call(
                "POST", f"/flows/{Call.part(name)}/agent/codex/stream", json=body, project=project, takes_project=True
            ),
            m.AnswerStatusEvent
            | m.AnswerTextEvent
            | m.AnswerErrorEvent
            | m.FlowDraftSummaryEvent
            | m.FlowDraftDiffEvent
            | m.FlowDraftCompleteEvent,
        )

    async def execute_flow(
        self, name: str, body: m.FlowExecution, *, project: str | None = None, idempotency_key: str | None = None
    ) -> m.StartedRun:
        """Start a run of a flow."""
        return await self._model(
            Call(
                "POST",
                f"/flows/{Call.part(name)}/execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    async def list_flow_versions(
        self, name: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.FlowVersionList:
        """The kept versions of a flow, most recently saved first."""
        return await self._model(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/versions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.FlowVersionList,
        )

    def iterate_flow_versions(
        self, name: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.FlowVersion]:
        """The kept versions of a flow, most recently saved first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/versions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.FlowVersion,
        )

    async def get_flow_version(self, name: str, version_id: str, *, project: str | None = None) -> m.FlowVersionDetail:
        """One version of a flow with its code."""
        return await self._model(
            Call(
                "GET", f"/flows/{Call.part(name)}/versions/{Call.part(version_id)}", project=project, takes_project=True
            ),
            m.FlowVersionDetail,
        )

    async def restore_flow_version(
        self, name: str, version_id: str, *, if_match: str | None = None, project: str | None = None
    ) -> m.SavedFlowAnswer:
        """Restore a version of a flow: it is saved again as the current one."""
        return await self._model(
            Call(
                "POST",
                f"/flows/{Call.part(name)}/versions/{Call.part(version_id)}/restore",
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.SavedFlowAnswer,
        )
