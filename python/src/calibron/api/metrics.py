"""Operations of the interface: metrics. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class MetricsOperations(Sender):
    def get_metric_heatmap(self, chip_id: str, metric: str, *, project: str | None = None) -> m.MetricHeatmap:
        """One metric of every qubit or coupling of a chip, in raw units."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/metrics/heatmap/{Call.part(metric)}",
                project=project,
                takes_project=True,
            ),
            m.MetricHeatmap,
        )

    def get_metrics_summary(self, chip_id: str, *, project: str | None = None) -> m.MetricsSummary:
        """Each metric averaged over the qubits of a chip, in raw units."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/metrics/summary", project=project, takes_project=True),
            m.MetricsSummary,
        )

    def get_chip_insights(self, chip_id: str, *, project: str | None = None) -> m.MetricInsights:
        """Which of the newest results of a chip need attention, by fixed rules."""
        return self._model(
            Call("GET", f"/dashboard/chips/{Call.part(chip_id)}/ai-insights", project=project, takes_project=True),
            m.MetricInsights,
        )

    def get_coupling_metric_history(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> m.CouplingMetricHistory:
        """The history of a metric of a coupling, newest first, including excluded results."""
        return self._model(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            m.CouplingMetricHistory,
        )

    def iterate_coupling_metric_history(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.MetricHistoryItem]:
        """The history of a metric of a coupling, newest first, including excluded results, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            "history",
            m.MetricHistoryItem,
        )

    def get_chip_metrics(
        self,
        chip_id: str,
        *,
        within_hours: int | None = None,
        selection_mode: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.ChipMetrics:
        """The metrics of a chip from the results of a time: the newest, the best or the mean."""
        return self._model(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/metrics",
                query={
                    "within_hours": within_hours,
                    "selection_mode": selection_mode,
                    "start_at": start_at,
                    "end_at": end_at,
                },
                project=project,
                takes_project=True,
            ),
            m.ChipMetrics,
        )

    def get_metrics_report(
        self,
        chip_id: str,
        *,
        within_hours: int | None = None,
        selection_mode: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> bytes:
        """The metrics of a chip as a report to print."""
        return self._bytes(
            Call(
                "POST",
                f"/metrics/chips/{Call.part(chip_id)}/metrics/pdf",
                query={
                    "within_hours": within_hours,
                    "selection_mode": selection_mode,
                    "start_at": start_at,
                    "end_at": end_at,
                },
                project=project,
                takes_project=True,
            )
        )

    def get_qubit_metric_history(
        self,
        chip_id: str,
        qid: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> m.QubitMetricHistory:
        """The history of a metric of a qubit, newest first, including excluded results."""
        return self._model(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            m.QubitMetricHistory,
        )

    def iterate_qubit_metric_history(
        self,
        chip_id: str,
        qid: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.MetricHistoryItem]:
        """The history of a metric of a qubit, newest first, including excluded results, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            "history",
            m.MetricHistoryItem,
        )

    def get_metrics_config(self) -> m.MetricsConfig:
        """Which metrics there are, how they are shown and what counts as good."""
        return self._model(Call("GET", "/metrics/config"), m.MetricsConfig)


class AsyncMetricsOperations(AsyncSender):
    async def get_metric_heatmap(self, chip_id: str, metric: str, *, project: str | None = None) -> m.MetricHeatmap:
        """One metric of every qubit or coupling of a chip, in raw units."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/metrics/heatmap/{Call.part(metric)}",
                project=project,
                takes_project=True,
            ),
            m.MetricHeatmap,
        )

    async def get_metrics_summary(self, chip_id: str, *, project: str | None = None) -> m.MetricsSummary:
        """Each metric averaged over the qubits of a chip, in raw units."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/metrics/summary", project=project, takes_project=True),
            m.MetricsSummary,
        )

    async def get_chip_insights(self, chip_id: str, *, project: str | None = None) -> m.MetricInsights:
        """Which of the newest results of a chip need attention, by fixed rules."""
        return await self._model(
            Call("GET", f"/dashboard/chips/{Call.part(chip_id)}/ai-insights", project=project, takes_project=True),
            m.MetricInsights,
        )

    async def get_coupling_metric_history(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> m.CouplingMetricHistory:
        """The history of a metric of a coupling, newest first, including excluded results."""
        return await self._model(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            m.CouplingMetricHistory,
        )

    def iterate_coupling_metric_history(
        self,
        chip_id: str,
        coupling_id: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.MetricHistoryItem]:
        """The history of a metric of a coupling, newest first, including excluded results, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            "history",
            m.MetricHistoryItem,
        )

    async def get_chip_metrics(
        self,
        chip_id: str,
        *,
        within_hours: int | None = None,
        selection_mode: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> m.ChipMetrics:
        """The metrics of a chip from the results of a time: the newest, the best or the mean."""
        return await self._model(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/metrics",
                query={
                    "within_hours": within_hours,
                    "selection_mode": selection_mode,
                    "start_at": start_at,
                    "end_at": end_at,
                },
                project=project,
                takes_project=True,
            ),
            m.ChipMetrics,
        )

    async def get_metrics_report(
        self,
        chip_id: str,
        *,
        within_hours: int | None = None,
        selection_mode: str | None = None,
        start_at: str | None = None,
        end_at: str | None = None,
        project: str | None = None,
    ) -> bytes:
        """The metrics of a chip as a report to print."""
        return await self._bytes(
            Call(
                "POST",
                f"/metrics/chips/{Call.part(chip_id)}/metrics/pdf",
                query={
                    "within_hours": within_hours,
                    "selection_mode": selection_mode,
                    "start_at": start_at,
                    "end_at": end_at,
                },
                project=project,
                takes_project=True,
            )
        )

    async def get_qubit_metric_history(
        self,
        chip_id: str,
        qid: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> m.QubitMetricHistory:
        """The history of a metric of a qubit, newest first, including excluded results."""
        return await self._model(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            m.QubitMetricHistory,
        )

    def iterate_qubit_metric_history(
        self,
        chip_id: str,
        qid: str,
        *,
        metric: str,
        limit: int | None = None,
        skip: int | None = None,
        within_days: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.MetricHistoryItem]:
        """The history of a metric of a qubit, newest first, including excluded results, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/metrics/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/history",
                query={"metric": metric, "limit": limit, "skip": skip, "within_days": within_days},
                project=project,
                takes_project=True,
            ),
            "history",
            m.MetricHistoryItem,
        )

    async def get_metrics_config(self) -> m.MetricsConfig:
        """Which metrics there are, how they are shown and what counts as good."""
        return await self._model(Call("GET", "/metrics/config"), m.MetricsConfig)
