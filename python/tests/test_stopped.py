"""What a function returns after it was stopped."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from calibron.backend import Dataset, SimulatedClock
from calibron.backend.errors import Stopped
from calibron.backend.files import Files
from calibron.backend.kept import KeptResults
from calibron.backend.outcome import Measurer
from calibron.backend.procedures import Task
from calibron.backend.request import Request, read_request
from calibron.check.requests import request_of


async def test_what_an_aborted_instrument_returns_is_neither_a_result_nor_the_answer_to_a_repetition(
    tmp_path: Path,
) -> None:
    def cut_short(request: Request) -> Dataset:
        request.control.stop("The worker was cut off from Temporal.")
        return Dataset().axis("time", np.arange(3.0), "us").signal("iq", np.zeros(3, dtype=complex))

    asked = read_request(request_of("CheckT1", tmp_path))
    results = KeptResults()
    with ThreadPoolExecutor() as threads:
        measurer = Measurer(results, Files(), SimulatedClock(), threads)
        with pytest.raises(Stopped, match="cut off"):
            await measurer.measure(Task("CheckT1", cut_short), asked)
    assert results.find(read_request({**asked.wire, "attempt": 2})) is None
