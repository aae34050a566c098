"""Calibron's tasks as this package knows them: generated from the catalog by `npm run python-catalog`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def catalog() -> dict[str, dict[str, Any]]:
    """By name: type, scope, inputs, run parameters, outputs, and what data the analysis reads."""
    text = files("calibron").joinpath("catalog.json").read_text(encoding="utf-8")
    tasks: dict[str, dict[str, Any]] = json.loads(text)
    return tasks
