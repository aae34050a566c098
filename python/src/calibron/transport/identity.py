"""Token and project of a client."""

from __future__ import annotations

from collections.abc import Sequence

from ..api import models as m
from .access import USUAL_URL, Access
from .errors import CalibronError

_MOST_RENEWALS = 2


class Identity:
    """Who asks, and in which project. Signs in when that is needed first, and again when the token has expired."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._token = access.token
        self._is_signing_in = False
        self._renewed = 0
        self.project_id: str | None = None
        self.unresolved_project = access.project
        """The project by name or id, until it is known which it is."""

    @property
    def needs_sign_in(self) -> bool:
        return self._token is None and self._access.username is not None and not self._is_signing_in

    def signing_in(self) -> None:
        self._is_signing_in = True

    def sign_in_ended(self) -> None:
        self._is_signing_in = False

    def signed_in(self, token: str) -> None:
        self._token = token

    def headers(self) -> dict[str, str]:
        if self._token is None or self._is_signing_in:
            return {}
        return {"Authorization": f"Bearer {self._token}"}

    def may_renew(self, sent: dict[str, str]) -> bool:
        """Whether to sign in again after a refused token. Drops that token."""
        if self._access.username is None or self._is_signing_in or "Authorization" not in sent:
            return False
        if sent["Authorization"] == f"Bearer {self._token}":
            self._token = None
            self._renewed += 1
        # A token that is refused each time must not be renewed for ever.
        return self._renewed <= _MOST_RENEWALS

    def accepted(self, sent: dict[str, str]) -> None:
        """A request was accepted."""
        if "Authorization" in sent:
            self._renewed = 0

    def choose(self, projects: Sequence[m.Project], wanted: str) -> None:
        """Finds a project by its id or its name. Raises CalibronError if there is none, or several."""
        found = [each for each in projects if each.project_id == wanted]
        found = found or [each for each in projects if each.name == wanted]
        if len(found) == 1:
            self.project_id = found[0].project_id
            self.unresolved_project = None
            return
        names = ", ".join(sorted(each.name for each in projects)) or "none"
        if found:
            ids = ", ".join(each.project_id for each in found)
            raise CalibronError(f"You have {len(found)} projects named {wanted}; name one by its id: {ids}.")
        raise CalibronError(f"You have no project {wanted}; yours are {names}.")

    def away(self, error: Exception) -> str:
        answer = f"The service at {self._access.url} gives no answer: {error or type(error).__name__}."
        if self._access.url != USUAL_URL:
            return answer
        return f"{answer} Name another address by CALIBRON_URL, or sign in there: calibron --url ADDRESS login."
