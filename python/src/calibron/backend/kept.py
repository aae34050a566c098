"""Finished measurements, kept until it is certain that they were delivered."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

from .request import Request

_IN_MEMORY = 500
_FOLDER = "results_to_deliver"


class KeptResults:
    """Keeps outcomes in memory, and in the request's directory if it is shared. A repetition is answered from here."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def find(self, request: Request) -> dict[str, Any] | None:
        """The outcome of the same request, if it is kept."""
        kept = self._kept.get(request.key()) or _read(_file(request))
        return kept if kept is not None and kept.get("request") == request.same() else None

    def keep(self, request: Request, outcome: dict[str, Any]) -> dict[str, Any]:
        """Keeps an outcome: `result`, `failure`, `started_at` and `finished_at`."""
        kept = {"request": request.same(), "attempt": request.attempt, **outcome}
        self._kept[request.key()] = kept
        while len(self._kept) > _IN_MEMORY:
            self._kept.popitem(last=False)
        file = _file(request)
        try:
            file.parent.mkdir(exist_ok=True)
            partial = file.with_name(f".{file.name}.partial")
            partial.write_text(json.dumps(kept, allow_nan=False), encoding="utf-8")
            partial.replace(file)
        except OSError:
            pass  # No shared file system: the outcome is in memory.
        return kept


def _file(request: Request) -> Path:
    return request.artifact_dir / _FOLDER / f"{request.key()}.json"


def _read(file: Path) -> dict[str, Any] | None:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) else None
