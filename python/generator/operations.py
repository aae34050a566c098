"""Methods for every operation of the document, sync and async."""

from __future__ import annotations

import keyword
import re
import textwrap
from dataclasses import dataclass
from typing import Any

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


@dataclass(frozen=True)
class Argument:
    """An argument of a method."""

    name: str
    wire: str
    place: str
    type: str
    required: bool


@dataclass(frozen=True)
class Operation:
    """An operation as a method."""

    name: str
    tag: str
    method: str
    path: str
    summary: str
    arguments: tuple[Argument, ...]
    body: str | None
    """Type of the body."""
    body_kind: str
    """json, form or multipart"""
    answer: str
    """Type of the answer: a model, bytes, or None."""
    kind: str
    """json, bytes, events or page"""
    items: tuple[str, str] | None
    """Of a list: the field with the entries and their type."""
    takes_project: bool
    takes_key: bool
    part: tuple[str, str] | None
    """Of an answer that may be a part of a thing: the argument that asks for it, and its type."""
    resumes: bool
    """Whether a stream goes on from the last event that was heard."""


def operations(document: dict[str, Any]) -> list[Operation]:
    found = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                found.append(_operation(document, path, method, operation))
    # The document lists groups of routes in the order in which they were registered.
    return sorted(found, key=lambda each: (each.tag, each.path, each.method))


def _operation(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> Operation:
    parameters = operation.get("parameters", [])
    headers = [each["name"].lower() for each in parameters if each["in"] == "header"]
    arguments = [_argument(each) for each in parameters if each["in"] != "header" or each["name"] == "if-match"]
    arguments.sort(key=lambda each: (each.place != "path", not each.required))
    body, body_kind = _body(operation)
    answer, kind = _answer(operation)
    return Operation(
        name=operation["operationId"],
        tag=operation["tags"][0],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        arguments=tuple(arguments),
        body=body,
        body_kind=body_kind,
        answer=answer,
        kind=kind,
        items=_items(document, operation),
        part=_part(operation),
        takes_project="x-project-id" in headers,
        takes_key="idempotency-key" in headers,
        resumes="last-event-id" in headers,
    )


def _part(operation: dict[str, Any]) -> tuple[str, str] | None:
    described = operation.get("x-partial-answer")
    return (described["parameter"], type_of(described["schema"])) if described else None


def _argument(parameter: dict[str, Any]) -> Argument:
    name = re.sub(r"\W", "_", parameter["name"])
    return Argument(
        name=f"{name}_" if keyword.iskeyword(name) or name in ("self", "body", "project") else name,
        wire=parameter["name"],
        place=parameter["in"],
        type=type_of(parameter["schema"]),
        required=bool(parameter.get("required")),
    )


def type_of(schema: dict[str, Any]) -> str:
    """The annotation of a value of a schema."""
    if "$ref" in schema:
        return f"m.{schema['$ref'].rsplit('/', 1)[-1]}"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " | ".join(dict.fromkeys(type_of(each) for each in choices))
    if schema.get("type") == "null":
        return "None"
    if "enum" in schema:
        # Later versions may add words.
        return "str" if all(isinstance(each, str) for each in schema["enum"]) else "Any"
    if schema.get("type") == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    if schema.get("type") == "object":
        inside = schema.get("additionalProperties")
        return f"dict[str, {type_of(inside) if isinstance(inside, dict) else 'Any'}]"
    return _SCALARS.get(str(schema.get("type")), "Any")


def _body(operation: dict[str, Any]) -> tuple[str | None, str]:
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return None, ""
    for media, kind in (("json", "json"), ("x-www-form-urlencoded", "form"), ("multipart", "multipart")):
        for name, each in content.items():
            if media in name:
                is_files = kind == "multipart"
                return ("Files" if is_files else type_of(each["schema"])), kind
    return "bytes", "bytes"


def _answer(operation: dict[str, Any]) -> tuple[str, str]:
    for status, response in sorted(operation["responses"].items()):
        if not status.startswith("2"):
            continue
        content = response.get("content", {})
        if not content:
            return "None", "json"
        if "text/event-stream" in content:
            return type_of(content["text/event-stream"].get("schema", {})), "events"
        if "application/json" in content and set(content) <= {"application/json", "text/html"}:
            return type_of(content["application/json"]["schema"]), "json"
        return "bytes", "bytes"
    return "None", "json"


def _items(document: dict[str, Any], operation: dict[str, Any]) -> tuple[str, str] | None:
    response = operation["responses"].get("200", {})
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    if "Link" not in response.get("headers", {}):
        return None
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    lists = [
        (name, type_of(each.get("items", {})))
        for name, each in schema.get("properties", {}).items()
        if each.get("type") == "array"
    ]
    if schema.get("type") == "array":
        return "", type_of(schema.get("items", {}))
    return lists[0] if len(lists) == 1 else None


def module_of(tag: str) -> str:
    return re.sub(r"\W", "_", tag)


def source_of(tag: str, every: list[Operation]) -> str:
    """The module with the operations of a tag."""
    name = "".join(part.title() for part in tag.split("-"))
    made = [
        f'"""Operations of the interface: {tag}. Generated; see python/generator."""',
        "from __future__ import annotations",
        "from collections.abc import AsyncIterator, Iterator",
        f"from typing import {'Any, overload' if any(each.part for each in every) else 'Any'}",
        "from ..transport.calls import Call, Files",
        "from ..transport.senders import AsyncSender, Sender",
        "from . import models as m",
        f"class {name}Operations(Sender):",
        *(_method(each, is_async=False) for each in every),
        f"class Async{name}Operations(AsyncSender):",
        *(_method(each, is_async=True) for each in every),
    ]
    return "\n\n".join(made) + "\n"


def _method(operation: Operation, *, is_async: bool) -> str:
    kind, answer = operation.kind, operation.answer
    iterator = "AsyncIterator" if is_async else "Iterator"
    arguments = ["self"]
    arguments += [f"{each.name}: {each.type}" for each in operation.arguments if each.place == "path"]
    if operation.body:
        arguments.append(f"body: {operation.body}")
    named = [f"{each.name}: {each.type}" for each in operation.arguments if each.place == "query" and each.required]
    named += [
        f"{each.name}: {each.type} | None = None"
        for each in operation.arguments
        if each.place != "path" and not each.required
    ]
    if operation.takes_project:
        named.append("project: str | None = None")
    if operation.takes_key:
        named.append("idempotency_key: str | None = None")
    if named:
        arguments += ["*", *named]
    call = _call(operation)
    doc = f'"""{operation.summary}."""'.replace("..", ".")
    if kind == "events":
        head = f"def {operation.name}({', '.join(arguments)}) -> {iterator}[{answer}]:"
        lines = [head, f"    {doc}", f"    return self._events({call}, {answer})"]
        return textwrap.indent("\n".join(lines), "    ")
    wait, define = ("await ", "async def") if is_async else ("", "def")
    overloads = []
    if operation.part:
        name, part = operation.part
        given = next(each for each in arguments if each.startswith(f"{name}: "))
        asked = given.removesuffix(" | None = None")
        for choice, kind_of in ((f"{name}: None = None", answer), (asked, part)):
            chosen = ", ".join(choice if each == given else each for each in arguments)
            overloads += ["@overload", f"{define} {operation.name}({chosen}) -> {kind_of}: ..."]
        head = f"{define} {operation.name}({', '.join(arguments)}) -> {answer} | {part}:"
        answer = f"{answer} if {name} is None else {part}"
    else:
        head = f"{define} {operation.name}({', '.join(arguments)}) -> {answer}:"
    if kind == "bytes":
        result = f"return {wait}self._bytes({call})"
    elif answer == "None":
        result = f"{wait}self._nothing({call})"
    else:
        result = f"return {wait}self._model({call}, {answer})"
    text = "\n".join([*overloads, head, f"    {doc}", f"    {result}"])
    if operation.items:
        text += "\n\n" + _pages(operation, arguments, call, iterator)
    return textwrap.indent(text, "    ")


def _pages(operation: Operation, arguments: list[str], call: str, iterator: str) -> str:
    field, item = operation.items or ("", "")
    name = re.sub(r"^(admin_)?(?:list|get|search)_", r"iterate_\1", operation.name)
    return "\n".join(
        [
            f"def {name}({', '.join(arguments)}) -> {iterator}[{item}]:",
            f'    """{operation.summary}, page after page."""'.replace("..", "."),
            f'    return self._pages({call}, "{field}", {item})',
        ]
    )


def _call(operation: Operation) -> str:
    path = operation.path
    for each in operation.arguments:
        if each.place == "path":
            path = path.replace(f"{{{each.wire}}}", f"{{Call.part({each.name})}}")
    parts = [f'"{operation.method}"', f'{"f" if path != operation.path else ""}"{path}"']
    query = [f'"{each.wire}": {each.name}' for each in operation.arguments if each.place == "query"]
    if query:
        parts.append(f"query={{{', '.join(query)}}}")
    conditions = [f'"{each.wire}": {each.name}' for each in operation.arguments if each.place == "header"]
    if conditions:
        parts.append(f"conditions={{{', '.join(conditions)}}}")
    if operation.resumes:
        parts.append("resumes=True")
    if operation.body:
        parts.append(f"{operation.body_kind}=body")
    if operation.takes_project:
        parts.append("project=project")
        parts.append("takes_project=True")
    if operation.takes_key:
        parts.append("key=idempotency_key")
        parts.append("takes_key=True")
    return f"Call({', '.join(parts)})"
