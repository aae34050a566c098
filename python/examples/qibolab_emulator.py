"""A backend on Qibolab's emulator: `calibron backend serve qibolab_emulator:backend`.

Replace `open_platform` by `qibolab.create_platform("…")` for a platform of your own: the pulses stay as they are.
"""

from __future__ import annotations

import numpy as np
from qibolab import (
    Acquisition,
    AcquisitionChannel,
    AcquisitionType,
    AveragingMode,
    ConfigKinds,
    Delay,
    IqChannel,
    Parameters,
    Platform,
    Pulse,
    PulseSequence,
    Qubit,
    Readout,
    Rectangular,
)
from qibolab._core.components import AcquisitionConfig, IqConfig
from qibolab.instruments.emulator import DriveEmulatorConfig, EmulatorController, HamiltonianConfig

from calibron.backend import Backend, Dataset, Request

FREQUENCY, RABI, T1, T2 = 2.6e9, 1e9, 1500.0, 1200.0
"""Of the emulated qubit: Hz, the Rabi frequency at full amplitude too, and ns."""
PI, PI_AMPLITUDE = 20.0, 0.025
"""Length in ns and amplitude of the π pulse; half the length is a π/2 pulse."""
RAMP = 12.0
"""Nanoseconds for which a plain pulse rotates beyond its flat part; a rectangle has no ramps."""

QUBIT = Qubit.default(0)
backend = Backend("qibolab-emulator", version="1")


def open_platform() -> Platform:
    ConfigKinds.extend([HamiltonianConfig, DriveEmulatorConfig])
    transmon = {"frequency": FREQUENCY, "anharmonicity": -2e8, "t1": {"0-1": T1}, "t2": {"0-1": T2}}
    configs = {
        "hamiltonian": HamiltonianConfig(transmon_levels=2, qubits={0: transmon}),
        QUBIT.drive: DriveEmulatorConfig(frequency=FREQUENCY, rabi_frequency=RABI),
        QUBIT.probe: IqConfig(frequency=5e9),
        QUBIT.acquisition: AcquisitionConfig(delay=0, smearing=0),
    }
    channels = {
        QUBIT.drive: IqChannel(mixer=None, lo=None),
        QUBIT.probe: IqChannel(mixer=None, lo=None),
        QUBIT.acquisition: AcquisitionChannel(probe=QUBIT.probe, twpa_pump=None),
    }
    controller = EmulatorController(address="0.0.0.0", channels=channels)
    given = {"parameters": Parameters(configs=configs), "instruments": {"emulator": controller}}
    return Platform(name="emulator", qubits={0: QUBIT}, **given)


platform = open_platform()
platform.connect()


def drive(length: float, amplitude: float = PI_AMPLITUDE, phase: float = 0.0) -> Pulse:
    return Pulse(duration=length, amplitude=amplitude, envelope=Rectangular(), relative_phase=phase)


def population(request: Request, events: list[Pulse | Delay], frequency: float = FREQUENCY) -> float:
    """Plays pulses and delays, and reads how often the qubit is excited."""
    request.raise_if_stopped()
    sequence = PulseSequence([(QUBIT.drive, event) for event in events])
    sequence.append((QUBIT.acquisition, Delay(duration=sum(event.duration for event in events))))
    readout = Readout(acquisition=Acquisition(duration=100), probe=drive(100))
    sequence.append((QUBIT.acquisition, readout))
    found = platform.execute(
        [sequence],
        nshots=request.run.integer("shots"),
        acquisition_type=AcquisitionType.DISCRIMINATION,
        averaging_mode=AveragingMode.SINGLESHOT,
        updates=[{QUBIT.drive: {"frequency": frequency}}],
    )
    [samples] = found.values()
    return float(np.mean(samples))


def swept(request: Request, times: np.ndarray, **signals: list[float]) -> Dataset:
    """Data over the times, with the two states beside them."""
    data = Dataset().axis("time", times, "ns", "Time")
    for name, values in signals.items():
        data.variable(f"{name}_re", values, dims=["time"])
    states = [population(request, [drive(length)]) for length in (1e-3, PI)]
    return data.axis("state", [0, 1]).variable("reference_re", states, dims=["state"])


@backend.task("CheckRabi")
def check_rabi(request: Request) -> Dataset:
    times = request.run.array("time_range", "ns")
    amplitude = request.inputs.number("control_amplitude")
    points = [population(request, [drive(time + RAMP, amplitude)]) for time in times]
    return Dataset().axis("time", times, "ns", "Length of the pulse").variable("iq_re", points)


@backend.task("CheckT1")
def check_t1(request: Request) -> Dataset:
    times = request.run.array("time_range", "ns")
    return swept(request, times, iq=[population(request, [drive(PI), Delay(duration=time)]) for time in times])


@backend.task("CheckRamsey")
def check_ramsey(request: Request) -> Dataset:
    times = request.run.array("time_range", "ns")
    frequency = request.inputs.number("qubit_frequency", "Hz") + request.run.number("detuning", "Hz")

    def fringe(phase: float) -> list[float]:
        first, last = drive(PI / 2), drive(PI / 2, phase=phase)
        return [population(request, [first, Delay(duration=time), last], frequency) for time in times]

    return swept(request, times, x=fringe(np.pi), y=fringe(np.pi / 2))
