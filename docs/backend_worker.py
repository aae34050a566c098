"""A Calibron backend in Python: serves `measure` for one instrument (backend-contract.md).

    pip install temporalio
    TEMPORAL_ADDRESS=127.0.0.1:7233 BACKEND=fridge-1 python backend_worker.py
"""

import asyncio
import math
import os
import random
import signal
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
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


@asynccontextmanager
async def sign_of_life():
    """Heartbeats each second: without one for 10 s the measurement counts as lost and is made again."""

    async def beat():
        while True:
            activity.heartbeat()
            await asyncio.sleep(1)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()


@activity.defn
async def measure(request: dict) -> dict:
    if request["contract"] != 1:
        raise ApplicationError("this worker speaks contract 1", non_retryable=True)
    procedure = PROCEDURES.get(request["task_name"])
    if procedure is None:
        raise ApplicationError(f"this instrument has no {request['task_name']}", non_retryable=True)
    started_at = datetime.now(timezone.utc).isoformat()
    async with sign_of_life():
        try:
            running = asyncio.to_thread(procedure, request)
            targets = await asyncio.wait_for(running, timeout=request["timeout"])
        except asyncio.TimeoutError:
            instrument.abort()
            raise ApplicationError(f"no result within {request['timeout']} s", non_retryable=True) from None
        except asyncio.CancelledError:
            # The run was cancelled, or this worker stops. Only when the instrument is quiet may we return.
            instrument.abort()
            if activity.is_worker_shutdown():
                raise ApplicationError("the worker stops", type="WorkerShutdown", non_retryable=True) from None
            raise
    return {"targets": targets, "started_at": started_at}


async def main() -> None:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "calibron"),
    )
    worker = Worker(
        client,
        task_queue=f"backend:{os.environ['BACKEND']}",
        activities=[measure],
        # One instrument measures one thing at a time.
        max_concurrent_activities=1,
        # A cancel arrives with the answer to a heartbeat that is really sent.
        max_heartbeat_throttle_interval=timedelta(seconds=3),
        graceful_shutdown_timeout=timedelta(seconds=5),
    )
    stopping = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopping.set)
    async with worker:
        await stopping.wait()


if __name__ == "__main__":
    asyncio.run(main())
