"""Frames, data and pictures for notebooks."""

import io
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest
import xarray
from rich.console import Console
from service import Service, execution, started, stream

from calibron import Client
from calibron.api import models as m
from calibron.backend import Dataset
from calibron.backend.netcdf import write_netcdf
from calibron.command.results import output_lines
from calibron.notebook import Lab, show_run
from calibron.notebook.files import read_dataset
from calibron.notebook.frames import wide
from calibron.notebook.lattice import draw
from calibron.notebook.show import Progress


def lab(*answers: httpx.Response) -> Lab:
    return Lab(client=Client("http://lab.example", token="t", transport=Service(*answers).transport()))


def test_values_become_columns_with_errors_and_units() -> None:
    rows = [
        {"target": "0", "values": {"t1": {"value": 50.0, "error": 1.5, "unit": "us"}}},
        {"target": "1", "values": {}},
    ]
    frame = wide(rows, "target")
    assert frame.loc["0", "t1"] == 50.0
    assert frame.loc["0", "t1_error"] == 1.5
    assert np.isnan(frame.loc["1", "t1"])
    assert frame.attrs["units"] == {"t1": "us", "t1_error": "us"}
    assert wide([], "target").empty


def test_a_frame_shows_the_digits_that_its_errors_leave() -> None:
    found = {"value": 33.72573919458028, "error": 0.57728, "unit": "us"}
    frame = wide([{"target": "0", "values": {"t1": found}}, {"target": "1", "values": {}}], "target")
    assert frame.shown().loc["0"].tolist() == ["33.73", "0.58"]
    assert frame.shown().loc["1"].tolist() == ["", ""]
    assert "33.73" in repr(frame[["t1", "t1_error"]])
    assert "33.7257" not in f"{frame!r}{frame._repr_html_()}"
    assert frame.loc["0", "t1"] == 33.72573919458028


def test_results_are_those_of_the_targets_that_have_one() -> None:
    found = {"t1": m.SparseParameterRecord.model_construct(value=50.0, error=1.0, unit="us")}
    measured = m.MeasuredEntry.model_construct(task_id="t", status="completed", output_parameters=found)
    waiting = m.PendingEntry.model_construct(name="CheckT1", status="pending")
    chip = lab().chip("64Q")
    latest = m.ResultsByTarget.model_construct(task_name="CheckT1", result={"0": measured, "1": waiting})
    chip.client.list_latest_qubit_results = lambda **_: latest  # type: ignore[method-assign]
    frame = chip.results("CheckT1")
    assert frame.index.tolist() == ["0"]
    assert frame.loc["0", "t1"] == 50.0


def version(number: int, value: float) -> dict[str, object]:
    return {
        "entity_id": f"e{number}",
        "parameter_name": "t1",
        "qid": "3",
        "value": value,
        "value_type": "float",
        "unit": "us",
        "error": 0 if number == 1 else 0.5,
        "version": number,
        "valid_from": f"2026-03-0{number}T09:00:00Z",
        "valid_until": None,
        "execution_id": "20260301-001",
        "task_id": "t",
        "task_name": "CheckT1",
        "project_id": "p",
        "chip_id": "64Q",
        "cooldown_id": None,
    }


def test_a_history_runs_from_old_to_new() -> None:
    versions = [version(2, 52.0), version(1, 50.0)]
    body = {"parameter_name": "t1", "qid": "3", "versions": versions, "total_versions": 2}
    frame = lab(httpx.Response(200, json=body)).chip("64Q").history("t1", 3)
    assert frame["t1"].tolist() == [50.0, 52.0]
    assert frame.index[0] == pd.Timestamp("2026-03-01T09:00:00Z")
    assert np.isnan(frame["t1_error"].iloc[0])
    assert frame.attrs["units"]["t1"] == "us"


def test_metrics_are_in_the_units_that_are_shown() -> None:
    chip = lab().chip("64Q")
    shown = m.ShownMetric.model_construct(unit="MHz", scale=1000)
    config = m.MetricsConfig.model_construct(qubit_metrics={"anharmonicity": shown}, coupling_metrics={})
    value = m.MetricValue.model_construct(value=-0.3, stddev=0.002)
    found = m.ChipMetrics.model_construct(qubit_metrics={"anharmonicity": {"3": value}}, coupling_metrics={})
    chip.client.get_metrics_config = lambda: config  # type: ignore[method-assign]
    chip.client.get_chip_metrics = lambda *_, **__: found  # type: ignore[method-assign]
    frame = chip.metrics()
    assert frame.loc["3", ["anharmonicity", "anharmonicity_error"]].tolist() == [-300, 2]
    assert frame.attrs["units"]["anharmonicity"] == "MHz"
    assert chip.metrics(couplings=True).empty


def test_raw_data_have_units_and_complex_signals(tmp_path: Path) -> None:
    data = Dataset().axis("time", [1.0, 2.0], "us").signal("iq", [1 + 2j, 3 + 4j], "V")
    write_netcdf(tmp_path / "x.nc", data, {"task_name": "CheckT1"})
    found = read_dataset((tmp_path / "x.nc").read_bytes())
    assert found.iq.values.tolist() == [1 + 2j, 3 + 4j]
    assert found.iq.attrs["units"] == "V"
    assert found.time.attrs["units"] == "us"
    assert found.attrs["task_name"] == "CheckT1"


def test_newer_files_are_read_too() -> None:
    content = io.BytesIO()
    xarray.Dataset({"x": ("time", [1.0, 2.0])}).to_netcdf(content, engine="h5netcdf")
    assert read_dataset(content.getvalue()).x.values.tolist() == [1.0, 2.0]


TOPOLOGY = m.TopologyDefinition.model_validate(
    {
        "id": "square",
        "name": "Square",
        "description": "",
        "grid_size": 2,
        "num_qubits": 4,
        "layout_type": "grid",
        "direction_convention": "unspecified",
        "mux": {"enabled": False, "size": 4},
        "qubits": {str(each): {"row": each // 2, "col": each % 2} for each in range(4)},
        "couplings": [[0, 1], [0, 2], [1, 3]],
        "visualization": {"show_mux_boundaries": False, "region_size": 2},
    }
)


def test_a_lattice_has_a_spot_for_each_qubit_at_its_place() -> None:
    figure = draw(TOPOLOGY, {"0": 50.0, "3": 70.0}, title="t1", unit="us", errors={"0": 1.0})
    spots = figure.data[-1]
    assert list(zip(spots.x, spots.y, strict=True)) == [(0, 0), (1, 0), (0, -1), (1, -1)]
    assert spots.marker.color == pytest.approx([50.0, np.nan, np.nan, 70.0], nan_ok=True)
    assert spots.hovertext[0] == "0: 50.0 ± 1.0 us"
    assert spots.hovertext[1] == "1: no value"
    assert spots.textfont.color == ("white", "white", "white", "black")
    assert len(figure.data) == 1 + 3


def test_a_parameter_without_values_is_refused_by_name() -> None:
    chip = lab().chip("64Q")
    chip.client.iterate_qubits = lambda *_, **__: iter(())  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"No qubit of 64Q has a value of t11"):
        chip.plot("t11")


def test_couplings_are_drawn_between_their_qubits() -> None:
    figure = draw(TOPOLOGY, {"0-1": 0.99, "1-0": 0.98}, title="", unit="")
    assert list(figure.data[-1].x) == pytest.approx([0.58, 0.42])


def test_the_progress_of_a_run_is_shown() -> None:
    events = [
        {"type": "state", "status": "running", "stage": "coarse", "resumed_at": None},
        {
            "type": "progress",
            "done": 1,
            "failed": 0,
            "skipped": 0,
            "total": 2,
            "stage": "coarse",
            "estimated_end": None,
        },
        {"type": "waiting", "for": "a worker for backend fridge-1"},
        {"type": "task", "task_id": "t", "task_name": "CheckT1", "qid": "3", "status": "failed", "message": "[cold]"},
        {"type": "end", "status": "completed"},
    ]
    service = Service(started(), stream(*events), execution("completed"))
    client = Client("http://lab.example", token="t", transport=service.transport())
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    show_run(client.run("first_light"), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for part in ("20260301-001", "1 of 2, 0 failed", "a worker for backend fridge-1", "CheckT1", "[cold]", "completed"):
        assert part in text


def test_each_part_of_the_progress_has_its_line() -> None:
    progress = Progress("20260301-001")
    progress.done, progress.total, progress.waiting = 1, 2, "a worker"
    console = Console(file=io.StringIO(), width=80)
    console.print(progress.drawn())
    lines = [line.strip() for line in console.file.getvalue().split("\n")]  # type: ignore[attr-defined]
    assert lines[0] == "20260301-001  scheduled  1 of 2, 0 failed"
    assert set(lines[1]) == {"━"}
    assert lines[2:4] == ["waiting for a worker", "task  target  status  message"]


def test_values_that_a_run_found_are_shown_with_errors_and_units() -> None:
    found = {
        "t1": m.ParameterRecord.model_construct(value=50.12713, error=3.4413, unit="us"),
        "state": m.ParameterRecord.model_construct(value="excited", error=None, unit=""),
    }
    task = m.ExecutionTask.model_construct(output_parameters=found)
    assert list(output_lines(m.Execution.model_construct(task=[task]))) == ["t1 = 50.1 ± 3.4 us"]


def test_a_shown_run_ends_its_last_line_in_a_file() -> None:
    end = {"type": "end", "status": "completed"}
    client = Client(
        "http://lab.example", token="t", transport=Service(started(), stream(end), execution("completed")).transport()
    )
    file = io.StringIO()
    show_run(client.run("first_light", chip="64Q"), Console(file=file, width=60))
    assert file.getvalue().endswith("\n")
