"""Operations of the interface: notes. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class NotesOperations(Sender):
    def delete_coupling_metric_note(
        self,
        chip_id: str,
        coupling_id: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a metric of a coupling."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_coupling_metric_note(
        self,
        chip_id: str,
        coupling_id: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a metric of a coupling; an empty one where there is none."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def put_coupling_metric_note(
        self,
        chip_id: str,
        coupling_id: str,
        metric_key: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a metric of a coupling."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def delete_coupling_note(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a coupling."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_coupling_note(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a coupling; an empty one where there is none."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def put_coupling_note(
        self,
        chip_id: str,
        coupling_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a coupling."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def create_coupling_comment(
        self,
        chip_id: str,
        coupling_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Comment on a coupling."""
        return self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note/comments",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    def delete_coupling_comment(
        self,
        chip_id: str,
        coupling_id: str,
        comment_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove a comment of your own."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def update_coupling_comment(
        self,
        chip_id: str,
        coupling_id: str,
        comment_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Change a comment of your own."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    def delete_chip_note(
        self,
        chip_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a chip."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_chip_note(
        self,
        chip_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a chip; an empty one where there is none."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def put_chip_note(
        self,
        chip_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a chip."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def list_chip_note_events(
        self, chip_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.NoteEventList:
        """What happened to the notes of a chip, newest first."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/note-events",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.NoteEventList,
        )

    def iterate_chip_note_events(
        self, chip_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.NoteEvent]:
        """What happened to the notes of a chip, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/note-events",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "events",
            m.NoteEvent,
        )

    def get_notes_summary(
        self,
        chip_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.NotesSummary:
        """Everything that is written about the qubits, couplings and tasks of a chip."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/notes-summary",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.NotesSummary,
        )

    def delete_qubit_metric_note(
        self,
        chip_id: str,
        qid: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a metric of a qubit."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_qubit_metric_note(
        self,
        chip_id: str,
        qid: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a metric of a qubit; an empty one where there is none."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def put_qubit_metric_note(
        self,
        chip_id: str,
        qid: str,
        metric_key: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a metric of a qubit."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def delete_qubit_note(
        self,
        chip_id: str,
        qid: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a qubit."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_qubit_note(
        self,
        chip_id: str,
        qid: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a qubit; an empty one where there is none."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def put_qubit_note(
        self,
        chip_id: str,
        qid: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a qubit."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    def create_qubit_comment(
        self,
        chip_id: str,
        qid: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Comment on a qubit."""
        return self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note/comments",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    def delete_qubit_comment(
        self,
        chip_id: str,
        qid: str,
        comment_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove a comment of your own."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def update_qubit_comment(
        self,
        chip_id: str,
        qid: str,
        comment_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Change a comment of your own."""
        return self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    def list_target_note_events(
        self,
        *,
        scope: str,
        target_id: str,
        skip: int | None = None,
        limit: int | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> m.NoteEventList:
        """What happened to the notes of one target, newest first."""
        return self._model(
            Call(
                "GET",
                "/note-events/by-target",
                query={"scope": scope, "target_id": target_id, "skip": skip, "limit": limit, "chip_id": chip_id},
                project=project,
                takes_project=True,
            ),
            m.NoteEventList,
        )

    def iterate_target_note_events(
        self,
        *,
        scope: str,
        target_id: str,
        skip: int | None = None,
        limit: int | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> Iterator[m.NoteEvent]:
        """What happened to the notes of one target, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/note-events/by-target",
                query={"scope": scope, "target_id": target_id, "skip": skip, "limit": limit, "chip_id": chip_id},
                project=project,
                takes_project=True,
            ),
            "events",
            m.NoteEvent,
        )

    def search_note_events(
        self, *, q: str, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.NoteEventList:
        """Notes that have any of these words, or words that begin with them; best match first."""
        return self._model(
            Call(
                "GET",
                "/note-events/search",
                query={"q": q, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.NoteEventList,
        )

    def iterate_note_events(
        self, *, q: str, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.NoteEvent]:
        """Notes that have any of these words, or words that begin with them; best match first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/note-events/search",
                query={"q": q, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "events",
            m.NoteEvent,
        )

    def delete_task_note(self, task_id: str, *, if_match: str | None = None, project: str | None = None) -> m.Message:
        """Clear the note of a task result."""
        return self._model(
            Call(
                "DELETE",
                f"/task-results/{Call.part(task_id)}/note",
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_task_note(self, task_id: str, *, project: str | None = None) -> m.Note:
        """The note of a task result."""
        return self._model(
            Call("GET", f"/task-results/{Call.part(task_id)}/note", project=project, takes_project=True), m.Note
        )

    def put_task_note(
        self, task_id: str, body: m.NoteText, *, if_match: str | None = None, project: str | None = None
    ) -> m.Note:
        """Write the note of a task result."""
        return self._model(
            Call(
                "PUT",
                f"/task-results/{Call.part(task_id)}/note",
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )


class AsyncNotesOperations(AsyncSender):
    async def delete_coupling_metric_note(
        self,
        chip_id: str,
        coupling_id: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a metric of a coupling."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_coupling_metric_note(
        self,
        chip_id: str,
        coupling_id: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a metric of a coupling; an empty one where there is none."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def put_coupling_metric_note(
        self,
        chip_id: str,
        coupling_id: str,
        metric_key: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a metric of a coupling."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def delete_coupling_note(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a coupling."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_coupling_note(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a coupling; an empty one where there is none."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def put_coupling_note(
        self,
        chip_id: str,
        coupling_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a coupling."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def create_coupling_comment(
        self,
        chip_id: str,
        coupling_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Comment on a coupling."""
        return await self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note/comments",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    async def delete_coupling_comment(
        self,
        chip_id: str,
        coupling_id: str,
        comment_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove a comment of your own."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def update_coupling_comment(
        self,
        chip_id: str,
        coupling_id: str,
        comment_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Change a comment of your own."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    async def delete_chip_note(
        self,
        chip_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a chip."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_chip_note(
        self,
        chip_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a chip; an empty one where there is none."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def put_chip_note(
        self,
        chip_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a chip."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def list_chip_note_events(
        self, chip_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.NoteEventList:
        """What happened to the notes of a chip, newest first."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/note-events",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.NoteEventList,
        )

    def iterate_chip_note_events(
        self, chip_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.NoteEvent]:
        """What happened to the notes of a chip, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/note-events",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "events",
            m.NoteEvent,
        )

    async def get_notes_summary(
        self,
        chip_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.NotesSummary:
        """Everything that is written about the qubits, couplings and tasks of a chip."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/notes-summary",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.NotesSummary,
        )

    async def delete_qubit_metric_note(
        self,
        chip_id: str,
        qid: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a metric of a qubit."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_qubit_metric_note(
        self,
        chip_id: str,
        qid: str,
        metric_key: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a metric of a qubit; an empty one where there is none."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def put_qubit_metric_note(
        self,
        chip_id: str,
        qid: str,
        metric_key: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a metric of a qubit."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/metric-notes/{Call.part(metric_key)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def delete_qubit_note(
        self,
        chip_id: str,
        qid: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove the note of a qubit."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_qubit_note(
        self,
        chip_id: str,
        qid: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """The note of a qubit; an empty one where there is none."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def put_qubit_note(
        self,
        chip_id: str,
        qid: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Note:
        """Write the note of a qubit."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )

    async def create_qubit_comment(
        self,
        chip_id: str,
        qid: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Comment on a qubit."""
        return await self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note/comments",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    async def delete_qubit_comment(
        self,
        chip_id: str,
        qid: str,
        comment_id: str,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.Message:
        """Remove a comment of your own."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def update_qubit_comment(
        self,
        chip_id: str,
        qid: str,
        comment_id: str,
        body: m.NoteText,
        *,
        cooldown_id: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        if_match: str | None = None,
        project: str | None = None,
    ) -> m.NoteComment:
        """Change a comment of your own."""
        return await self._model(
            Call(
                "PUT",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/note/comments/{Call.part(comment_id)}",
                query={"cooldown_id": cooldown_id, "start_at": start_at, "end_at": end_at},
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.NoteComment,
        )

    async def list_target_note_events(
        self,
        *,
        scope: str,
        target_id: str,
        skip: int | None = None,
        limit: int | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> m.NoteEventList:
        """What happened to the notes of one target, newest first."""
        return await self._model(
            Call(
                "GET",
                "/note-events/by-target",
                query={"scope": scope, "target_id": target_id, "skip": skip, "limit": limit, "chip_id": chip_id},
                project=project,
                takes_project=True,
            ),
            m.NoteEventList,
        )

    def iterate_target_note_events(
        self,
        *,
        scope: str,
        target_id: str,
        skip: int | None = None,
        limit: int | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.NoteEvent]:
        """What happened to the notes of one target, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/note-events/by-target",
                query={"scope": scope, "target_id": target_id, "skip": skip, "limit": limit, "chip_id": chip_id},
                project=project,
                takes_project=True,
            ),
            "events",
            m.NoteEvent,
        )

    async def search_note_events(
        self, *, q: str, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.NoteEventList:
        """Notes that have any of these words, or words that begin with them; best match first."""
        return await self._model(
            Call(
                "GET",
                "/note-events/search",
                query={"q": q, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.NoteEventList,
        )

    def iterate_note_events(
        self, *, q: str, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.NoteEvent]:
        """Notes that have any of these words, or words that begin with them; best match first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/note-events/search",
                query={"q": q, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "events",
            m.NoteEvent,
        )

    async def delete_task_note(
        self, task_id: str, *, if_match: str | None = None, project: str | None = None
    ) -> m.Message:
        """Clear the note of a task result."""
        return await self._model(
            Call(
                "DELETE",
                f"/task-results/{Call.part(task_id)}/note",
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_task_note(self, task_id: str, *, project: str | None = None) -> m.Note:
        """The note of a task result."""
        return await self._model(
            Call("GET", f"/task-results/{Call.part(task_id)}/note", project=project, takes_project=True), m.Note
        )

    async def put_task_note(
        self, task_id: str, body: m.NoteText, *, if_match: str | None = None, project: str | None = None
    ) -> m.Note:
        """Write the note of a task result."""
        return await self._model(
            Call(
                "PUT",
                f"/task-results/{Call.part(task_id)}/note",
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Note,
        )
