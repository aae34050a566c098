"""`calibron import-params`: start values of a chip from a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import FAILED, ChipOption, chip_of, client_of, err, fail, out

Values = dict[str, dict[str, float | None]]


def import_params(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON by parameter and qubit, or CSV: parameter,qid,value")],
    chip: ChipOption = None,
) -> None:
    """Make the values of a file the calibration state of qubits, as start values."""
    from ..api import models as m

    values = read_values(file)
    client = client_of(context)
    body = m.SeedImportRequest(chip_id=chip_of(client, chip), manual_data=values, source="manual")
    found = client.import_seeds(body)
    out.print(f"{found.imported_count} imported, {found.skipped_count} skipped, {found.error_count} refused.")
    for each in found.results:
        if each.status == "error":
            err.print(f"{each.parameter_name} of {each.qid}: {each.message}", markup=False)
    if found.error_count:
        raise typer.Exit(FAILED)


def read_values(file: Path) -> Values:
    """Values by parameter and qubit. Exits with a message if the file has anything else."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise fail(f"{file} cannot be read: {error.strerror}.") from None
    return _from_json(file, text) if file.suffix.lower() == ".json" else _from_csv(file, text)


def _from_json(file: Path, text: str) -> Values:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise fail(f"{file} is not JSON: {error}.") from None
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise fail(f'{file} must have values by parameter and qubit: {{"t1": {{"0": 50.1}}}}.')
    rows = ((name, qid, value) for name, values in found.items() for qid, value in values.items())
    return _collected(file, rows)


def _from_csv(file: Path, text: str) -> Values:
    reader = csv.DictReader(text.splitlines())
    missing = [name for name in ("parameter", "qid", "value") if name not in (reader.fieldnames or [])]
    if missing:
        raise fail(f"{file} has no column {missing[0]}; it needs parameter, qid and value.")
    return _collected(file, ((row["parameter"], row["qid"], row["value"]) for row in reader))


def _collected(file: Path, rows: Iterable[tuple[str, str, Any]]) -> Values:
    made: Values = {}
    for name, qid, value in rows:
        try:
            number = None if value in (None, "") else float(value)
        except (TypeError, ValueError):
            raise fail(f"{file}: {name} of {qid} is not a number: {value}.") from None
        made.setdefault(name, {})[qid] = number
    if not made:
        raise fail(f"{file} has no values.")
    return made
