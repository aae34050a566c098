"""Serves an instrument as a backend of Calibron: `pip install calibron[backend]`."""

from .backend import Backend
from .clock import Clock, SimulatedClock, SystemClock
from .dataset import Dataset
from .errors import MeasurementError, Stopped
from .outputs import Outputs, Value
from .parameters import Parameter, Parameters
from .request import Request

__all__ = [
    "Backend",
    "Clock",
    "Dataset",
    "MeasurementError",
    "Outputs",
    "Parameter",
    "Parameters",
    "Request",
    "SimulatedClock",
    "Stopped",
    "SystemClock",
    "Value",
]
