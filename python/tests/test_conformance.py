"""The kit passes a backend of this package, and says what is wrong with other workers."""

import os
import sys
from pathlib import Path

import pytest

from calibron.check import Report, check_worker
from calibron.check.kit import CHECKS, name_of
from calibron.check.worker import serve_command

HERE = Path(__file__).parent
ENV = {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
LATER_RUN = "ends a measurement when a later run of the project measures"
QUICK = ("measures each", "as many targets", "heartbeat", "repeated", "knows", "unknown", "does not wait")


async def naive(fault: str = "", only: tuple[str, ...] = ("measures each",)) -> Report:
    command = [sys.executable, str(HERE / "naive.py")]
    return await check_worker(command, tasks=["CheckT1"], env={"FAULT": fault}, only=only, patience=15)


def outcomes(report: Report) -> dict[str, list[str]]:
    return {
        each.outcome: [f"{one.check}: {one.detail}" for one in report.findings if one.outcome == each.outcome]
        for each in report.findings
    }


async def test_the_package_passes_the_quick_checks() -> None:
    report = await check_worker(serve_command("fridge:backend"), env=ENV, only=QUICK)
    assert outcomes(report).get("failed") is None
    assert report.outcome_of("measures as many targets at once as Calibron may ask for") == "passed"


async def test_the_kit_knows_the_tasks_that_a_worker_declares() -> None:
    examples = {"PYTHONPATH": os.pathsep.join([str(HERE.parent / "examples"), ENV["PYTHONPATH"]])}
    report = await check_worker(serve_command("own_task:backend"), env=examples, only=("measures each",))
    assert report.outcome_of("measures each of its tasks") == "passed"


@pytest.mark.slow
async def test_the_package_passes_every_check() -> None:
    report = await check_worker(serve_command("fridge:backend"), env=ENV)
    assert outcomes(report).get("failed") is None
    assert len(outcomes(report)["passed"]) == len(CHECKS)
    assert report.outcome_of(LATER_RUN) == "skipped"


@pytest.mark.slow
async def test_a_backend_that_measures_several_things_at_once_passes_every_check(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    report = await check_worker(serve_command("fridge:backend"), env={**ENV, "AT_ONCE": "3"}, log=log)
    assert set(outcomes(report)) == {"passed"}
    assert "now measuring for project another-project, before for check-project" in log.read_text()


@pytest.mark.slow
async def test_the_reference_for_other_languages_passes_every_check_except_the_description() -> None:
    reference = HERE.parents[1] / "docs" / "backend_worker.py"
    report = await check_worker(
        [sys.executable, str(HERE / "stalling_reference.py"), str(reference)], tasks=["CheckT1"]
    )
    assert outcomes(report).get("failed") is None
    assert report.outcome_of("describes itself") == "skipped"
    assert report.outcome_of("stops its instrument when it is cut off, and says so afterwards") == "passed"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("nan", "send null"),
        ("text", "not a number"),
        ("numpy", "float32 is not JSON serializable"),
        ("oversized", "at most 65536"),
        ("short", "50 values"),
        ("unit", 'unit of time is wrong: "GHz" (frequency)'),
        ("unheard", '"parsec", which is not known'),
        ("name", "none of the variables iq_re"),
        ("outputs", "t9 is no output of CheckT1"),
        ("path", "no file in the request's artifact_dir"),
        ("clock", "clock is 7200 s ahead"),
        ("nothing", "nothing for target 0"),
    ],
)
async def test_the_kit_names_what_is_wrong_with_a_result(fault: str, message: str) -> None:
    report = await naive(fault)
    assert report.outcome_of("measures each of its tasks") == "failed"
    assert message in report.failed[0].detail


async def test_the_kit_shows_the_output_of_a_worker_that_does_not_start() -> None:
    report = await naive("crash")
    assert "The driver is missing." in report.failed[0].detail


async def test_the_kit_finds_what_a_naive_worker_lacks() -> None:
    report = await naive(only=("heartbeat", "repeated", "outdated", "later run", "knows", "unknown", "does not know"))
    failed = {each.check for each in report.failed}
    assert failed >= {
        "sends a heartbeat that waits for its answer before it measures",
        "answers a repeated request with the kept result",
        "refuses a version of the contract that it does not know",
        "refuses a task that it does not know, with a message",
        "refuses a run that a later run of the project has replaced",
    }


@pytest.mark.slow
async def test_the_kit_finds_that_a_naive_worker_does_not_stop() -> None:
    report = await check_worker(
        [sys.executable, str(HERE / "naive.py")],
        tasks=["CheckT1"],
        slow={"shots": 5000},
        patience=15,
        only=("cancelled", "cut off", "does not wait"),
    )
    assert len(report.failed) == 3


def test_every_check_has_a_name() -> None:
    names = [name_of(check) for check in CHECKS]
    assert all(names)
    assert len(set(names)) == len(names)
