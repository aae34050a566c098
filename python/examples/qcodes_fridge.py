"""A backend on QCoDeS instruments: `calibron backend serve qcodes_fridge:backend`.

`Station` stands for the drivers of a lab. It has the parameters of a real one, and simulates one qubit behind them.
"""

from __future__ import annotations

import numpy as np
from qcodes.instrument import Instrument
from qcodes.validators import Enum, Numbers

from calibron.backend import Backend, Dataset, MeasurementError, Request

GROUND, EXCITED = 0.10 + 0.25j, 0.55 - 0.15j
"""Where the readout sees the two states, in volts."""
T1, T2_STAR, T2_ECHO = 42e-6, 18e-6, 55e-6
OFFSET = 0.4e6
"""Hz by which the qubit lies above the frequency that Calibron assumes."""


class Station(Instrument):
    """Pulses, waits and reads one qubit."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        sequences = Enum("relaxation", "ramsey", "echo", "ground", "excited")
        self.add_parameter("sequence", set_cmd=None, vals=sequences, initial_value="ground")
        self.add_parameter("delay", unit="s", set_cmd=None, vals=Numbers(0, 1), initial_value=0.0)
        self.add_parameter("drive_frequency", unit="Hz", set_cmd=None, vals=Numbers(1e8, 2e10), initial_value=5e9)
        self.add_parameter("qubit_frequency", unit="Hz", set_cmd=None, initial_value=5e9)
        self.add_parameter("second_phase", unit="rad", set_cmd=None, initial_value=0.0)
        self.add_parameter("shots", set_cmd=None, vals=Numbers(1), initial_value=1000)
        self.add_parameter("iq", unit="V", get_cmd=self._read)
        self._noise = np.random.default_rng(7)

    def _population(self) -> float:
        delay, sequence = self.delay(), self.sequence()
        if sequence in ("ground", "excited"):
            return float(sequence == "excited")
        if sequence == "relaxation":
            return float(np.exp(-delay / T1))
        if sequence == "echo":
            return float(0.5 + 0.5 * np.exp(-delay / T2_ECHO))
        phase = 2 * np.pi * (self.drive_frequency() - self.qubit_frequency()) * delay - self.second_phase()
        return float(0.5 - 0.5 * np.cos(phase) * np.exp(-delay / T2_STAR))

    def _read(self) -> complex:
        noise = self._noise.normal(0, 0.5 / np.sqrt(self.shots()), 2)
        return complex(GROUND + (EXCITED - GROUND) * self._population() + noise[0] + 1j * noise[1])


station = Station("station")
backend = Backend("qcodes-fridge", version="1")


def prepare(request: Request) -> None:
    """Settings that all tasks share."""
    assumed = request.inputs.number("qubit_frequency", "Hz")
    if not 1e8 < assumed < 2e10:
        raise MeasurementError(f"The synthesizer cannot go to {assumed / 1e9:.3f} GHz.")
    station.drive_frequency(assumed)
    station.qubit_frequency(assumed + OFFSET)
    station.shots(request.run.integer("shots"))
    station.second_phase(0.0)


def sweep(request: Request, sequence: str, delays: np.ndarray) -> np.ndarray:
    """Reads the qubit after each delay, and ends as soon as the measurement must stop."""
    station.sequence(sequence)
    points = []
    for number, delay in enumerate(delays):
        request.raise_if_stopped()
        request.progress(number / len(delays))
        station.delay(float(delay))
        points.append(station.iq())
    return np.array(points)


def references(request: Request, data: Dataset) -> Dataset:
    """Adds where the readout sees the two states."""
    seen = np.array([sweep(request, state, np.zeros(1))[0] for state in ("ground", "excited")])
    return data.axis("state", [0, 1]).signal("reference", seen, "V", dims=["state"])


@backend.task("CheckT1")
def check_t1(request: Request) -> Dataset:
    prepare(request)
    delays = request.run.array("time_range", "s")
    data = Dataset().axis("time", delays, "s", "Waiting time").signal("iq", sweep(request, "relaxation", delays), "V")
    return references(request, data)


@backend.task("CheckT2Echo")
def check_t2_echo(request: Request) -> Dataset:
    prepare(request)
    delays = request.run.array("time_range", "s")
    data = Dataset().axis("time", delays, "s", "Free time").signal("iq", sweep(request, "echo", delays), "V")
    return references(request, data)


@backend.task("CheckRamsey")
def check_ramsey(request: Request) -> Dataset:
    prepare(request)
    station.drive_frequency(station.drive_frequency() + request.run.number("detuning", "Hz"))
    delays = request.run.array("time_range", "s")
    data = Dataset().axis("time", delays, "s", "Free time")
    for fringe, phase in (("x", 0.0), ("y", np.pi / 2)):
        station.second_phase(phase)
        data.signal(fringe, sweep(request, "ramsey", delays), "V", dims=["time"])
    return references(request, data)
