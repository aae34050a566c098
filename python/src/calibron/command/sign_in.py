"""`calibron login` and `logout`."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import out


def login(
    context: typer.Context,
    username: Annotated[
        str | None, typer.Option("--username", "-u", help="Asked for if neither this nor --token")
    ] = None,
    token: Annotated[str | None, typer.Option("--token", help="A program token, in place of a password")] = None,
    otp: Annotated[str | None, typer.Option("--otp", help="The code of your second factor")] = None,
) -> None:
    """Sign in, and keep the token for later commands and programs of this user."""
    from ..client import Client
    from ..transport.access import Access, find_access, save_login

    given = context.ensure_object(dict)
    found = find_access(given.get("url"), token=token or "none")
    url, project = found.url, given.get("project") or found.project
    if token is None:
        name = username or str(typer.prompt("Username"))
        password = str(typer.prompt("Password", hide_input=True))
        with Client(url, username=name, password=password) as client:
            token = client.new_token(otp)
    with Client(url, token=token, project=project) as client:
        me = client.get_me()
        if project is not None:
            client.list_flows()
    file = save_login(Access(url, token=token, project=project))
    out.print(f"Signed in at {url} as {me.username}. The token is kept in {file}.", markup=False)


def logout() -> None:
    """Forget the token of the last login."""
    from ..transport.access import forget_login

    forget_login()
    out.print("Signed out.")
