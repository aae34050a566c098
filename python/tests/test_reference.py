"""The reference worker of the documentation, in which one attempt at a task follows another."""

import asyncio
import importlib.util
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from calibron.check.requests import request_of

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "backend_worker.py"


class Bench:
    """The reference worker without Temporal: how often it measured, and a gate before an outcome is kept."""

    def __init__(self, worker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.measured = 0
        self.keeping = threading.Event()
        self.may_keep = threading.Event()
        self.confirmed: asyncio.Queue[int] = asyncio.Queue()
        self.aborted = threading.Event()
        self.procedures = {"CheckT1": self.procedure}
        self._worker = worker
        self._keep = worker.keep
        for name, replacement in {
            "PROCEDURES": self.procedures,
            "keep": self.keep,
            "heartbeats": self.heartbeats,
            "deliver": self.deliver,
        }.items():
            monkeypatch.setattr(worker, name, replacement)
        monkeypatch.setattr(worker.instrument, "abort", lambda _request: self.aborted.set())

    def procedure(self, _request: dict[str, Any]) -> dict[str, Any]:
        self.measured += 1
        return {"0": {"outputs": {}}}

    def keep(self, request: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
        self.keeping.set()
        assert self.may_keep.wait(60)
        return self._keep(request, outcome)

    async def heartbeats(self, request: dict[str, Any], established: asyncio.Event) -> None:
        established.set()
        self.confirmed.put_nowait(request["attempt"])
        await asyncio.Event().wait()

    async def deliver(self, kept: dict[str, Any], _request: dict[str, Any]) -> int:
        return kept["attempt"]

    async def attempt(self, request: dict[str, Any]) -> int:
        return await ActivityEnvironment().run(self._worker.measure, request)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    spec = importlib.util.spec_from_file_location("reference_under_test", REFERENCE)
    assert spec is not None and spec.loader is not None
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    return Bench(worker, monkeypatch)


async def test_a_repetition_waits_until_the_earlier_attempt_has_kept_its_outcome(bench: Bench, tmp_path: Path) -> None:
    request = request_of("CheckT1", tmp_path)
    first = asyncio.create_task(bench.attempt({**request, "attempt": 1}))
    await asyncio.to_thread(bench.keeping.wait, 60)
    second = asyncio.create_task(bench.attempt({**request, "attempt": 2}))
    while await bench.confirmed.get() != 2:
        pass
    bench.may_keep.set()
    assert await asyncio.gather(first, second) == [1, 1]
    assert bench.measured == 1


async def test_an_attempt_that_is_cancelled_twice_ends_after_its_instrument(bench: Bench, tmp_path: Path) -> None:
    request = request_of("CheckT1", tmp_path)
    attempt = asyncio.create_task(bench.attempt(request))
    await asyncio.to_thread(bench.keeping.wait, 60)
    attempt.cancel()
    await asyncio.to_thread(bench.aborted.wait, 60)
    attempt.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not attempt.done()
    bench.may_keep.set()
    with pytest.raises(asyncio.CancelledError):
        await attempt


async def test_what_an_aborted_instrument_returns_is_not_kept(bench: Bench, tmp_path: Path) -> None:
    """A driver may return the points that it has, as if it had finished."""
    begun = threading.Event()

    def cut_short(_request: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        assert bench.aborted.wait(60)
        return {"0": {"outputs": {}}}

    bench.procedures["CheckT1"] = cut_short
    attempt = asyncio.create_task(bench.attempt(request_of("CheckT1", tmp_path)))
    await asyncio.to_thread(begun.wait, 60)
    attempt.cancel()
    bench.may_keep.set()
    with pytest.raises(asyncio.CancelledError):
        await attempt
    assert not bench.keeping.is_set()
