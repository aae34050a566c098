"""Operations of the interface: notifications. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class NotificationsOperations(Sender):
    def list_notifications(
        self,
        *,
        unread_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.NotificationList:
        """Your inbox, newest first."""
        return self._model(
            Call(
                "GET",
                "/notifications",
                query={"unread_only": unread_only, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.NotificationList,
        )

    def iterate_notifications(
        self,
        *,
        unread_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.Notification]:
        """Your inbox, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/notifications",
                query={"unread_only": unread_only, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "notifications",
            m.Notification,
        )

    def count_unread_notifications(self, *, project: str | None = None) -> m.UnreadNotifications:
        """How many notifications you have not read."""
        return self._model(
            Call("GET", "/notifications/unread-count", project=project, takes_project=True), m.UnreadNotifications
        )

    def read_notification(self, notification_id: str) -> m.Notification:
        """Mark one of your notifications as read."""
        return self._model(Call("PATCH", f"/notifications/{Call.part(notification_id)}/read"), m.Notification)

    def read_all_notifications(self, *, project: str | None = None) -> m.NotificationsRead:
        """Mark all of your notifications as read."""
        return self._model(
            Call("PATCH", "/notifications/read-all", project=project, takes_project=True), m.NotificationsRead
        )


class AsyncNotificationsOperations(AsyncSender):
    async def list_notifications(
        self,
        *,
        unread_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.NotificationList:
        """Your inbox, newest first."""
        return await self._model(
            Call(
                "GET",
                "/notifications",
                query={"unread_only": unread_only, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.NotificationList,
        )

    def iterate_notifications(
        self,
        *,
        unread_only: bool | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.Notification]:
        """Your inbox, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/notifications",
                query={"unread_only": unread_only, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "notifications",
            m.Notification,
        )

    async def count_unread_notifications(self, *, project: str | None = None) -> m.UnreadNotifications:
        """How many notifications you have not read."""
        return await self._model(
            Call("GET", "/notifications/unread-count", project=project, takes_project=True), m.UnreadNotifications
        )

    async def read_notification(self, notification_id: str) -> m.Notification:
        """Mark one of your notifications as read."""
        return await self._model(Call("PATCH", f"/notifications/{Call.part(notification_id)}/read"), m.Notification)

    async def read_all_notifications(self, *, project: str | None = None) -> m.NotificationsRead:
        """Mark all of your notifications as read."""
        return await self._model(
            Call("PATCH", "/notifications/read-all", project=project, takes_project=True), m.NotificationsRead
        )
