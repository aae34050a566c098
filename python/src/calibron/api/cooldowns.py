"""Operations of the interface: cooldowns. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class CooldownsOperations(Sender):
    def list_cooldowns(
        self,
        *,
        cryo_id: str | None = None,
        chip_id: str | None = None,
        limit: int | None = None,
        skip: int | None = None,
        project: str | None = None,
    ) -> m.CooldownList:
        """The cool-downs of the project, newest first."""
        return self._model(
            Call(
                "GET",
                "/cooldowns",
                query={"cryo_id": cryo_id, "chip_id": chip_id, "limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            m.CooldownList,
        )

    def iterate_cooldowns(
        self,
        *,
        cryo_id: str | None = None,
        chip_id: str | None = None,
        limit: int | None = None,
        skip: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.ListedCooldown]:
        """The cool-downs of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/cooldowns",
                query={"cryo_id": cryo_id, "chip_id": chip_id, "limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            "cooldowns",
            m.ListedCooldown,
        )

    def create_cooldown(self, body: m.CooldownCreate, *, project: str | None = None) -> m.Cooldown:
        """Record a cool-down that is active or over."""
        return self._model(Call("POST", "/cooldowns", json=body, project=project, takes_project=True), m.Cooldown)

    def delete_cooldown(self, cooldown_id: str, *, force: bool | None = None, project: str | None = None) -> m.Message:
        """Delete a cool-down."""
        return self._model(
            Call(
                "DELETE",
                f"/cooldowns/{Call.part(cooldown_id)}",
                query={"force": force},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_cooldown(self, cooldown_id: str, *, project: str | None = None) -> m.Cooldown:
        """One cool-down."""
        return self._model(
            Call("GET", f"/cooldowns/{Call.part(cooldown_id)}", project=project, takes_project=True), m.Cooldown
        )

    def update_cooldown(self, cooldown_id: str, body: m.CooldownChange, *, project: str | None = None) -> m.Cooldown:
        """Change or end a cool-down; fields that are null or absent stay as they are."""
        return self._model(
            Call("PATCH", f"/cooldowns/{Call.part(cooldown_id)}", json=body, project=project, takes_project=True),
            m.Cooldown,
        )

    def unassign_chip(self, cooldown_id: str, chip_id: str, *, project: str | None = None) -> m.Cooldown:
        """Take a chip out of a cool-down."""
        return self._model(
            Call(
                "DELETE",
                f"/cooldowns/{Call.part(cooldown_id)}/chips/{Call.part(chip_id)}",
                project=project,
                takes_project=True,
            ),
            m.Cooldown,
        )

    def assign_chip(self, cooldown_id: str, chip_id: str, *, project: str | None = None) -> m.Cooldown:
        """Put a chip into a cool-down; until this ends, it is the current one of the chip."""
        return self._model(
            Call(
                "POST",
                f"/cooldowns/{Call.part(cooldown_id)}/chips/{Call.part(chip_id)}",
                project=project,
                takes_project=True,
            ),
            m.Cooldown,
        )

    def reopen_cooldown(self, cooldown_id: str, *, project: str | None = None) -> m.Cooldown:
        """Reopen a cool-down that was ended, with the chips that it had."""
        return self._model(
            Call("PATCH", f"/cooldowns/{Call.part(cooldown_id)}/reopen", project=project, takes_project=True),
            m.Cooldown,
        )

    def create_wiring_checkpoint(
        self, cooldown_id: str, body: m.CheckpointCreate, *, project: str | None = None
    ) -> m.WiringEvent:
        """Store a copy of the current wiring."""
        return self._model(
            Call(
                "POST",
                f"/cooldowns/{Call.part(cooldown_id)}/wiring-checkpoint",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.WiringEvent,
        )

    def list_wiring_events(
        self, cooldown_id: str, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> m.WiringEventList:
        """The stored copies of the wiring, newest first."""
        return self._model(
            Call(
                "GET",
                f"/cooldowns/{Call.part(cooldown_id)}/wiring-events",
                query={"limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            m.WiringEventList,
        )

    def iterate_wiring_events(
        self, cooldown_id: str, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> Iterator[m.WiringEvent]:
        """The stored copies of the wiring, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/cooldowns/{Call.part(cooldown_id)}/wiring-events",
                query={"limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            "events",
            m.WiringEvent,
        )


class AsyncCooldownsOperations(AsyncSender):
    async def list_cooldowns(
        self,
        *,
        cryo_id: str | None = None,
        chip_id: str | None = None,
        limit: int | None = None,
        skip: int | None = None,
        project: str | None = None,
    ) -> m.CooldownList:
        """The cool-downs of the project, newest first."""
        return await self._model(
            Call(
                "GET",
                "/cooldowns",
                query={"cryo_id": cryo_id, "chip_id": chip_id, "limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            m.CooldownList,
        )

    def iterate_cooldowns(
        self,
        *,
        cryo_id: str | None = None,
        chip_id: str | None = None,
        limit: int | None = None,
        skip: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.ListedCooldown]:
        """The cool-downs of the project, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/cooldowns",
                query={"cryo_id": cryo_id, "chip_id": chip_id, "limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            "cooldowns",
            m.ListedCooldown,
        )

    async def create_cooldown(self, body: m.CooldownCreate, *, project: str | None = None) -> m.Cooldown:
        """Record a cool-down that is active or over."""
        return await self._model(Call("POST", "/cooldowns", json=body, project=project, takes_project=True), m.Cooldown)

    async def delete_cooldown(
        self, cooldown_id: str, *, force: bool | None = None, project: str | None = None
    ) -> m.Message:
        """Delete a cool-down."""
        return await self._model(
            Call(
                "DELETE",
                f"/cooldowns/{Call.part(cooldown_id)}",
                query={"force": force},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_cooldown(self, cooldown_id: str, *, project: str | None = None) -> m.Cooldown:
        """One cool-down."""
        return await self._model(
            Call("GET", f"/cooldowns/{Call.part(cooldown_id)}", project=project, takes_project=True), m.Cooldown
        )

    async def update_cooldown(
        self, cooldown_id: str, body: m.CooldownChange, *, project: str | None = None
    ) -> m.Cooldown:
        """Change or end a cool-down; fields that are null or absent stay as they are."""
        return await self._model(
            Call("PATCH", f"/cooldowns/{Call.part(cooldown_id)}", json=body, project=project, takes_project=True),
            m.Cooldown,
        )

    async def unassign_chip(self, cooldown_id: str, chip_id: str, *, project: str | None = None) -> m.Cooldown:
        """Take a chip out of a cool-down."""
        return await self._model(
            Call(
                "DELETE",
                f"/cooldowns/{Call.part(cooldown_id)}/chips/{Call.part(chip_id)}",
                project=project,
                takes_project=True,
            ),
            m.Cooldown,
        )

    async def assign_chip(self, cooldown_id: str, chip_id: str, *, project: str | None = None) -> m.Cooldown:
        """Put a chip into a cool-down; until this ends, it is the current one of the chip."""
        return await self._model(
            Call(
                "POST",
                f"/cooldowns/{Call.part(cooldown_id)}/chips/{Call.part(chip_id)}",
                project=project,
                takes_project=True,
            ),
            m.Cooldown,
        )

    async def reopen_cooldown(self, cooldown_id: str, *, project: str | None = None) -> m.Cooldown:
        """Reopen a cool-down that was ended, with the chips that it had."""
        return await self._model(
            Call("PATCH", f"/cooldowns/{Call.part(cooldown_id)}/reopen", project=project, takes_project=True),
            m.Cooldown,
        )

    async def create_wiring_checkpoint(
        self, cooldown_id: str, body: m.CheckpointCreate, *, project: str | None = None
    ) -> m.WiringEvent:
        """Store a copy of the current wiring."""
        return await self._model(
            Call(
                "POST",
                f"/cooldowns/{Call.part(cooldown_id)}/wiring-checkpoint",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.WiringEvent,
        )

    async def list_wiring_events(
        self, cooldown_id: str, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> m.WiringEventList:
        """The stored copies of the wiring, newest first."""
        return await self._model(
            Call(
                "GET",
                f"/cooldowns/{Call.part(cooldown_id)}/wiring-events",
                query={"limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            m.WiringEventList,
        )

    def iterate_wiring_events(
        self, cooldown_id: str, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.WiringEvent]:
        """The stored copies of the wiring, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/cooldowns/{Call.part(cooldown_id)}/wiring-events",
                query={"limit": limit, "skip": skip},
                project=project,
                takes_project=True,
            ),
            "events",
            m.WiringEvent,
        )
