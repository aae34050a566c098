"""What the commands share: the client, exit codes and tables."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..client import Client

FAILED = 1
"""The run failed, or a check found something."""
USAGE = 2
"""The arguments are wrong."""
REFUSED = 3
"""The service refused: no permission, no such thing, a busy project."""
AWAY = 4
"""The service, or something that it needs, is not available."""

_WIDTH_OF_FILES = 200

# What goes to a file or another program is not folded to the width of a terminal.
out = Console(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_FILES)
err = Console(stderr=True, soft_wrap=True, highlight=False)

ChipOption = Annotated[str | None, typer.Option("--chip", help="Chip; default: CALIBRON_CHIP, or the only one")]
FormatOption = Annotated[str, typer.Option("--format", help="table, json, csv or parquet")]


def fail(message: str, code: int = USAGE) -> typer.Exit:
    """Prints a message to standard error; raise what it returns."""
    err.print(message, markup=False)
    return typer.Exit(code)


def client_of(context: typer.Context) -> Client:
    """The client by the options of the program, the environment and the last login."""
    from ..client import Client
    from ..transport.policy import Retries

    given = context.ensure_object(dict)
    if "client" not in given:
        # A person waits: an unreachable service is reported after some seconds.
        retries = Retries(attempts=4)
        given["client"] = Client(given.get("url"), project=given.get("project"), retries=retries)
    client: Client = given["client"]
    return client


def chip_of(client: Client, chip: str | None) -> str:
    """The chip that was named, or the only active one of the project."""
    named = chip or os.environ.get("CALIBRON_CHIP")
    if named:
        return named
    active = [each.chip_id for each in client.list_chips().chips if each.activity_status == "active"]
    if len(active) == 1:
        return active[0]
    raise fail(f"Name the chip by --chip; this project has {', '.join(active) or 'none'}.")


def settings(pairs: Sequence[str] | None) -> dict[str, Any]:
    """`NAME=VALUE` as parameters. A value that is JSON is taken as JSON, anything else as text."""
    made: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise fail(f"Write a parameter as NAME=VALUE, not {pair}.")
        try:
            made[name] = json.loads(value)
        except ValueError:
            made[name] = value
    return made


def show(rows: Iterable[dict[str, Any]], columns: Sequence[str], form: str) -> None:
    """Prints rows as a table, or in a form for programs."""
    every = list(rows)
    if form == "table":
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column.replace("_", " "))
        for row in every:
            table.add_row(*(Text(_cell(row.get(column))) for column in columns))
        out.print(table)
    elif form == "json":
        print(json.dumps([{column: _plain(row.get(column)) for column in columns} for row in every], indent=1))
    elif form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_plain(row.get(column)) for column in columns] for row in every)
        print(text.getvalue(), end="")
    elif form == "parquet":
        _parquet(every, columns)
    else:
        raise fail(f"There is no format {form}; use table, json, csv or parquet.")


def _parquet(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    try:
        import pandas
    except ImportError:
        raise fail('Parquet needs more packages: pip install "calibron[notebook]".') from None
    if sys.stdout.isatty():
        raise fail("Parquet is binary: send it to a file, such as … --format parquet > results.parquet.")
    frame = pandas.DataFrame([[_plain(row.get(column)) for column in columns] for row in rows], columns=list(columns))
    frame.to_parquet(sys.stdout.buffer)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return f"{value:.6g}"
    return ", ".join(str(each) for each in value) if isinstance(value, list) else str(value)
