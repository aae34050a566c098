"""A backend whose only task is one of the lab's own: the catalog does not have it.

calibron backend check own_task:backend
calibron backend serve own_task:backend
"""

import numpy as np

from calibron.backend import Backend, Dataset, Output, Outputs, Request, RunParameter, Value

backend = Backend("fridge-1", version="1.0")


def analyse(data: Dataset, request: Request) -> Outputs:
    """Finds the width at half maximum."""
    frequencies, response = data.axes["frequency"].values, data.variables["response"].values
    above = frequencies[response > 0.5]
    width = float(above[-1] - above[0])
    centre = request.inputs.number("qubit_frequency", "Hz")
    model = 1 / (1 + ((frequencies - centre) / (width / 2)) ** 2)
    r2 = 1 - np.var(response - model) / np.var(response)
    return Outputs({"line_width": Value(width, frequencies[1] - frequencies[0], "Hz")}, r2=r2)


@backend.task(
    "LabLineWidth",
    type="qubit",
    inputs={"qubit_frequency": "GHz"},
    run_parameters={
        "shots": RunParameter(1000, minimum=1),
        "span": RunParameter(4.0, "MHz", "Width of the sweep", minimum=0.1, maximum=100),
    },
    outputs={"line_width": Output("kHz", "Full width at half maximum", minimum=1, maximum=10_000)},
    threshold=0.5,
    analyse=analyse,
)
def line_width(request: Request) -> Dataset:
    """Sweeps over the line of the qubit."""
    centre = request.inputs.number("qubit_frequency", "Hz")
    span = request.run.number("span", "Hz")
    frequencies = centre + np.linspace(-span / 2, span / 2, 101)
    response = _measured(frequencies, centre, request.run.integer("shots"))
    data = Dataset().axis("frequency", frequencies, "Hz", "Drive frequency")
    return data.variable("response", response)


def _measured(frequencies: np.ndarray, centre: float, shots: int) -> np.ndarray:
    """Stands for an instrument: a line of 800 kHz with noise."""
    noise = np.random.default_rng().normal(0, 0.3 / np.sqrt(shots), frequencies.size)
    return 1 / (1 + ((frequencies - centre) / 400e3) ** 2) + noise


if __name__ == "__main__":
    backend.serve()
