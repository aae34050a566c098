"""Errors of the client."""

from __future__ import annotations

import json
from typing import Any

import httpx


class CalibronError(Exception):
    """Base of all errors of the client."""


class ServiceError(CalibronError):
    """An error answer of the service. `code` is stable, the message says what to do."""

    def __init__(self, status: int, code: str, detail: Any, request_id: str) -> None:
        self.status = status
        self.code = code
        self.detail = detail
        self.request_id = request_id
        super().__init__(_message(detail))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.code, self.detail, self.request_id)


class Unauthenticated(ServiceError):
    """There is no valid token: sign in again."""


class Forbidden(ServiceError):
    """The user is not allowed to do this."""


class NotFound(ServiceError):
    """What was named does not exist, or is not visible to the user."""


class Conflict(ServiceError):
    """The present state does not permit this, such as a project that another run holds."""


class InvalidRequest(ServiceError):
    """The request is not valid. `detail` lists every problem."""


class Unreachable(CalibronError):
    """The service gave no answer, also when asked again."""


def ended(status: str) -> str:
    """How a run ended, in words: has failed, was cancelled."""
    return {"failed": "has failed", "cancelled": "was cancelled"}.get(status, f"is {status}")


class RunFailed(CalibronError):
    """A run that was waited for ended otherwise than completed."""

    def __init__(self, execution_id: str, status: str, message: str) -> None:
        self.execution_id = execution_id
        self.status = status
        self.message = message
        super().__init__(f"The run {execution_id} {ended(status)}{f': {message}' if message else '.'}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.execution_id, self.status, self.message)


_BY_STATUS: dict[int, type[ServiceError]] = {
    400: InvalidRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: InvalidRequest,
}


def error_of(response: httpx.Response) -> ServiceError:
    """The error that an answer reports. Its body must have been read."""
    try:
        body = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        body = {}
    if not isinstance(body, dict):
        body = {}
    kind = _BY_STATUS.get(response.status_code, ServiceError)
    detail = body.get("detail", f"The service answered {response.status_code}.")
    request_id = response.headers.get("x-request-id", "")
    return kind(response.status_code, str(body.get("code", "unknown")), detail, request_id)


def _message(detail: Any) -> str:
    if isinstance(detail, str):
        return detail
    if not isinstance(detail, list):
        return json.dumps(detail)
    lines = []
    for problem in detail:
        if not isinstance(problem, dict):
            lines.append(str(problem))
            continue
        place = ".".join(str(each) for each in problem.get("loc", [])[1:])
        lines.append(f"{place}: {problem.get('msg', '')}" if place else str(problem.get("msg", "")))
    return "; ".join(lines)
