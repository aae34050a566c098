"""The worker under test, as a process."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .temporal import FakeTemporal

_START_SECONDS = 60.0


def serve_command(place: str) -> list[str]:
    """The command that serves a backend of this package, such as `lab.fridge:backend`."""
    return [sys.executable, "-m", "calibron.command.main", "backend", "serve", place]


class WorkerProcess:
    """Starts, kills and stops a worker."""

    def __init__(self, command: Sequence[str], temporal: FakeTemporal, log: Path, env: Mapping[str, str]) -> None:
        self._command = command
        self._temporal = temporal
        self._log = log
        self._env = env
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts the worker and waits until it asks for work. Raises ChildProcessError if it does not."""
        hidden = ("TEMPORAL_", "PAYLOAD_")
        usual = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        env = {
            **usual,
            **self._env,
            "TEMPORAL_ADDRESS": self._temporal.address,
            "TEMPORAL_NAMESPACE": "calibron",
            "PYTHONUNBUFFERED": "1",
        }
        env.setdefault("BACKEND", "check")
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, env=env, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log
            )
        waiting = asyncio.create_task(self._polling())
        exited = asyncio.create_task(self._process.wait())
        try:
            done, _ = await asyncio.wait({waiting, exited}, timeout=_START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if waiting not in done:
                ended = f"ended with status {self._process.returncode}" if exited in done else "does not ask for work"
                raise ChildProcessError(f"The worker {ended}. Its output:\n{self.output()}")
        finally:
            waiting.cancel()
            exited.cancel()

    async def _polling(self) -> None:
        while self._temporal.polls == 0:
            await asyncio.sleep(0.02)

    def output(self) -> str:
        """The end of what the worker wrote."""
        return self._log.read_text(encoding="utf-8", errors="replace")[-3000:].strip()

    async def kill(self) -> None:
        await self._end(signal.SIGKILL, 30)

    async def stop(self, seconds: float = 30) -> bool:
        """Asks the worker to stop. Returns whether it ended within that time; otherwise it is killed."""
        return await self._end(signal.SIGTERM, seconds)

    async def _end(self, kind: signal.Signals, seconds: float) -> bool:
        process, self._process = self._process, None
        if process is None:
            return True
        if process.returncode is None:
            process.send_signal(kind)
        try:
            await asyncio.wait_for(process.wait(), seconds)
            return True
        except TimeoutError:
            process.kill()
            await process.wait()
            return False
