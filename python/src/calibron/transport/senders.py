"""Sends calls and reads their answers: with blocking functions, and with coroutines."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from typing import Any

import httpx

from .answers import EventReader, next_query, read
from .calls import Call
from .errors import Unreachable

stream_deadline: ContextVar[float | None] = ContextVar("stream_deadline", default=None)
"""Until when events are waited for, by `time.monotonic`. The service writes a line to a silent stream, too."""


class Sender:
    """What generated operations need. `send` is given by the client."""

    def send(self, call: Call) -> httpx.Response:
        """Sends a call, again if its answer is lost and that is safe. Raises the errors of the client."""
        raise NotImplementedError

    def open_stream(self, call: Call, last_id: str | None) -> httpx.Response:
        """Sends a call whose answer is read line by line, from after the event of an id. Raises as `send`."""
        raise NotImplementedError

    def may_resume(self, attempt: int) -> bool:
        raise NotImplementedError

    def pause_before_resuming(self, attempt: int) -> None:
        raise NotImplementedError

    def _model(self, call: Call, kind: Any) -> Any:
        return read(kind, self.send(call).json())

    def _nothing(self, call: Call) -> None:
        self.send(call)

    def _bytes(self, call: Call) -> bytes:
        return self.send(call).content

    def _pages(self, call: Call, field: str, kind: Any) -> Iterator[Any]:
        while True:
            response = self.send(call)
            body = response.json()
            for each in body[field] if field else body:
                yield read(kind, each)
            query = next_query(response)
            if query is None:
                return
            call.query = _grouped(query)

    def _events(self, call: Call, kind: Any) -> Iterator[Any]:
        reader = EventReader()
        attempt = 0
        while True:
            response = None
            try:
                response = self.open_stream(call, reader.last_id)
                for line in response.iter_lines():
                    _raise_if_late()
                    event = reader.take(line)
                    if event is None:
                        continue
                    attempt = 0
                    yield read(kind, event)
                    if reader.ended:
                        return
                if not call.resumes or response.status_code == 204:
                    return
            except httpx.TransportError as error:
                if not call.resumes or not self.may_resume(attempt):
                    raise Unreachable(f"The stream broke off: {error}") from error
            finally:
                if response is not None:
                    response.close()
            self.pause_before_resuming(attempt)
            reader.forget_part()
            attempt += 1


class AsyncSender:
    """The same with coroutines."""

    async def send(self, call: Call) -> httpx.Response:
        raise NotImplementedError

    async def open_stream(self, call: Call, last_id: str | None) -> httpx.Response:
        raise NotImplementedError

    def may_resume(self, attempt: int) -> bool:
        raise NotImplementedError

    async def pause_before_resuming(self, attempt: int) -> None:
        raise NotImplementedError

    async def _model(self, call: Call, kind: Any) -> Any:
        return read(kind, (await self.send(call)).json())

    async def _nothing(self, call: Call) -> None:
        await self.send(call)

    async def _bytes(self, call: Call) -> bytes:
        return (await self.send(call)).content

    async def _pages(self, call: Call, field: str, kind: Any) -> AsyncIterator[Any]:
        while True:
            response = await self.send(call)
            body = response.json()
            for each in body[field] if field else body:
                yield read(kind, each)
            query = next_query(response)
            if query is None:
                return
            call.query = _grouped(query)

    async def _events(self, call: Call, kind: Any) -> AsyncIterator[Any]:
        reader = EventReader()
        attempt = 0
        while True:
            response = None
            try:
                response = await self.open_stream(call, reader.last_id)
                async for line in response.aiter_lines():
                    event = reader.take(line)
                    if event is None:
                        continue
                    attempt = 0
                    yield read(kind, event)
                    if reader.ended:
                        return
                if not call.resumes or response.status_code == 204:
                    return
            except httpx.TransportError as error:
                if not call.resumes or not self.may_resume(attempt):
                    raise Unreachable(f"The stream broke off: {error}") from error
            finally:
                if response is not None:
                    await response.aclose()
            await self.pause_before_resuming(attempt)
            reader.forget_part()
            attempt += 1


def _raise_if_late() -> None:
    deadline = stream_deadline.get()
    if deadline is not None and time.monotonic() > deadline:
        raise TimeoutError("There was no end of the events in time.")


def _grouped(query: list[tuple[str, str]]) -> dict[str, Any]:
    grouped: dict[str, list[str]] = {}
    for name, value in query:
        grouped.setdefault(name, []).append(value)
    return grouped
