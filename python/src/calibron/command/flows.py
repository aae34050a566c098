"""`calibron flows`: a folder of TypeScript flows, under version control, and those of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import FAILED, ChipOption, chip_of, client_of, err, fail, out

app = typer.Typer(no_args_is_help=True, help="Push, pull and compare a folder of flows.")

Folder = Annotated[Path, typer.Argument(help="Folder with one file NAME.ts for each flow")]
_SETTINGS = ("description", "chip_id", "flow_function_name", "default_parameters", "default_run_parameters", "tags")


@app.command()
def pull(context: typer.Context, folder: Folder = Path("flows")) -> None:
    """Write the flows of the project to a folder: NAME.ts, and NAME.json with what is saved beside the code."""
    client = client_of(context)
    folder.mkdir(parents=True, exist_ok=True)
    for each in client.list_flows().flows:
        flow = client.get_flow(each.name).model_dump()
        changed = _write(folder / f"{each.name}.ts", flow["code"])
        text = json.dumps({name: flow[name] for name in _SETTINGS}, indent=2, ensure_ascii=False) + "\n"
        if _write(folder / f"{each.name}.json", text) or changed:
            out.print(f"pulled {each.name}", markup=False)


@app.command()
def push(context: typer.Context, folder: Folder = Path("flows"), chip: ChipOption = None) -> None:
    """Save the flows of a folder that differ from those of the project."""
    from ..api import models as m
    from ..transport.errors import ServiceError

    client = client_of(context)
    saved = _saved(context)
    refused = 0
    for name, flow in _flows(folder).items():
        if name in saved and all(saved[name].get(key) == value for key, value in flow.items()):
            continue
        body = {**flow, "name": name, "chip_id": flow.get("chip_id") or chip_of(client, chip)}
        try:
            client.save_flow(m.FlowCreate.model_validate(body))
        except ServiceError as error:
            if error.status not in (400, 409, 422):
                raise
            err.print(f"{name}: {error}", markup=False)
            refused += 1
            continue
        out.print(f"pushed {name}", markup=False)
    if refused:
        raise typer.Exit(FAILED)


@app.command()
def check(context: typer.Context, folder: Folder = Path("flows")) -> None:
    """Compare a folder with the project. Exits with 1 if they differ."""
    local, saved = _flows(folder), _saved(context)
    differences = [f"only in the folder: {name}" for name in local if name not in saved]
    differences += [f"only in the project: {name}" for name in saved if name not in local]
    for name, flow in local.items():
        if name in saved:
            parts = [key for key, value in flow.items() if saved[name].get(key) != value]
            differences += [f"{name} differs: {', '.join(parts)}"] if parts else []
    for line in differences:
        out.print(line, markup=False)
    if differences:
        raise typer.Exit(FAILED)


def _flows(folder: Path) -> dict[str, dict[str, Any]]:
    if not folder.is_dir():
        raise fail(f"There is no folder {folder}.")
    made: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.ts")):
        beside = file.with_suffix(".json")
        try:
            more = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
        except ValueError as error:
            raise fail(f"{beside} is not JSON: {error}.") from None
        made[file.stem] = {
            "code": file.read_text(encoding="utf-8"),
            **{key: more[key] for key in _SETTINGS if key in more},
        }
    return made


def _saved(context: typer.Context) -> dict[str, dict[str, Any]]:
    client = client_of(context)
    return {each.name: client.get_flow(each.name).model_dump() for each in client.list_flows().flows}


def _write(file: Path, text: str) -> bool:
    """Writes a file if its text differs. Returns whether it did."""
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return False
    file.write_text(text, encoding="utf-8")
    return True
