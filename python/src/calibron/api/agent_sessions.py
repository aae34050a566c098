"""Operations of the interface: agent-sessions. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class AgentSessionsOperations(Sender):
    def list_agent_sessions(
        self,
        *,
        chip_id: str | None = None,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.AgentSessionList:
        """The agent sessions of the project, newest first."""
        return self._model(
            Call(
                "GET",
                "/agent-sessions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.AgentSessionList,
        )

    def iterate_agent_sessions(
        self,
        *,
        chip_id: str | None = None,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.AgentSession]:
        """The agent sessions of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/agent-sessions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.AgentSession,
        )

    def create_agent_session(self, body: m.AgentSessionCreate, *, project: str | None = None) -> m.AgentSession:
        """Let an agent act on a chip, within a policy and for a time."""
        return self._model(
            Call("POST", "/agent-sessions", json=body, project=project, takes_project=True), m.AgentSession
        )

    def get_agent_session(self, session_id: str, *, project: str | None = None) -> m.AgentSession:
        """The state of a session: its policy, status, version and budget."""
        return self._model(
            Call("GET", f"/agent-sessions/{Call.part(session_id)}", project=project, takes_project=True), m.AgentSession
        )

    def list_agent_actions(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.AgentActionList:
        """Everything that was proposed in a session, in order, rejected proposals too."""
        return self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.AgentActionList,
        )

    def iterate_agent_actions(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.AgentAction]:
        """Everything that was proposed in a session, in order, rejected proposals too, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.AgentAction,
        )

    def submit_agent_action(
        self, session_id: str, body: m.AgentActionCreate, *, project: str | None = None
    ) -> m.AgentAction:
        """Propose an action: it is authorized or rejected, and audited; nothing is carried out."""
        return self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/actions",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentAction,
        )

    def get_agent_action(self, session_id: str, action_id: str, *, project: str | None = None) -> m.AgentAction:
        """One action in its current state."""
        return self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}",
                project=project,
                takes_project=True,
            ),
            m.AgentAction,
        )

    def list_agent_candidates(
        self, session_id: str, action_id: str, *, project: str | None = None
    ) -> m.AgentCandidateList:
        """The values that an action found, and whether they may be committed."""
        return self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}/candidates",
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateList,
        )

    def commit_agent_candidate(
        self,
        session_id: str,
        action_id: str,
        parameter_name: str,
        body: m.AgentCommitCreate,
        *,
        project: str | None = None,
    ) -> m.AgentCandidateCommit:
        """Make a candidate the calibration state of its target, if it still passes every gate."""
        return self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}/candidates/{Call.part(parameter_name)}/commit",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateCommit,
        )

    def execute_agent_action(
        self, session_id: str, action_id: str, body: m.AgentActionExecution, *, project: str | None = None
    ) -> m.AgentAction:
        """Run the task of an authorized action; a repeated request answers its state."""
        return self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}/execute",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentAction,
        )

    def commit_agent_campaign(
        self, session_id: str, body: m.AgentCampaignCreate, *, project: str | None = None
    ) -> m.AgentCampaignCommit:
        """Make several candidates of one target its calibration state: all with one write, or none."""
        return self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/campaign-commits",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentCampaignCommit,
        )

    def get_agent_campaign_commit(
        self, session_id: str, commit_id: str, *, project: str | None = None
    ) -> m.AgentCampaignCommit:
        """A campaign commit with what it replaced."""
        return self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/campaign-commits/{Call.part(commit_id)}",
                project=project,
                takes_project=True,
            ),
            m.AgentCampaignCommit,
        )

    def cancel_agent_session(self, session_id: str, *, project: str | None = None) -> m.AgentSession:
        """End a session; for its creator and the project's owner. Its open run continues."""
        return self._model(
            Call("POST", f"/agent-sessions/{Call.part(session_id)}/cancel", project=project, takes_project=True),
            m.AgentSession,
        )

    def gate_agent_candidate(
        self, session_id: str, body: m.AgentGateQuestion, *, project: str | None = None
    ) -> m.AgentGate:
        """Check a value against the bounds of a session; changes nothing."""
        return self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/candidate-gate",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentGate,
        )

    def list_agent_commits(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.AgentCommitList:
        """The commits of a session, newest first, with the values that they set and replaced."""
        return self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/commits",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.AgentCommitList,
        )

    def iterate_agent_commits(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.ListedAgentCommit]:
        """The commits of a session, newest first, with the values that they set and replaced, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/commits",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.ListedAgentCommit,
        )

    def get_agent_commit(
        self, session_id: str, commit_id: str, *, project: str | None = None
    ) -> m.AgentCandidateCommit:
        """A commit with what it replaced, and how far it has been applied to the backend's files."""
        return self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/commits/{Call.part(commit_id)}",
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateCommit,
        )

    def apply_agent_commit(
        self, session_id: str, commit_id: str, body: m.AgentCommitApplication, *, project: str | None = None
    ) -> m.AgentCandidateCommit:
        """Bring a committed value into the backend's parameter file, as a version of it."""
        return self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/commits/{Call.part(commit_id)}/apply",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateCommit,
        )

    def resume_agent_session(self, session_id: str, *, project: str | None = None) -> m.AgentSession:
        """Resume the session of an agent that asked for a person; for its creator and the project's owner."""
        return self._model(
            Call("POST", f"/agent-sessions/{Call.part(session_id)}/resume", project=project, takes_project=True),
            m.AgentSession,
        )


class AsyncAgentSessionsOperations(AsyncSender):
    async def list_agent_sessions(
        self,
        *,
        chip_id: str | None = None,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.AgentSessionList:
        """The agent sessions of the project, newest first."""
        return await self._model(
            Call(
                "GET",
                "/agent-sessions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.AgentSessionList,
        )

    def iterate_agent_sessions(
        self,
        *,
        chip_id: str | None = None,
        status: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.AgentSession]:
        """The agent sessions of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/agent-sessions",
                query={"chip_id": chip_id, "status": status, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.AgentSession,
        )

    async def create_agent_session(self, body: m.AgentSessionCreate, *, project: str | None = None) -> m.AgentSession:
        """Let an agent act on a chip, within a policy and for a time."""
        return await self._model(
            Call("POST", "/agent-sessions", json=body, project=project, takes_project=True), m.AgentSession
        )

    async def get_agent_session(self, session_id: str, *, project: str | None = None) -> m.AgentSession:
        """The state of a session: its policy, status, version and budget."""
        return await self._model(
            Call("GET", f"/agent-sessions/{Call.part(session_id)}", project=project, takes_project=True), m.AgentSession
        )

    async def list_agent_actions(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.AgentActionList:
        """Everything that was proposed in a session, in order, rejected proposals too."""
        return await self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.AgentActionList,
        )

    def iterate_agent_actions(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.AgentAction]:
        """Everything that was proposed in a session, in order, rejected proposals too, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.AgentAction,
        )

    async def submit_agent_action(
        self, session_id: str, body: m.AgentActionCreate, *, project: str | None = None
    ) -> m.AgentAction:
        """Propose an action: it is authorized or rejected, and audited; nothing is carried out."""
        return await self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/actions",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentAction,
        )

    async def get_agent_action(self, session_id: str, action_id: str, *, project: str | None = None) -> m.AgentAction:
        """One action in its current state."""
        return await self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}",
                project=project,
                takes_project=True,
            ),
            m.AgentAction,
        )

    async def list_agent_candidates(
        self, session_id: str, action_id: str, *, project: str | None = None
    ) -> m.AgentCandidateList:
        """The values that an action found, and whether they may be committed."""
        return await self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}/candidates",
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateList,
        )

    async def commit_agent_candidate(
        self,
        session_id: str,
        action_id: str,
        parameter_name: str,
        body: m.AgentCommitCreate,
        *,
        project: str | None = None,
    ) -> m.AgentCandidateCommit:
        """Make a candidate the calibration state of its target, if it still passes every gate."""
        return await self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}/candidates/{Call.part(parameter_name)}/commit",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateCommit,
        )

    async def execute_agent_action(
        self, session_id: str, action_id: str, body: m.AgentActionExecution, *, project: str | None = None
    ) -> m.AgentAction:
        """Run the task of an authorized action; a repeated request answers its state."""
        return await self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/actions/{Call.part(action_id)}/execute",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentAction,
        )

    async def commit_agent_campaign(
        self, session_id: str, body: m.AgentCampaignCreate, *, project: str | None = None
    ) -> m.AgentCampaignCommit:
        """Make several candidates of one target its calibration state: all with one write, or none."""
        return await self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/campaign-commits",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentCampaignCommit,
        )

    async def get_agent_campaign_commit(
        self, session_id: str, commit_id: str, *, project: str | None = None
    ) -> m.AgentCampaignCommit:
        """A campaign commit with what it replaced."""
        return await self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/campaign-commits/{Call.part(commit_id)}",
                project=project,
                takes_project=True,
            ),
            m.AgentCampaignCommit,
        )

    async def cancel_agent_session(self, session_id: str, *, project: str | None = None) -> m.AgentSession:
        """End a session; for its creator and the project's owner. Its open run continues."""
        return await self._model(
            Call("POST", f"/agent-sessions/{Call.part(session_id)}/cancel", project=project, takes_project=True),
            m.AgentSession,
        )

    async def gate_agent_candidate(
        self, session_id: str, body: m.AgentGateQuestion, *, project: str | None = None
    ) -> m.AgentGate:
        """Check a value against the bounds of a session; changes nothing."""
        return await self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/candidate-gate",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentGate,
        )

    async def list_agent_commits(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> m.AgentCommitList:
        """The commits of a session, newest first, with the values that they set and replaced."""
        return await self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/commits",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.AgentCommitList,
        )

    def iterate_agent_commits(
        self, session_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.ListedAgentCommit]:
        """The commits of a session, newest first, with the values that they set and replaced, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/commits",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.ListedAgentCommit,
        )

    async def get_agent_commit(
        self, session_id: str, commit_id: str, *, project: str | None = None
    ) -> m.AgentCandidateCommit:
        """A commit with what it replaced, and how far it has been applied to the backend's files."""
        return await self._model(
            Call(
                "GET",
                f"/agent-sessions/{Call.part(session_id)}/commits/{Call.part(commit_id)}",
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateCommit,
        )

    async def apply_agent_commit(
        self, session_id: str, commit_id: str, body: m.AgentCommitApplication, *, project: str | None = None
    ) -> m.AgentCandidateCommit:
        """Bring a committed value into the backend's parameter file, as a version of it."""
        return await self._model(
            Call(
                "POST",
                f"/agent-sessions/{Call.part(session_id)}/commits/{Call.part(commit_id)}/apply",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AgentCandidateCommit,
        )

    async def resume_agent_session(self, session_id: str, *, project: str | None = None) -> m.AgentSession:
        """Resume the session of an agent that asked for a person; for its creator and the project's owner."""
        return await self._model(
            Call("POST", f"/agent-sessions/{Call.part(session_id)}/resume", project=project, takes_project=True),
            m.AgentSession,
        )
