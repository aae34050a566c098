"""Operations of the interface: approvals. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ApprovalsOperations(Sender):
    def list_approvals(
        self,
        *,
        status: str | None = None,
        execution_id: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ApprovalList:
        """The questions of the project, newest first."""
        return self._model(
            Call(
                "GET",
                "/approvals",
                query={"status": status, "execution_id": execution_id, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ApprovalList,
        )

    def iterate_approvals(
        self,
        *,
        status: str | None = None,
        execution_id: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.Approval]:
        """The questions of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/approvals",
                query={"status": status, "execution_id": execution_id, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "approvals",
            m.Approval,
        )

    def answer_approval(self, approval_id: str, body: m.ApprovalReply, *, project: str | None = None) -> m.Approval:
        """Answer a question of a flow; the first answer counts."""
        return self._model(
            Call("POST", f"/approvals/{Call.part(approval_id)}", json=body, project=project, takes_project=True),
            m.Approval,
        )


class AsyncApprovalsOperations(AsyncSender):
    async def list_approvals(
        self,
        *,
        status: str | None = None,
        execution_id: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ApprovalList:
        """The questions of the project, newest first."""
        return await self._model(
            Call(
                "GET",
                "/approvals",
                query={"status": status, "execution_id": execution_id, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ApprovalList,
        )

    def iterate_approvals(
        self,
        *,
        status: str | None = None,
        execution_id: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.Approval]:
        """The questions of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/approvals",
                query={"status": status, "execution_id": execution_id, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "approvals",
            m.Approval,
        )

    async def answer_approval(
        self, approval_id: str, body: m.ApprovalReply, *, project: str | None = None
    ) -> m.Approval:
        """Answer a question of a flow; the first answer counts."""
        return await self._model(
            Call("POST", f"/approvals/{Call.part(approval_id)}", json=body, project=project, takes_project=True),
            m.Approval,
        )
