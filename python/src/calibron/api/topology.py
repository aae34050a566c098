"""Operations of the interface: topology. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class TopologyOperations(Sender):
    def get_device_topology(self, body: m.DeviceRequest, *, project: str | None = None) -> m.Device:
        """The qubits and couplings of the chip that was measured last, as far as they are good enough."""
        return self._model(Call("POST", "/device-topology", json=body, project=project, takes_project=True), m.Device)

    def plot_device_topology(self, body: m.Device, *, project: str | None = None) -> bytes:
        """A device as a picture."""
        return self._bytes(Call("POST", "/device-topology/plot", json=body, project=project, takes_project=True))

    def list_topologies(self, *, size: int | None = None) -> m.ListTopologiesAnswer:
        """Topologies by name, or those of one size."""
        return self._model(Call("GET", "/topology/list", query={"size": size}), m.ListTopologiesAnswer)

    def get_topology(self, topology_id: str) -> m.GetTopologyAnswer:
        """Positions of the qubits of a topology, and its couplings."""
        return self._model(Call("GET", f"/topology/{Call.part(topology_id)}"), m.GetTopologyAnswer)


class AsyncTopologyOperations(AsyncSender):
    async def get_device_topology(self, body: m.DeviceRequest, *, project: str | None = None) -> m.Device:
        """The qubits and couplings of the chip that was measured last, as far as they are good enough."""
        return await self._model(
            Call("POST", "/device-topology", json=body, project=project, takes_project=True), m.Device
        )

    async def plot_device_topology(self, body: m.Device, *, project: str | None = None) -> bytes:
        """A device as a picture."""
        return await self._bytes(Call("POST", "/device-topology/plot", json=body, project=project, takes_project=True))

    async def list_topologies(self, *, size: int | None = None) -> m.ListTopologiesAnswer:
        """Topologies by name, or those of one size."""
        return await self._model(Call("GET", "/topology/list", query={"size": size}), m.ListTopologiesAnswer)

    async def get_topology(self, topology_id: str) -> m.GetTopologyAnswer:
        """Positions of the qubits of a topology, and its couplings."""
        return await self._model(Call("GET", f"/topology/{Call.part(topology_id)}"), m.GetTopologyAnswer)
