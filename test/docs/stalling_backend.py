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


def qid_suffix(qid: str) -> str:
    """Names the qubit in the journal where that is asked for."""
    return f" {qid}" if os.environ.get("INSTRUMENT_NAMES_QUBITS") else ""


class StallingInstrument(backend_worker.Instrument):
    def __init__(self) -> None:
        self._aborted = threading.Event()

    def _note(self, event: str) -> None:
        with open(os.environ["INSTRUMENT_JOURNAL"], "a", encoding="utf-8") as journal:
            journal.write(f"{event} {os.environ['INSTRUMENT']}\n")

    def decay(self, qid: str, times_ns: list[float], shots: int) -> list[complex]:
        self._aborted.clear()
        self._note(f"start{qid_suffix(qid)}")
        if self._aborted.wait(float(os.environ["INSTRUMENT_SECONDS"])):
            self._note(f"abort{qid_suffix(qid)}")
            raise RuntimeError("aborted")
        self._note(f"end{qid_suffix(qid)}")
        return super().decay(qid, times_ns, shots)

    def abort(self) -> None:
        self._aborted.set()


backend_worker.instrument = StallingInstrument()
print("serving", flush=True)
asyncio.run(backend_worker.main())
