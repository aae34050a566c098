"""Operations of the interface: ai-reviews. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class AiReviewsOperations(Sender):
    def list_ai_reviews(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        status: str | None = None,
        decision: str | None = None,
        latest_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ListAiReviewsAnswer:
        """Reviews, the newest results first."""
        return self._model(
            Call(
                "GET",
                "/task-results/ai-review",
                query={
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "status": status,
                    "decision": decision,
                    "latest_only": latest_only,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.ListAiReviewsAnswer,
        )

    def iterate_ai_reviews(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        status: str | None = None,
        decision: str | None = None,
        latest_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.AiReview]:
        """Reviews, the newest results first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/task-results/ai-review",
                query={
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "status": status,
                    "decision": decision,
                    "latest_only": latest_only,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.AiReview,
        )

    def request_ai_reviews(self, body: m.AiReviewRequest, *, project: str | None = None) -> m.RequestedAiReviews:
        """Review the newest result of a task on each target of a chip."""
        return self._model(
            Call("POST", "/task-results/ai-review/bulk", json=body, project=project, takes_project=True),
            m.RequestedAiReviews,
        )

    def get_ai_review_quality(self, *, project: str | None = None) -> m.AiReviewQuality:
        """How often reviews agreed with what people later said about the results, by task and model."""
        return self._model(
            Call("GET", "/task-results/ai-review/quality", project=project, takes_project=True), m.AiReviewQuality
        )

    def list_ai_review_runs(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ListAiReviewRunsAnswer:
        """Runs of reviews, newest first, with the states of their reviews."""
        return self._model(
            Call(
                "GET",
                "/task-results/ai-review/runs",
                query={"chip_id": chip_id, "task_name": task_name, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ListAiReviewRunsAnswer,
        )

    def iterate_ai_review_runs(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.AiReviewRun]:
        """Runs of reviews, newest first, with the states of their reviews, page after page."""
        return self._pages(
            Call(
                "GET",
                "/task-results/ai-review/runs",
                query={"chip_id": chip_id, "task_name": task_name, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.AiReviewRun,
        )

    def get_ai_review_run(self, review_run_id: str, *, project: str | None = None) -> m.GetAiReviewRunAnswer:
        """A run of reviews with all of them, by target."""
        return self._model(
            Call(
                "GET", f"/task-results/ai-review/runs/{Call.part(review_run_id)}", project=project, takes_project=True
            ),
            m.GetAiReviewRunAnswer,
        )

    def cancel_ai_review_run(self, review_run_id: str, *, project: str | None = None) -> m.CancelledAiReviews:
        """Cancel the reviews of a run that have not ended."""
        return self._model(
            Call(
                "POST",
                f"/task-results/ai-review/runs/{Call.part(review_run_id)}/cancel",
                project=project,
                takes_project=True,
            ),
            m.CancelledAiReviews,
        )


class AsyncAiReviewsOperations(AsyncSender):
    async def list_ai_reviews(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        status: str | None = None,
        decision: str | None = None,
        latest_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ListAiReviewsAnswer:
        """Reviews, the newest results first."""
        return await self._model(
            Call(
                "GET",
                "/task-results/ai-review",
                query={
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "status": status,
                    "decision": decision,
                    "latest_only": latest_only,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            m.ListAiReviewsAnswer,
        )

    def iterate_ai_reviews(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        status: str | None = None,
        decision: str | None = None,
        latest_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.AiReview]:
        """Reviews, the newest results first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/task-results/ai-review",
                query={
                    "chip_id": chip_id,
                    "task_name": task_name,
                    "status": status,
                    "decision": decision,
                    "latest_only": latest_only,
                    "skip": skip,
                    "limit": limit,
                },
                project=project,
                takes_project=True,
            ),
            "items",
            m.AiReview,
        )

    async def request_ai_reviews(self, body: m.AiReviewRequest, *, project: str | None = None) -> m.RequestedAiReviews:
        """Review the newest result of a task on each target of a chip."""
        return await self._model(
            Call("POST", "/task-results/ai-review/bulk", json=body, project=project, takes_project=True),
            m.RequestedAiReviews,
        )

    async def get_ai_review_quality(self, *, project: str | None = None) -> m.AiReviewQuality:
        """How often reviews agreed with what people later said about the results, by task and model."""
        return await self._model(
            Call("GET", "/task-results/ai-review/quality", project=project, takes_project=True), m.AiReviewQuality
        )

    async def list_ai_review_runs(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ListAiReviewRunsAnswer:
        """Runs of reviews, newest first, with the states of their reviews."""
        return await self._model(
            Call(
                "GET",
                "/task-results/ai-review/runs",
                query={"chip_id": chip_id, "task_name": task_name, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ListAiReviewRunsAnswer,
        )

    def iterate_ai_review_runs(
        self,
        *,
        chip_id: str | None = None,
        task_name: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.AiReviewRun]:
        """Runs of reviews, newest first, with the states of their reviews, page after page."""
        return self._pages(
            Call(
                "GET",
                "/task-results/ai-review/runs",
                query={"chip_id": chip_id, "task_name": task_name, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.AiReviewRun,
        )

    async def get_ai_review_run(self, review_run_id: str, *, project: str | None = None) -> m.GetAiReviewRunAnswer:
        """A run of reviews with all of them, by target."""
        return await self._model(
            Call(
                "GET", f"/task-results/ai-review/runs/{Call.part(review_run_id)}", project=project, takes_project=True
            ),
            m.GetAiReviewRunAnswer,
        )

    async def cancel_ai_review_run(self, review_run_id: str, *, project: str | None = None) -> m.CancelledAiReviews:
        """Cancel the reviews of a run that have not ended."""
        return await self._model(
            Call(
                "POST",
                f"/task-results/ai-review/runs/{Call.part(review_run_id)}/cancel",
                project=project,
                takes_project=True,
            ),
            m.CancelledAiReviews,
        )
