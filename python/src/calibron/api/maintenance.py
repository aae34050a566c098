"""Operations of the interface: maintenance. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class MaintenanceOperations(Sender):
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


class AsyncMaintenanceOperations(AsyncSender):
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
