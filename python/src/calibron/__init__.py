"""Calibron for Python."""

from .version import VERSION

__version__ = VERSION

__all__ = ["__version__"]
