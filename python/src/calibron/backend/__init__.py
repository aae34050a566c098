"""Serves an instrument as a backend of Calibron: `pip install calibron[backend]`."""

from .backend import Backend
from .clock import Clock, SimulatedClock, SystemClock
from .dataset import Dataset
from .declaring import Input, Output, RunParameter
from .errors import MeasurementError, Stopped
from .outputs import Outputs, Value
from .parameters import Parameter, Parameters
from .request import Request

__all__ = [
    "Backend",
    "Clock",
    "Dataset",
    "Input",
    "MeasurementError",
    "Output",
    "Outputs",
    "Parameter",
    "Parameters",
    "Request",
    "RunParameter",
    "SimulatedClock",
    "Stopped",
    "SystemClock",
    "Value",
]
