"""The shipped example with an instrument that takes as long as it is told, unless it is aborted, and keeps a journal.

INSTRUMENT_JOURNAL names a journal of lines `start|end|abort [<qid>] <name>`; INSTRUMENT_JSON_JOURNAL one of JSON lines as
the simulator writes them. INSTRUMENT_SECONDS is a number of seconds, or `<least>..<most>`, between which each measurement
draws its own. The name of this worker comes from the environment, too.
"""

import asyncio
import json
import os
import random
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
import backend_worker  # noqa: E402


class StallingInstrument(backend_worker.Instrument):
    def __init__(self) -> None:
        # By task, what ends its measurement.
        self._aborted: dict[str, threading.Event] = {}
        self._measuring = threading.local()

    def _note(self, event: str, qid: str) -> None:
        if path := os.environ.get("INSTRUMENT_JOURNAL"):
            names = [event, *([qid] if os.environ.get("INSTRUMENT_NAMES_QUBITS") else []), os.environ["INSTRUMENT"]]
            with open(path, "a", encoding="utf-8") as journal:
                journal.write(" ".join(names) + "\n")
        if path := os.environ.get("INSTRUMENT_JSON_JOURNAL"):
            names = ("project_id", "execution_id", "task_id", "attempt", "task_name", "targets")
            at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            entry = {"event": event, "at": at, "pid": os.getpid()}
            entry |= {name: self._measuring.request[name] for name in names}
            with open(path, "a", encoding="utf-8") as journal:
                journal.write(json.dumps(entry) + "\n")

    def serve(self, procedure):
        """A procedure during which the journal knows the request."""

        def measure(request: dict) -> dict:
            self._measuring.request = request
            self._aborted[request["task_id"]] = threading.Event()
            return procedure(request)

        return measure

    def _seconds(self) -> float:
        least, _, most = os.environ["INSTRUMENT_SECONDS"].partition("..")
        if not most:
            return float(least)
        request = self._measuring.request
        chance = random.Random(f"{request['task_id']} {request['attempt']}").random()
        return float(least) + chance * (float(most) - float(least))

    def decay(self, qid: str, times_ns: list[float], shots: int) -> list[complex]:
        self._note("start", qid)
        if self._aborted[self._measuring.request["task_id"]].wait(self._seconds()):
            self._note("abort", qid)
            raise RuntimeError("aborted")
        measured = super().decay(qid, times_ns, shots)
        self._note("end", qid)
        return measured

    def abort(self, request: dict) -> None:
        if aborted := self._aborted.get(request["task_id"]):
            aborted.set()


instrument = StallingInstrument()
backend_worker.instrument = instrument
backend_worker.PROCEDURES = {
    name: instrument.serve(procedure) for name, procedure in backend_worker.PROCEDURES.items()
}
print("serving", flush=True)
asyncio.run(backend_worker.main())
