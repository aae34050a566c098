"""Operations of the interface: provenance. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ProvenanceOperations(Sender):
    def list_parameter_changes(
        self,
        *,
        limit: int | None = None,
        within_hours: int | None = None,
        parameter_names: list[str] | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> m.ParameterChanges:
        """Values of the last hours that replaced another one, newest first."""
        return self._model(
            Call(
                "GET",
                "/provenance/changes",
                query={
                    "limit": limit,
                    "within_hours": within_hours,
                    "parameter_names": parameter_names,
                    "chip_id": chip_id,
                },
                project=project,
                takes_project=True,
            ),
            m.ParameterChanges,
        )

    def compare_executions(
        self, *, execution_id_before: str, execution_id_after: str, project: str | None = None
    ) -> m.ProvenanceComparison:
        """What two executions found, parameter by parameter."""
        return self._model(
            Call(
                "GET",
                "/provenance/compare",
                query={"execution_id_before": execution_id_before, "execution_id_after": execution_id_after},
                project=project,
                takes_project=True,
            ),
            m.ProvenanceComparison,
        )

    def list_degradation_trends(
        self,
        *,
        min_streak: int | None = None,
        limit: int | None = None,
        parameter_names: list[str] | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> m.DegradationTrends:
        """Metrics that became worse several times in a row, longest streak first."""
        return self._model(
            Call(
                "GET",
                "/provenance/degradation-trends",
                query={
                    "min_streak": min_streak,
                    "limit": limit,
                    "parameter_names": parameter_names,
                    "chip_id": chip_id,
                },
                project=project,
                takes_project=True,
            ),
            m.DegradationTrends,
        )

    def get_parameter_version(self, entity_id: str, *, project: str | None = None) -> m.ParameterVersion:
        """One version of a parameter."""
        return self._model(
            Call("GET", f"/provenance/entities/{Call.part(entity_id)}", project=project, takes_project=True),
            m.ParameterVersion,
        )

    def list_provenance_executions(
        self, *, limit: int | None = None, project: str | None = None
    ) -> m.ProvenanceExecutions:
        """Executions that changed values, newest first."""
        return self._model(
            Call("GET", "/provenance/executions", query={"limit": limit}, project=project, takes_project=True),
            m.ProvenanceExecutions,
        )

    def explain_parameter_version(
        self, entity_id: str, *, project_id: str | None = None, project: str | None = None
    ) -> m.Explanation:
        """Why a value is what it is; a page if the client asks for text/html."""
        return self._model(
            Call(
                "GET",
                f"/provenance/explain/{Call.part(entity_id)}",
                query={"project_id": project_id},
                project=project,
                takes_project=True,
            ),
            m.Explanation,
        )

    def get_parameter_history(
        self,
        *,
        parameter_name: str,
        qid: str,
        chip_id: str | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ProvenanceHistory:
        """The versions of a parameter, newest first."""
        return self._model(
            Call(
                "GET",
                "/provenance/history",
                query={"parameter_name": parameter_name, "qid": qid, "chip_id": chip_id, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ProvenanceHistory,
        )

    def get_impact(self, entity_id: str, *, max_depth: int | None = None, project: str | None = None) -> m.Lineage:
        """What was made from a version: its descendants, breadth first."""
        return self._model(
            Call(
                "GET",
                f"/provenance/impact/{Call.part(entity_id)}",
                query={"max_depth": max_depth},
                project=project,
                takes_project=True,
            ),
            m.Lineage,
        )

    def get_lineage(self, entity_id: str, *, max_depth: int | None = None, project: str | None = None) -> m.Lineage:
        """Where a version came from: its ancestors, breadth first."""
        return self._model(
            Call(
                "GET",
                f"/provenance/lineage/{Call.part(entity_id)}",
                query={"max_depth": max_depth},
                project=project,
                takes_project=True,
            ),
            m.Lineage,
        )

    def get_recommendations(
        self, entity_id: str, *, max_depth: int | None = None, project: str | None = None
    ) -> m.ProvenanceRecommendations:
        """Tasks to run again when a version was wrong, nearest first."""
        return self._model(
            Call(
                "GET",
                f"/provenance/recommendations/{Call.part(entity_id)}",
                query={"max_depth": max_depth},
                project=project,
                takes_project=True,
            ),
            m.ProvenanceRecommendations,
        )

    def get_provenance_stats(self, *, project: str | None = None) -> m.ProvenanceStats:
        """How much is recorded, and the newest versions."""
        return self._model(Call("GET", "/provenance/stats", project=project, takes_project=True), m.ProvenanceStats)


class AsyncProvenanceOperations(AsyncSender):
    async def list_parameter_changes(
        self,
        *,
        limit: int | None = None,
        within_hours: int | None = None,
        parameter_names: list[str] | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> m.ParameterChanges:
        """Values of the last hours that replaced another one, newest first."""
        return await self._model(
            Call(
                "GET",
                "/provenance/changes",
                query={
                    "limit": limit,
                    "within_hours": within_hours,
                    "parameter_names": parameter_names,
                    "chip_id": chip_id,
                },
                project=project,
                takes_project=True,
            ),
            m.ParameterChanges,
        )

    async def compare_executions(
        self, *, execution_id_before: str, execution_id_after: str, project: str | None = None
    ) -> m.ProvenanceComparison:
        """What two executions found, parameter by parameter."""
        return await self._model(
            Call(
                "GET",
                "/provenance/compare",
                query={"execution_id_before": execution_id_before, "execution_id_after": execution_id_after},
                project=project,
                takes_project=True,
            ),
            m.ProvenanceComparison,
        )

    async def list_degradation_trends(
        self,
        *,
        min_streak: int | None = None,
        limit: int | None = None,
        parameter_names: list[str] | None = None,
        chip_id: str | None = None,
        project: str | None = None,
    ) -> m.DegradationTrends:
        """Metrics that became worse several times in a row, longest streak first."""
        return await self._model(
            Call(
                "GET",
                "/provenance/degradation-trends",
                query={
                    "min_streak": min_streak,
                    "limit": limit,
                    "parameter_names": parameter_names,
                    "chip_id": chip_id,
                },
                project=project,
                takes_project=True,
            ),
            m.DegradationTrends,
        )

    async def get_parameter_version(self, entity_id: str, *, project: str | None = None) -> m.ParameterVersion:
        """One version of a parameter."""
        return await self._model(
            Call("GET", f"/provenance/entities/{Call.part(entity_id)}", project=project, takes_project=True),
            m.ParameterVersion,
        )

    async def list_provenance_executions(
        self, *, limit: int | None = None, project: str | None = None
    ) -> m.ProvenanceExecutions:
        """Executions that changed values, newest first."""
        return await self._model(
            Call("GET", "/provenance/executions", query={"limit": limit}, project=project, takes_project=True),
            m.ProvenanceExecutions,
        )

    async def explain_parameter_version(
        self, entity_id: str, *, project_id: str | None = None, project: str | None = None
    ) -> m.Explanation:
        """Why a value is what it is; a page if the client asks for text/html."""
        return await self._model(
            Call(
                "GET",
                f"/provenance/explain/{Call.part(entity_id)}",
                query={"project_id": project_id},
                project=project,
                takes_project=True,
            ),
            m.Explanation,
        )

    async def get_parameter_history(
        self,
        *,
        parameter_name: str,
        qid: str,
        chip_id: str | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ProvenanceHistory:
        """The versions of a parameter, newest first."""
        return await self._model(
            Call(
                "GET",
                "/provenance/history",
                query={"parameter_name": parameter_name, "qid": qid, "chip_id": chip_id, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ProvenanceHistory,
        )

    async def get_impact(
        self, entity_id: str, *, max_depth: int | None = None, project: str | None = None
    ) -> m.Lineage:
        """What was made from a version: its descendants, breadth first."""
        return await self._model(
            Call(
                "GET",
                f"/provenance/impact/{Call.part(entity_id)}",
                query={"max_depth": max_depth},
                project=project,
                takes_project=True,
            ),
            m.Lineage,
        )

    async def get_lineage(
        self, entity_id: str, *, max_depth: int | None = None, project: str | None = None
    ) -> m.Lineage:
        """Where a version came from: its ancestors, breadth first."""
        return await self._model(
            Call(
                "GET",
                f"/provenance/lineage/{Call.part(entity_id)}",
                query={"max_depth": max_depth},
                project=project,
                takes_project=True,
            ),
            m.Lineage,
        )

    async def get_recommendations(
        self, entity_id: str, *, max_depth: int | None = None, project: str | None = None
    ) -> m.ProvenanceRecommendations:
        """Tasks to run again when a version was wrong, nearest first."""
        return await self._model(
            Call(
                "GET",
                f"/provenance/recommendations/{Call.part(entity_id)}",
                query={"max_depth": max_depth},
                project=project,
                takes_project=True,
            ),
            m.ProvenanceRecommendations,
        )

    async def get_provenance_stats(self, *, project: str | None = None) -> m.ProvenanceStats:
        """How much is recorded, and the newest versions."""
        return await self._model(
            Call("GET", "/provenance/stats", project=project, takes_project=True), m.ProvenanceStats
        )
