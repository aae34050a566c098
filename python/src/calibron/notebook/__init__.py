"""Calibron in a notebook: `pip install calibron[notebook]`.

>>> from calibron.notebook import Lab
>>> lab = Lab()
>>> lab.chip("64Q").plot("t1")
"""

from .frames import Frame
from .lab import Chip, Lab
from .show import show_run

__all__ = ["Chip", "Frame", "Lab", "show_run"]
