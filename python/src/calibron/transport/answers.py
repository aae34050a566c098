"""Reads answers: models, pages and events."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import parse_qsl

import httpx
from pydantic import Field, TypeAdapter


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if any(get_origin(each) is dict for each in get_args(kind)):
        # Every JSON object is a dict exactly, so that a model beside it would never be chosen.
        return TypeAdapter(Annotated[kind, Field(union_mode="left_to_right")])
    return TypeAdapter(kind)


_kept_adapter = lru_cache(maxsize=1024)(_adapter)


def read(kind: Any, value: Any) -> Any:
    """A JSON value as a model or as any other type. Of a model and a dict, the model if it fits."""
    try:
        return _kept_adapter(kind).validate_python(value)
    except TypeError:  # a type that has no hash
        return _adapter(kind).validate_python(value)


def next_query(response: httpx.Response) -> list[tuple[str, str]] | None:
    """The query of the next page by the header Link; None on the last page."""
    reference = response.links.get("next", {}).get("url")
    if not reference:
        return None
    return parse_qsl(reference.partition("?")[2], keep_blank_values=True)


class EventReader:
    """Collects the lines of a stream into events."""

    def __init__(self) -> None:
        self._data: list[str] = []
        self._id: str | None = None
        self.last_id: str | None = None
        """Of the last whole event that had one."""
        self.ended = False
        """Whether the last event was the end of the stream."""

    def take(self, line: str) -> Any:
        """Takes a line. Returns the JSON of an event that it ends, or None."""
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.startswith("id:"):
            self._id = line[3:].strip()
        elif line == "" and self._data:
            text, self._data = "\n".join(self._data), []
            self.last_id = self._id or self.last_id
            event = json.loads(text)
            self.ended = isinstance(event, dict) and event.get("type") == "end"
            return event
        return None

    def forget_part(self) -> None:
        """Drops an event of which the stream broke off."""
        self._data = []
        self._id = None
