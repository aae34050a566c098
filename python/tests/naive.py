"""A worker as one writes it without having read the contract. `FAULT` says what else is wrong with it."""

import asyncio
import json
import os
import time
from datetime import UTC, datetime, timedelta

import numpy
from temporalio import activity
from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.converter import DataConverter, DefaultPayloadConverter, JSONPlainPayloadConverter
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

FAULT = os.environ.get("FAULT", "")


def result_of(request: dict) -> dict:
    times = [1e3 * each for each in range(51)]
    values: list = [0.5] * 51
    if FAULT == "nan":
        values[3] = float("nan")
    if FAULT == "text":
        values[3] = "0.5"
    if FAULT == "numpy":
        values = list(numpy.full(51, 0.5, dtype=numpy.float32))
    if FAULT == "oversized":
        values = [0.123456789012345] * 20_000
        times = [1.0 * each for each in range(20_000)]
    if FAULT == "short":
        values = values[:-1]
    unit = {"unit": "GHz", "unheard": "parsec"}.get(FAULT, "ns")
    name = "signal" if FAULT == "name" else "iq_re"
    data = {
        "dims": {"time": len(times)},
        "coordinates": {"time": {"dims": ["time"], "values": times, "unit": unit}},
        "variables": {name: {"dims": ["time"], "values": values, "unit": "a.u."}},
    }
    target = {"dataset": data}
    if FAULT == "outputs":
        target = {"outputs": {"t1": {"value": 5e-5, "unit": "GHz", "error": -1}, "t9": {"value": 1}}}
    if FAULT == "path":
        target = {"dataset_path": "/etc/hostname"}
    now = datetime.now(UTC) + timedelta(seconds=7200 if FAULT == "clock" else 0)
    targets = {} if FAULT == "nothing" else dict.fromkeys(request["targets"], target)
    return {"targets": targets, "started_at": now.isoformat(), "finished_at": now.isoformat()}


class LaxJson(JSONPlainPayloadConverter):
    """Writes NaN, as Python's json does."""

    def to_payload(self, value: object) -> Payload:
        return Payload(metadata={"encoding": b"json/plain"}, data=json.dumps(value).encode())


@activity.defn
def measure(request: dict) -> dict:
    if request["task_name"] != "CheckT1":
        raise ApplicationError("no such task")
    time.sleep(0.2 if request["run_parameters"]["shots"]["value"] < 2000 else 8)
    return result_of(request)


class LaxConverter(DefaultPayloadConverter):
    def to_payloads(self, values):  # type: ignore[no-untyped-def]
        return [LaxJson().to_payload(each) for each in values]


async def main() -> None:
    from concurrent.futures import ThreadPoolExecutor

    if FAULT == "crash":
        raise SystemExit("The driver is missing.")
    client = await Client.connect(
        os.environ["TEMPORAL_ADDRESS"],
        namespace=os.environ["TEMPORAL_NAMESPACE"],
        data_converter=DataConverter(payload_converter_class=LaxConverter),
    )
    with ThreadPoolExecutor(4) as threads:
        await Worker(
            client,
            task_queue="backend:naive",
            activities=[measure],
            activity_executor=threads,
            max_concurrent_activities=1,
        ).run()


if __name__ == "__main__":
    asyncio.run(main())
