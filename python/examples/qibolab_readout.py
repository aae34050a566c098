"""Readout spectroscopy with Qibolab's pulses: `calibron backend serve qibolab_readout:backend`.

The emulator has no readout line, so its mode is the resonator here, which a probe pulse fills. What the resonator holds
is seen by its interference with a short second pulse of three phases, as a homodyne receiver sees it.
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

FREQUENCY, KAPPA_EXTERNAL, KAPPA_INTERNAL = 5e9, 8e6, 2e6
"""Of the emulated resonator, in Hz."""
LEVELS = 5
DRIVE = np.pi
"""Amplitude by which a pulse of full amplitude displaces the resonator in a nanosecond."""
PROBE, PROBE_AMPLITUDE = 160.0, 0.003
"""Length in ns, several lifetimes, and amplitude of the pulse that fills the resonator with a tenth of a photon."""
REFERENCE, REFERENCE_AMPLITUDE = 1.0, 0.2
"""Of the pulse that the resonator's field interferes with."""
PHASES = 2 * np.pi * np.arange(3) / 3

RESONATOR = Qubit.default(0)
backend = Backend("qibolab-readout", version="1")


def open_platform() -> Platform:
    ConfigKinds.extend([HamiltonianConfig, DriveEmulatorConfig])
    lifetime = 1e9 / (2 * np.pi * (KAPPA_EXTERNAL + KAPPA_INTERNAL))
    decays = {f"{level}-{level + 1}": lifetime / (level + 1) for level in range(LEVELS - 1)}
    mode = {"frequency": FREQUENCY, "anharmonicity": 0.0, "t1": decays}
    configs = {
        "hamiltonian": HamiltonianConfig(transmon_levels=LEVELS, qubits={0: mode}),
        RESONATOR.drive: DriveEmulatorConfig(frequency=FREQUENCY, rabi_frequency=1e9),
        RESONATOR.probe: IqConfig(frequency=FREQUENCY),
        RESONATOR.acquisition: AcquisitionConfig(delay=0, smearing=0),
    }
    channels = {
        RESONATOR.drive: IqChannel(mixer=None, lo=None),
        RESONATOR.probe: IqChannel(mixer=None, lo=None),
        RESONATOR.acquisition: AcquisitionChannel(probe=RESONATOR.probe, twpa_pump=None),
    }
    controller = EmulatorController(address="0.0.0.0", channels=channels)
    given = {"parameters": Parameters(configs=configs), "instruments": {"emulator": controller}}
    return Platform(name="resonator", qubits={0: RESONATOR}, **given)


platform = open_platform()
platform.connect()


def pulse(length: float, amplitude: float, phase: float = 0.0) -> Pulse:
    return Pulse(duration=length, amplitude=amplitude, envelope=Rectangular(), relative_phase=phase)


def photons(request: Request, pulses: list[Pulse], frequency: float) -> float:
    """Plays pulses at a frequency, and reads how many photons they leave, from how often there is none."""
    request.raise_if_stopped()
    sequence = PulseSequence([(RESONATOR.drive, each) for each in pulses])
    sequence.append((RESONATOR.acquisition, Delay(duration=sum(each.duration for each in pulses))))
    readout = Readout(acquisition=Acquisition(duration=100), probe=pulse(100, 0.1))
    sequence.append((RESONATOR.acquisition, readout))
    found = platform.execute(
        [sequence],
        nshots=request.run.integer("shots"),
        acquisition_type=AcquisitionType.DISCRIMINATION,
        averaging_mode=AveragingMode.SINGLESHOT,
        updates=[{RESONATOR.drive: {"frequency": frequency}}],
    )
    [samples] = found.values()
    return float(-np.log1p(-np.mean(samples)))


def reflection(request: Request, frequency: float) -> complex:
    """What comes back on the line: the tone, less what the resonator it fills sends out."""
    probe = pulse(PROBE, PROBE_AMPLITUDE)
    references = [pulse(REFERENCE, REFERENCE_AMPLITUDE, phase) for phase in PHASES]
    numbers = [photons(request, [probe, each], frequency) for each in references]
    field = np.dot(numbers, np.exp(1j * PHASES)) / (3 * DRIVE * REFERENCE * REFERENCE_AMPLITUDE)
    return complex(1 - 2 * np.pi * KAPPA_EXTERNAL * 1e-9 * field / (DRIVE * PROBE_AMPLITUDE))


@backend.task("CheckReflectionCoefficient")
def check_reflection_coefficient(request: Request) -> Dataset:
    centre = request.inputs.number("readout_frequency", "Hz")
    width, step = request.run.number("frequency_width", "Hz"), request.run.number("frequency_step", "Hz")
    frequencies = centre + np.linspace(-width / 2, width / 2, round(width / step) + 1)
    data = Dataset().axis("frequency", frequencies, "Hz", "Readout frequency")
    return data.signal("iq", np.array([reflection(request, each) for each in frequencies]))
