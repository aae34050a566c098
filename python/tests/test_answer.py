"""What travels inside a result and what in files."""

from pathlib import Path

import numpy as np
import pytest
import xarray

from calibron.backend import Dataset, MeasurementError, Request
from calibron.backend.answer import INLINE_LIMIT, RESULT_LIMIT, answer_of
from calibron.backend.dataset import json_size
from calibron.backend.files import Files
from calibron.backend.kept import KeptResults
from calibron.backend.request import read_request
from calibron.check.requests import request_of


def request(directory: Path, **changes: object) -> Request:
    return read_request(request_of("CheckT1", directory, **changes))


def data(points: int) -> Dataset:
    return Dataset().axis("time", np.linspace(0, 1, points), "us").signal("iq", np.full(points, np.nan + 0.1j))


def test_small_data_travel_inside_and_large_ones_in_a_file(tmp_path: Path) -> None:
    small = answer_of(request(tmp_path), data(10), Files())
    assert small["targets"]["0"]["dataset"]["dims"] == {"time": 10}
    large = answer_of(request(tmp_path), data(5000), Files())
    with xarray.open_dataset(tmp_path / large["targets"]["0"]["dataset_path"], engine="scipy") as stored:
        assert stored.time.attrs["units"] == "us"
        assert np.isnan(stored.iq_re.values).all()
        assert stored.iq_im.values[0] == 0.1


@pytest.mark.parametrize("count", [2, 5, 40, 1000])
def test_any_number_of_targets_fits(tmp_path: Path, count: int) -> None:
    targets = [f"{each}-{each + 1}" for each in range(count)]
    answer = answer_of(request(tmp_path, targets=targets), dict.fromkeys(targets, data(200)), Files())
    assert json_size(answer) <= RESULT_LIMIT
    inside = [json_size(each["dataset"]) for each in answer["targets"].values() if "dataset" in each]
    assert all(size <= INLINE_LIMIT for size in inside)


def test_without_a_shared_directory_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CALIBRON_URL", raising=False)
    with pytest.raises(MeasurementError, match="set CALIBRON_URL"):
        answer_of(request(tmp_path / "absent"), data(5000), Files())


def test_a_missing_target_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="returned nothing for 1"):
        answer_of(request(tmp_path, targets=["0", "1"]), {"0": data(3)}, Files())
    with pytest.raises(MeasurementError, match="dictionary by target"):
        answer_of(request(tmp_path, targets=["0", "1"]), data(3), Files())
    with pytest.raises(MeasurementError, match="returned a NoneType"):
        answer_of(request(tmp_path), None, Files())


def test_a_kept_result_answers_the_same_request_also_in_another_process(tmp_path: Path) -> None:
    asked = request(tmp_path)
    outcome = {"result": {"targets": {}}, "failure": None, "started_at": "a", "finished_at": "b"}
    KeptResults().keep(asked, outcome)
    again = read_request({**asked.wire, "attempt": 2})
    found = KeptResults().find(again)
    assert found is not None
    assert found["attempt"] == 1
    assert KeptResults().find(read_request({**asked.wire, "pass": 2})) is None
    assert KeptResults().find(read_request({**asked.wire, "targets": ["1"]})) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contract": 2}, "speaks contract 1, not 2"),
        ({"targets": []}, "no targets"),
        ({"epoch": "1"}, "epoch is not an integer"),
        ({"timeout": 0}, "no timeout"),
        ({"run_parameters": None}, "no run parameters"),
    ],
)
def test_a_request_that_breaks_the_contract_is_refused(tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(MeasurementError, match=message):
        read_request({**request_of("CheckT1", tmp_path), **changes})
