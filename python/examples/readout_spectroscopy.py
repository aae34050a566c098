"""Readout spectroscopy with a network analyser: `calibron backend serve readout_spectroscopy:backend`.

`Analyser` and `PulseSource` stand for QCoDeS drivers of a lab. They have the parameters of real ones, and simulate one
resonator that its qubit shifts.
"""

from __future__ import annotations

import numpy as np
from qcodes.instrument import Instrument
from qcodes.validators import Enum, Ints, Numbers

from calibron.backend import Backend, Dataset, MeasurementError, Request

OFFSET = 1.5e6
"""Hz by which the resonator lies above the frequency that Calibron assumes, with the qubit in its ground state."""
KAPPA_EXTERNAL, KAPPA_INTERNAL = 3.0e6, 0.4e6
SHIFT = -1.2e6
"""Hz by which the excited qubit moves the resonator: twice the dispersive shift."""
DELAY = 4e-9
"""Seconds that the line to the resonator and back takes."""


class PulseSource(Instrument):
    """Prepares the qubit before each sweep of the analyser."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.add_parameter("state", set_cmd=None, vals=Enum("ground", "excited"), initial_value="ground")
        self.add_parameter("frequency", unit="Hz", set_cmd=None, vals=Numbers(1e8, 2e10), initial_value=5e9)


class Analyser(Instrument):
    """Measures the reflection of the readout line at points of equal distance."""

    def __init__(self, name: str, source: PulseSource) -> None:
        super().__init__(name)
        self.add_parameter("start", unit="Hz", set_cmd=None, vals=Numbers(1e6, 2e10), initial_value=6e9)
        self.add_parameter("stop", unit="Hz", set_cmd=None, vals=Numbers(1e6, 2e10), initial_value=7e9)
        self.add_parameter("points", set_cmd=None, vals=Ints(2, 100_001), initial_value=101)
        self.add_parameter("averages", set_cmd=None, vals=Ints(1), initial_value=1000)
        self.add_parameter("resonator", unit="Hz", set_cmd=None, initial_value=6.5e9)
        self.add_parameter("reflection", unit="V", get_cmd=self._read)
        self._source = source
        self._noise = np.random.default_rng(11)

    def _read(self) -> np.ndarray:
        frequencies = np.linspace(self.start(), self.stop(), self.points())
        resonator = self.resonator() + (SHIFT if self._source.state() == "excited" else 0)
        width = KAPPA_EXTERNAL + KAPPA_INTERNAL
        reflection = 1 - 2 * KAPPA_EXTERNAL / (width + 2j * (frequencies - resonator))
        noise = self._noise.normal(0, 0.3 / np.sqrt(self.averages()), (2, frequencies.size))
        return 0.02 * (reflection * np.exp(-2j * np.pi * frequencies * DELAY) + noise[0] + 1j * noise[1])


source = PulseSource("source")
analyser = Analyser("analyser", source)
backend = Backend("readout-spectroscopy", version="1")


def sweep(request: Request, frequencies: np.ndarray, state: str = "ground") -> np.ndarray:
    """The reflection at frequencies of equal distance, with the qubit in a state."""
    request.raise_if_stopped()
    assumed = request.inputs.number("readout_frequency", "Hz")
    if not 1e6 < frequencies[0] < frequencies[-1] < 2e10:
        raise MeasurementError(f"The analyser cannot sweep from {frequencies[0]:.4g} to {frequencies[-1]:.4g} Hz.")
    analyser.resonator(assumed + OFFSET)
    analyser.start(float(frequencies[0]))
    analyser.stop(float(frequencies[-1]))
    analyser.points(frequencies.size)
    analyser.averages(request.run.integer("shots"))
    source.state(state)
    return analyser.reflection()


@backend.task("CheckReflectionCoefficient")
def check_reflection_coefficient(request: Request) -> Dataset:
    """Sweeps a weak tone finely over the resonator."""
    centre = request.inputs.number("readout_frequency", "Hz")
    width, step = request.run.number("frequency_width", "Hz"), request.run.number("frequency_step", "Hz")
    frequencies = centre + np.linspace(-width / 2, width / 2, round(width / step) + 1)
    data = Dataset().axis("frequency", frequencies, "Hz", "Readout frequency")
    return data.signal("iq", sweep(request, frequencies), "V")


@backend.task("CheckDispersiveShift")
def check_dispersive_shift(request: Request) -> Dataset:
    """Sweeps over the resonator with the qubit in its ground state, and in its excited one."""
    source.frequency(request.inputs.number("qubit_frequency", "Hz"))
    centre = request.inputs.number("readout_frequency", "Hz")
    frequencies = centre + request.run.array("detuning_range", "Hz")
    both = [sweep(request, frequencies, state) for state in ("ground", "excited")]
    data = Dataset().axis("state", [0, 1]).axis("frequency", frequencies, "Hz", "Readout frequency")
    return data.signal("iq", np.array(both), "V")
