"""Operations of the interface: tasks. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class TasksOperations(Sender):
    def list_backends(self, *, project: str | None = None) -> m.ListBackendsAnswer:
        """The backends that the project may use, who looks after them, and which workers serve them."""
        return self._model(Call("GET", "/backends", project=project, takes_project=True), m.ListBackendsAnswer)

    def get_client_configuration(self) -> m.GetClientConfigurationAnswer:
        """What clients need of the configuration, in one answer; nothing secret."""
        return self._model(Call("GET", "/config/all"), m.GetClientConfigurationAnswer)

    def get_backend_config(self) -> m.BackendConfig:
        """The tasks that are enabled on each backend, and the categories of tasks."""
        return self._model(Call("GET", "/task-files/backend-config"), m.BackendConfig)

    def list_task_file_backends(self) -> m.TaskFileBackends:
        """The backends that have tasks."""
        return self._model(Call("GET", "/task-files/backends"), m.TaskFileBackends)

    def get_task_file(self, *, path: str) -> m.TaskFileContent:
        """The declaration of a task, at a path of the tree; an edited one where there is one."""
        return self._model(Call("GET", "/task-files/content", query={"path": path}), m.TaskFileContent)

    def put_task_file(self, body: m.FileWrite) -> m.FileWriteAnswer:
        """Write an edited task file below task-files/ of the configuration; shipped files stay as they are."""
        return self._model(Call("PUT", "/task-files/content", json=body), m.FileWriteAnswer)

    def get_task_file_settings(self) -> m.TaskFileSettings:
        """Default backend and how clients show tasks."""
        return self._model(Call("GET", "/task-files/settings"), m.TaskFileSettings)

    def list_task_files(
        self, *, backend: str, sort_order: str | None = None, enabled_only: bool | None = None
    ) -> m.TaskFileList:
        """The tasks of a backend with their parameters."""
        return self._model(
            Call(
                "GET",
                "/task-files/tasks",
                query={"backend": backend, "sort_order": sort_order, "enabled_only": enabled_only},
            ),
            m.TaskFileList,
        )

    def get_task_file_tree(self, *, backend: str) -> list[m.TaskTreeEntry]:
        """The tasks of a backend as a tree of folders."""
        return self._model(Call("GET", "/task-files/tree", query={"backend": backend}), list[m.TaskTreeEntry])

    def list_task_knowledge(self, *, project: str | None = None) -> m.TaskKnowledgeList:
        """The tasks about which there is a page, by category and name."""
        return self._model(Call("GET", "/task-knowledge", project=project, takes_project=True), m.TaskKnowledgeList)

    def list_tasks(self, *, backend: str | None = None, project: str | None = None) -> m.TaskDefinitionList:
        """The tasks of all backends that the project may use, or of one."""
        return self._model(
            Call("GET", "/tasks", query={"backend": backend}, project=project, takes_project=True), m.TaskDefinitionList
        )

    def execute_task(
        self, task_name: str, body: m.TaskExecution, *, project: str | None = None, idempotency_key: str | None = None
    ) -> m.StartedRun:
        """Run one task on one target with the values of calibration state."""
        return self._model(
            Call(
                "POST",
                f"/tasks/{Call.part(task_name)}/execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    def get_task_knowledge(
        self, task_name: str, *, backend: str | None = None, project: str | None = None
    ) -> m.TaskKnowledge:
        """What is known about a task."""
        return self._model(
            Call(
                "GET",
                f"/tasks/{Call.part(task_name)}/knowledge",
                query={"backend": backend},
                project=project,
                takes_project=True,
            ),
            m.TaskKnowledge,
        )

    def get_task_knowledge_page(self, task_name: str, *, project: str | None = None) -> bytes:
        """The page about a task as Markdown, with its pictures in it."""
        return self._bytes(
            Call("GET", f"/tasks/{Call.part(task_name)}/knowledge/markdown", project=project, takes_project=True)
        )


class AsyncTasksOperations(AsyncSender):
    async def list_backends(self, *, project: str | None = None) -> m.ListBackendsAnswer:
        """The backends that the project may use, who looks after them, and which workers serve them."""
        return await self._model(Call("GET", "/backends", project=project, takes_project=True), m.ListBackendsAnswer)

    async def get_client_configuration(self) -> m.GetClientConfigurationAnswer:
        """What clients need of the configuration, in one answer; nothing secret."""
        return await self._model(Call("GET", "/config/all"), m.GetClientConfigurationAnswer)

    async def get_backend_config(self) -> m.BackendConfig:
        """The tasks that are enabled on each backend, and the categories of tasks."""
        return await self._model(Call("GET", "/task-files/backend-config"), m.BackendConfig)

    async def list_task_file_backends(self) -> m.TaskFileBackends:
        """The backends that have tasks."""
        return await self._model(Call("GET", "/task-files/backends"), m.TaskFileBackends)

    async def get_task_file(self, *, path: str) -> m.TaskFileContent:
        """The declaration of a task, at a path of the tree; an edited one where there is one."""
        return await self._model(Call("GET", "/task-files/content", query={"path": path}), m.TaskFileContent)

    async def put_task_file(self, body: m.FileWrite) -> m.FileWriteAnswer:
        """Write an edited task file below task-files/ of the configuration; shipped files stay as they are."""
        return await self._model(Call("PUT", "/task-files/content", json=body), m.FileWriteAnswer)

    async def get_task_file_settings(self) -> m.TaskFileSettings:
        """Default backend and how clients show tasks."""
        return await self._model(Call("GET", "/task-files/settings"), m.TaskFileSettings)

    async def list_task_files(
        self, *, backend: str, sort_order: str | None = None, enabled_only: bool | None = None
    ) -> m.TaskFileList:
        """The tasks of a backend with their parameters."""
        return await self._model(
            Call(
                "GET",
                "/task-files/tasks",
                query={"backend": backend, "sort_order": sort_order, "enabled_only": enabled_only},
            ),
            m.TaskFileList,
        )

    async def get_task_file_tree(self, *, backend: str) -> list[m.TaskTreeEntry]:
        """The tasks of a backend as a tree of folders."""
        return await self._model(Call("GET", "/task-files/tree", query={"backend": backend}), list[m.TaskTreeEntry])

    async def list_task_knowledge(self, *, project: str | None = None) -> m.TaskKnowledgeList:
        """The tasks about which there is a page, by category and name."""
        return await self._model(
            Call("GET", "/task-knowledge", project=project, takes_project=True), m.TaskKnowledgeList
        )

    async def list_tasks(self, *, backend: str | None = None, project: str | None = None) -> m.TaskDefinitionList:
        """The tasks of all backends that the project may use, or of one."""
        return await self._model(
            Call("GET", "/tasks", query={"backend": backend}, project=project, takes_project=True), m.TaskDefinitionList
        )

    async def execute_task(
        self, task_name: str, body: m.TaskExecution, *, project: str | None = None, idempotency_key: str | None = None
    ) -> m.StartedRun:
        """Run one task on one target with the values of calibration state."""
        return await self._model(
            Call(
                "POST",
                f"/tasks/{Call.part(task_name)}/execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    async def get_task_knowledge(
        self, task_name: str, *, backend: str | None = None, project: str | None = None
    ) -> m.TaskKnowledge:
        """What is known about a task."""
        return await self._model(
            Call(
                "GET",
                f"/tasks/{Call.part(task_name)}/knowledge",
                query={"backend": backend},
                project=project,
                takes_project=True,
            ),
            m.TaskKnowledge,
        )

    async def get_task_knowledge_page(self, task_name: str, *, project: str | None = None) -> bytes:
        """The page about a task as Markdown, with its pictures in it."""
        return await self._bytes(
            Call("GET", f"/tasks/{Call.part(task_name)}/knowledge/markdown", project=project, takes_project=True)
        )
