"""Keeps out of a worker's log what Temporal's SDK adds to lines that say the same."""

from __future__ import annotations

import logging
import warnings

from temporalio.exceptions import ApplicationError


class OneLine(logging.Filter):
    """Turns the traceback of a failure that this package raised on purpose into one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if isinstance(error, ApplicationError) and error.non_retryable:
            record.msg, record.args = "measurement refused or ended: %s", (error.message,)
            record.exc_info = record.exc_text = None
        return True


def keep_log_short() -> None:
    """Applies to the whole process, so only a process that does nothing but serve calls it."""
    logger = logging.getLogger("temporalio.activity")
    if not any(isinstance(each, OneLine) for each in logger.filters):
        logger.addFilter(OneLine())
    # A cancel that arrives after the end of its measurement needs nothing.
    warnings.filterwarnings("ignore", message="Cannot find activity to cancel")
