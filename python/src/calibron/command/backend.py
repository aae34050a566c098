"""`calibron backend`: serves an instrument, and checks a worker."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from .common import fail

if TYPE_CHECKING:
    from ..backend import Backend

app = typer.Typer(no_args_is_help=True, help="Serve an instrument to Calibron, and check its worker.")


def load_backend(place: str) -> Backend:
    """Imports `package.module:name`. Exits with a message if there is no backend."""
    try:
        from ..backend import Backend
    except ImportError as error:
        raise fail(f'Serving needs more packages: pip install "calibron[backend]" ({error}).') from None
    module, _, name = place.partition(":")
    if not module:
        raise fail("Name the backend as module:variable, such as lab.fridge:backend.")
    sys.path.insert(0, os.getcwd())
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise fail(f"There is no module {module} here; run the command where it can be imported.") from None
    found = getattr(loaded, name or "backend", None)
    if not isinstance(found, Backend):
        raise fail(f"{module} has no Backend named {name or 'backend'}.")
    return found


@app.command()
def serve(
    place: Annotated[str, typer.Argument(metavar="MODULE:NAME", help="Such as lab.fridge:backend")],
) -> None:
    """Serve a backend until it is stopped."""
    backend = load_backend(place)
    try:
        backend.serve()
    except ValueError as error:  # of its configuration
        raise fail(str(error)) from None


@app.command()
def check(
    place: Annotated[str | None, typer.Argument(metavar="MODULE:NAME", help="Such as lab.fridge:backend")] = None,
    command: Annotated[
        str | None, typer.Option(help="Command of a worker in any language, in place of MODULE:NAME")
    ] = None,
    task: Annotated[list[str] | None, typer.Option(help="Task to measure; may be repeated")] = None,
    slow: Annotated[
        list[str] | None, typer.Option(help="Run parameter with which a measurement takes ten seconds: shots=100000")
    ] = None,
    patience: Annotated[float, typer.Option(help="Seconds that a measurement may take")] = 60.0,
    only: Annotated[list[str] | None, typer.Option(help="Only checks with this in their name")] = None,
    log: Annotated[Path | None, typer.Option(help="File for what the worker writes; default: none")] = None,
) -> None:
    """Play Temporal and Calibron against a worker, and print what the lab has to fix."""
    try:
        from ..check import Report, check_worker
        from ..check.worker import serve_command
    except ImportError as error:
        raise fail(f'Checking needs more packages: pip install "calibron[check]" ({error}).') from None
    if (place is None) == (command is None):
        raise fail("Name either a backend, such as lab.fridge:backend, or a worker's --command.")
    words = serve_command(place) if place is not None else shlex.split(command or "")
    if place is not None:
        load_backend(place)
    console = Console(soft_wrap=True)
    report = asyncio.run(
        check_worker(
            words,
            tasks=task or [],
            slow=dict(_setting(each) for each in slow or []),
            patience=patience,
            report=Report(console),
            only=only or [],
            log=log,
        )
    )
    if report.failed:
        console.print(f"{len(report.failed)} to fix.")
        raise typer.Exit(1)
    console.print("Nothing to fix.")


@app.command()
def analyse(
    place: Annotated[str, typer.Argument(metavar="MODULE:NAME", help="Such as lab.fridge:backend")],
    task: Annotated[str, typer.Argument(help="A task with an analysis of its own")],
    file: Annotated[Path, typer.Argument(help="Its raw data, as calibron download gets them")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", "-s", help="Run parameter as NAME=VALUE; may be repeated")
    ] = None,
) -> None:
    """Repeat the analysis of a task of your own on its raw data, and print what it finds as JSON."""
    backend = load_backend(place)
    from ..backend import MeasurementError

    try:
        found = backend.analyse(task, file, dict(_setting(each) for each in set_ or []))
    except MeasurementError as error:
        raise fail(str(error)) from None
    wire = found.wire()
    typer.echo(json.dumps({"outputs": wire["outputs"], "r2": wire.get("quality", {}).get("r2")}, indent=2))


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise fail(f"Write a run parameter as NAME=VALUE, not {text}.")
    try:
        return name, float(value) if "." in value or "e" in value else int(value)
    except ValueError:
        return name, value
