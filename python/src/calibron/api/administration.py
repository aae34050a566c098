"""Operations of the interface: administration. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call, Files
from ..transport.senders import AsyncSender, Sender
from . import models as m


class AdministrationOperations(Sender):
    def admin_list_audit_entries(
        self,
        *,
        username: str | None = None,
        project_id: str | None = None,
        action: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
    ) -> m.AuditList:
        """Who did what, when and where: a page of the audit trail, newest first."""
        return self._model(
            Call(
                "GET",
                "/admin/audit",
                query={
                    "username": username,
                    "project_id": project_id,
                    "action": action,
                    "from": from_,
                    "to": to,
                    "skip": skip,
                    "limit": limit,
                },
            ),
            m.AuditList,
        )

    def iterate_admin_audit_entries(
        self,
        *,
        username: str | None = None,
        project_id: str | None = None,
        action: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
    ) -> Iterator[m.AuditEntry]:
        """Who did what, when and where: a page of the audit trail, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/admin/audit",
                query={
                    "username": username,
                    "project_id": project_id,
                    "action": action,
                    "from": from_,
                    "to": to,
                    "skip": skip,
                    "limit": limit,
                },
            ),
            "entries",
            m.AuditEntry,
        )

    def reload_configuration(self) -> m.ConfigurationReloadAnswer:
        """Have every process reread the configuration, if all of it is valid."""
        return self._model(Call("POST", "/admin/config/reload"), m.ConfigurationReloadAnswer)

    def admin_list_deployments(self, *, skip: int | None = None, limit: int | None = None) -> m.DeploymentVersionList:
        """The versions of the workers of runs: the current one first, then the newest."""
        return self._model(
            Call("GET", "/admin/deployments", query={"skip": skip, "limit": limit}), m.DeploymentVersionList
        )

    def iterate_admin_deployments(
        self, *, skip: int | None = None, limit: int | None = None
    ) -> Iterator[m.DeploymentVersion]:
        """The versions of the workers of runs: the current one first, then the newest, page after page."""
        return self._pages(
            Call("GET", "/admin/deployments", query={"skip": skip, "limit": limit}), "items", m.DeploymentVersion
        )

    def admin_list_deployed_runs(
        self, *, skip: int | None = None, limit: int | None = None, rollback_to: str | None = None
    ) -> m.DeployedRunList:
        """The open runs with the versions that carry them out, and those that a rollback would stop."""
        return self._model(
            Call("GET", "/admin/deployments/runs", query={"skip": skip, "limit": limit, "rollback_to": rollback_to}),
            m.DeployedRunList,
        )

    def iterate_admin_deployed_runs(
        self, *, skip: int | None = None, limit: int | None = None, rollback_to: str | None = None
    ) -> Iterator[m.DeployedRun]:
        """The open runs with the versions that carry them out, and those that a rollback would stop, page after page."""
        return self._pages(
            Call("GET", "/admin/deployments/runs", query={"skip": skip, "limit": limit, "rollback_to": rollback_to}),
            "items",
            m.DeployedRun,
        )

    def admin_list_projects(self, *, skip: int | None = None, limit: int | None = None) -> m.AdminProjectList:
        """A page of all projects, oldest first."""
        return self._model(Call("GET", "/admin/projects", query={"skip": skip, "limit": limit}), m.AdminProjectList)

    def iterate_admin_projects(self, *, skip: int | None = None, limit: int | None = None) -> Iterator[m.AdminProject]:
        """A page of all projects, oldest first, page after page."""
        return self._pages(
            Call("GET", "/admin/projects", query={"skip": skip, "limit": limit}), "projects", m.AdminProject
        )

    def admin_delete_project(self, project_id: str) -> m.Message:
        """Delete a project with all that it owns; refused while a run holds it."""
        return self._model(Call("DELETE", f"/admin/projects/{Call.part(project_id)}"), m.Message)

    def admin_list_members(self, project_id: str) -> m.AdminMemberList:
        """The active members of a project."""
        return self._model(Call("GET", f"/admin/projects/{Call.part(project_id)}/members"), m.AdminMemberList)

    def admin_add_member(self, project_id: str, body: m.ProjectMemberCreate) -> m.AdminMember:
        """Make a user an active member, for the first time or again."""
        return self._model(Call("POST", f"/admin/projects/{Call.part(project_id)}/members", json=body), m.AdminMember)

    def admin_remove_member(self, project_id: str, username: str) -> m.Message:
        """End a membership."""
        return self._model(
            Call("DELETE", f"/admin/projects/{Call.part(project_id)}/members/{Call.part(username)}"), m.Message
        )

    def admin_start_system_update(self, body: m.SystemUpdateStart) -> m.SystemUpdateOperation:
        """Install the newest safe stable version; refused while a run is open anywhere."""
        return self._model(Call("POST", "/admin/system-updates", json=body), m.SystemUpdateOperation)

    def admin_system_update_status(self) -> m.SystemUpdateStatus:
        """Which version is installed, and whether a newer one can be installed."""
        return self._model(Call("GET", "/admin/system-updates/status"), m.SystemUpdateStatus)

    def admin_read_system_update(self, operation_id: str) -> m.SystemUpdateOperation:
        """How far an update is, or how it ended, with the newest lines of its log."""
        return self._model(Call("GET", f"/admin/system-updates/{Call.part(operation_id)}"), m.SystemUpdateOperation)

    def admin_cancel_system_update(self, operation_id: str) -> m.SystemUpdateOperation:
        """Withdraw an update that no updater has started, so that runs may start again."""
        return self._model(
            Call("POST", f"/admin/system-updates/{Call.part(operation_id)}/cancel"), m.SystemUpdateOperation
        )

    def admin_list_users(self, *, skip: int | None = None, limit: int | None = None) -> m.UserList:
        """A page of all users, by username."""
        return self._model(Call("GET", "/admin/users", query={"skip": skip, "limit": limit}), m.UserList)

    def iterate_admin_users(self, *, skip: int | None = None, limit: int | None = None) -> Iterator[m.User]:
        """A page of all users, by username, page after page."""
        return self._pages(Call("GET", "/admin/users", query={"skip": skip, "limit": limit}), "users", m.User)

    def admin_bulk_import_users(self, body: Files) -> m.UserImport:
        """Create accounts from the CSV file `file`; passwords appear only in the answer."""
        return self._model(Call("POST", "/admin/users/bulk-import", multipart=body), m.UserImport)

    def admin_delete_user(self, username: str) -> m.Message:
        """Delete an account with its projects and memberships."""
        return self._model(Call("DELETE", f"/admin/users/{Call.part(username)}"), m.Message)

    def admin_get_user(self, username: str) -> m.AdminUser:
        """One user."""
        return self._model(Call("GET", f"/admin/users/{Call.part(username)}"), m.AdminUser)

    def admin_update_user(self, username: str, body: m.UserChange) -> m.AdminUser:
        """Change an account; fields that are absent or null stay as they are."""
        return self._model(Call("PUT", f"/admin/users/{Call.part(username)}", json=body), m.AdminUser)

    def admin_create_user_project(self, username: str) -> m.AdminUser:
        """Give a default project to a user who has none."""
        return self._model(Call("POST", f"/admin/users/{Call.part(username)}/project"), m.AdminUser)


class AsyncAdministrationOperations(AsyncSender):
    async def admin_list_audit_entries(
        self,
        *,
        username: str | None = None,
        project_id: str | None = None,
        action: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
    ) -> m.AuditList:
        """Who did what, when and where: a page of the audit trail, newest first."""
        return await self._model(
            Call(
                "GET",
                "/admin/audit",
                query={
                    "username": username,
                    "project_id": project_id,
                    "action": action,
                    "from": from_,
                    "to": to,
                    "skip": skip,
                    "limit": limit,
                },
            ),
            m.AuditList,
        )

    def iterate_admin_audit_entries(
        self,
        *,
        username: str | None = None,
        project_id: str | None = None,
        action: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[m.AuditEntry]:
        """Who did what, when and where: a page of the audit trail, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/admin/audit",
                query={
                    "username": username,
                    "project_id": project_id,
                    "action": action,
                    "from": from_,
                    "to": to,
                    "skip": skip,
                    "limit": limit,
                },
            ),
            "entries",
            m.AuditEntry,
        )

    async def reload_configuration(self) -> m.ConfigurationReloadAnswer:
        """Have every process reread the configuration, if all of it is valid."""
        return await self._model(Call("POST", "/admin/config/reload"), m.ConfigurationReloadAnswer)

    async def admin_list_deployments(
        self, *, skip: int | None = None, limit: int | None = None
    ) -> m.DeploymentVersionList:
        """The versions of the workers of runs: the current one first, then the newest."""
        return await self._model(
            Call("GET", "/admin/deployments", query={"skip": skip, "limit": limit}), m.DeploymentVersionList
        )

    def iterate_admin_deployments(
        self, *, skip: int | None = None, limit: int | None = None
    ) -> AsyncIterator[m.DeploymentVersion]:
        """The versions of the workers of runs: the current one first, then the newest, page after page."""
        return self._pages(
            Call("GET", "/admin/deployments", query={"skip": skip, "limit": limit}), "items", m.DeploymentVersion
        )

    async def admin_list_deployed_runs(
        self, *, skip: int | None = None, limit: int | None = None, rollback_to: str | None = None
    ) -> m.DeployedRunList:
        """The open runs with the versions that carry them out, and those that a rollback would stop."""
        return await self._model(
            Call("GET", "/admin/deployments/runs", query={"skip": skip, "limit": limit, "rollback_to": rollback_to}),
            m.DeployedRunList,
        )

    def iterate_admin_deployed_runs(
        self, *, skip: int | None = None, limit: int | None = None, rollback_to: str | None = None
    ) -> AsyncIterator[m.DeployedRun]:
        """The open runs with the versions that carry them out, and those that a rollback would stop, page after page."""
        return self._pages(
            Call("GET", "/admin/deployments/runs", query={"skip": skip, "limit": limit, "rollback_to": rollback_to}),
            "items",
            m.DeployedRun,
        )

    async def admin_list_projects(self, *, skip: int | None = None, limit: int | None = None) -> m.AdminProjectList:
        """A page of all projects, oldest first."""
        return await self._model(
            Call("GET", "/admin/projects", query={"skip": skip, "limit": limit}), m.AdminProjectList
        )

    def iterate_admin_projects(
        self, *, skip: int | None = None, limit: int | None = None
    ) -> AsyncIterator[m.AdminProject]:
        """A page of all projects, oldest first, page after page."""
        return self._pages(
            Call("GET", "/admin/projects", query={"skip": skip, "limit": limit}), "projects", m.AdminProject
        )

    async def admin_delete_project(self, project_id: str) -> m.Message:
        """Delete a project with all that it owns; refused while a run holds it."""
        return await self._model(Call("DELETE", f"/admin/projects/{Call.part(project_id)}"), m.Message)

    async def admin_list_members(self, project_id: str) -> m.AdminMemberList:
        """The active members of a project."""
        return await self._model(Call("GET", f"/admin/projects/{Call.part(project_id)}/members"), m.AdminMemberList)

    async def admin_add_member(self, project_id: str, body: m.ProjectMemberCreate) -> m.AdminMember:
        """Make a user an active member, for the first time or again."""
        return await self._model(
            Call("POST", f"/admin/projects/{Call.part(project_id)}/members", json=body), m.AdminMember
        )

    async def admin_remove_member(self, project_id: str, username: str) -> m.Message:
        """End a membership."""
        return await self._model(
            Call("DELETE", f"/admin/projects/{Call.part(project_id)}/members/{Call.part(username)}"), m.Message
        )

    async def admin_start_system_update(self, body: m.SystemUpdateStart) -> m.SystemUpdateOperation:
        """Install the newest safe stable version; refused while a run is open anywhere."""
        return await self._model(Call("POST", "/admin/system-updates", json=body), m.SystemUpdateOperation)

    async def admin_system_update_status(self) -> m.SystemUpdateStatus:
        """Which version is installed, and whether a newer one can be installed."""
        return await self._model(Call("GET", "/admin/system-updates/status"), m.SystemUpdateStatus)

    async def admin_read_system_update(self, operation_id: str) -> m.SystemUpdateOperation:
        """How far an update is, or how it ended, with the newest lines of its log."""
        return await self._model(
            Call("GET", f"/admin/system-updates/{Call.part(operation_id)}"), m.SystemUpdateOperation
        )

    async def admin_cancel_system_update(self, operation_id: str) -> m.SystemUpdateOperation:
        """Withdraw an update that no updater has started, so that runs may start again."""
        return await self._model(
            Call("POST", f"/admin/system-updates/{Call.part(operation_id)}/cancel"), m.SystemUpdateOperation
        )

    async def admin_list_users(self, *, skip: int | None = None, limit: int | None = None) -> m.UserList:
        """A page of all users, by username."""
        return await self._model(Call("GET", "/admin/users", query={"skip": skip, "limit": limit}), m.UserList)

    def iterate_admin_users(self, *, skip: int | None = None, limit: int | None = None) -> AsyncIterator[m.User]:
        """A page of all users, by username, page after page."""
        return self._pages(Call("GET", "/admin/users", query={"skip": skip, "limit": limit}), "users", m.User)

    async def admin_bulk_import_users(self, body: Files) -> m.UserImport:
        """Create accounts from the CSV file `file`; passwords appear only in the answer."""
        return await self._model(Call("POST", "/admin/users/bulk-import", multipart=body), m.UserImport)

    async def admin_delete_user(self, username: str) -> m.Message:
        """Delete an account with its projects and memberships."""
        return await self._model(Call("DELETE", f"/admin/users/{Call.part(username)}"), m.Message)

    async def admin_get_user(self, username: str) -> m.AdminUser:
        """One user."""
        return await self._model(Call("GET", f"/admin/users/{Call.part(username)}"), m.AdminUser)

    async def admin_update_user(self, username: str, body: m.UserChange) -> m.AdminUser:
        """Change an account; fields that are absent or null stay as they are."""
        return await self._model(Call("PUT", f"/admin/users/{Call.part(username)}", json=body), m.AdminUser)

    async def admin_create_user_project(self, username: str) -> m.AdminUser:
        """Give a default project to a user who has none."""
        return await self._model(Call("POST", f"/admin/users/{Call.part(username)}/project"), m.AdminUser)
