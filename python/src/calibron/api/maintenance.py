"""Operations of the interface: maintenance. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class MaintenanceOperations(Sender):
    def get_maintenance(
        self,
        chip_id: str,
        *,
        target_kind: str | None = None,
        qid: list[str] | None = None,
        parameter_name: list[str] | None = None,
        state: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.MaintainedValues:
        """Which calibration values of a chip still hold, and why not: qubits by number, then couplings."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/maintenance",
                query={
                    "target_kind": target_kind,
                    "qid": qid,
                    "parameter_name": parameter_name,
                    "state": state,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.MaintainedValues,
        )

    def iterate_maintenance(
        self,
        chip_id: str,
        *,
        target_kind: str | None = None,
        qid: list[str] | None = None,
        parameter_name: list[str] | None = None,
        state: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.MaintainedValue]:
        """Which calibration values of a chip still hold, and why not: qubits by number, then couplings, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/maintenance",
                query={
                    "target_kind": target_kind,
                    "qid": qid,
                    "parameter_name": parameter_name,
                    "state": state,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.MaintainedValue,
        )

    def get_maintenance_graph(self, chip_id: str, *, project: str | None = None) -> m.MaintenanceGraph:
        """Which calibration value of a chip depends on which; never a cycle."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/graph", project=project, takes_project=True),
            m.MaintenanceGraph,
        )

    def get_maintenance_graph_as_dot(self, chip_id: str, *, project: str | None = None) -> bytes:
        """The same in the language of Graphviz: an arrow from each task to those that read what it finds."""
        return self._bytes(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/graph/dot", project=project, takes_project=True)
        )

    def get_maintenance_graph_as_picture(self, chip_id: str, *, project: str | None = None) -> bytes:
        """The same as a picture: each task to the right of all that it depends on."""
        return self._bytes(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/graph/picture", project=project, takes_project=True)
        )

    def get_maintenance_summary(self, chip_id: str, *, project: str | None = None) -> m.MaintenanceSummary:
        """How many calibration values of a chip are in which state."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/summary", project=project, takes_project=True),
            m.MaintenanceSummary,
        )

    def list_maintenance_decisions(
        self,
        execution_id: str,
        *,
        qid: str | None = None,
        task_name: str | None = None,
        phase: str | None = None,
        decision: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.MaintenanceDecisionList:
        """What `session.maintain` decided in an execution and why, in order."""
        return self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/maintenance/decisions",
                query={
                    "qid": qid,
                    "task_name": task_name,
                    "phase": phase,
                    "decision": decision,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.MaintenanceDecisionList,
        )

    def iterate_maintenance_decisions(
        self,
        execution_id: str,
        *,
        qid: str | None = None,
        task_name: str | None = None,
        phase: str | None = None,
        decision: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.MaintenanceDecision]:
        """What `session.maintain` decided in an execution and why, in order, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/maintenance/decisions",
                query={
                    "qid": qid,
                    "task_name": task_name,
                    "phase": phase,
                    "decision": decision,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.MaintenanceDecision,
        )


class AsyncMaintenanceOperations(AsyncSender):
    async def get_maintenance(
        self,
        chip_id: str,
        *,
        target_kind: str | None = None,
        qid: list[str] | None = None,
        parameter_name: list[str] | None = None,
        state: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.MaintainedValues:
        """Which calibration values of a chip still hold, and why not: qubits by number, then couplings."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/maintenance",
                query={
                    "target_kind": target_kind,
                    "qid": qid,
                    "parameter_name": parameter_name,
                    "state": state,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.MaintainedValues,
        )

    def iterate_maintenance(
        self,
        chip_id: str,
        *,
        target_kind: str | None = None,
        qid: list[str] | None = None,
        parameter_name: list[str] | None = None,
        state: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.MaintainedValue]:
        """Which calibration values of a chip still hold, and why not: qubits by number, then couplings, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/maintenance",
                query={
                    "target_kind": target_kind,
                    "qid": qid,
                    "parameter_name": parameter_name,
                    "state": state,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.MaintainedValue,
        )

    async def get_maintenance_graph(self, chip_id: str, *, project: str | None = None) -> m.MaintenanceGraph:
        """Which calibration value of a chip depends on which; never a cycle."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/graph", project=project, takes_project=True),
            m.MaintenanceGraph,
        )

    async def get_maintenance_graph_as_dot(self, chip_id: str, *, project: str | None = None) -> bytes:
        """The same in the language of Graphviz: an arrow from each task to those that read what it finds."""
        return await self._bytes(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/graph/dot", project=project, takes_project=True)
        )

    async def get_maintenance_graph_as_picture(self, chip_id: str, *, project: str | None = None) -> bytes:
        """The same as a picture: each task to the right of all that it depends on."""
        return await self._bytes(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/graph/picture", project=project, takes_project=True)
        )

    async def get_maintenance_summary(self, chip_id: str, *, project: str | None = None) -> m.MaintenanceSummary:
        """How many calibration values of a chip are in which state."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/maintenance/summary", project=project, takes_project=True),
            m.MaintenanceSummary,
        )

    async def list_maintenance_decisions(
        self,
        execution_id: str,
        *,
        qid: str | None = None,
        task_name: str | None = None,
        phase: str | None = None,
        decision: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.MaintenanceDecisionList:
        """What `session.maintain` decided in an execution and why, in order."""
        return await self._model(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/maintenance/decisions",
                query={
                    "qid": qid,
                    "task_name": task_name,
                    "phase": phase,
                    "decision": decision,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.MaintenanceDecisionList,
        )

    def iterate_maintenance_decisions(
        self,
        execution_id: str,
        *,
        qid: str | None = None,
        task_name: str | None = None,
        phase: str | None = None,
        decision: list[str] | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.MaintenanceDecision]:
        """What `session.maintain` decided in an execution and why, in order, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/executions/{Call.part(execution_id)}/maintenance/decisions",
                query={
                    "qid": qid,
                    "task_name": task_name,
                    "phase": phase,
                    "decision": decision,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.MaintenanceDecision,
        )
