"""The clock that a backend uses, so that tests can replace it."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Time in seconds for durations, and time of day for records."""

    def monotonic(self) -> float: ...

    def now(self) -> datetime: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class SimulatedClock:
    """A clock for tests. It moves only by `advance`, or while `sleep` waits if `runs` is true."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC), *, runs: bool = False) -> None:
        self._start = start
        self._elapsed = 0.0
        self._runs = runs
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self._elapsed

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def advance(self, seconds: float) -> None:
        """Moves the clock and wakes the sleepers whose time is over."""
        self._elapsed += seconds
        due = [sleeper for sleeper in self._sleepers if sleeper[0] <= self._elapsed]
        self._sleepers = [sleeper for sleeper in self._sleepers if sleeper[0] > self._elapsed]
        for _, woken in due:
            if not woken.done():
                woken.set_result(None)

    async def sleep(self, seconds: float) -> None:
        if self._runs:
            self.advance(seconds)
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._elapsed + seconds, woken))
        await woken
