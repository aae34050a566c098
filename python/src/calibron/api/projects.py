"""Operations of the interface: projects. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ProjectsOperations(Sender):
    def list_projects(self) -> m.ProjectList:
        """The projects that the caller can enter."""
        return self._model(Call("GET", "/projects"), m.ProjectList)

    def create_project(self, body: m.ProjectCreate) -> m.Project:
        """Create a project; the caller becomes its owner."""
        return self._model(Call("POST", "/projects", json=body), m.Project)

    def delete_project(self, project_id: str) -> None:
        """Delete a project with all that it owns; refused while a run holds it."""
        self._nothing(Call("DELETE", f"/projects/{Call.part(project_id)}"))

    def get_project(self, project_id: str) -> m.Project:
        """One project."""
        return self._model(Call("GET", f"/projects/{Call.part(project_id)}"), m.Project)

    def update_project(self, project_id: str, body: m.ProjectChange) -> m.Project:
        """Rename a project, or change how it invites."""
        return self._model(Call("PATCH", f"/projects/{Call.part(project_id)}", json=body), m.Project)

    def list_members(self, project_id: str) -> m.ProjectMemberList:
        """The members of a project; former ones are shown to its owner."""
        return self._model(Call("GET", f"/projects/{Call.part(project_id)}/members"), m.ProjectMemberList)

    def invite_member(self, project_id: str, body: m.ProjectMemberCreate) -> m.Member:
        """Make a user an active member, for the first time or again."""
        return self._model(Call("POST", f"/projects/{Call.part(project_id)}/members", json=body), m.Member)

    def remove_member(self, project_id: str, username: str) -> None:
        """End a membership."""
        self._nothing(Call("DELETE", f"/projects/{Call.part(project_id)}/members/{Call.part(username)}"))

    def change_member_role(self, project_id: str, username: str, body: m.ProjectMemberChange) -> m.Member:
        """Give an active member another role."""
        return self._model(
            Call("PATCH", f"/projects/{Call.part(project_id)}/members/{Call.part(username)}", json=body), m.Member
        )

    def get_retention(self, project_id: str) -> m.Retention:
        """How long the project keeps figures and raw data."""
        return self._model(Call("GET", f"/projects/{Call.part(project_id)}/retention"), m.Retention)

    def set_retention(self, project_id: str, body: m.SetRetentionBody) -> m.Retention:
        """Delete figures and raw data of old runs, in the background."""
        return self._model(Call("PUT", f"/projects/{Call.part(project_id)}/retention", json=body), m.Retention)

    def preview_retention(self, project_id: str, body: m.PreviewRetentionBody) -> m.RetentionOutcome:
        """What a rule would delete now; deletes nothing."""
        return self._model(
            Call("POST", f"/projects/{Call.part(project_id)}/retention/preview", json=body), m.RetentionOutcome
        )

    def list_service_accounts(self, project_id: str) -> m.ListServiceAccountsAnswer:
        """The service accounts of a project, by username."""
        return self._model(
            Call("GET", f"/projects/{Call.part(project_id)}/service-accounts"), m.ListServiceAccountsAnswer
        )

    def create_service_account(self, project_id: str, body: m.ServiceAccountCreate) -> m.CreatedServiceAccount:
        """Create a service account with a token, which appears only in the answer."""
        return self._model(
            Call("POST", f"/projects/{Call.part(project_id)}/service-accounts", json=body), m.CreatedServiceAccount
        )

    def delete_service_account(self, project_id: str, username: str) -> m.Message:
        """Delete a service account and its tokens."""
        return self._model(
            Call("DELETE", f"/projects/{Call.part(project_id)}/service-accounts/{Call.part(username)}"), m.Message
        )

    def update_service_account(
        self, project_id: str, username: str, body: m.UpdateServiceAccountBody
    ) -> m.ServiceAccount:
        """Change a service account; fields that are absent or null stay as they are."""
        return self._model(
            Call("PATCH", f"/projects/{Call.part(project_id)}/service-accounts/{Call.part(username)}", json=body),
            m.ServiceAccount,
        )

    def transfer_project(self, project_id: str, body: m.OwnershipTransfer) -> m.Project:
        """Transfer a project to another owner; the former one stays as editor."""
        return self._model(Call("POST", f"/projects/{Call.part(project_id)}/transfer", json=body), m.Project)


class AsyncProjectsOperations(AsyncSender):
    async def list_projects(self) -> m.ProjectList:
        """The projects that the caller can enter."""
        return await self._model(Call("GET", "/projects"), m.ProjectList)

    async def create_project(self, body: m.ProjectCreate) -> m.Project:
        """Create a project; the caller becomes its owner."""
        return await self._model(Call("POST", "/projects", json=body), m.Project)

    async def delete_project(self, project_id: str) -> None:
        """Delete a project with all that it owns; refused while a run holds it."""
        await self._nothing(Call("DELETE", f"/projects/{Call.part(project_id)}"))

    async def get_project(self, project_id: str) -> m.Project:
        """One project."""
        return await self._model(Call("GET", f"/projects/{Call.part(project_id)}"), m.Project)

    async def update_project(self, project_id: str, body: m.ProjectChange) -> m.Project:
        """Rename a project, or change how it invites."""
        return await self._model(Call("PATCH", f"/projects/{Call.part(project_id)}", json=body), m.Project)

    async def list_members(self, project_id: str) -> m.ProjectMemberList:
        """The members of a project; former ones are shown to its owner."""
        return await self._model(Call("GET", f"/projects/{Call.part(project_id)}/members"), m.ProjectMemberList)

    async def invite_member(self, project_id: str, body: m.ProjectMemberCreate) -> m.Member:
        """Make a user an active member, for the first time or again."""
        return await self._model(Call("POST", f"/projects/{Call.part(project_id)}/members", json=body), m.Member)

    async def remove_member(self, project_id: str, username: str) -> None:
        """End a membership."""
        await self._nothing(Call("DELETE", f"/projects/{Call.part(project_id)}/members/{Call.part(username)}"))

    async def change_member_role(self, project_id: str, username: str, body: m.ProjectMemberChange) -> m.Member:
        """Give an active member another role."""
        return await self._model(
            Call("PATCH", f"/projects/{Call.part(project_id)}/members/{Call.part(username)}", json=body), m.Member
        )

    async def get_retention(self, project_id: str) -> m.Retention:
        """How long the project keeps figures and raw data."""
        return await self._model(Call("GET", f"/projects/{Call.part(project_id)}/retention"), m.Retention)

    async def set_retention(self, project_id: str, body: m.SetRetentionBody) -> m.Retention:
        """Delete figures and raw data of old runs, in the background."""
        return await self._model(Call("PUT", f"/projects/{Call.part(project_id)}/retention", json=body), m.Retention)

    async def preview_retention(self, project_id: str, body: m.PreviewRetentionBody) -> m.RetentionOutcome:
        """What a rule would delete now; deletes nothing."""
        return await self._model(
            Call("POST", f"/projects/{Call.part(project_id)}/retention/preview", json=body), m.RetentionOutcome
        )

    async def list_service_accounts(self, project_id: str) -> m.ListServiceAccountsAnswer:
        """The service accounts of a project, by username."""
        return await self._model(
            Call("GET", f"/projects/{Call.part(project_id)}/service-accounts"), m.ListServiceAccountsAnswer
        )

    async def create_service_account(self, project_id: str, body: m.ServiceAccountCreate) -> m.CreatedServiceAccount:
        """Create a service account with a token, which appears only in the answer."""
        return await self._model(
            Call("POST", f"/projects/{Call.part(project_id)}/service-accounts", json=body), m.CreatedServiceAccount
        )

    async def delete_service_account(self, project_id: str, username: str) -> m.Message:
        """Delete a service account and its tokens."""
        return await self._model(
            Call("DELETE", f"/projects/{Call.part(project_id)}/service-accounts/{Call.part(username)}"), m.Message
        )

    async def update_service_account(
        self, project_id: str, username: str, body: m.UpdateServiceAccountBody
    ) -> m.ServiceAccount:
        """Change a service account; fields that are absent or null stay as they are."""
        return await self._model(
            Call("PATCH", f"/projects/{Call.part(project_id)}/service-accounts/{Call.part(username)}", json=body),
            m.ServiceAccount,
        )

    async def transfer_project(self, project_id: str, body: m.OwnershipTransfer) -> m.Project:
        """Transfer a project to another owner; the former one stays as editor."""
        return await self._model(Call("POST", f"/projects/{Call.part(project_id)}/transfer", json=body), m.Project)
