"""Operations of the interface: task-results. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class TaskResultsOperations(Sender):
    def list_task_results(
        self,
        *,
        status: str | None = None,
        chip_id: str | None = None,
        task_name: str | None = None,
        qid: str | None = None,
        execution_id: str | None = None,
        username: str | None = None,
        start_from: str | None = None,
        start_to: str | None = None,
        message_contains: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.TaskResultList:
        """Task results, newest first."""
        return self._model(
            Call(
                "GET",
                "/task-results",
                query={
                    "status": status,
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "qid": qid,
                    "execution_id": execution_id,
                    "username": username,
                    "start_from": start_from,
                    "start_to": start_to,
                    "message_contains": message_contains,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.TaskResultList,
        )

    def iterate_task_results(
        self,
        *,
        status: str | None = None,
        chip_id: str | None = None,
        task_name: str | None = None,
        qid: str | None = None,
        execution_id: str | None = None,
        username: str | None = None,
        start_from: str | None = None,
        start_to: str | None = None,
        message_contains: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.TaskResultItem]:
        """Task results, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/task-results",
                query={
                    "status": status,
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "qid": qid,
                    "execution_id": execution_id,
                    "username": username,
                    "start_from": start_from,
                    "start_to": start_to,
                    "message_contains": message_contains,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.TaskResultItem,
        )

    def list_coupling_results_of_day(
        self,
        *,
        chip_id: str,
        task: str,
        date: str,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.ResultsByTarget:
        """The newest result of a task on a day, for every coupling recorded that day."""
        return self._model(
            Call(
                "GET",
                "/task-results/couplings/history",
                query={"chip_id": chip_id, "task": task, "date": date, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    def list_latest_coupling_results(self, *, chip_id: str, task: str, project: str | None = None) -> m.ResultsByTarget:
        """The newest result of a task for every coupling of a chip."""
        return self._model(
            Call(
                "GET",
                "/task-results/couplings/latest",
                query={"chip_id": chip_id, "task": task},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    def list_results_of_coupling(
        self,
        coupling_id: str,
        *,
        chip_id: str,
        task: str,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ResultHistory:
        """The results of a task on one coupling, newest first."""
        return self._model(
            Call(
                "GET",
                f"/task-results/couplings/{Call.part(coupling_id)}/history",
                query={"chip_id": chip_id, "task": task, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ResultHistory,
        )

    def download_figures(self, body: m.DownloadFiguresBody, *, project: str | None = None) -> bytes:
        """Several files and reviews of the project in one ZIP archive; repeated names get _2, _3, …."""
        return self._bytes(
            Call("POST", "/task-results/figures/download", json=body, project=project, takes_project=True)
        )

    def list_qubit_results_of_day(
        self,
        *,
        chip_id: str,
        task: str,
        date: str,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.ResultsByTarget:
        """The newest result of a task on a day, for every qubit recorded that day."""
        return self._model(
            Call(
                "GET",
                "/task-results/qubits/history",
                query={"chip_id": chip_id, "task": task, "date": date, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    def list_latest_qubit_results(self, *, chip_id: str, task: str, project: str | None = None) -> m.ResultsByTarget:
        """The newest result of a task for every qubit of a chip."""
        return self._model(
            Call(
                "GET",
                "/task-results/qubits/latest",
                query={"chip_id": chip_id, "task": task},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    def list_results_of_qubit(
        self,
        qid: str,
        *,
        chip_id: str,
        task: str,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ResultHistory:
        """The results of a task on one qubit, newest first."""
        return self._model(
            Call(
                "GET",
                f"/task-results/qubits/{Call.part(qid)}/history",
                query={"chip_id": chip_id, "task": task, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ResultHistory,
        )

    def get_output_series(
        self,
        *,
        chip_id: str,
        parameter: str,
        start_at: str,
        end_at: str,
        tag: str | None = None,
        qid: str | None = None,
        project: str | None = None,
    ) -> m.OutputSeries:
        """One output over time for each target, without excluded results."""
        return self._model(
            Call(
                "GET",
                "/task-results/timeseries",
                query={
                    "chip_id": chip_id,
                    "parameter": parameter,
                    "start_at": start_at,
                    "end_at": end_at,
                    "tag": tag,
                    "qid": qid,
                },
                project=project,
                takes_project=True,
            ),
            m.OutputSeries,
        )

    def exclude_task_result(self, task_id: str, body: m.ExcludeResult, *, project: str | None = None) -> m.Exclusion:
        """Leave a result out of metrics, or count it again."""
        return self._model(
            Call("POST", f"/task-results/{Call.part(task_id)}/exclude", json=body, project=project, takes_project=True),
            m.Exclusion,
        )

    def re_execute_task(
        self, task_id: str, body: m.TaskReExecution, *, project: str | None = None, idempotency_key: str | None = None
    ) -> m.StartedRun:
        """Run a task again with the inputs and run parameters of its result."""
        return self._model(
            Call(
                "POST",
                f"/task-results/{Call.part(task_id)}/re-execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    def reanalyze_task_result(
        self, task_id: str, body: m.OwnTaskReanalysis, *, project: str | None = None
    ) -> m.Reanalysis:
        """Preview what a worker of its backend finds in the data of a lab's own task; nothing is changed."""
        return self._model(
            Call(
                "POST", f"/task-results/{Call.part(task_id)}/reanalyze", json=body, project=project, takes_project=True
            ),
            m.Reanalysis,
        )

    def get_task_result(self, task_id: str, *, project: str | None = None) -> m.TaskResult:
        """All that is known of one task result."""
        return self._model(
            Call("GET", f"/tasks/{Call.part(task_id)}/result", project=project, takes_project=True), m.TaskResult
        )


class AsyncTaskResultsOperations(AsyncSender):
    async def list_task_results(
        self,
        *,
        status: str | None = None,
        chip_id: str | None = None,
        task_name: str | None = None,
        qid: str | None = None,
        execution_id: str | None = None,
        username: str | None = None,
        start_from: str | None = None,
        start_to: str | None = None,
        message_contains: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.TaskResultList:
        """Task results, newest first."""
        return await self._model(
            Call(
                "GET",
                "/task-results",
                query={
                    "status": status,
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "qid": qid,
                    "execution_id": execution_id,
                    "username": username,
                    "start_from": start_from,
                    "start_to": start_to,
                    "message_contains": message_contains,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.TaskResultList,
        )

    def iterate_task_results(
        self,
        *,
        status: str | None = None,
        chip_id: str | None = None,
        task_name: str | None = None,
        qid: str | None = None,
        execution_id: str | None = None,
        username: str | None = None,
        start_from: str | None = None,
        start_to: str | None = None,
        message_contains: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.TaskResultItem]:
        """Task results, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/task-results",
                query={
                    "status": status,
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "qid": qid,
                    "execution_id": execution_id,
                    "username": username,
                    "start_from": start_from,
                    "start_to": start_to,
                    "message_contains": message_contains,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.TaskResultItem,
        )

    async def list_coupling_results_of_day(
        self,
        *,
        chip_id: str,
        task: str,
        date: str,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.ResultsByTarget:
        """The newest result of a task on a day, for every coupling recorded that day."""
        return await self._model(
            Call(
                "GET",
                "/task-results/couplings/history",
                query={"chip_id": chip_id, "task": task, "date": date, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    async def list_latest_coupling_results(
        self, *, chip_id: str, task: str, project: str | None = None
    ) -> m.ResultsByTarget:
        """The newest result of a task for every coupling of a chip."""
        return await self._model(
            Call(
                "GET",
                "/task-results/couplings/latest",
                query={"chip_id": chip_id, "task": task},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    async def list_results_of_coupling(
        self,
        coupling_id: str,
        *,
        chip_id: str,
        task: str,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ResultHistory:
        """The results of a task on one coupling, newest first."""
        return await self._model(
            Call(
                "GET",
                f"/task-results/couplings/{Call.part(coupling_id)}/history",
                query={"chip_id": chip_id, "task": task, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ResultHistory,
        )

    async def download_figures(self, body: m.DownloadFiguresBody, *, project: str | None = None) -> bytes:
        """Several files and reviews of the project in one ZIP archive; repeated names get _2, _3, …."""
        return await self._bytes(
            Call("POST", "/task-results/figures/download", json=body, project=project, takes_project=True)
        )

    async def list_qubit_results_of_day(
        self,
        *,
        chip_id: str,
        task: str,
        date: str,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.ResultsByTarget:
        """The newest result of a task on a day, for every qubit recorded that day."""
        return await self._model(
            Call(
                "GET",
                "/task-results/qubits/history",
                query={"chip_id": chip_id, "task": task, "date": date, "start_at": start_at, "end_at": end_at},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    async def list_latest_qubit_results(
        self, *, chip_id: str, task: str, project: str | None = None
    ) -> m.ResultsByTarget:
        """The newest result of a task for every qubit of a chip."""
        return await self._model(
            Call(
                "GET",
                "/task-results/qubits/latest",
                query={"chip_id": chip_id, "task": task},
                project=project,
                takes_project=True,
            ),
            m.ResultsByTarget,
        )

    async def list_results_of_qubit(
        self,
        qid: str,
        *,
        chip_id: str,
        task: str,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ResultHistory:
        """The results of a task on one qubit, newest first."""
        return await self._model(
            Call(
                "GET",
                f"/task-results/qubits/{Call.part(qid)}/history",
                query={"chip_id": chip_id, "task": task, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ResultHistory,
        )

    async def get_output_series(
        self,
        *,
        chip_id: str,
        parameter: str,
        start_at: str,
        end_at: str,
        tag: str | None = None,
        qid: str | None = None,
        project: str | None = None,
    ) -> m.OutputSeries:
        """One output over time for each target, without excluded results."""
        return await self._model(
            Call(
                "GET",
                "/task-results/timeseries",
                query={
                    "chip_id": chip_id,
                    "parameter": parameter,
                    "start_at": start_at,
                    "end_at": end_at,
                    "tag": tag,
                    "qid": qid,
                },
                project=project,
                takes_project=True,
            ),
            m.OutputSeries,
        )

    async def exclude_task_result(
        self, task_id: str, body: m.ExcludeResult, *, project: str | None = None
    ) -> m.Exclusion:
        """Leave a result out of metrics, or count it again."""
        return await self._model(
            Call("POST", f"/task-results/{Call.part(task_id)}/exclude", json=body, project=project, takes_project=True),
            m.Exclusion,
        )

    async def re_execute_task(
        self, task_id: str, body: m.TaskReExecution, *, project: str | None = None, idempotency_key: str | None = None
    ) -> m.StartedRun:
        """Run a task again with the inputs and run parameters of its result."""
        return await self._model(
            Call(
                "POST",
                f"/task-results/{Call.part(task_id)}/re-execute",
                json=body,
                project=project,
                takes_project=True,
                key=idempotency_key,
                takes_key=True,
            ),
            m.StartedRun,
        )

    async def reanalyze_task_result(
        self, task_id: str, body: m.OwnTaskReanalysis, *, project: str | None = None
    ) -> m.Reanalysis:
        """Preview what a worker of its backend finds in the data of a lab's own task; nothing is changed."""
        return await self._model(
            Call(
                "POST", f"/task-results/{Call.part(task_id)}/reanalyze", json=body, project=project, takes_project=True
            ),
            m.Reanalysis,
        )

    async def get_task_result(self, task_id: str, *, project: str | None = None) -> m.TaskResult:
        """All that is known of one task result."""
        return await self._model(
            Call("GET", f"/tasks/{Call.part(task_id)}/result", project=project, takes_project=True), m.TaskResult
        )
