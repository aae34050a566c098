"""Heartbeats by a clock that tests move."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from calibron.backend import SimulatedClock
from calibron.backend.link import CutOffs, Link, silence_limit
from calibron.backend.request import Request, read_request
from calibron.check.requests import request_of


class Sender:
    """Answers heartbeats until it is cut off."""

    def __init__(self, clock: SimulatedClock) -> None:
        self.sent: list[tuple[float, dict[str, Any]]] = []
        self.error: RPCError | None = None
        self._clock = clock

    async def send(self, details: dict[str, Any], seconds: float) -> None:
        assert timedelta(seconds=seconds) > timedelta(0)
        self.sent.append((self._clock.monotonic(), details))
        if self.error:
            raise self.error

    def note(self, details: dict[str, Any]) -> None:
        pass


def request(directory: Path) -> Request:
    return read_request(request_of("CheckT1", directory))


def test_the_instrument_stops_three_seconds_before_the_timeout() -> None:
    assert silence_limit(90) == 87
    assert silence_limit(5) == 3.5
    assert silence_limit(None) == 7


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def moved(clock: SimulatedClock, seconds: int) -> None:
    await settled()
    for _ in range(seconds):
        clock.advance(1)
        await settled()


async def test_a_link_beats_every_second_and_ends_after_the_limit_without_an_answer(tmp_path: Path) -> None:
    clock = SimulatedClock()
    sender = Sender(clock)
    cut_offs = CutOffs()
    asked = request(tmp_path)
    link = Link(asked, sender, 33, clock, cut_offs)
    beating = asyncio.create_task(link.run())
    await moved(clock, 20)
    assert [at for at, _ in sender.sent] == list(range(21))
    assert link.established.is_set()
    sender.error = RPCError("away", RPCStatusCode.UNAVAILABLE, b"")
    await moved(clock, 29)
    assert not beating.done()
    await moved(clock, 1)
    with pytest.raises(ApplicationError) as ended:
        await beating
    assert ended.value.type == "WorkerShutdown"
    assert cut_offs.of(asked) == [1]
    again = Link(read_request({**asked.wire, "attempt": 2}), sender, 33, clock, cut_offs)
    sender.error = None
    await again.beat()
    assert sender.sent[-1][1] == {"cut_off_attempts": [1]}


async def test_a_measurement_that_nothing_waits_for_is_given_up(tmp_path: Path) -> None:
    clock = SimulatedClock()
    sender = Sender(clock)
    sender.error = RPCError("gone", RPCStatusCode.NOT_FOUND, b"")
    with pytest.raises(ApplicationError) as ended:
        await Link(request(tmp_path), sender, 30, clock, CutOffs()).run()
    assert ended.value.type == "Fenced"


async def test_a_heartbeat_at_the_very_limit_still_has_a_time_limit(tmp_path: Path) -> None:
    clock = SimulatedClock()
    sender = Sender(clock)
    link = Link(request(tmp_path), sender, 33, clock, CutOffs())
    clock.advance(30 - 1e-9)
    await link.beat()
    assert len(sender.sent) == 1


async def test_heartbeats_carry_the_progress(tmp_path: Path) -> None:
    clock = SimulatedClock()
    sender = Sender(clock)
    asked = request(tmp_path)
    asked.progress(0.25)
    await Link(asked, sender, 30, clock, CutOffs()).beat()
    assert sender.sent[0][1] == {"cut_off_attempts": [], "progress": 0.25}
