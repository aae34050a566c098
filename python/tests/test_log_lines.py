"""What a worker's log says of measurements that fail on purpose."""

import logging
import sys

from temporalio.exceptions import ApplicationError

from calibron.backend.log_lines import OneLine


def record_of(error: Exception) -> logging.LogRecord:
    try:
        raise error
    except Exception:
        return logging.LogRecord("temporalio.activity", 30, "", 0, "Completing activity as failed", (), sys.exc_info())


def test_a_refusal_is_one_line_and_a_bug_keeps_its_traceback() -> None:
    refusal = record_of(
        ApplicationError("This instrument has no CheckT2.", type="MeasurementError", non_retryable=True)
    )
    assert OneLine().filter(refusal)
    assert logging.Formatter().format(refusal) == "measurement refused or ended: This instrument has no CheckT2."
    bug = record_of(ValueError("no such channel"))
    assert OneLine().filter(bug)
    assert "Traceback" in logging.Formatter().format(bug)
