"""Operations of the interface: service. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ServiceOperations(Sender):
    def get_settings(self) -> m.Settings:
        """Settings of the installation that clients need; none is a secret."""
        return self._model(Call("GET", "/settings"), m.Settings)

    def healthz(self) -> m.HealthzAnswer:
        """The process is alive."""
        return self._model(Call("GET", "/healthz"), m.HealthzAnswer)

    def readyz(self) -> m.Readiness:
        """Requests can be served: database and workflow engine answer."""
        return self._model(Call("GET", "/readyz"), m.Readiness)

    def metrics_prometheus(self) -> bytes:
        """Figures of this process in Prometheus' text format: its resources, durations of answers, listeners."""
        return self._bytes(Call("GET", "/metrics-prometheus"))


class AsyncServiceOperations(AsyncSender):
    async def get_settings(self) -> m.Settings:
        """Settings of the installation that clients need; none is a secret."""
        return await self._model(Call("GET", "/settings"), m.Settings)

    async def healthz(self) -> m.HealthzAnswer:
        """The process is alive."""
        return await self._model(Call("GET", "/healthz"), m.HealthzAnswer)

    async def readyz(self) -> m.Readiness:
        """Requests can be served: database and workflow engine answer."""
        return await self._model(Call("GET", "/readyz"), m.Readiness)

    async def metrics_prometheus(self) -> bytes:
        """Figures of this process in Prometheus' text format: its resources, durations of answers, listeners."""
        return await self._bytes(Call("GET", "/metrics-prometheus"))
