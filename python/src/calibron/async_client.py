"""The client with coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from .api import AsyncOperations
from .api import models as m
from .async_runs import AsyncRun
from .client import STREAM_TIMEOUT, TIMEOUT
from .runs import flow_body, task_body
from .transport.access import Access, find_access
from .transport.calls import Call
from .transport.errors import Unreachable, error_of
from .transport.identity import Identity
from .transport.policy import Retries


class AsyncClient(AsyncOperations):
    """As `Client`, with coroutines.

    >>> async with AsyncClient(project="tuesday") as client:
    ...     run = await client.run("full_calibration", chip="64Q")
    ...     await run.wait()
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
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.access: Access = find_access(url, token=token, username=username, password=password, project=project)
        self._retries = retries or Retries()
        self._identity = Identity(self.access)
        self._lost: Exception = httpx.TransportError("no answer")
        self._http = httpx.AsyncClient(base_url=self.access.url, timeout=TIMEOUT, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def __repr__(self) -> str:
        return f"AsyncClient({self.access.url!r}, project={self.access.project!r})"

    # Runs

    async def run(
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
    ) -> AsyncRun:
        """Starts a run of a flow. Other arguments are parameters of the flow.

        With `allow_preemption`, runs of higher `priority` (0 to 9) use the chip between the measurements of this one.
        """
        options = {"require_worker": require_worker, "priority": priority, "allow_preemption": allow_preemption}
        body = flow_body(chip, qids, backend, options, parameters)
        return AsyncRun(self, await self.execute_flow(flow, body))

    async def task(
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
    ) -> AsyncRun:
        """Starts one task on a qubit or coupling. With `persist` its outputs become calibration state.

        With a `priority` (0 to 9) it uses the chip between the measurements of a long run that allows this.
        """
        options = {"require_worker": require_worker, "priority": priority}
        body = task_body(chip, target, run_parameters, inputs, backend=backend, persist=persist, options=options)
        return AsyncRun(self, await self.execute_task(name, body))

    def run_of(self, execution_id: str) -> AsyncRun:
        """The handle of a run that was started before."""
        return AsyncRun(self, execution_id)

    # Sending

    async def send(self, call: Call) -> httpx.Response:
        headers = await self._headers(call)
        attempt = 0
        while True:
            response = await self._attempt(call, headers)
            if response is not None and response.is_success:
                self._identity.accepted(headers)
                return response
            if response is not None and response.status_code == 401 and self._identity.may_renew(headers):
                headers = await self._headers(call)
                continue
            if not self._retries.again(call, attempt, response):
                if response is None:
                    raise Unreachable(self._identity.away(self._lost))
                raise error_of(response)
            await asyncio.sleep(self._retries.pause(attempt, response))
            attempt += 1

    async def _attempt(self, call: Call, headers: dict[str, str]) -> httpx.Response | None:
        try:
            content = call.content()
            return await self._http.request(
                call.method, call.path, params=call.parameters() or None, headers=headers, **content
            )
        except httpx.TransportError as error:
            self._lost = error
            return None

    async def _headers(self, call: Call) -> dict[str, str]:
        if self._identity.needs_sign_in:
            self._identity.signed_in((await self._sign_in()).access_token)
        named = self._identity.unresolved_project
        if call.takes_project and call.project is None and named is not None:
            self._identity.choose((await self.list_projects()).projects, named)
        return {**self._identity.headers(), **call.headers(self._identity.project_id)}

    async def _sign_in(self) -> m.Token:
        form = {"username": self.access.username, "password": self.access.password}
        call = Call("POST", "/auth/login", form=form)
        self._identity.signing_in()
        try:
            return m.Token.model_validate((await self.send(call)).json())
        finally:
            self._identity.sign_in_ended()

    async def open_stream(self, call: Call, last_id: str | None) -> httpx.Response:
        headers = {**(await self._headers(call)), "Accept": "text/event-stream"}
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
        response = await self._http.send(request, stream=True)
        if response.is_success:
            return response
        try:
            await response.aread()
        finally:
            await response.aclose()
        if response.status_code in (429, 502, 503, 504) and call.resumes:
            raise httpx.RemoteProtocolError(f"The service answered {response.status_code}.")
        raise error_of(response)

    def may_resume(self, attempt: int) -> bool:
        return attempt + 1 < self._retries.attempts

    async def pause_before_resuming(self, attempt: int) -> None:
        await asyncio.sleep(self._retries.pause(attempt, None))
