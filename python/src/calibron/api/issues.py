"""Operations of the interface: issues. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from ..transport.calls import Call, Files
from ..transport.senders import AsyncSender, Sender
from . import models as m


class IssuesOperations(Sender):
    def list_knowledge_cases(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        status: str | None = None,
        task_name: str | None = None,
        project: str | None = None,
    ) -> m.KnowledgeCaseList:
        """The knowledge cases of the project, newest first."""
        return self._model(
            Call(
                "GET",
                "/issue-knowledge",
                query={"skip": skip, "limit": limit, "status": status, "task_name": task_name},
                project=project,
                takes_project=True,
            ),
            m.KnowledgeCaseList,
        )

    def iterate_knowledge_cases(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        status: str | None = None,
        task_name: str | None = None,
        project: str | None = None,
    ) -> Iterator[m.IssueKnowledge]:
        """The knowledge cases of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/issue-knowledge",
                query={"skip": skip, "limit": limit, "status": status, "task_name": task_name},
                project=project,
                takes_project=True,
            ),
            "items",
            m.IssueKnowledge,
        )

    def delete_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.Message:
        """Delete a knowledge case, approved or not."""
        return self._model(
            Call("DELETE", f"/issue-knowledge/{Call.part(knowledge_id)}", project=project, takes_project=True),
            m.Message,
        )

    def get_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """One knowledge case."""
        return self._model(
            Call("GET", f"/issue-knowledge/{Call.part(knowledge_id)}", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    def update_knowledge_case(
        self, knowledge_id: str, body: m.KnowledgeCaseChange, *, project: str | None = None
    ) -> m.IssueKnowledge:
        """Change a draft; fields that are null or absent stay as they are."""
        return self._model(
            Call(
                "PATCH", f"/issue-knowledge/{Call.part(knowledge_id)}", json=body, project=project, takes_project=True
            ),
            m.IssueKnowledge,
        )

    def approve_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """Approve a draft: from then on it is part of the knowledge about its task."""
        return self._model(
            Call("PATCH", f"/issue-knowledge/{Call.part(knowledge_id)}/approve", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    def export_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.Message:
        """Export an approved case again after its export was given up."""
        return self._model(
            Call("POST", f"/issue-knowledge/{Call.part(knowledge_id)}/export", project=project, takes_project=True),
            m.Message,
        )

    def reject_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """Reject a draft."""
        return self._model(
            Call("PATCH", f"/issue-knowledge/{Call.part(knowledge_id)}/reject", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    def list_issues(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        task_id: str | None = None,
        is_closed: Any | None = None,
        project: str | None = None,
    ) -> m.IssueList:
        """The issues of the project with the number of their replies, newest first."""
        return self._model(
            Call(
                "GET",
                "/issues",
                query={"skip": skip, "limit": limit, "task_id": task_id, "is_closed": is_closed},
                project=project,
                takes_project=True,
            ),
            m.IssueList,
        )

    def iterate_issues(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        task_id: str | None = None,
        is_closed: Any | None = None,
        project: str | None = None,
    ) -> Iterator[m.Issue]:
        """The issues of the project with the number of their replies, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/issues",
                query={"skip": skip, "limit": limit, "task_id": task_id, "is_closed": is_closed},
                project=project,
                takes_project=True,
            ),
            "issues",
            m.Issue,
        )

    def get_issues_image(self, filename: str) -> bytes:
        """An image that a text shows."""
        return self._bytes(Call("GET", f"/issues/images/{Call.part(filename)}"))

    def upload_issues_image(self, body: Files, *, project: str | None = None) -> m.UploadedImage:
        """Upload an image for a text: PNG, JPEG, GIF or WebP, at most 5 MiB, as the form field `file`."""
        return self._model(
            Call("POST", "/issues/upload-image", multipart=body, project=project, takes_project=True), m.UploadedImage
        )

    def delete_issue(self, issue_id: str, *, project: str | None = None) -> m.Message:
        """Delete a text of your own; an issue is deleted with its replies."""
        return self._model(
            Call("DELETE", f"/issues/{Call.part(issue_id)}", project=project, takes_project=True), m.Message
        )

    def get_issue(self, issue_id: str, *, project: str | None = None) -> m.Issue:
        """One issue, or one reply."""
        return self._model(Call("GET", f"/issues/{Call.part(issue_id)}", project=project, takes_project=True), m.Issue)

    def update_issue(self, issue_id: str, body: m.IssueChange, *, project: str | None = None) -> m.Issue:
        """Change a text of your own; a title that is null or absent stays as it is."""
        return self._model(
            Call("PATCH", f"/issues/{Call.part(issue_id)}", json=body, project=project, takes_project=True), m.Issue
        )

    def stream_issue_reply(
        self, issue_id: str, body: m.IssueModelQuestion, *, project: str | None = None
    ) -> Iterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.IssueReplyResultEvent]:
        """Have the language model reply in an issue, and follow it."""
        return self._events(
            Call(
                "POST", f"/issues/{Call.part(issue_id)}/ai-reply/stream", json=body, project=project, takes_project=True
            ),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.IssueReplyResultEvent,
        )

    def close_issue(self, issue_id: str, *, project: str | None = None) -> m.Message:
        """Close an issue."""
        return self._model(
            Call("PATCH", f"/issues/{Call.part(issue_id)}/close", project=project, takes_project=True), m.Message
        )

    def extract_knowledge(self, issue_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """Create a draft of a knowledge case from a closed issue; it replaces an earlier draft."""
        return self._model(
            Call("POST", f"/issues/{Call.part(issue_id)}/extract-knowledge", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    def reopen_issue(self, issue_id: str, *, project: str | None = None) -> m.Message:
        """Reopen a closed issue."""
        return self._model(
            Call("PATCH", f"/issues/{Call.part(issue_id)}/reopen", project=project, takes_project=True), m.Message
        )

    def list_issue_replies(self, issue_id: str, *, project: str | None = None) -> list[m.Issue]:
        """The replies to an issue, oldest first."""
        return self._model(
            Call("GET", f"/issues/{Call.part(issue_id)}/replies", project=project, takes_project=True), list[m.Issue]
        )

    def list_issues_of_result(
        self, task_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> list[m.Issue]:
        """The issues on a task result and the replies to them, oldest first, up to 1000 at once."""
        return self._model(
            Call(
                "GET",
                f"/task-results/{Call.part(task_id)}/issues",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            list[m.Issue],
        )

    def iterate_issues_of_result(
        self, task_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.Issue]:
        """The issues on a task result and the replies to them, oldest first, up to 1000 at once, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/task-results/{Call.part(task_id)}/issues",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "",
            m.Issue,
        )

    def create_issue(self, task_id: str, body: m.IssueCreate, *, project: str | None = None) -> m.Issue:
        """Open an issue on a task result, or with a parent_id reply to one."""
        return self._model(
            Call("POST", f"/task-results/{Call.part(task_id)}/issues", json=body, project=project, takes_project=True),
            m.Issue,
        )


class AsyncIssuesOperations(AsyncSender):
    async def list_knowledge_cases(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        status: str | None = None,
        task_name: str | None = None,
        project: str | None = None,
    ) -> m.KnowledgeCaseList:
        """The knowledge cases of the project, newest first."""
        return await self._model(
            Call(
                "GET",
                "/issue-knowledge",
                query={"skip": skip, "limit": limit, "status": status, "task_name": task_name},
                project=project,
                takes_project=True,
            ),
            m.KnowledgeCaseList,
        )

    def iterate_knowledge_cases(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        status: str | None = None,
        task_name: str | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.IssueKnowledge]:
        """The knowledge cases of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/issue-knowledge",
                query={"skip": skip, "limit": limit, "status": status, "task_name": task_name},
                project=project,
                takes_project=True,
            ),
            "items",
            m.IssueKnowledge,
        )

    async def delete_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.Message:
        """Delete a knowledge case, approved or not."""
        return await self._model(
            Call("DELETE", f"/issue-knowledge/{Call.part(knowledge_id)}", project=project, takes_project=True),
            m.Message,
        )

    async def get_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """One knowledge case."""
        return await self._model(
            Call("GET", f"/issue-knowledge/{Call.part(knowledge_id)}", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    async def update_knowledge_case(
        self, knowledge_id: str, body: m.KnowledgeCaseChange, *, project: str | None = None
    ) -> m.IssueKnowledge:
        """Change a draft; fields that are null or absent stay as they are."""
        return await self._model(
            Call(
                "PATCH", f"/issue-knowledge/{Call.part(knowledge_id)}", json=body, project=project, takes_project=True
            ),
            m.IssueKnowledge,
        )

    async def approve_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """Approve a draft: from then on it is part of the knowledge about its task."""
        return await self._model(
            Call("PATCH", f"/issue-knowledge/{Call.part(knowledge_id)}/approve", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    async def export_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.Message:
        """Export an approved case again after its export was given up."""
        return await self._model(
            Call("POST", f"/issue-knowledge/{Call.part(knowledge_id)}/export", project=project, takes_project=True),
            m.Message,
        )

    async def reject_knowledge_case(self, knowledge_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """Reject a draft."""
        return await self._model(
            Call("PATCH", f"/issue-knowledge/{Call.part(knowledge_id)}/reject", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    async def list_issues(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        task_id: str | None = None,
        is_closed: Any | None = None,
        project: str | None = None,
    ) -> m.IssueList:
        """The issues of the project with the number of their replies, newest first."""
        return await self._model(
            Call(
                "GET",
                "/issues",
                query={"skip": skip, "limit": limit, "task_id": task_id, "is_closed": is_closed},
                project=project,
                takes_project=True,
            ),
            m.IssueList,
        )

    def iterate_issues(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        task_id: str | None = None,
        is_closed: Any | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.Issue]:
        """The issues of the project with the number of their replies, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/issues",
                query={"skip": skip, "limit": limit, "task_id": task_id, "is_closed": is_closed},
                project=project,
                takes_project=True,
            ),
            "issues",
            m.Issue,
        )

    async def get_issues_image(self, filename: str) -> bytes:
        """An image that a text shows."""
        return await self._bytes(Call("GET", f"/issues/images/{Call.part(filename)}"))

    async def upload_issues_image(self, body: Files, *, project: str | None = None) -> m.UploadedImage:
        """Upload an image for a text: PNG, JPEG, GIF or WebP, at most 5 MiB, as the form field `file`."""
        return await self._model(
            Call("POST", "/issues/upload-image", multipart=body, project=project, takes_project=True), m.UploadedImage
        )

    async def delete_issue(self, issue_id: str, *, project: str | None = None) -> m.Message:
        """Delete a text of your own; an issue is deleted with its replies."""
        return await self._model(
            Call("DELETE", f"/issues/{Call.part(issue_id)}", project=project, takes_project=True), m.Message
        )

    async def get_issue(self, issue_id: str, *, project: str | None = None) -> m.Issue:
        """One issue, or one reply."""
        return await self._model(
            Call("GET", f"/issues/{Call.part(issue_id)}", project=project, takes_project=True), m.Issue
        )

    async def update_issue(self, issue_id: str, body: m.IssueChange, *, project: str | None = None) -> m.Issue:
        """Change a text of your own; a title that is null or absent stays as it is."""
        return await self._model(
            Call("PATCH", f"/issues/{Call.part(issue_id)}", json=body, project=project, takes_project=True), m.Issue
        )

    def stream_issue_reply(
        self, issue_id: str, body: m.IssueModelQuestion, *, project: str | None = None
    ) -> AsyncIterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.IssueReplyResultEvent]:
        """Have the language model reply in an issue, and follow it."""
        return self._events(
            Call(
                "POST", f"/issues/{Call.part(issue_id)}/ai-reply/stream", json=body, project=project, takes_project=True
            ),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.IssueReplyResultEvent,
        )

    async def close_issue(self, issue_id: str, *, project: str | None = None) -> m.Message:
        """Close an issue."""
        return await self._model(
            Call("PATCH", f"/issues/{Call.part(issue_id)}/close", project=project, takes_project=True), m.Message
        )

    async def extract_knowledge(self, issue_id: str, *, project: str | None = None) -> m.IssueKnowledge:
        """Create a draft of a knowledge case from a closed issue; it replaces an earlier draft."""
        return await self._model(
            Call("POST", f"/issues/{Call.part(issue_id)}/extract-knowledge", project=project, takes_project=True),
            m.IssueKnowledge,
        )

    async def reopen_issue(self, issue_id: str, *, project: str | None = None) -> m.Message:
        """Reopen a closed issue."""
        return await self._model(
            Call("PATCH", f"/issues/{Call.part(issue_id)}/reopen", project=project, takes_project=True), m.Message
        )

    async def list_issue_replies(self, issue_id: str, *, project: str | None = None) -> list[m.Issue]:
        """The replies to an issue, oldest first."""
        return await self._model(
            Call("GET", f"/issues/{Call.part(issue_id)}/replies", project=project, takes_project=True), list[m.Issue]
        )

    async def list_issues_of_result(
        self, task_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> list[m.Issue]:
        """The issues on a task result and the replies to them, oldest first, up to 1000 at once."""
        return await self._model(
            Call(
                "GET",
                f"/task-results/{Call.part(task_id)}/issues",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            list[m.Issue],
        )

    def iterate_issues_of_result(
        self, task_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.Issue]:
        """The issues on a task result and the replies to them, oldest first, up to 1000 at once, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/task-results/{Call.part(task_id)}/issues",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "",
            m.Issue,
        )

    async def create_issue(self, task_id: str, body: m.IssueCreate, *, project: str | None = None) -> m.Issue:
        """Open an issue on a task result, or with a parent_id reply to one."""
        return await self._model(
            Call("POST", f"/task-results/{Call.part(task_id)}/issues", json=body, project=project, takes_project=True),
            m.Issue,
        )
