"""Where the service is and who asks: from arguments, from the environment, or from the last `calibron login`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from .errors import CalibronError

USUAL_URL = "http://127.0.0.1:5715"


@dataclass(frozen=True)
class Access:
    """Address, credentials and project of a client."""

    url: str
    token: str | None = None
    username: str | None = None
    password: str | None = None
    project: str | None = None


def login_file() -> Path:
    """The file that keeps the last login, readable by its user only."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base, "calibron", "login.json")


def saved_login() -> dict[str, str]:
    """The last login, or nothing."""
    try:
        found = json.loads(login_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in found.items() if value} if isinstance(found, dict) else {}


def save_login(access: Access) -> Path:
    """Keeps address, token and project for later programs of the user."""
    file = login_file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = {"url": access.url, "token": access.token, "project": access.project}
    partial = file.with_name(f".{file.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        json.dump(content, opened)
    partial.replace(file)
    return file


def forget_login() -> None:
    login_file().unlink(missing_ok=True)


def find_access(
    url: str | None = None,
    *,
    token: str | None = None,
    username: str | None = None,
    password: str | None = None,
    project: str | None = None,
) -> Access:
    """Arguments first, then CALIBRON_URL, CALIBRON_TOKEN, CALIBRON_USERNAME, CALIBRON_PASSWORD and CALIBRON_PROJECT,
    then the last login. A token is used only at the address for which it was given.
    """
    names = ("url", "token", "username", "password", "project")
    env = {name: os.environ.get(f"CALIBRON_{name.upper()}") or None for name in names}
    saved = saved_login()
    address = (url or env["url"] or saved.get("url") or USUAL_URL).rstrip("/")
    has_own = bool(token or username)
    is_saved = saved.get("url") == address
    found_token = token or (None if has_own else env["token"])
    name = username or (None if has_own or found_token else env["username"])
    if found_token is None and name is None and is_saved:
        found_token = saved.get("token")
    if bool(name) != bool(password or (env["password"] if name else None)):
        raise CalibronError("Give both a username and a password, or a token.")
    return Access(
        url=address,
        token=found_token,
        username=name,
        password=(password or env["password"]) if name else None,
        project=project or env["project"] or (saved.get("project") if is_saved else None),
    )
