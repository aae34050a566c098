"""What a backend declares of its own tasks, and what the kit says of their results."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibron.backend import Backend, Dataset, Input, MeasurementError, Output, Outputs, Request, RunParameter, Value
from calibron.backend.netcdf import write_netcdf
from calibron.backend.reanalysis import Analysing
from calibron.check.answers import answer_problems
from calibron.check.declared import declared_task


def declared(backend: Backend, name: str) -> dict[str, Any]:
    declaration = backend.tasks[name].declaration
    assert declaration is not None
    return declaration.wire()


def lab() -> Backend:
    backend = Backend("fridge-1")

    @backend.task(
        "LabSlope",
        type="coupling",
        inputs={"control_t1": Input("us", source="control", required=False), "detuning": "MHz"},
        run_parameters={"shots": 100, "sweep": RunParameter((0, 10, 5), "us", value_type="np.linspace"), "fast": True},
        outputs={"lab_slope": Output("us", minimum=0, maximum=100), "lab_phase": "rad"},
        threshold=0.5,
        timeout=20,
    )
    def lab_slope(request: Request) -> Outputs:
        return Outputs({})

    return backend


@pytest.mark.parametrize("part", ["inputs", "run_parameters", "outputs"])
def test_an_unknown_unit_is_refused_where_it_is_declared(part: str) -> None:
    given: dict[str, Any] = {"inputs": {}, "run_parameters": {}, "outputs": {"width": "Hz"}}
    given[part] = {"width": RunParameter(1.0, "furlong") if part == "run_parameters" else "furlong"}
    with pytest.raises(ValueError, match=r"width of LabWidth has the unit 'furlong', which Calibron does not know"):
        Backend("fridge-1").task("LabWidth", type="qubit", **given)(lambda request: Outputs({}))


def test_shorthands_are_written_out() -> None:
    wire = declared(lab(), "LabSlope")
    assert wire["type"] == "coupling"
    assert wire["inputs"]["control_t1"]["from"] == "control"
    assert wire["inputs"]["detuning"]["unit"] == "MHz"
    assert wire["run_parameters"]["shots"]["value_type"] == "int"
    assert wire["run_parameters"]["fast"]["value_type"] == "bool"
    assert wire["run_parameters"]["sweep"]["value"] == [0, 10, 5]
    assert wire["outputs"]["lab_phase"]["unit"] == "rad"
    assert "minimum" not in wire["outputs"]["lab_phase"]
    assert (wire["r2_threshold"], wire["timeout"]) == (0.5, 20)
    assert dict(lab().tasks["LabSlope"].run_parameters) == {"shots": 100, "sweep": [0, 10, 5], "fast": True}


def test_a_task_of_the_catalog_is_not_declared() -> None:
    backend = Backend("fridge-1")
    with pytest.raises(ValueError, match="catalog has a task CheckT1"):
        backend.task("CheckT1", outputs={"t1": "us"})(lambda _: None)
    with pytest.raises(ValueError, match="declares no output"):
        backend.task("LabNothing", outputs={})(lambda _: None)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({"outputs": {"lab_slope": {"value": 5000, "unit": "ns"}}}, None),
        ({"outputs": {"lab_slope": {"value": 1, "unit": "ms"}}}, "1000 us, above the declared maximum of 100"),
        ({"outputs": {"lab_slope": {"value": -1}}}, "below the declared minimum of 0"),
        ({"outputs": {"lab_slope": {"value": 1, "unit": "GHz"}}}, "the unit of lab_slope is wrong"),
        ({"outputs": {"other": {"value": 1}}}, "other is no output of LabSlope"),
        ({"dataset": {}}, "there are no outputs"),
    ],
)
def test_the_kit_judges_results_as_they_are_declared(found: dict[str, Any], message: str | None) -> None:
    known = {**declared_task(declared(lab(), "LabSlope")), "name": "LabSlope"}
    text = json.dumps({"targets": {"0-1": found}})
    problems = answer_problems(known, {"targets": ["0-1"], "artifact_dir": "."}, text)
    assert [message in each for each in problems] == [True] if message else problems == []


def test_an_analysis_is_repeated_on_raw_data(tmp_path: Path) -> None:
    backend = Backend("fridge-1")

    def mean(data: Dataset, request: Request) -> Outputs:
        assert request.inputs.number("t1", "us") == 50
        return Outputs({"lab_mean": Value(data.variables["response"].values.mean() * request.run.number("gain"))})

    backend.task("LabMean", outputs={"lab_mean": "us"}, analyse=mean)(lambda _: None)
    file = tmp_path / "data.nc"
    attributes = {
        "task_name": "LabMean",
        "qid": "3",
        "input_parameters": json.dumps({"t1": {"value": 50_000, "unit": "ns", "value_type": "float"}}),
        "run_parameters": json.dumps({"gain": {"value": 2, "unit": "", "value_type": "float"}}),
    }
    data = Dataset().axis("step", [0, 1, 2]).variable("response", [1, 2, 3], "us")
    write_netcdf(file, data, attributes)
    assert backend.analyse("LabMean", file).values["lab_mean"].value == 4
    assert backend.analyse("LabMean", file, {"gain": 5}).values["lab_mean"].value == 10
    with pytest.raises(MeasurementError, match="no run parameter offset; there are gain"):
        backend.analyse("LabMean", file, {"offset": 5})
    write_netcdf(file, data, {**attributes, "task_name": "CheckT1"})
    with pytest.raises(MeasurementError, match="is of CheckT1"):
        backend.analyse("LabMean", file)
    with pytest.raises(MeasurementError, match="There is no file"):
        backend.analyse("LabMean", tmp_path / "other.nc")
    file.write_text("nothing")
    with pytest.raises(MeasurementError, match="no raw data of Calibron"):
        backend.analyse("LabMean", file)


def test_a_repeated_analysis_answers_in_the_declared_units(tmp_path: Path) -> None:
    backend = Backend("fridge-1")
    found = Outputs({"width": Value(800e3, 1e3, "Hz"), "ratio": Value(0.5)})
    outputs = {"width": "kHz", "ratio": ""}
    backend.task("LabWidth", outputs=outputs, analyse=lambda data, request: found)(lambda _: None)
    attributes = {"task_name": "LabWidth", "qid": "3", "input_parameters": "{}", "run_parameters": "{}"}
    write_netcdf(tmp_path / "data.nc", Dataset().axis("step", [0]).variable("response", [1]), attributes)
    again = backend.analyse("LabWidth", tmp_path / "data.nc")
    assert again.values == {"width": Value(800.0, 1.0, "kHz"), "ratio": Value(0.5)}


def test_an_analysis_is_repeated_on_data_that_calibron_sends() -> None:
    backend = Backend("fridge-1")

    def largest(data: Dataset, request: Request) -> Outputs:
        response = data.variables["response"]
        if not response.values.size:
            raise AssertionError
        factor = request.run.number("gain", "us")
        return Outputs({"lab_peak": Value(float(np.nanmax(response.values)) * factor, unit=response.unit)}, r2=0.9)

    backend.task("LabPeak", outputs={"lab_peak": "us"}, run_parameters={"gain": 1.0}, analyse=largest)(lambda _: None)
    backend.task("LabPlain", outputs={"lab_peak": "us"})(lambda _: None)
    measured = Dataset().axis("step", [0, 1]).axis("side", [0, 1]).variable("response", [[1, np.nan], [3, 2]], "ms")
    request = {
        "contract": 1,
        "project_id": "p",
        "chip_id": "c",
        "execution_id": "e",
        "task_id": "t",
        "task_name": "LabPeak",
        "task_type": "qubit",
        "target": "3",
        "dataset": measured.wire(),
        "input_parameters": {},
        "run_parameters": {"gain": {"value": 2.0, "unit": "us", "value_type": "float"}},
    }
    with ThreadPoolExecutor(1) as threads:
        analysing = Analysing(backend.tasks, threads)
        found = analysing.answer(request)
        assert found == {"outputs": {"lab_peak": {"value": 6.0, "unit": "ms"}}, "quality": {"r2": 0.9}}
        with pytest.raises(MeasurementError, match="no analysis of LabPlain"):
            analysing.answer({**request, "task_name": "LabPlain"})
        with pytest.raises(MeasurementError, match="has a bug: KeyError"):
            analysing.answer({**request, "dataset": Dataset().axis("step", [0]).variable("other", [1]).wire()})


def test_an_analysis_needs_outputs() -> None:
    with pytest.raises(ValueError, match="must declare its outputs"):
        Backend("fridge-1").task("LabSlope", analyse=lambda data, request: Outputs({}))(lambda _: None)
