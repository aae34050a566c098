"""The program `calibron`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from . import backend, flows, parameters, results, runs, sign_in
from .common import AWAY, REFUSED, err

HELP = """Calibron from the command line.

Exit codes: 0 done, 1 a run failed or a check found something, 2 wrong arguments, 3 refused by the service,
4 the service is away.
"""

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help=HELP)
for command in (
    *(sign_in.login, sign_in.logout, results.chips, runs.run, runs.task, runs.watch, runs.executions, runs.logs),
    *(runs.cancel, runs.approve, results.results, results.why, results.download, parameters.import_params),
):
    app.command()(command)
app.add_typer(flows.app, name="flows")
app.add_typer(backend.app, name="backend")


@app.callback()
def root(
    context: typer.Context,
    url: Annotated[
        str | None, typer.Option(help="Address of the service; default: CALIBRON_URL or the last login")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Project by name or id; default: CALIBRON_PROJECT")] = None,
) -> None:
    given = context.ensure_object(dict)
    given |= {"url": url, "project": project}


def main() -> None:
    """Runs the program. An error of the service ends it with a message."""
    try:
        app()
    except Exception as error:
        code = _code_of(error)
        if code is None:
            raise
        err.print(str(error), markup=False)
        sys.exit(code)


def _code_of(error: Exception) -> int | None:
    """The exit code for an error that its message explains; None for a bug."""
    import httpx

    from ..transport.errors import CalibronError, ServiceError, Unreachable

    if isinstance(error, Unreachable | httpx.TransportError):
        return AWAY
    if isinstance(error, ServiceError):
        return AWAY if error.status >= 500 else REFUSED
    return REFUSED if isinstance(error, CalibronError) else None


if __name__ == "__main__":
    main()
