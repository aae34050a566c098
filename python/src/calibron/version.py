"""The version of the package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("calibron")
except PackageNotFoundError:
    VERSION = "unknown"
