"""Operations of the interface: cryostats. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class CryostatsOperations(Sender):
    def list_cryostats(
        self, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> m.CryostatList:
        """The cryostats of the project, by id."""
        return self._model(
            Call("GET", "/cryostats", query={"limit": limit, "skip": skip}, project=project, takes_project=True),
            m.CryostatList,
        )

    def iterate_cryostats(
        self, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> Iterator[m.Cryostat]:
        """The cryostats of the project, by id, page after page."""
        return self._pages(
            Call("GET", "/cryostats", query={"limit": limit, "skip": skip}, project=project, takes_project=True),
            "cryostats",
            m.Cryostat,
        )

    def create_cryostat(self, body: m.CryostatCreate, *, project: str | None = None) -> m.Cryostat:
        """Add a cryostat."""
        return self._model(Call("POST", "/cryostats", json=body, project=project, takes_project=True), m.Cryostat)

    def delete_cryostat(self, cryo_id: str, *, force: bool | None = None, project: str | None = None) -> m.Message:
        """Delete a cryostat."""
        return self._model(
            Call(
                "DELETE",
                f"/cryostats/{Call.part(cryo_id)}",
                query={"force": force},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_cryostat(self, cryo_id: str, *, project: str | None = None) -> m.Cryostat:
        """One cryostat."""
        return self._model(
            Call("GET", f"/cryostats/{Call.part(cryo_id)}", project=project, takes_project=True), m.Cryostat
        )

    def update_cryostat(self, cryo_id: str, body: m.CryostatChange, *, project: str | None = None) -> m.Cryostat:
        """Change a cryostat; fields that are null or absent stay as they are."""
        return self._model(
            Call("PATCH", f"/cryostats/{Call.part(cryo_id)}", json=body, project=project, takes_project=True),
            m.Cryostat,
        )


class AsyncCryostatsOperations(AsyncSender):
    async def list_cryostats(
        self, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> m.CryostatList:
        """The cryostats of the project, by id."""
        return await self._model(
            Call("GET", "/cryostats", query={"limit": limit, "skip": skip}, project=project, takes_project=True),
            m.CryostatList,
        )

    def iterate_cryostats(
        self, *, limit: int | None = None, skip: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.Cryostat]:
        """The cryostats of the project, by id, page after page."""
        return self._pages(
            Call("GET", "/cryostats", query={"limit": limit, "skip": skip}, project=project, takes_project=True),
            "cryostats",
            m.Cryostat,
        )

    async def create_cryostat(self, body: m.CryostatCreate, *, project: str | None = None) -> m.Cryostat:
        """Add a cryostat."""
        return await self._model(Call("POST", "/cryostats", json=body, project=project, takes_project=True), m.Cryostat)

    async def delete_cryostat(
        self, cryo_id: str, *, force: bool | None = None, project: str | None = None
    ) -> m.Message:
        """Delete a cryostat."""
        return await self._model(
            Call(
                "DELETE",
                f"/cryostats/{Call.part(cryo_id)}",
                query={"force": force},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_cryostat(self, cryo_id: str, *, project: str | None = None) -> m.Cryostat:
        """One cryostat."""
        return await self._model(
            Call("GET", f"/cryostats/{Call.part(cryo_id)}", project=project, takes_project=True), m.Cryostat
        )

    async def update_cryostat(self, cryo_id: str, body: m.CryostatChange, *, project: str | None = None) -> m.Cryostat:
        """Change a cryostat; fields that are null or absent stay as they are."""
        return await self._model(
            Call("PATCH", f"/cryostats/{Call.part(cryo_id)}", json=body, project=project, takes_project=True),
            m.Cryostat,
        )
