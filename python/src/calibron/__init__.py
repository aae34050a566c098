"""Calibron for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import VERSION

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .client import Client
    from .transport.errors import (
        CalibronError,
        Conflict,
        Forbidden,
        InvalidRequest,
        NotFound,
        RunFailed,
        ServiceError,
        Unauthenticated,
        Unreachable,
    )

__version__ = VERSION

_PLACES = {
    "Client": ".client",
    "AsyncClient": ".async_client",
    **dict.fromkeys(
        (
            *("CalibronError", "Conflict", "Forbidden", "InvalidRequest", "NotFound", "RunFailed"),
            *("ServiceError", "Unauthenticated", "Unreachable"),
        ),
        ".transport.errors",
    ),
}

__all__ = [
    "AsyncClient",
    "CalibronError",
    "Client",
    "Conflict",
    "Forbidden",
    "InvalidRequest",
    "NotFound",
    "RunFailed",
    "ServiceError",
    "Unauthenticated",
    "Unreachable",
]


def __getattr__(name: str) -> Any:
    """Loads the client only when it is used: a backend needs none of it."""
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(place, __name__), name)
