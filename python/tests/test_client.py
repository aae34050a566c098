"""The client against a service that answers as it is told."""

import asyncio
import json
import pickle
import stat
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from service import STARTED, Service, execution, problem, started, stream, summary

from calibron import AsyncClient, CalibronError, Client, Conflict, InvalidRequest, RunFailed, Unreachable
from calibron.api.models import Execution, ExecutionPart
from calibron.transport.access import Access, find_access, login_file, save_login
from calibron.transport.identity import Identity
from calibron.transport.policy import Retries

QUICK = Retries(attempts=4, first_pause=0, longest_pause=0)
LOST = httpx.ReadTimeout("no answer")


@pytest.fixture(autouse=True)
def _no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("URL", "TOKEN", "USERNAME", "PASSWORD", "PROJECT"):
        monkeypatch.delenv(f"CALIBRON_{name}", raising=False)


def client(service: Service, **given: str) -> Client:
    access = given or {"token": "t-1"}
    return Client("http://lab.example/x", transport=service.transport(), retries=QUICK, **access)


def page(numbers: Iterator[int] | range, following: str | None) -> httpx.Response:
    headers = {"Link": f'<?{following}>; rel="next"'} if following else {}
    body = {"executions": [summary(each) for each in numbers], "total": 3, "skip": 0, "limit": 2}
    return httpx.Response(200, json=body, headers=headers)


def test_a_lost_answer_starts_no_second_run() -> None:
    service = Service(LOST, problem(503, "engine_unavailable", "away"), started())
    run = client(service).run("full_calibration", chip="64Q", qids=[0, 1], shots=4096)
    assert run.execution_id == "20260301-001"
    keys = {request.headers["idempotency-key"] for request in service.requests}
    assert len(service.requests) == 3
    assert len(keys) == 1
    assert service.requests[0].url == "http://lab.example/x/flows/full_calibration/execute"
    assert service.requests[0].read() == service.requests[2].read()
    assert b'"qids":["0","1"]' in service.requests[0].read()


def test_two_starts_have_two_keys() -> None:
    service = Service(started(), started())
    made = client(service)
    made.task("CheckT1", chip="64Q", target=3, run_parameters={"shots": 4096})
    made.task("CheckT1", chip="64Q", target=3, run_parameters={"shots": 4096})
    assert service.requests[0].headers["idempotency-key"] != service.requests[1].headers["idempotency-key"]


def test_a_lost_answer_to_what_must_not_be_repeated_is_told() -> None:
    service = Service(LOST)
    with pytest.raises(Unreachable, match=r"lab\.example/x gives no answer: no answer"):
        client(service).pause_execution("20260301-001")
    assert len(service.requests) == 1


def test_a_user_who_has_named_no_address_is_told_how() -> None:
    usual = Identity(find_access())
    assert usual.away(OSError("refused")) == (
        "The service at http://127.0.0.1:5715 gives no answer: refused. "
        "Name another address by CALIBRON_URL, or sign in there: calibron --url ADDRESS login."
    )
    named = Identity(find_access(url="http://lab.example"))
    assert named.away(OSError("refused")) == "The service at http://lab.example gives no answer: refused."


def test_a_read_is_tried_again_and_given_up_in_the_end() -> None:
    service = Service(LOST, LOST, LOST, LOST)
    with pytest.raises(Unreachable):
        client(service).get_chip("64Q")
    assert len(service.requests) == 4


def test_an_error_has_code_message_and_request_id() -> None:
    service = Service(problem(409, "project_busy", "The project is held by 20260301-007."))
    with pytest.raises(Conflict) as caught:
        client(service).run("full_calibration")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.status, error.code, error.request_id) == (409, "project_busy", "r-1")
    assert str(error) == "The project is held by 20260301-007."


def test_every_problem_of_an_invalid_request_is_in_the_message() -> None:
    detail = [
        {"loc": ["body", "qid"], "msg": "is required", "type": "missing"},
        {"loc": ["query"], "msg": "unknown", "type": "x"},
    ]
    with pytest.raises(InvalidRequest, match="qid: is required; unknown"):
        client(Service(problem(422, "invalid_input", detail))).get_chip("64Q")


def test_an_answer_that_is_no_json_is_still_an_error_of_the_client() -> None:
    with pytest.raises(CalibronError, match="answered 413"):
        client(Service(httpx.Response(413, text="<html>nginx"))).get_chip("64Q")


def test_pages_are_read_to_the_end() -> None:
    service = Service(page(range(1, 3), "chip_id=64Q&skip=2&limit=2"), page(range(3, 4), None))
    found = list(client(service).iterate_executions(chip_id="64Q", limit=2))
    assert [each.execution_id for each in found] == ["20260301-001", "20260301-002", "20260301-003"]
    assert dict(service.requests[1].url.params) == {"chip_id": "64Q", "skip": "2", "limit": "2"}
    assert found[0].start_at == datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def test_words_and_fields_of_later_versions_are_accepted() -> None:
    body = {"executions": [summary(1, status="frozen", colour="blue")], "total": 1, "skip": 0, "limit": 20}
    [found] = client(Service(httpx.Response(200, json=body))).list_executions(chip_id="64Q").executions
    assert found.status == "frozen"
    assert found.colour == "blue"  # type: ignore[attr-defined]


def test_an_execution_is_a_model_and_with_some_fields_of_its_tasks_another() -> None:
    whole = execution("completed")
    part = httpx.Response(200, json={**whole.json(), "task": [{"task_id": "t"}]})
    made = client(Service(whole, part))
    found = made.get_execution("20260301-001")
    assert isinstance(found, Execution)
    assert found.status == "completed"
    part = made.get_execution("20260301-001", fields=["task_id"])
    assert isinstance(part, ExecutionPart)
    assert (part.task[0].task_id, part.task[0].figure_path) == ("t", None)


def project(name: str, number: int) -> dict[str, object]:
    return {
        "project_id": f"p{number}",
        "owner_user_id": "u",
        "owner_username": "ada",
        "name": name,
        "description": None,
        "tags": [],
        "default_role": "viewer",
        "created_at": "2026-03-01T09:30:00Z",
        "updated_at": "2026-03-01T09:30:00Z",
    }


def projects(*names: str) -> httpx.Response:
    body = {"projects": [project(name, number) for number, name in enumerate(names)], "total": len(names)}
    return httpx.Response(200, json=body)


def test_a_project_is_found_by_its_name_once() -> None:
    service = Service(projects("monday", "tuesday"), page(range(1), None), page(range(1), None))
    made = client(service, token="t", project="tuesday")
    made.list_executions(chip_id="64Q")
    made.list_executions(chip_id="64Q")
    assert [request.headers.get("x-project-id") for request in service.requests] == [None, "p1", "p1"]


def test_an_unknown_or_ambiguous_project_is_named() -> None:
    with pytest.raises(CalibronError, match="no project friday; yours are monday, tuesday"):
        client(Service(projects("monday", "tuesday")), token="t", project="friday").list_flows()
    with pytest.raises(CalibronError, match="name one by its id: p0, p1"):
        client(Service(projects("monday", "monday")), token="t", project="monday").list_flows()


def token(text: str) -> httpx.Response:
    fields = {"token_type": "bearer", "expires_in": 60, "user_id": "u", "username": "ada"}
    more = {"default_project_id": None, "must_change_password": False}
    return httpx.Response(200, json={"access_token": text, **fields, **more})


def test_a_password_signs_in_at_the_first_call_and_again_when_the_token_has_expired() -> None:
    expired = problem(401, "not_authenticated", "expired")
    service = Service(token("a"), page(range(1), None), expired, token("b"), page(range(1), None))
    made = client(service, username="ada", password="secret words")
    made.list_executions(chip_id="64Q")
    made.list_executions(chip_id="64Q")
    assert [request.headers.get("authorization") for request in service.requests] == [
        None,
        "Bearer a",
        "Bearer a",
        None,
        "Bearer b",
    ]


def test_a_token_that_is_refused_each_time_is_not_renewed_for_ever() -> None:
    service = Service()
    service.answers = [token("a"), *(problem(401, "not_authenticated", "no"), token("b")) * 10]
    with pytest.raises(CalibronError, match="no"):
        client(service, username="ada", password="secret words").list_flows()
    assert len(service.requests) < 10


def task(number: int) -> dict[str, object]:
    names = {"task_id": f"t{number}", "task_name": "CheckT1", "qid": str(number)}
    return {"type": "task", **names, "status": "completed", "message": ""}


def test_a_stream_that_breaks_off_goes_on_where_it_was() -> None:
    rest = stream(task(3), {"type": "end", "status": "completed"}, ids=False)
    service = Service(stream(task(1), task(2), broken=True), httpx.ConnectError("away"), rest)
    seen = [(each.type, getattr(each, "qid", None)) for each in client(service).run_of("20260301-001").watch()]
    assert seen == [("task", "1"), ("task", "2"), ("task", "3"), ("end", None)]
    assert [request.headers.get("last-event-id") for request in service.requests] == [None, "2", "2"]


def test_a_stream_that_the_service_closes_is_opened_again_until_the_end() -> None:
    service = Service(stream(task(1)), httpx.Response(204))
    assert len(list(client(service).run_of("20260301-001").watch())) == 1


def test_waiting_tells_how_a_run_ended() -> None:
    end = {"type": "end", "status": "failed"}
    service = Service(stream(end), execution("failed", "T1 is too short."))
    with pytest.raises(RunFailed, match="20260301-001 has failed: T1 is too short") as caught:
        client(service).run_of("20260301-001").wait()
    assert caught.value.status == "failed"
    service = Service(stream(end), execution("failed"))
    assert client(service).run_of("20260301-001").wait(check=False).execution_id == "20260301-001"


class Silent(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream of a run that waits: signs of life, and no event."""

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b": alive\n\n"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0)
            yield b": alive\n\n"


async def test_waiting_for_a_run_ends_in_time_although_nothing_happens() -> None:
    service = Service(httpx.Response(200, stream=Silent()), httpx.Response(200, stream=Silent()))
    with pytest.raises(TimeoutError, match="20260301-001 has not ended within 0 s"):
        client(service).run_of("20260301-001").wait(timeout=0)
    async with AsyncClient("http://lab.example", token="t", transport=service.transport()) as made:
        with pytest.raises(TimeoutError, match="20260301-001 has not ended within 0 s"):
            await made.run_of("20260301-001").wait(timeout=0)


async def test_the_client_with_coroutines_does_the_same() -> None:
    service = Service(
        token("a"),
        projects("tuesday"),
        LOST,
        started(),
        stream(task(1), broken=True),
        stream({"type": "end", "status": "completed"}),
        execution("completed"),
        page(range(1, 3), "skip=2"),
        page(range(3, 4), None),
    )
    given = {"username": "ada", "password": "secret words", "project": "tuesday"}
    async with AsyncClient("http://lab.example", transport=service.transport(), retries=QUICK, **given) as made:
        run = await made.run("full_calibration", chip="64Q")
        seen: list[str] = []
        await run.wait(each=lambda event: seen.append(event.type))
        assert seen == ["task", "end"]
        assert len([each async for each in made.iterate_executions(chip_id="64Q")]) == 3
    assert service.requests[2].headers["idempotency-key"] == service.requests[3].headers["idempotency-key"]
    assert STARTED["execution_id"] == run.execution_id


def controlled(status: str) -> httpx.Response:
    return httpx.Response(200, json={"execution_id": "20260301-001", "status": status, "message": ""})


CONTROLS = ("pause", "resume", "stop", "cancel")


def asked(service: Service) -> list[str]:
    return [f"{request.method} {request.url.path.removeprefix('/x')}" for request in service.requests]


def test_a_run_is_controlled_by_its_handle_and_a_lost_answer_retries_its_failures_once() -> None:
    answers = map(controlled, ("paused", "running", "stopping", "cancelling"))
    service = Service(*answers, LOST, started())
    run = client(service).run_of("20260301-001")
    assert all(getattr(run, control)() is run for control in CONTROLS)
    assert run.retry_failed().execution_id == "20260301-001"
    paths = [f"POST /executions/20260301-001/{name}" for name in (*CONTROLS, "retry", "retry")]
    assert asked(service) == paths
    keys = [request.headers.get("idempotency-key") for request in service.requests]
    assert keys[-1] is not None
    assert keys[-1] == keys[-2]


async def test_a_run_is_controlled_with_coroutines_too() -> None:
    answers = map(controlled, ("paused", "running", "stopping", "cancelling"))
    service = Service(*answers, started())
    async with AsyncClient("http://lab.example", token="t", transport=service.transport(), retries=QUICK) as made:
        run = made.run_of("20260301-001")
        for control in CONTROLS:
            await getattr(run, control)()
        await run.retry_failed()
    assert asked(service) == [f"POST /executions/20260301-001/{name}" for name in (*CONTROLS, "retry")]


@pytest.mark.parametrize("made", [Client, AsyncClient])
def test_every_operation_of_the_interface_is_a_method(made: type) -> None:
    [document] = (Path(__file__).resolve().parents[2] / "docs" / "openapi").glob("*.json")
    paths = json.loads(document.read_text())["paths"].values()
    names = [operation["operationId"] for path in paths for operation in path.values() if "operationId" in operation]
    assert len(names) > 200
    assert [name for name in names if not callable(getattr(made, name, None))] == []


def test_the_environment_says_where_and_who(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("URL", "http://lab.example/x"), ("USERNAME", "ada"), ("PASSWORD", "p"), ("PROJECT", "7")):
        monkeypatch.setenv(f"CALIBRON_{name}", value)
    assert find_access() == Access("http://lab.example/x", username="ada", password="p", project="7")
    monkeypatch.setenv("CALIBRON_TOKEN", "t")
    assert find_access().token == "t"


def test_the_last_login_counts_only_at_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    save_login(Access("http://lab.example", token="saved", project="tuesday"))
    assert stat.S_IMODE(login_file().stat().st_mode) == 0o600
    assert find_access() == Access("http://lab.example", token="saved", project="tuesday")
    assert find_access("http://other.example") == Access("http://other.example")
    assert find_access(token="own").token == "own"
    monkeypatch.setenv("CALIBRON_TOKEN", "env")
    assert find_access().token == "env"
    assert find_access(username="ada", password="x") == Access(
        "http://lab.example", username="ada", password="x", project="tuesday"
    )
    with pytest.raises(CalibronError, match="username and a password"):
        find_access(username="ada")
