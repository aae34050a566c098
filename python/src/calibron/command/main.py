"""The program `calibron`."""

from __future__ import annotations

import typer

from . import backend

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help="Calibron from the command line.")
app.add_typer(backend.app, name="backend")


@app.callback()
def root() -> None:
    """Calibron from the command line."""


def main() -> None:
    app()


if __name__ == "__main__":
    main()
