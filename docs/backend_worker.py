"""A Calibron backend with Temporal's SDK alone, as a reference for other languages (backend-contract.md).

In Python itself, `pip install calibron[backend]` does all of this (python.md).

    pip install temporalio
    TEMPORAL_ADDRESS=127.0.0.1:7233 BACKEND=fridge-1 python backend_worker.py
"""

import asyncio
import contextlib
import json
import math
import os
import random
import signal
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from weakref import WeakValueDictionary

from temporalio import activity
from temporalio.client import AsyncActivityCancelledError, Client
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker


class Instrument:
    """Stands for the laboratory's own driver; here a qubit with a T1 of 50 us."""

    def decay(self, qid: str, times_ns: list[float], shots: int) -> list[complex]:
        noise = 1 / math.sqrt(shots)
        return [complex(random.gauss(math.exp(-time / 50_000), noise), random.gauss(0, noise)) for time in times_ns]

    def abort(self, request: dict) -> None:
        """Ends the measurement of this request and no other; called from another thread."""


instrument = Instrument()


def sweep(parameter: dict) -> list[float]:
    """The points of a run parameter that is a range; its type names the numpy function that it is the input of."""
    if parameter["value_type"] not in ("np.linspace", "np.logspace"):
        raise failed(f"cannot sweep over a {parameter['value_type']}")
    start, stop, count = parameter["value"]
    points = [start + (stop - start) * step / max(count - 1, 1) for step in range(count)]
    return points if parameter["value_type"] == "np.linspace" else [10**point for point in points]


def check_t1(request: dict) -> dict:
    """Blocks for as long as the instrument takes, so it runs in a thread."""
    times = sweep(request["run_parameters"]["time_range"])
    shots = request["run_parameters"]["shots"]["value"]

    def variable(values: list[float], unit: str) -> dict:
        # NaN and infinity must not travel: null stands for a point without a number.
        return {"dims": ["time"], "values": [each if math.isfinite(each) else None for each in values], "unit": unit}

    def dataset(points: list[complex]) -> dict:
        parts = {"iq_re": [point.real for point in points], "iq_im": [point.imag for point in points]}
        return {
            "dims": {"time": len(times)},
            "coordinates": {"time": variable(times, "ns")},
            "variables": {name: variable(values, "a.u.") for name, values in parts.items()},
        }

    return {qid: {"dataset": dataset(instrument.decay(qid, times, shots))} for qid in request["targets"]}


PROCEDURES = {"CheckT1": check_t1}

# Outcomes that are kept until their delivery is certain; the latest run by project; by task, the attempts that were cut off.
results: dict[str, dict] = {}
epochs: dict[str, int] = {}
cut_off: dict[str, list[int]] = {}
# By task, whose turn it is: Temporal may repeat a measurement while its earlier attempt still ends here.
turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


def failed(message: str, kind: str | None = None) -> ApplicationError:
    return ApplicationError(message, type=kind, non_retryable=True)


def now() -> str:
    return datetime.now(timezone.utc).isoformat()


def same(request: dict) -> dict:
    """What makes two requests the same: not when, how often and by which deadline they ask."""
    names = ("task_id", "task_name", "targets", "input_parameters", "target_parameters", "run_parameters", "pass")
    return {"pass": 1} | {name: request[name] for name in names if name in request}


def file_of(request: dict) -> Path:
    """Where the outcome is kept if there is a shared disk. Calibron removes the file once the result is recorded."""
    return Path(request["artifact_dir"], "results_to_deliver", f"{request['task_id']}_{request.get('pass', 1)}.json")


def find(request: dict) -> dict | None:
    file = file_of(request)
    with contextlib.suppress(OSError, ValueError):
        kept = results.get(file.name) or json.loads(file.read_text(encoding="utf-8"))
        return kept if kept["request"] == same(request) else None
    return None


def keep(request: dict, outcome: dict) -> dict:
    kept = {"request": same(request), "attempt": request["attempt"], **outcome}
    file = file_of(request)
    results[file.name] = kept
    while len(results) > 500:
        del results[next(iter(results))]
    # Without a shared file system the outcome is in memory.
    with contextlib.suppress(OSError, ValueError):
        file.parent.mkdir(exist_ok=True)
        partial = file.with_name(f".{file.name}.partial")
        partial.write_text(json.dumps(kept, allow_nan=False), encoding="utf-8")
        partial.replace(file)
    return kept


def measure_and_keep(procedure, request: dict, stopped: threading.Event) -> dict:
    """Measures and keeps the outcome before it is delivered. Blocks as the instrument does, so it runs in a thread."""
    started, targets, failure = now(), None, None
    try:
        targets = procedure(request)
        if stopped.is_set():  # An aborted instrument may return what it has by then, as if it had finished.
            raise RuntimeError("The measurement was stopped.")
    except Exception as error:
        if stopped.is_set():
            raise
        failure = str(error) or type(error).__name__
    times = {"started_at": started, "finished_at": now()}
    result = None if failure else {"targets": targets, **times}
    return keep(request, {"result": result, "failure": failure, **times})


async def heartbeats(request: dict, established: asyncio.Event) -> None:
    """Sends heartbeats that wait for their answer, until it raises because the instrument has to be stopped."""
    handle = activity.client().get_async_activity_handle(task_token=activity.info().task_token)
    details = {"cut_off_attempts": list(cut_off.get(request["task_id"], []))}
    timeout = (activity.info().heartbeat_timeout or timedelta(seconds=10)).total_seconds()
    # Without an answer for so long the instrument is stopped: 3 s before another worker may use it.
    limit = timeout - min(3.0, 0.3 * timeout)
    heard = time.monotonic()
    while True:
        sent = time.monotonic()
        try:
            # The SDK's own heartbeat below learns of a cancel, too, and cancels this activity.
            with contextlib.suppress(AsyncActivityCancelledError):
                await handle.heartbeat(details, rpc_timeout=timedelta(seconds=max(heard + limit - sent, 0.01)))
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                raise failed("this measurement is not wanted any more") from None
        else:
            heard = sent
            # The SDK ends an activity that has not heartbeated through it, whatever Temporal has heard.
            activity.heartbeat(details)
            established.set()
        await asyncio.sleep(max(min(limit / 3, 10, heard + limit - time.monotonic()), 0))
        if time.monotonic() >= heard + limit:
            cut_off.setdefault(request["task_id"], []).append(request["attempt"])
            raise failed("cut off from Temporal", "WorkerShutdown")


async def deliver(kept: dict, request: dict) -> dict:
    """Hands the outcome to Temporal until it is taken: the SDK gives that up after some ten seconds without a network."""
    mark = {} if kept["attempt"] == request["attempt"] else {"measured_in_attempt": kept["attempt"]}
    failure = failed(kept["failure"]) if kept["failure"] else None
    answer = (kept["result"] or {}) | mark
    handle = activity.client().get_async_activity_handle(task_token=activity.info().task_token)
    while not activity.is_worker_shutdown():
        activity.heartbeat()
        try:
            seconds = timedelta(seconds=5)
            await (handle.fail(failure, rpc_timeout=seconds) if failure else handle.complete(answer, rpc_timeout=seconds))
            activity.raise_complete_async()
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                break  # Temporal does not wait for this attempt any more; the next one gets what was kept.
            await asyncio.sleep(0.5)
    if failure:
        raise failure
    return answer


async def measure_now(procedure, request: dict, established: asyncio.Event, beating: asyncio.Task) -> dict:
    """Measures until the heartbeats end, the time is over or it is cancelled; returns when the instrument is quiet."""
    stopped = threading.Event()
    # Nothing is measured before the first answer: a request may arrive after it was given to another worker.
    first = asyncio.create_task(established.wait())
    running = None
    try:
        await asyncio.wait({first, beating}, return_when=asyncio.FIRST_COMPLETED)
        if not beating.done():
            running = asyncio.create_task(asyncio.to_thread(measure_and_keep, procedure, request, stopped))
            both = {running, beating}
            await asyncio.wait(both, timeout=request["timeout"], return_when=asyncio.FIRST_COMPLETED)
        if running and running.done():
            return running.result()
        if beating.done():
            beating.result()
        raise failed(f"no result within {request['timeout']} s")
    finally:
        first.cancel()
        if running and not running.done():
            stopped.set()
            instrument.abort(request)
        while running and not running.done():
            # The SDK may cancel more than once.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({running})
                running.exception()


@activity.defn
async def measure(request: dict) -> dict:
    if request["contract"] != 1:
        raise failed("this worker speaks contract 1")
    procedure = PROCEDURES.get(request["task_name"])
    if procedure is None:
        raise failed(f"this instrument has no {request['task_name']}")
    if request["epoch"] < epochs.get(request["project_id"], 0):
        raise failed("a later run of the project has measured here", "Fenced")
    epochs[request["project_id"]] = request["epoch"]
    established = asyncio.Event()
    beating = asyncio.create_task(heartbeats(request, established))
    try:
        async with turns.setdefault(request["task_id"], asyncio.Lock()):
            kept = find(request) or await measure_now(procedure, request, established, beating)
    except asyncio.CancelledError:
        # The run was cancelled, or this worker stops.
        if activity.is_worker_shutdown():
            raise failed("the worker stops", "WorkerShutdown") from None
        raise
    finally:
        beating.cancel()
    return await deliver(kept, request)


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
