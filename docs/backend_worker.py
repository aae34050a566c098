"""A Calibron backend in Python: serves `measure` for one instrument (backend-contract.md).

    pip install temporalio
    TEMPORAL_ADDRESS=127.0.0.1:7233 BACKEND=fridge-1 python backend_worker.py
"""

import asyncio
import json
import math
import os
import random
import signal
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

from temporalio import activity
from temporalio.client import AsyncActivityCancelledError, Client
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker


class Instrument:
    """Stands for the laboratory's own driver; here a qubit with a T1 of 50 us."""

    def decay(self, qid: str, times_ns: list[float], shots: int) -> list[complex]:
        def noise() -> float:
            return random.gauss(0, 1 / math.sqrt(shots))

        return [complex(math.exp(-time / 50_000) + noise(), noise()) for time in times_ns]

    def abort(self, request: dict) -> None:
        """Ends the measurement of this request and no other; called from another thread."""


instrument = Instrument()


def sweep(parameter: dict) -> list[float]:
    """The points of a run parameter that is a range; its type names the numpy function that it is the input of."""
    if parameter["value_type"] not in ("np.linspace", "np.logspace"):
        raise ApplicationError(f"cannot sweep over a {parameter['value_type']}", non_retryable=True)
    start, stop, count = parameter["value"]
    points = [start + (stop - start) * step / max(count - 1, 1) for step in range(count)]
    return points if parameter["value_type"] == "np.linspace" else [10**point for point in points]


def check_t1(request: dict) -> dict:
    """Blocks for as long as the instrument takes, so it runs in a thread."""
    times = sweep(request["run_parameters"]["time_range"])
    shots = request["run_parameters"]["shots"]["value"]
    targets = {}
    for qid in request["targets"]:
        points = instrument.decay(qid, times, shots)

        def variable(values: list[float], unit: str, long_name: str) -> dict:
            # NaN and infinity must not travel: null stands for a point without a number.
            finite = [value if math.isfinite(value) else None for value in values]
            return {"dims": ["time"], "values": finite, "unit": unit, "long_name": long_name}

        targets[qid] = {
            "dataset": {
                "dims": {"time": len(times)},
                "coordinates": {"time": variable(times, "ns", "Waiting time")},
                "variables": {
                    "iq_re": variable([point.real for point in points], "a.u.", "In phase"),
                    "iq_im": variable([point.imag for point in points], "a.u.", "In quadrature"),
                },
            }
        }
    return targets


PROCEDURES = {"CheckT1": check_t1}


class Results:
    """Finished measurements, kept until their delivery is certain: in memory, and on the shared disk if there is one."""

    def __init__(self) -> None:
        self._kept: dict[str, dict] = {}

    @staticmethod
    def _key(request: dict) -> str:
        return f"{request['task_id']}_{request.get('pass', 1)}.json"

    @staticmethod
    def _same(request: dict) -> dict:
        """What makes two requests the same: not when, how often and by which deadline they ask."""
        names = ("task_id", "task_name", "targets", "input_parameters", "target_parameters", "run_parameters")
        return {"pass": 1} | {name: request[name] for name in (*names, "pass") if name in request}

    def find(self, request: dict) -> dict | None:
        kept = self._kept.get(self._key(request))
        if kept is None:
            try:
                path = Path(request["artifact_dir"], "results_to_deliver", self._key(request))
                kept = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return None
        return kept if kept["request"] == self._same(request) else None

    def keep(self, request: dict, outcome: dict) -> dict:
        kept = {"request": self._same(request), "attempt": request["attempt"], **outcome}
        self._kept[self._key(request)] = kept
        while len(self._kept) > 500:
            del self._kept[next(iter(self._kept))]
        try:
            # Calibron removes the file once the result is recorded.
            folder = Path(request["artifact_dir"], "results_to_deliver")
            folder.mkdir(exist_ok=True)
            partial = folder / f".{self._key(request)}.partial"
            partial.write_text(json.dumps(kept, allow_nan=False), encoding="utf-8")
            partial.replace(folder / self._key(request))
        except (OSError, ValueError):
            pass  # No shared file system: the result is in memory.
        return kept


results = Results()
# By project, the latest run that was measured for; by task, the attempts that were cut off from Temporal.
epochs: dict[str, int] = {}
cut_off: dict[str, list[int]] = {}


class Link:
    """Heartbeats whose answers are seen; `activity.heartbeat()` alone does not tell whether Temporal hears it."""

    def __init__(self, request: dict) -> None:
        self._request = request
        self._details = {"cut_off_attempts": cut_off.get(request["task_id"], [])}
        self._handle = activity.client().get_async_activity_handle(task_token=activity.info().task_token)
        timeout = (activity.info().heartbeat_timeout or timedelta(seconds=10)).total_seconds()
        # Without an answer for so long the instrument is stopped: 3 s before another worker may use it.
        self._limit = timeout - min(3.0, 0.3 * timeout)
        self._heard = time.monotonic()

    def _left(self) -> float:
        return max(self._heard + self._limit - time.monotonic(), 0.0)

    async def beat(self) -> bool:
        """Whether Temporal answered that it waits for this measurement."""
        sent = time.monotonic()
        try:
            await self._handle.heartbeat(self._details, rpc_timeout=timedelta(seconds=self._left()))
        except AsyncActivityCancelledError:
            pass  # An answer too: the SDK's own heartbeat below learns of it and cancels this activity.
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                raise ApplicationError("this measurement is not wanted any more", non_retryable=True) from None
            return False
        self._heard = sent
        # The SDK ends an activity that has not heartbeated through it, whatever Temporal has heard.
        activity.heartbeat(self._details)
        return True

    async def established(self) -> None:
        """Returns at the first answer: a request may arrive after it was given to another worker."""
        while not await self.beat():
            await self._pause()

    async def lost(self) -> None:
        """Raises when the instrument has to be stopped."""
        while True:
            await self._pause()
            await self.beat()

    async def _pause(self) -> None:
        await asyncio.sleep(min(self._limit / 3, 10.0, self._left()))
        if self._left() == 0:
            cut_off.setdefault(self._request["task_id"], []).append(self._request["attempt"])
            raise ApplicationError("cut off from Temporal", type="WorkerShutdown", non_retryable=True)


def now() -> str:
    return datetime.now(timezone.utc).isoformat()


def measure_and_keep(procedure, request: dict, stopped: threading.Event) -> dict:
    """Measures and keeps the outcome before it is delivered. Blocks as the instrument does, so it runs in a thread."""
    started_at = now()
    try:
        outcome = {"result": {"targets": procedure(request)}, "failure": None}
    except Exception as error:
        if stopped.is_set():
            raise
        outcome = {"result": None, "failure": str(error)}
    times = {"started_at": started_at, "finished_at": now()}
    if outcome["result"]:
        outcome["result"] |= times
    return results.keep(request, outcome | times)


async def deliver(kept: dict, request: dict) -> dict:
    """Hands the outcome to Temporal until it is taken: the SDK gives that up after some ten seconds without a network."""
    is_repetition = kept["attempt"] != request["attempt"]
    mark = {"measured_in_attempt": kept["attempt"]} if is_repetition else {}
    failure = kept["failure"] and ApplicationError(kept["failure"], non_retryable=True)
    handle = activity.client().get_async_activity_handle(task_token=activity.info().task_token)
    while not activity.is_worker_shutdown():
        activity.heartbeat()
        try:
            if failure:
                await handle.fail(failure, rpc_timeout=timedelta(seconds=5))
            else:
                await handle.complete(kept["result"] | mark, rpc_timeout=timedelta(seconds=5))
            activity.raise_complete_async()
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                break  # Temporal does not wait for this attempt any more; the next one gets what was kept.
            await asyncio.sleep(0.5)
    if failure:
        raise failure
    return kept["result"] | mark


@activity.defn
async def measure(request: dict) -> dict:
    if request["contract"] != 1:
        raise ApplicationError("this worker speaks contract 1", non_retryable=True)
    procedure = PROCEDURES.get(request["task_name"])
    if procedure is None:
        raise ApplicationError(f"this instrument has no {request['task_name']}", non_retryable=True)
    if request["epoch"] < epochs.get(request["project_id"], 0):
        raise ApplicationError("a later run of the project has measured here", type="Fenced", non_retryable=True)
    epochs[request["project_id"]] = request["epoch"]
    kept = results.find(request)
    if kept:
        return await deliver(kept, request)
    link = Link(request)
    await link.established()
    stopped = threading.Event()
    running = asyncio.create_task(asyncio.to_thread(measure_and_keep, procedure, request, stopped))
    lost = asyncio.create_task(link.lost())
    try:
        await asyncio.wait({running, lost}, timeout=request["timeout"], return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            lost.cancel()
            return await deliver(running.result(), request)
        if lost.done():
            lost.result()
        raise ApplicationError(f"no result within {request['timeout']} s", non_retryable=True)
    except asyncio.CancelledError:
        # The run was cancelled, or this worker stops.
        if activity.is_worker_shutdown():
            raise ApplicationError("the worker stops", type="WorkerShutdown", non_retryable=True) from None
        raise
    finally:
        if not running.done():
            stopped.set()
            instrument.abort(request)
            # Only when the instrument is quiet may we return.
            await asyncio.gather(running, return_exceptions=True)
        lost.cancel()


async def main() -> None:
    # Address, namespace, TLS and API key from Temporal's own variables (TEMPORAL_ADDRESS …) or a profile.
    usual = {"target_host": "127.0.0.1:7233", "namespace": "calibron"}
    client = await Client.connect(**{**usual, **ClientConfig.load_client_connect_config()})
    worker = Worker(
        client,
        task_queue=f"backend:{os.environ['BACKEND']}",
        activities=[measure],
        # One instrument measures one thing at a time, unless it says otherwise.
        max_concurrent_activities=int(os.environ.get("MEASUREMENTS_AT_ONCE", "1")),
        graceful_shutdown_timeout=timedelta(seconds=5),
        # Between two heartbeats of the SDK, which bring the news of a cancel; otherwise up to a minute.
        max_heartbeat_throttle_interval=timedelta(seconds=3),
    )
    stopping = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopping.set)
    async with worker:
        await stopping.wait()


if __name__ == "__main__":
    asyncio.run(main())
