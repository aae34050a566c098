"""The reference worker of the documentation, with an instrument whose time grows with the shots."""

import asyncio
import importlib.util
import sys
import threading

spec = importlib.util.spec_from_file_location("backend_worker", sys.argv[1])
assert spec is not None and spec.loader is not None
reference = importlib.util.module_from_spec(spec)
sys.modules["backend_worker"] = reference
spec.loader.exec_module(reference)


class Slow(reference.Instrument):
    def __init__(self) -> None:
        self._aborted = threading.Event()

    def decay(self, qid: str, times_ns: list, shots: int) -> list:
        self._aborted.clear()
        if self._aborted.wait(shots * 1e-4):
            raise RuntimeError("aborted")
        return super().decay(qid, times_ns, shots)

    def abort(self, request: dict) -> None:
        self._aborted.set()


reference.instrument = Slow()
asyncio.run(reference.main())
