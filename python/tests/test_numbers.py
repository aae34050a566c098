"""Units, parameters and datasets."""

import json

import numpy as np
import pytest
import xarray

from calibron.backend import Dataset, MeasurementError, Outputs, Value
from calibron.backend.parameters import Parameters
from calibron.backend.units import factor, unit_of
from calibron.numbers import readable


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        ("ns", "us", 1e-3),
        ("µs", "ns", 1e3),
        ("microseconds", "s", 1e-6),
        ("usec", "ns", 1e3),
        ("GHz", "Hz", 1e9),
        ("min", "s", 60),
        ("deg", "rad", np.pi / 180),
        ("%", "", 1),
        ("percent", "a.u.", 0.01),
        ("MHz/a.u.", "GHz", 1e-3),
        ("", "GHz", 1),
    ],
)
def test_units_of_one_quantity_convert(given: str, wanted: str, expected: float) -> None:
    assert factor(given, wanted) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("given", "wanted"), [("GHz", "ns"), ("dBm", "dB"), ("V", "a.u."), ("mhz", "Hz")])
def test_other_units_are_refused_with_both_names(given: str, wanted: str) -> None:
    with pytest.raises(MeasurementError, match=given):
        factor(given, wanted)


def test_case_of_symbols_counts() -> None:
    assert unit_of("mHz") != unit_of("MHz")


RUN = {
    "line": {"value": [0, 10, 5], "value_type": "np.linspace", "unit": "ns"},
    "log": {"value": [0, 2, 3], "value_type": "np.logspace", "unit": "ns"},
    "steps": {"value": [0, 1.0, 0.25], "value_type": "np.arange", "unit": "GHz"},
    "range": {"value": [0, 6, 2], "value_type": "range", "unit": ""},
    "list": {"value": [1, "2", 5], "value_type": "list", "unit": ""},
    "shots": {"value": 1024, "value_type": "int", "unit": ""},
    "axis": {"value": "x", "value_type": "str", "unit": ""},
    "on": {"value": True, "value_type": "bool", "unit": ""},
    "open": {"value": None, "value_type": "float", "unit": "ns"},
}


def test_ranges_are_the_arrays_of_their_numpy_functions() -> None:
    run = Parameters.read("run parameter", RUN)
    assert run.array("line").tolist() == [0, 2.5, 5, 7.5, 10]
    assert run.array("line", "us") == pytest.approx([0, 0.0025, 0.005, 0.0075, 0.01])
    assert run.array("log").tolist() == [1, 10, 100]
    assert run.array("steps", "MHz").tolist() == [0, 250, 500, 750]
    assert run.array("range").tolist() == [0, 2, 4]
    assert run.array("list").tolist() == [1, 2, 5]
    assert (run.integer("shots"), run.text("axis"), run.flag("on")) == (1024, "x", True)
    assert run.number("open", "ns", default=7) == 7


def test_a_missing_or_odd_parameter_is_named() -> None:
    run = Parameters.read("run parameter", RUN)
    with pytest.raises(MeasurementError, match="no run parameter time_range; it has line"):
        run.array("time_range")
    with pytest.raises(MeasurementError, match="axis must be a number"):
        run.number("axis")
    assert "time_range" not in run


def test_a_dataset_has_null_where_there_is_no_number() -> None:
    data = Dataset().axis("time", np.arange(3, dtype=np.int16), "ns").signal("iq", [1 + 2j, np.nan, np.inf])
    wire = data.wire()
    assert wire["variables"]["iq_re"]["values"] == [1, None, None]
    assert json.loads(json.dumps(wire, allow_nan=False))["dims"] == {"time": 3}


def test_a_dataset_names_what_does_not_fit() -> None:
    data = Dataset().axis("time", [1, 2, 3])
    with pytest.raises(MeasurementError, match=r"shape \(2,\); its axes are time: 3"):
        data.variable("iq_re", [1, 2])
    with pytest.raises(MeasurementError, match="add it as a signal"):
        data.variable("iq", [1j, 2, 3])


def test_an_xarray_dataset_keeps_its_units() -> None:
    given = xarray.Dataset(
        {"iq": (("time",), np.array([1j, 2, 3]), {"units": "V", "long_name": "Signal"})},
        coords={"time": ("time", [1.0, 2.0, 3.0], {"units": "us"})},
    )
    wire = Dataset.from_xarray(given).wire()
    assert wire["coordinates"]["time"]["unit"] == "us"
    assert wire["variables"]["iq_im"] == {
        "dims": ["time"],
        "values": [1, 0, 0],
        "unit": "V",
        "long_name": "Signal, in quadrature",
    }


def test_outputs_take_numpy_numbers_and_leave_out_nan() -> None:
    wire = Outputs({"t1": Value(np.float32(1.5), np.nan, "us"), "b": Value(np.int64(3))}, r2=np.float64(0.5)).wire()
    assert json.loads(json.dumps(wire, allow_nan=False)) == {
        "outputs": {"t1": {"value": 1.5, "error": None, "unit": "us"}, "b": {"value": 3}},
        "quality": {"r2": 0.5},
    }


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (33.72573919458028, 0.57728, "33.73 ± 0.58"),
        (7.995775, 1.2e-6, "7.9957750 ± 0.0000012"),
        (12345, 678, "12340 ± 680"),
        (1.23e-12, 2.1e-14, "(1.230 ± 0.021)e-12"),
        (0.0, 0.5, "0.00 ± 0.50"),
        (7.995774999999, None, "7.99577"),
        (32, 0, "32"),
        ("excited", 1, "excited"),
        (None, None, ""),
    ],
)
def test_a_value_is_shown_with_the_digits_that_its_error_leaves(value: object, error: object, expected: str) -> None:
    assert readable(value, error) == expected
