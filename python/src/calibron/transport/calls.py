"""Requests to the service, before they are sent."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

File = bytes | tuple[str, bytes]
Files = Mapping[str, File]
"""Files of a form by the name of their field: contents, or name and contents."""

_REPEATABLE = ("GET", "PUT", "DELETE")


@dataclass
class Call:
    """One request. It can be sent again if the answer was lost."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Any = None
    multipart: Files | None = None
    bytes: bytes | None = None
    project: str | None = None
    takes_project: bool = False
    key: str | None = None
    takes_key: bool = False
    conditions: Mapping[str, str | None] = field(default_factory=dict)
    resumes: bool = False
    """Whether a stream that broke off goes on after the last event that was heard."""

    def __post_init__(self) -> None:
        if self.takes_key and self.key is None:
            # The same for every attempt, so that a lost answer never starts a second run.
            self.key = str(uuid.uuid4())

    @staticmethod
    def part(value: object) -> str:
        """A value as a part of a path."""
        return quote(str(value), safe="")

    @property
    def repeatable(self) -> bool:
        """Whether sending it twice has the effect of sending it once."""
        return self.method in _REPEATABLE or self.takes_key

    def parameters(self) -> list[tuple[str, str | int | float | bool | None]]:
        """The query. None is left out, a list is repeated."""
        pairs: list[tuple[str, str | int | float | bool | None]] = []
        for name, value in self.query.items():
            for each in value if isinstance(value, list | tuple | set) else [value]:
                if each is not None:
                    pairs.append((name, _text(each)))
        return pairs

    def headers(self, project: str | None) -> dict[str, str]:
        headers = {}
        if self.takes_project and (self.project or project):
            headers["X-Project-Id"] = self.project or project or ""
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        if self.bytes is not None:
            headers["Content-Type"] = "application/octet-stream"
        headers |= {name: value for name, value in self.conditions.items() if value is not None}
        return headers

    def content(self) -> dict[str, Any]:
        """The body, as arguments of httpx."""
        if self.json is not None:
            return {"json": wire_of(self.json)}
        if self.form is not None:
            return {"data": wire_of(self.form)}
        if self.multipart is not None:
            files = {name: each if isinstance(each, tuple) else (name, each) for name, each in self.multipart.items()}
            return {"files": files}
        if self.bytes is not None:
            return {"content": self.bytes}
        return {}


def wire_of(value: Any) -> Any:
    """A body as JSON values. Fields of a model that were not set are left out."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, Mapping):
        return {name: wire_of(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [wire_of(each) for each in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime | date) else str(value)
