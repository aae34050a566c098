"""The parts of the package stay apart: each needs the packages of its own extra, and no others."""

import subprocess
import sys

import pytest

EXTRAS = {
    "numbers": ("numpy", "scipy"),
    "backend": ("temporalio",),
    "notebook": ("pandas", "xarray", "plotly", "h5netcdf", "ipywidgets", "pyarrow"),
    "check": ("grpc",),
    "encryption": ("cryptography",),
}


@pytest.mark.parametrize(
    ("modules", "own"),
    [
        ("calibron, calibron.command.main", ()),
        ("calibron.backend", ("numbers", "backend")),
        ("calibron.notebook", ("numbers", "notebook")),
        ("calibron.check", ("numbers", "backend", "check")),
    ],
)
def test_a_part_loads_without_the_packages_of_other_extras(modules: str, own: tuple[str, ...]) -> None:
    others = [package for extra, packages in EXTRAS.items() if extra not in own for package in packages]
    program = f"import sys\nfor each in {others}: sys.modules[each] = None\nimport {modules}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""
