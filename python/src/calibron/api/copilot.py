"""Operations of the interface: copilot. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class CopilotOperations(Sender):
    def analyze_task_result(self, body: m.AnalysisQuestion, *, project: str | None = None) -> m.CopilotAnalysis:
        """Explain a task result, by a language model or the built-in rules."""
        return self._model(
            Call("POST", "/copilot/analyze", json=body, project=project, takes_project=True), m.CopilotAnalysis
        )

    def stream_task_result_analysis(
        self, body: m.AnalysisQuestion, *, project: str | None = None
    ) -> Iterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.AnalysisResultEvent]:
        """The same, with events about its progress."""
        return self._events(
            Call("POST", "/copilot/analyze/stream", json=body, project=project, takes_project=True),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.AnalysisResultEvent,
        )

    def chat_with_copilot(self, body: m.ChatQuestion, *, project: str | None = None) -> m.CopilotAnswer:
        """Ask the assistant about a chip, a qubit or anything else."""
        return self._model(
            Call("POST", "/copilot/chat", json=body, project=project, takes_project=True), m.CopilotAnswer
        )

    def list_chat_sessions(self, *, skip: int | None = None, limit: int | None = None) -> m.ChatSessionList:
        """Your chat sessions, most recently used first."""
        return self._model(
            Call("GET", "/copilot/chat/sessions", query={"skip": skip, "limit": limit}), m.ChatSessionList
        )

    def iterate_chat_sessions(
        self, *, skip: int | None = None, limit: int | None = None
    ) -> Iterator[m.ChatSessionItem]:
        """Your chat sessions, most recently used first, page after page."""
        return self._pages(
            Call("GET", "/copilot/chat/sessions", query={"skip": skip, "limit": limit}), "sessions", m.ChatSessionItem
        )

    def create_chat_session(self, body: m.ChatSessionCreate) -> m.ChatSession:
        """Start a chat session."""
        return self._model(Call("POST", "/copilot/chat/sessions", json=body), m.ChatSession)

    def delete_chat_session(self, session_id: str) -> dict[str, bool]:
        """Delete a chat session."""
        return self._model(Call("DELETE", f"/copilot/chat/sessions/{Call.part(session_id)}"), dict[str, bool])

    def get_chat_session(self, session_id: str) -> m.ChatSession:
        """A chat session with its messages."""
        return self._model(Call("GET", f"/copilot/chat/sessions/{Call.part(session_id)}"), m.ChatSession)

    def update_chat_session(self, session_id: str, body: m.ChatSessionChange) -> m.ChatSession:
        """Change a chat session; fields that are null or absent stay as they are."""
        return self._model(Call("PATCH", f"/copilot/chat/sessions/{Call.part(session_id)}", json=body), m.ChatSession)

    def append_chat_messages(self, session_id: str, body: m.AppendedMessages) -> m.ChatSession:
        """Append messages to a chat session; concurrent appends are not lost."""
        return self._model(
            Call("POST", f"/copilot/chat/sessions/{Call.part(session_id)}/messages", json=body), m.ChatSession
        )

    def stream_copilot_chat(
        self, body: m.ChatQuestion, *, project: str | None = None
    ) -> Iterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ChatResultEvent]:
        """The same as a stream, word by word."""
        return self._events(
            Call("POST", "/copilot/chat/stream", json=body, project=project, takes_project=True),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ChatResultEvent,
        )

    def get_copilot_config(self) -> m.CopilotConfig:
        """Which models and suggestions the assistant has; no prompt, no address, no key."""
        return self._model(Call("GET", "/copilot/config"), m.CopilotConfig)

    def get_expected_image(self, *, task_name: str, index: int | None = None) -> bytes:
        """A picture of what a good result of a task looks like."""
        return self._bytes(Call("GET", "/copilot/expected-image", query={"task_name": task_name, "index": index}))


class AsyncCopilotOperations(AsyncSender):
    async def analyze_task_result(self, body: m.AnalysisQuestion, *, project: str | None = None) -> m.CopilotAnalysis:
        """Explain a task result, by a language model or the built-in rules."""
        return await self._model(
            Call("POST", "/copilot/analyze", json=body, project=project, takes_project=True), m.CopilotAnalysis
        )

    def stream_task_result_analysis(
        self, body: m.AnalysisQuestion, *, project: str | None = None
    ) -> AsyncIterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.AnalysisResultEvent]:
        """The same, with events about its progress."""
        return self._events(
            Call("POST", "/copilot/analyze/stream", json=body, project=project, takes_project=True),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.AnalysisResultEvent,
        )

    async def chat_with_copilot(self, body: m.ChatQuestion, *, project: str | None = None) -> m.CopilotAnswer:
        """Ask the assistant about a chip, a qubit or anything else."""
        return await self._model(
            Call("POST", "/copilot/chat", json=body, project=project, takes_project=True), m.CopilotAnswer
        )

    async def list_chat_sessions(self, *, skip: int | None = None, limit: int | None = None) -> m.ChatSessionList:
        """Your chat sessions, most recently used first."""
        return await self._model(
            Call("GET", "/copilot/chat/sessions", query={"skip": skip, "limit": limit}), m.ChatSessionList
        )

    def iterate_chat_sessions(
        self, *, skip: int | None = None, limit: int | None = None
    ) -> AsyncIterator[m.ChatSessionItem]:
        """Your chat sessions, most recently used first, page after page."""
        return self._pages(
            Call("GET", "/copilot/chat/sessions", query={"skip": skip, "limit": limit}), "sessions", m.ChatSessionItem
        )

    async def create_chat_session(self, body: m.ChatSessionCreate) -> m.ChatSession:
        """Start a chat session."""
        return await self._model(Call("POST", "/copilot/chat/sessions", json=body), m.ChatSession)

    async def delete_chat_session(self, session_id: str) -> dict[str, bool]:
        """Delete a chat session."""
        return await self._model(Call("DELETE", f"/copilot/chat/sessions/{Call.part(session_id)}"), dict[str, bool])

    async def get_chat_session(self, session_id: str) -> m.ChatSession:
        """A chat session with its messages."""
        return await self._model(Call("GET", f"/copilot/chat/sessions/{Call.part(session_id)}"), m.ChatSession)

    async def update_chat_session(self, session_id: str, body: m.ChatSessionChange) -> m.ChatSession:
        """Change a chat session; fields that are null or absent stay as they are."""
        return await self._model(
            Call("PATCH", f"/copilot/chat/sessions/{Call.part(session_id)}", json=body), m.ChatSession
        )

    async def append_chat_messages(self, session_id: str, body: m.AppendedMessages) -> m.ChatSession:
        """Append messages to a chat session; concurrent appends are not lost."""
        return await self._model(
            Call("POST", f"/copilot/chat/sessions/{Call.part(session_id)}/messages", json=body), m.ChatSession
        )

    def stream_copilot_chat(
        self, body: m.ChatQuestion, *, project: str | None = None
    ) -> AsyncIterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ChatResultEvent]:
        """The same as a stream, word by word."""
        return self._events(
            Call("POST", "/copilot/chat/stream", json=body, project=project, takes_project=True),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ChatResultEvent,
        )

    async def get_copilot_config(self) -> m.CopilotConfig:
        """Which models and suggestions the assistant has; no prompt, no address, no key."""
        return await self._model(Call("GET", "/copilot/config"), m.CopilotConfig)

    async def get_expected_image(self, *, task_name: str, index: int | None = None) -> bytes:
        """A picture of what a good result of a task looks like."""
        return await self._bytes(Call("GET", "/copilot/expected-image", query={"task_name": task_name, "index": index}))
