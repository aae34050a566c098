"""A backend as a lab would write it, with an instrument that takes its time. The environment says how it fails."""

import asyncio
import os

import numpy as np

from calibron.backend import (
    Backend,
    Dataset,
    Input,
    MeasurementError,
    Output,
    Outputs,
    Request,
    RunParameter,
    Value,
)

backend = Backend("fridge-1", version="0.3", at_once=int(os.environ.get("AT_ONCE", "1")))


@backend.task("CheckT1", run_parameters={"shots": 2000})
def check_t1(request: Request) -> Dataset:
    """Excites the qubit and waits."""
    times = request.run.array("time_range", "us")
    shots = request.run.integer("shots")
    request.progress(0.5)
    request.wait(shots * 1e-4)
    noise = np.random.default_rng().normal(0, 1 / np.sqrt(shots), (2, times.size))
    signal = np.exp(-times / 50) + noise[0] + 1j * noise[1]
    return Dataset().axis("time", times, "us", "Waiting time").signal("iq", signal)


@backend.task("CheckT2Echo")
async def check_t2_echo(request: Request) -> Outputs:
    await asyncio.sleep(request.run.integer("shots") * 1e-4)
    if request.inputs.number("qubit_frequency", "MHz") < 100:
        raise MeasurementError("The mixer cannot go below 100 MHz.")
    return Outputs({"t2_echo": Value(np.float32(60.5), np.float64(0.5), "us")}, r2=np.float32(0.99))


@backend.task("CheckSimultaneousQubitSpectroscopy")
def spectroscopy(request: Request) -> dict[str, Dataset]:
    frequencies = np.linspace(4, 5, 101)
    power = np.array([-20.0, -10.0])
    made = {}
    for target in request.targets:
        values = np.full((power.size, frequencies.size), np.nan, dtype=complex)
        data = Dataset().axis("power", power, "dB").axis("frequency", frequencies, "GHz")
        made[target] = data.signal("iq", values)
    return made


def slope_of(data: Dataset, request: Request) -> Outputs:
    response = data.variables["response"].values * request.run.number("gain")
    slope = np.polyfit(data.axes["step"].values, response, 1)[0]
    return Outputs({"lab_slope": Value(round(slope, 3), 500, "ns")}, r2=0.98)


@backend.task(
    "LabSlope",
    inputs={"qubit_frequency": Input("GHz")},
    run_parameters={"gain": RunParameter(1.0, minimum=0, maximum=100), "shots": 1000},
    outputs={"lab_slope": Output("us", "Slope of the lab's own model.", minimum=0, maximum=100)},
    threshold=0.5,
    analyse=slope_of,
)
async def lab_slope(request: Request) -> Dataset:
    """Measures what only this lab knows."""
    await asyncio.sleep(request.run.integer("shots") * 1e-4)
    request.log("the bias is 3 mV")
    steps = np.arange(5.0)
    return Dataset().axis("step", steps).variable("response", 12_500 * steps, "ns")


@backend.health
def health() -> str | None:
    return os.environ.get("FRIDGE_PROBLEM")
