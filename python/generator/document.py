"""The OpenAPI document, prepared for models that accept what later versions add."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

_CHECKED_BY_THE_SERVICE = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("pattern", "minItems", "maxItems", "uniqueItems", "propertyNames", "examples", "example"),
    *("minProperties", "maxProperties", "default", "format"),
)
"""Keywords that a model leaves out: the service checks them and says what is wrong."""


def read(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document


def fingerprint(document: dict[str, Any]) -> str:
    """Identifies the interface, without its version."""
    named = {name: value for name, value in document.items() if name != "info"}
    content = json.dumps(named, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()


def schemas_only(document: dict[str, Any]) -> dict[str, Any]:
    """A document of the schemas alone."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Calibron", "version": "1"},
        "paths": {},
        "components": {"schemas": {name: _plain(each) for name, each in _schemas(document).items()}},
    }


def _schemas(document: dict[str, Any]) -> dict[str, Any]:
    schemas: dict[str, Any] = document["components"]["schemas"]
    return schemas


def _plain(schema: Any) -> Any:
    """A schema without the checks of the service, whose optional fields may be left out of answers."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    is_schema = "type" in schema or "anyOf" in schema or "$ref" in schema or "enum" in schema
    plain = {
        name: {key: _plain(each) for key, each in value.items()} if name == "properties" else _plain(value)
        for name, value in schema.items()
        if not (is_schema and name in _CHECKED_BY_THE_SERVICE)
    }
    if is_schema and schema.get("format") == "date-time":
        plain["format"] = "date-time"
    if is_schema and schema.get("format") == "binary":
        plain["format"] = "binary"
    if is_schema and schema.get("type") == "object" and plain.get("additionalProperties") is False:
        # Later versions may add fields.
        del plain["additionalProperties"]
    return plain


if __name__ == "__main__":
    print(fingerprint(read(Path(sys.argv[1]).read_text(encoding="utf-8"))))
