"""The shipped example with an instrument that takes as long as it is told, unless it is aborted, and keeps a journal.

INSTRUMENT_JOURNAL names the journal; the name of this worker and the time to take come from the environment too.
"""

import asyncio
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
import backend_worker  # noqa: E402


class StallingInstrument(backend_worker.Instrument):
    def __init__(self) -> None:
        self._aborted = threading.Event()

    def _note(self, event: str) -> None:
        with open(os.environ["INSTRUMENT_JOURNAL"], "a", encoding="utf-8") as journal:
            journal.write(f"{event} {os.environ['INSTRUMENT']}\n")

    def decay(self, qid: str, times_ns: list[float], shots: int) -> list[complex]:
        self._aborted.clear()
        self._note("start")
        if self._aborted.wait(float(os.environ["INSTRUMENT_SECONDS"])):
            self._note("abort")
            raise RuntimeError("aborted")
        self._note("end")
        return super().decay(qid, times_ns, shots)

    def abort(self) -> None:
        self._aborted.set()


backend_worker.instrument = StallingInstrument()
print("serving", flush=True)
asyncio.run(backend_worker.main())
