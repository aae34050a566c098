"""A backend: an instrument that serves tasks of Calibron."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from temporalio.client import Client
from temporalio.worker import Worker

from .clock import Clock, SystemClock
from .connecting import connect
from .declaring import Input, Output, TaskType, declaration_of
from .describing import Describing, HealthCheck
from .errors import MeasurementError
from .files import Files
from .kept import KeptResults
from .log_lines import keep_log_short
from .measuring import Measuring
from .outcome import Measurer
from .outputs import Outputs
from .procedures import Analysis, Procedure, StopHook, Task
from .reanalysis import Analysing, analyse_file
from .turns import Turns

log = logging.getLogger("calibron.backend")

_THROTTLE = timedelta(seconds=1)
"""Between two heartbeats of the SDK, which bring the news of a cancel; otherwise up to a minute."""

P = TypeVar("P", bound=Procedure)
H = TypeVar("H", bound=HealthCheck)


class Backend:
    """Serves tasks of one instrument.

    >>> backend = Backend("fridge-1")
    >>> @backend.task("CheckT1")
    ... def check_t1(request: Request) -> Dataset: ...
    >>> backend.serve()
    """

    def __init__(
        self,
        name: str,
        *,
        at_once: int = 1,
        version: str = "",
        url: str | None = None,
        grace: float = 5.0,
        clock: Clock | None = None,
    ) -> None:
        """Declares a backend.

        `at_once` is the number of measurements that the instrument can make at the same time, `version` that of your
        own code, `url` Calibron's address (CALIBRON_URL) for uploads without a shared file system, and `grace` the
        seconds that a stopping worker leaves a measurement to finish.
        """
        if at_once < 1:
            raise ValueError("at_once must be at least 1.")
        self.name = name
        self.at_once = at_once
        self.version = version
        self.tasks: dict[str, Task] = {}
        self._grace = grace
        self._clock: Clock = clock or SystemClock()
        self._files = Files(url)
        self._health: HealthCheck | None = None

    def task(
        self,
        name: str,
        *,
        stop: StopHook | None = None,
        run_parameters: Mapping[str, Any] | None = None,
        description: str = "",
        type: TaskType = "qubit",  # noqa: A002
        inputs: Mapping[str, Input | str] | None = None,
        outputs: Mapping[str, Output | str] | None = None,
        threshold: float | None = None,
        timeout: float | None = None,
        goes_on_when_refused: bool = False,
        analyse: Analysis | None = None,
    ) -> Callable[[P], P]:
        """Serves a task by the function below, which may block or be a coroutine.

        With `outputs` it is a task of your own, which Calibron's catalog does not have: `type` is what it measures,
        `inputs` are the calibration values that it reads, `run_parameters` its settings with their defaults,
        `threshold` what r2 must exceed, and `timeout` the seconds that a measurement may take. A text in place of an
        `Input` or `Output` is its unit. The function returns `Outputs`, or with `analyse(dataset, request)` a `Dataset`
        in which that function finds them; the data are kept.

        `stop(request)` stops the instrument: it is called when a measurement must end early, from another thread.
        A function that checks `request.stopped` or waits by `request.wait` needs none.
        """

        def register(procedure: P) -> P:
            if name in self.tasks:
                raise ValueError(f"The backend {self.name} has {name} twice.")
            text = description or (procedure.__doc__ or "").strip().split("\n")[0]
            if analyse is not None and outputs is None:
                raise ValueError(f"{name} has an analysis, so it must declare its outputs.")
            settings = dict(run_parameters or {})
            declaration = None
            if outputs is not None:
                declaration = declaration_of(
                    name,
                    type,
                    outputs,
                    inputs=inputs or {},
                    run_parameters=settings,
                    threshold=threshold,
                    timeout=timeout,
                    goes_on_when_refused=goes_on_when_refused,
                )
                settings = {key: each["value"] for key, each in declaration.wire()["run_parameters"].items()}
            self.tasks[name] = Task(name, procedure, text, settings, declaration, analyse, stop)
            return procedure

        return register

    def health(self, check: H) -> H:
        """Registers a function that returns what is wrong with the instrument, or None. It is called every minute."""
        self._health = check
        return check

    def analyse(self, name: str, path: str | Path, run_parameters: Mapping[str, Any] | None = None) -> Outputs:
        """Repeats the analysis of a task on a downloaded file of its raw data, perhaps with other run parameters."""
        if name not in self.tasks:
            raise MeasurementError(f"{self.name} has no task {name}.")
        return analyse_file(self.tasks[name], Path(path), run_parameters or {})

    def serve(self) -> None:
        """Serves until the process gets SIGINT or SIGTERM."""
        if not logging.getLogger().handlers:
            logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
        keep_log_short()
        asyncio.run(self.serve_async())

    async def serve_async(self, client: Client | None = None, stop: asyncio.Event | None = None) -> None:
        """Serves until `stop` is set, or without it until a signal."""
        stopping = stop or _signalled()
        identity = f"{self.name}:{os.getpid()}@{socket.gethostname()}"
        connecting = asyncio.create_task(_connected(client, identity))
        stopped = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait({connecting, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not connecting.done():
                return
            with ThreadPoolExecutor(self.at_once * 2, f"{self.name}-measures") as threads:
                worker = self.worker(connecting.result(), identity, threads)
                log.info("serving %s: %s", self.name, ", ".join(self.tasks) or "no task")
                async with worker:
                    await stopped
        finally:
            connecting.cancel()
            stopped.cancel()

    def worker(self, client: Client, identity: str, threads: ThreadPoolExecutor) -> Worker:
        """The worker for the queue of this backend."""
        results = KeptResults()
        turns = Turns(self._clock)
        measurer = Measurer(results, self._files, self._clock, threads)
        measuring = Measuring(self.tasks, measurer, results, turns, self._clock)
        describing = Describing(
            identity=identity,
            version=self.version,
            at_once=self.at_once,
            tasks=self.tasks,
            turns=turns,
            health=lambda: self._health,
            clock=self._clock,
        )
        return Worker(
            client,
            task_queue=f"backend:{self.name}",
            activities=[measuring.measure, describing.describe, Analysing(self.tasks, threads).analyse],
            identity=identity,
            max_concurrent_activities=self.at_once,
            graceful_shutdown_timeout=timedelta(seconds=self._grace),
            max_heartbeat_throttle_interval=_THROTTLE,
            default_heartbeat_throttle_interval=_THROTTLE,
        )


async def _connected(client: Client | None, identity: str) -> Client:
    return client if client is not None else await connect(identity)


def _signalled() -> asyncio.Event:
    stopping = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopping.set)
    return stopping
