"""Checks that interrupt a measurement or its delivery."""

from __future__ import annotations

import asyncio
import time

from .subject import Skip, Subject, Wrong

_HEARTBEAT_TIMEOUT = 6.0
_OUTAGE = 13.0
"""Longer than the SDKs try to deliver a result themselves."""
_STOPS = 15.0


async def stops_on_cancel(subject: Subject) -> None:
    """stops its instrument when the run is cancelled"""
    attempt = subject.offer(subject.slow_request(), heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(attempt)
    attempt.cancel = True
    ended = await subject.ended(attempt, _STOPS)
    if ended.kind != "cancelled":
        raise Wrong(f"A cancelled measurement must end as cancelled; it {ended.kind}: {ended.text[:200]}")
    await subject.measured(subject.request())


async def stops_on_limit(subject: Subject) -> None:
    """gives up a measurement that takes longer than its timeout"""
    ended = await subject.ended(subject.offer(subject.slow_request(timeout=1)), _STOPS)
    if ended.kind != "failed" or not ended.text:
        raise Wrong(f"A measurement beyond its timeout must fail with a message; it {ended.kind}.")
    await subject.measured(subject.request())


async def stops_when_cut_off(subject: Subject) -> None:
    """stops its instrument when it is cut off, and says so afterwards"""
    request = subject.slow_request()
    attempt = subject.offer(request, heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(attempt)
    subject.temporal.cut()
    cut_at = time.monotonic()
    try:
        for _ in range(int(4 * _HEARTBEAT_TIMEOUT / 0.05)):
            if attempt.refused:
                break
            await asyncio.sleep(0.05)
        if not attempt.refused:
            raise Wrong(
                "It went on measuring although no heartbeat was answered: another worker may use the instrument."
            )
        silent = attempt.refused[0].at - cut_at
        if silent > _HEARTBEAT_TIMEOUT:
            raise Wrong(
                f"It ended {silent:.1f} s after the last answer; the heartbeat timeout is {_HEARTBEAT_TIMEOUT:g} s."
            )
        if attempt.refused[0].failure_type != "WorkerShutdown":
            raise Wrong("A worker that was cut off must fail with the error type WorkerShutdown.")
    finally:
        attempt.forgotten = True
        subject.temporal.mend()
    again = subject.offer({**request, "attempt": 2}, heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(again)
    details = again.calls[0][1]
    again.cancel = True
    await subject.ended(again, _STOPS)
    if not isinstance(details, dict) or details.get("cut_off_attempts") != [1]:
        raise Wrong(
            'The next attempt must send heartbeats with {"cut_off_attempts": [1]}, so that it does not count as lost.'
        )


async def hands_over_on_stop(subject: Subject) -> None:
    """hands its measurement on when the worker is asked to stop"""
    attempt = subject.offer(subject.slow_request(), heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(attempt)
    in_time = await subject.worker.stop()
    ended = attempt.ended.result() if attempt.ended.done() else None
    attempt.forgotten = True
    await subject.worker.start()
    if not in_time:
        raise Wrong("It did not end within 30 s of SIGTERM.")
    if ended is None:
        raise Wrong("It ended without telling Temporal that its measurement has to be repeated.")
    if ended.kind != "completed" and ended.failure_type != "WorkerShutdown":
        raise Wrong(f"A stopping worker must finish or fail with WorkerShutdown; it {ended.kind}: {ended.text[:200]}")


async def recovers_from_kill(subject: Subject) -> None:
    """measures again after it was killed"""
    request = subject.slow_request()
    attempt = subject.offer(request, heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(attempt)
    await subject.worker.kill()
    attempt.forgotten = True
    await subject.worker.start()
    again = subject.offer({**request, "attempt": 2}, heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(again)
    again.cancel = True
    await subject.ended(again, _STOPS)


async def delivers_after_outage(subject: Subject) -> None:
    """delivers a finished measurement after an outage"""
    subject.temporal.refuses_ends = True
    try:
        attempt = subject.offer(subject.request(), heartbeat_timeout=60)
        for _ in range(int(subject.patience / 0.05)):
            if attempt.refused:
                break
            await asyncio.sleep(0.05)
        if not attempt.refused:
            raise Wrong("It did not try to deliver the result.")
        await asyncio.sleep(_OUTAGE)
    finally:
        subject.temporal.refuses_ends = False
    ended = await subject.ended(attempt, _STOPS)
    if ended.kind != "completed":
        raise Wrong(f"After an outage of {_OUTAGE:g} s the result was lost: the measurement {ended.kind}.")


async def ends_for_later_run(subject: Subject) -> None:
    """ends a measurement when a later run of the project measures"""
    attempt = subject.offer(subject.slow_request(), heartbeat_timeout=_HEARTBEAT_TIMEOUT)
    await subject.begun(attempt)
    if subject.temporal.polls == 0:
        attempt.cancel = True
        await subject.ended(attempt, _STOPS)
        raise Skip("It makes one measurement at a time, so a later run waits for the earlier one.")
    subject.epoch += 1
    later = subject.offer(subject.request())
    ended = await subject.ended(attempt, _STOPS)
    if ended.kind == "completed":
        raise Wrong("A measurement of an earlier run went on although a later run of the project measured.")
    ended = await subject.ended(later)
    if ended.kind != "completed":
        raise Wrong(f"The measurement of the later run {ended.kind}: {ended.text[:200]}")


INTERRUPTED = (
    *(stops_on_cancel, stops_on_limit, stops_when_cut_off, ends_for_later_run),
    *(delivers_after_outage, hands_over_on_stop, recovers_from_kill),
)
