"""The conformance kit for workers: `pip install calibron[check]`, then `calibron backend check lab.fridge:backend`."""

from .kit import check_worker
from .report import Finding, Report

__all__ = ["Finding", "Report", "check_worker"]
