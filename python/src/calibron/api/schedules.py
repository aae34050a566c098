"""Operations of the interface: schedules. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class SchedulesOperations(Sender):
    def list_schedules(
        self, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> m.ScheduleList:
        """The schedules of the project: by their next due time, then what is paused, then what is over."""
        return self._model(
            Call(
                "GET", "/flows/schedules", query={"limit": limit, "offset": offset}, project=project, takes_project=True
            ),
            m.ScheduleList,
        )

    def iterate_schedules(
        self, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> Iterator[m.Schedule]:
        """The schedules of the project: by their next due time, then what is paused, then what is over, page after page."""
        return self._pages(
            Call(
                "GET", "/flows/schedules", query={"limit": limit, "offset": offset}, project=project, takes_project=True
            ),
            "schedules",
            m.Schedule,
        )

    def preview_due_times(
        self, *, cron: str, timezone: str | None = None, count: int | None = None, project: str | None = None
    ) -> m.PreviewDueTimesAnswer:
        """When a cron would be due next; nothing is scheduled."""
        return self._model(
            Call(
                "GET",
                "/flows/schedules/due-times",
                query={"cron": cron, "timezone": timezone, "count": count},
                project=project,
                takes_project=True,
            ),
            m.PreviewDueTimesAnswer,
        )

    def delete_schedule(self, schedule_id: str, *, project: str | None = None) -> m.ScheduleDeleted:
        """Delete a schedule."""
        return self._model(
            Call("DELETE", f"/flows/schedules/{Call.part(schedule_id)}", project=project, takes_project=True),
            m.ScheduleDeleted,
        )

    def change_schedule(
        self, schedule_id: str, body: m.ScheduleChange, *, project: str | None = None
    ) -> m.ScheduleChanged:
        """Pause, resume, change or take over a schedule."""
        return self._model(
            Call("PATCH", f"/flows/schedules/{Call.part(schedule_id)}", json=body, project=project, takes_project=True),
            m.ScheduleChanged,
        )

    def schedule_flow(self, name: str, body: m.ScheduleCreate, *, project: str | None = None) -> m.ScheduleAnswer:
        """Schedule runs of a flow: by a cron, which replaces its earlier one, or once."""
        return self._model(
            Call("POST", f"/flows/{Call.part(name)}/schedule", json=body, project=project, takes_project=True),
            m.ScheduleAnswer,
        )

    def list_flow_schedules(
        self, name: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> m.ScheduleList:
        """The schedules of a flow: by their next due time, then what is paused, then what is over."""
        return self._model(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/schedules",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            m.ScheduleList,
        )

    def iterate_flow_schedules(
        self, name: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> Iterator[m.Schedule]:
        """The schedules of a flow: by their next due time, then what is paused, then what is over, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/schedules",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            "schedules",
            m.Schedule,
        )


class AsyncSchedulesOperations(AsyncSender):
    async def list_schedules(
        self, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> m.ScheduleList:
        """The schedules of the project: by their next due time, then what is paused, then what is over."""
        return await self._model(
            Call(
                "GET", "/flows/schedules", query={"limit": limit, "offset": offset}, project=project, takes_project=True
            ),
            m.ScheduleList,
        )

    def iterate_schedules(
        self, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.Schedule]:
        """The schedules of the project: by their next due time, then what is paused, then what is over, page after page."""
        return self._pages(
            Call(
                "GET", "/flows/schedules", query={"limit": limit, "offset": offset}, project=project, takes_project=True
            ),
            "schedules",
            m.Schedule,
        )

    async def preview_due_times(
        self, *, cron: str, timezone: str | None = None, count: int | None = None, project: str | None = None
    ) -> m.PreviewDueTimesAnswer:
        """When a cron would be due next; nothing is scheduled."""
        return await self._model(
            Call(
                "GET",
                "/flows/schedules/due-times",
                query={"cron": cron, "timezone": timezone, "count": count},
                project=project,
                takes_project=True,
            ),
            m.PreviewDueTimesAnswer,
        )

    async def delete_schedule(self, schedule_id: str, *, project: str | None = None) -> m.ScheduleDeleted:
        """Delete a schedule."""
        return await self._model(
            Call("DELETE", f"/flows/schedules/{Call.part(schedule_id)}", project=project, takes_project=True),
            m.ScheduleDeleted,
        )

    async def change_schedule(
        self, schedule_id: str, body: m.ScheduleChange, *, project: str | None = None
    ) -> m.ScheduleChanged:
        """Pause, resume, change or take over a schedule."""
        return await self._model(
            Call("PATCH", f"/flows/schedules/{Call.part(schedule_id)}", json=body, project=project, takes_project=True),
            m.ScheduleChanged,
        )

    async def schedule_flow(self, name: str, body: m.ScheduleCreate, *, project: str | None = None) -> m.ScheduleAnswer:
        """Schedule runs of a flow: by a cron, which replaces its earlier one, or once."""
        return await self._model(
            Call("POST", f"/flows/{Call.part(name)}/schedule", json=body, project=project, takes_project=True),
            m.ScheduleAnswer,
        )

    async def list_flow_schedules(
        self, name: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> m.ScheduleList:
        """The schedules of a flow: by their next due time, then what is paused, then what is over."""
        return await self._model(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/schedules",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            m.ScheduleList,
        )

    def iterate_flow_schedules(
        self, name: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.Schedule]:
        """The schedules of a flow: by their next due time, then what is paused, then what is over, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/flows/{Call.part(name)}/schedules",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            "schedules",
            m.Schedule,
        )
