"""The programs of docs/python.md work as they stand there, on a stand-in for the reader's instrument."""

import os
import re
from pathlib import Path

from calibron.check import check_worker
from calibron.check.worker import serve_command

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^ *```python\n(.*?)^ *```", PAGE, flags=re.MULTILINE | re.DOTALL)
DRIVER = """
import numpy as np

class Instrument:
    qubits = [str(number) for number in range(16)]
    def decay(self, target, times, shots, frequency):
        return np.exp(-times / 50e-6) + 0j
    def abort(self):
        pass

def open_instrument():
    return Instrument()
"""
FITTED = """
def measure_and_fit(target, times):
    return 1.2, 0.1, 0.99, {"data": [], "layout": {}}

"""


def program(part: str) -> str:
    [found] = [each for each in PROGRAMS if part in each]
    return str(found)


async def test_the_instrument_and_the_own_task_of_the_page_pass_the_kit(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    lab.mkdir()
    (lab / "driver.py").write_text(DRIVER, encoding="utf-8")
    instrument, own_task = program('@backend.task("CheckT1"'), program('"LabFluxNoise"')
    analysis = program("def find_width").partition("# what the measuring function")[0]
    (lab / "fridge.py").write_text(instrument + FITTED + own_task + analysis, encoding="utf-8")
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    report = await check_worker(serve_command("lab.fridge:backend"), env=env, only=("measures each", "describes"))
    assert [finding.outcome for finding in report.findings] == ["passed"] * 3, report.findings


def test_an_instrument_and_a_first_run_are_as_short_as_promised() -> None:
    assert len(program('@backend.task("CheckT1"').splitlines()) <= 30
    assert len(program('chip.task("CheckT1", 3, backend="fridge-1", persist=True)').splitlines()) <= 5
