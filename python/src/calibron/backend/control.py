"""How a procedure learns that it must stop, and how it reports while it measures."""

from __future__ import annotations

import asyncio
import logging
import threading

from .errors import Stopped

log = logging.getLogger("calibron.backend")

_LOG_LIMIT = 8000
"""Characters of the log that travel with a result."""


class Control:
    """Stop, progress and log of one measurement. Safe to use from the procedure's thread."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._woken: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()
        self._lines: list[str] = []
        self._progress: float | None = None
        self.stop_reason = ""

    def stop(self, reason: str) -> None:
        """Tells the procedure to stop. Only the first reason counts."""
        with self._lock:
            if self._stopped.is_set():
                return
            self.stop_reason = reason
            self._stopped.set()
            for loop, event in self._woken:
                loop.call_soon_threadsafe(event.set)

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def raise_if_stopped(self) -> None:
        if self._stopped.is_set():
            raise Stopped(self.stop_reason)

    def wait(self, seconds: float) -> bool:
        """Blocks for the given seconds, or until the measurement must stop. Returns whether it must."""
        return self._stopped.wait(seconds)

    async def until_stopped(self) -> None:
        event = asyncio.Event()
        with self._lock:
            if self._stopped.is_set():
                return
            self._woken.append((asyncio.get_running_loop(), event))
        await event.wait()

    def report(self, fraction: float) -> None:
        self._progress = min(max(float(fraction), 0.0), 1.0)

    @property
    def progress(self) -> float | None:
        return self._progress

    def write(self, line: str) -> None:
        log.info("%s", line)
        with self._lock:
            self._lines.append(line)

    def log_text(self) -> str:
        """The lines of the log; the last ones if there are too many."""
        with self._lock:
            return "\n".join(self._lines)[-_LOG_LIMIT:]
