"""A Calibron backend in Python: serves `measure` for one instrument (backend-contract.md).

    pip install temporalio
    TEMPORAL_ADDRESS=127.0.0.1:7233 BACKEND=fridge-1 python backend_worker.py
"""

import asyncio
import math
import os
import random
import signal
import time
from datetime import datetime, timedelta, timezone

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

    def abort(self) -> None:
        """Ends what runs; called from another thread."""


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


def silence_limit() -> float:
    """Seconds without an answer from Temporal after which the instrument is stopped: 3 s before another may start."""
    timeout = (activity.info().heartbeat_timeout or timedelta(seconds=10)).total_seconds()
    return timeout - min(3.0, 0.3 * timeout)


class Link:
    """Heartbeats whose answers are seen; `activity.heartbeat()` does not tell that nobody hears it."""

    def __init__(self) -> None:
        self._handle = activity.client().get_async_activity_handle(task_token=activity.info().task_token)
        self._limit = silence_limit()
        self._heard = time.monotonic()

    def _left(self) -> float:
        return max(self._heard + self._limit - time.monotonic(), 0.0)

    async def beat(self) -> bool:
        """Whether Temporal answered that it waits for this measurement."""
        sent = time.monotonic()
        try:
            await self._handle.heartbeat(rpc_timeout=timedelta(seconds=self._left()))
            self._heard = sent
            return True
        except AsyncActivityCancelledError:
            self._heard = sent
            activity.heartbeat()  # The SDK asks once more, then cancels this activity.
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                raise ApplicationError("this measurement is not asked for any more", non_retryable=True) from None
        return False

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
        await asyncio.sleep(min(self._limit / 3, self._left()))
        if self._left() == 0:
            raise ApplicationError("cut off from Temporal", type="WorkerShutdown", non_retryable=True)


@activity.defn
async def measure(request: dict) -> dict:
    if request["contract"] != 1:
        raise ApplicationError("this worker speaks contract 1", non_retryable=True)
    procedure = PROCEDURES.get(request["task_name"])
    if procedure is None:
        raise ApplicationError(f"this instrument has no {request['task_name']}", non_retryable=True)
    link = Link()
    await link.established()
    started_at = datetime.now(timezone.utc).isoformat()
    running = asyncio.create_task(asyncio.to_thread(procedure, request))
    lost = asyncio.create_task(link.lost())
    try:
        await asyncio.wait({running, lost}, timeout=request["timeout"], return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            return {"targets": running.result(), "started_at": started_at}
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
            instrument.abort()
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
        # One instrument measures one thing at a time.
        max_concurrent_activities=1,
        graceful_shutdown_timeout=timedelta(seconds=5),
    )
    stopping = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopping.set)
    async with worker:
        await stopping.wait()


if __name__ == "__main__":
    asyncio.run(main())
