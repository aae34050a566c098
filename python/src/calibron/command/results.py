"""Commands that read results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..numbers import readable
from .common import REFUSED, ChipOption, FormatOption, chip_of, client_of, err, fail, out, show

if TYPE_CHECKING:
    from ..api import models as m
    from ..client import Client

_COLUMNS = ("target", "task", "parameter", "value", "error", "unit", "status", "end_at", "execution_id", "task_id")


def chips(context: typer.Context, form: FormatOption = "table") -> None:
    """List the chips of the project."""
    rows = [each.model_dump() for each in client_of(context).list_chips().chips]
    show(rows, ("chip_id", "size", "topology_id", "activity_status", "current_cooldown_id", "installed_at"), form)


def results(
    context: typer.Context,
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as CheckT1")],
    chip: ChipOption = None,
    couplings: Annotated[bool, typer.Option("--couplings", help="Of couplings, not of qubits")] = False,
    form: FormatOption = "table",
) -> None:
    """The newest values of a task, one line for each value of each target."""
    client = client_of(context)
    chip_id = chip_of(client, chip)
    rows = list(_values(client, chip_id, task, couplings=couplings))
    show(rows, _COLUMNS, form)
    # A misspelt task name gives the same table as a task without results.
    if all(each["status"] == "pending" for each in rows):
        err.print(f"No target of {chip_id} has a result of {task} yet.", markup=False)


def _values(client: Client, chip: str, task: str, *, couplings: bool) -> Iterator[dict[str, Any]]:
    if couplings:
        latest = client.list_latest_coupling_results(chip_id=chip, task=task)
    else:
        latest = client.list_latest_qubit_results(chip_id=chip, task=task)
    for target, entry in latest.result.items():
        given = entry.model_dump()
        common = {"target": target, "task": task, "status": given["status"]}
        common |= {name: given.get(name) for name in ("end_at", "execution_id", "task_id")}
        outputs = given.get("output_parameters") or {}
        if not outputs:
            yield common
        for name, output in outputs.items():
            yield {**common, "parameter": name, **{key: output.get(key) for key in ("value", "error", "unit")}}


def why(
    context: typer.Context,
    parameter: Annotated[str, typer.Argument(metavar="PARAMETER", help="Such as t1")],
    qubit: Annotated[str | None, typer.Option("--qubit", "-q", help="Such as 3")] = None,
    coupling: Annotated[str | None, typer.Option("--coupling", help="Such as 0-1")] = None,
    chip: ChipOption = None,
) -> None:
    """Explain why a value of calibration state is what it is."""
    if (qubit is None) == (coupling is None):
        raise fail("Name either a --qubit or a --coupling.")
    client = client_of(context)
    target = qubit or coupling or ""
    history = client.get_parameter_history(
        parameter_name=parameter, qid=target, chip_id=chip_of(client, chip), limit=1
    ).model_dump()
    versions = next((each for each in history.values() if isinstance(each, list)), [])
    if not versions:
        raise fail(f"There is no value of {parameter} for {target}.", REFUSED)
    for line in explanation_lines(client.explain_parameter_version(versions[0]["entity_id"]).model_dump()):
        out.print(line, markup=False)


def output_lines(execution: m.Execution) -> Iterator[str]:
    """The values that a run found, as lines of text: `t1 = 50.1 ± 3.4 us`."""
    for task in execution.task:
        for name, found in task.output_parameters.items():
            if isinstance(found.value, int | float):
                yield f"{name} = {readable(float(found.value), found.error)} {found.unit}".rstrip()


def explanation_lines(found: dict[str, Any]) -> Iterator[str]:
    """An explanation as lines of text."""
    version = found["entity"]
    shown = f"{readable(version['value'], version['error'])} {version['unit']}".rstrip()
    head = f"{version['parameter_name']} of {version['qid']} is {shown}"
    yield f"{head}, version {version['version']} since {version['valid_from'].astimezone():%Y-%m-%d %H:%M}."
    task = found.get("task")
    if task:
        yield f"{task['task_name']} measured it in {version['execution_id']}: {task['message'] or task['status']}"
    if found.get("reason"):
        yield f"Reason: {found['reason']}"
    for gate in found.get("gates") or []:
        yield f"  {'passed' if gate['passed'] else 'failed'} {gate['rule']}: {gate['detail']}"
    for given in found.get("inputs") or []:
        value = f"{readable(given.get('value'), given.get('error'))} {given.get('unit') or ''}".rstrip()
        yield f"  from {given.get('parameter_name')} = {value}"
    previous = found.get("previous")
    if previous:
        since = f"{previous['valid_from'].astimezone():%Y-%m-%d %H:%M}"
        yield f"Before: {readable(previous['value'], previous.get('error'))} {previous['unit']} since {since}."


def download(
    context: typer.Context,
    task_id: Annotated[str, typer.Argument(metavar="TASK_ID", help="Of a task result")],
    directory: Annotated[Path, typer.Option("--to", help="Folder for the files")] = Path(),
) -> None:
    """Download the figures and raw data of a task result."""
    client = client_of(context)
    result = client.get_task_result(task_id)
    paths = [*result.raw_data_path, *result.json_figure_path, *result.figure_path]
    if not paths:
        raise fail(f"The task result {task_id} has no files.", REFUSED)
    directory.mkdir(parents=True, exist_ok=True)
    for path in paths:
        is_picture = path in result.figure_path
        content = client.get_figure(path=path) if is_picture else client.get_artifact(path=path)
        file = directory / Path(path).name
        file.write_bytes(content)
        out.print(file, markup=False)
