"""A service that answers as it is told, for tests of the client."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx

Answer = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


class Service:
    """Answers requests in turn, and keeps them."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else httpx.Response(500, json={"detail": "too many requests"})
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else answer(request)


def problem(status: int, code: str, detail: object, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"code": code, "detail": detail}, headers={"x-request-id": "r-1", **headers})


STARTED = {
    "execution_id": "20260301-001",
    "flow_run_id": "f",
    "flow_run_url": "",
    "service_ui_url": "",
    "qdash_ui_url": "",
    "message": "",
}


def started() -> httpx.Response:
    return httpx.Response(200, json=STARTED)


def summary(number: int, **more: object) -> dict[str, object]:
    return {
        "name": "morning",
        "execution_id": f"20260301-{number:03}",
        "status": "completed",
        "message": None,
        "user_id": "u",
        "username": "ada",
        "start_at": "2026-03-01T09:30:00.000Z",
        "end_at": None,
        "elapsed_time": None,
        "tags": [],
        "note": {},
        "flow_run_state": "x",
        **more,
    }


def execution(status: str, message: str | None = None) -> httpx.Response:
    fields = {"flow_name": "x", "task": [], "chip_id": "64Q", "waiting": None, "log": [], "flow_run_url": None}
    fields |= {"preempts": None, "preempted_by": None}
    return httpx.Response(200, json={**summary(1), **fields, "status": status, "message": message})


def stream(*events: dict[str, object], ids: bool = True, broken: bool = False) -> httpx.Response:
    lines = []
    for number, event in enumerate(events, 1):
        lines.append((f"id: {number}\n" if ids else "") + f"event: {event['type']}\ndata: {json.dumps(event)}\n\n")
    if broken:
        return httpx.Response(200, stream=Broken("".join(lines) + 'data: {"type": "ta'))
    return httpx.Response(200, text="".join(lines))


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that breaks off."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __iter__(self):  # type: ignore[no-untyped-def]
        yield self._text.encode()
        raise httpx.ReadError("connection reset")

    async def __aiter__(self):  # type: ignore[no-untyped-def]
        yield self._text.encode()
        raise httpx.ReadError("connection reset")
