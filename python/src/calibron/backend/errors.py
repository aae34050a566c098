"""What can end a measurement without a result."""

from __future__ import annotations


class MeasurementError(Exception):
    """The measurement is impossible, for a reason that its user should read: raise it with a message.

    Any other exception of a procedure counts as a bug of the backend and is reported as one.
    """


class Stopped(Exception):
    """The measurement must stop: it was cancelled, cut off from Temporal, or its worker stops."""
