"""The client with blocking functions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from .api import Operations
from .api import models as m
from .runs import Run, flow_body, task_body
from .transport.access import Access, find_access
from .transport.calls import Call
from .transport.errors import Unreachable, error_of
from .transport.identity import Identity
from .transport.policy import Retries

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
STREAM_TIMEOUT = httpx.Timeout(90.0, connect=10.0)
"""The service sends a comment into a silent stream every few seconds."""


class Client(Operations):
    """A client of one installation: every operation of its interface as a method, and runs as handles.

    >>> client = Client("https://lab.example", token="…", project="tuesday")
    >>> run = client.run("one_qubit", chip="64Q", qids=["0", "1"])
    >>> run.wait()

    Without arguments the environment counts (CALIBRON_URL, CALIBRON_TOKEN, …), then the last `calibron login`.
    `project` is a name or an id; without it the user's default project is used.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        username: str | None = None,
        password: str | None = None,
        project: str | None = None,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.access: Access = find_access(url, token=token, username=username, password=password, project=project)
        self._retries = retries or Retries()
        self._identity = Identity(self.access)
        self._lost: Exception = httpx.TransportError("no answer")
        self._http = httpx.Client(base_url=self.access.url, timeout=TIMEOUT, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def __repr__(self) -> str:
        return f"Client({self.access.url!r}, project={self.access.project!r})"

    # Runs

    def run(
        self,
        flow: str,
        /,
        *,
        chip: str | None = None,
        qids: Sequence[str | int] | None = None,
        backend: str | None = None,
        require_worker: bool | None = None,
        priority: int | None = None,
        allow_preemption: bool | None = None,
        **parameters: Any,
    ) -> Run:
        """Starts a run of a flow. Other arguments are parameters of the flow.

        With `allow_preemption`, runs of higher `priority` (0 to 9) use the chip between the measurements of this one.
        """
        options = {"require_worker": require_worker, "priority": priority, "allow_preemption": allow_preemption}
        body = flow_body(chip, qids, backend, options, parameters)
        return Run(self, self.execute_flow(flow, body))

    def task(
        self,
        name: str,
        *,
        chip: str,
        target: str | int,
        run_parameters: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        backend: str | None = None,
        persist: bool = False,
        require_worker: bool | None = None,
        priority: int | None = None,
    ) -> Run:
        """Starts one task on a qubit or coupling. With `persist` its outputs become calibration state.

        With a `priority` (0 to 9) it uses the chip between the measurements of a long run that allows this.
        """
        options = {"require_worker": require_worker, "priority": priority}
        body = task_body(chip, target, run_parameters, inputs, backend=backend, persist=persist, options=options)
        return Run(self, self.execute_task(name, body))

    def run_of(self, execution_id: str) -> Run:
        """The handle of a run that was started before."""
        return Run(self, execution_id)

    # Sending

    def send(self, call: Call) -> httpx.Response:
        headers = self._headers(call)
        attempt = 0
        while True:
            response = self._attempt(call, headers)
            if response is not None and response.is_success:
                self._identity.accepted(headers)
                return response
            if response is not None and response.status_code == 401 and self._identity.may_renew(headers):
                headers = self._headers(call)
                continue
            if not self._retries.again(call, attempt, response):
                if response is None:
                    raise Unreachable(self._identity.away(self._lost))
                raise error_of(response)
            time.sleep(self._retries.pause(attempt, response))
            attempt += 1

    def _attempt(self, call: Call, headers: dict[str, str]) -> httpx.Response | None:
        try:
            content = call.content()
            return self._http.request(
                call.method, call.path, params=call.parameters() or None, headers=headers, **content
            )
        except httpx.TransportError as error:
            self._lost = error
            return None

    def _headers(self, call: Call) -> dict[str, str]:
        if self._identity.needs_sign_in:
            self._identity.signed_in(self._sign_in().access_token)
        named = self._identity.unresolved_project
        if call.takes_project and call.project is None and named is not None:
            self._identity.choose(self.list_projects().projects, named)
        return {**self._identity.headers(), **call.headers(self._identity.project_id)}

    def _sign_in(self, otp: str | None = None) -> m.Token:
        form = {"username": self.access.username, "password": self.access.password}
        if otp is not None:
            form["otp"] = otp
        call = Call("POST", "/auth/login", form=form)
        self._identity.signing_in()
        try:
            return m.Token.model_validate(self.send(call).json())
        finally:
            self._identity.sign_in_ended()

    def new_token(self, otp: str | None = None) -> str:
        """Signs in by the password and returns the token. `otp` is the code of a second factor."""
        return self._sign_in(otp).access_token

    def open_stream(self, call: Call, last_id: str | None) -> httpx.Response:
        headers = {**self._headers(call), "Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        request = self._http.build_request(
            call.method,
            call.path,
            params=call.parameters() or None,
            headers=headers,
            timeout=STREAM_TIMEOUT,
            **call.content(),
        )
        response = self._http.send(request, stream=True)
        if response.is_success:
            return response
        try:
            response.read()
        finally:
            response.close()
        if response.status_code in (429, 502, 503, 504) and call.resumes:
            raise httpx.RemoteProtocolError(f"The service answered {response.status_code}.")
        raise error_of(response)

    def may_resume(self, attempt: int) -> bool:
        return attempt + 1 < self._retries.attempts

    def pause_before_resuming(self, attempt: int) -> None:
        time.sleep(self._retries.pause(attempt, None))
