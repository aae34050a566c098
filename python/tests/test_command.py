"""The command line without a service."""

import io
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pandas
import pytest
import typer
from service import Service, execution, started, stream, summary
from typer.testing import CliRunner

from calibron import Client
from calibron.command.main import app
from calibron.command.parameters import read_values

HERE = Path(__file__).parent


def calibron(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "calibron.command.main", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE, check=False)


def test_a_wrong_argument_gets_a_message_and_no_stack_trace() -> None:
    for words in (
        ("backend", "serve", "nowhere:backend"),
        ("backend", "serve", "fridge:nothing"),
        ("backend", "serve"),
        ("backend", "check"),
        ("backend", "check", "fridge:backend", "--slow", "shots"),
        ("nothing",),
    ):
        ended = calibron(*words)
        assert ended.returncode == 2, words
        assert "Traceback" not in ended.stderr + ended.stdout
        assert ended.stderr.strip(), words


def test_wrong_keys_end_a_worker_with_a_message() -> None:
    command = [sys.executable, "-m", "calibron.command.main", "backend", "serve", "fridge:backend"]
    env = {**os.environ, "PAYLOAD_KEYS": "2026:short"}
    ended = subprocess.run(command, capture_output=True, text=True, cwd=HERE, env=env, check=False, timeout=60)
    assert ended.returncode == 2
    assert "PAYLOAD_KEYS must be id:key" in ended.stderr
    assert "Traceback" not in ended.stderr


def client(*answers: httpx.Response) -> dict[str, Client]:
    return {"client": Client("http://lab.example", token="t", transport=Service(*answers).transport())}


def page(**more: object) -> httpx.Response:
    return httpx.Response(200, json={"executions": [summary(1, **more)], "total": 1, "skip": 0, "limit": 20})


def test_brackets_of_a_message_are_text() -> None:
    shown = CliRunner().invoke(app, ["executions", "--chip", "64Q"], obj=client(page(message="[red]cold[/red]")))
    assert "[red]cold[/red]" in shown.stdout


def test_a_task_without_any_result_is_named() -> None:
    waiting = {"name": "CheckT11", "status": "pending", "default_view": True, "over_threshold": False}
    answer = httpx.Response(200, json={"task_name": "CheckT11", "result": {"0": waiting}})
    ended = CliRunner().invoke(app, ["results", "CheckT11", "--chip", "64Q"], obj=client(answer))
    assert ended.exit_code == 0, ended.output
    assert "No target of 64Q has a result of CheckT11 yet." in ended.stderr


def test_rows_for_programs_have_every_column() -> None:
    given = ["executions", "--chip", "64Q", "--format", "csv"]
    shown = CliRunner().invoke(app, given, obj=client(page(message="a, b")))
    head, line = shown.stdout.strip().split("\n")
    assert head == "execution_id,name,status,username,start_at,elapsed_time,message"
    assert line == '20260301-001,morning,completed,ada,2026-03-01T09:30:00+00:00,,"a, b"'
    parquet = CliRunner().invoke(app, ["executions", "--chip", "64Q", "--format", "parquet"], obj=client(page()))
    assert pandas.read_parquet(io.BytesIO(parquet.stdout_bytes))["name"].tolist() == ["morning"]


def test_a_parameter_that_has_an_option_is_not_set() -> None:
    ended = CliRunner().invoke(app, ["run", "x", "--set", "chip=64Q"], obj=client())
    assert ended.exit_code == 2
    assert "--chip" in ended.stderr


def approval(**more: object) -> dict[str, object]:
    given = {"approval_id": "a-1", "execution_id": "20260301-001", "question": "Go on?", "options": ["yes", "no"]}
    answered = {"answer": None, "answered_by": None, "answered_at": None}
    return {**given, **answered, "default": "no", "deadline": "2026-03-01T10:00:00Z", "status": "pending", **more}


def test_a_question_of_a_flow_is_listed_and_answered() -> None:
    open_ones = httpx.Response(200, json={"approvals": [approval()], "total": 1, "skip": 0, "limit": 20})
    listed = CliRunner().invoke(app, ["approve"], obj=client(open_ones))
    assert "Go on?" in listed.stdout
    assert "yes, no" in listed.stdout
    half = CliRunner().invoke(app, ["approve", "a-1"], obj=client(open_ones))
    assert half.exit_code == 2
    assert "yes, no" in half.stderr
    service = Service(httpx.Response(200, json=approval(status="answered", answer="yes")))
    made = Client("http://lab.example", token="t", transport=service.transport())
    assert CliRunner().invoke(app, ["approve", "a-1", "yes"], obj={"client": made}).exit_code == 0
    assert service.requests[0].url.path.endswith("/a-1")
    assert b'"answer":"yes"' in service.requests[0].read()


def test_the_log_of_a_flow_is_followed_to_its_end() -> None:
    entry = {"index": 0, "kind": "log", "message": "half way", "name": None, "value": None}
    events = (
        {"type": "log", **entry, "at": "2026-03-01T10:00:00Z"},
        {"type": "log", **entry, "kind": "record", "name": "t1", "value": 50, "at": "2026-03-01T10:00:01Z"},
        {"type": "end", "status": "completed"},
    )
    shown = CliRunner().invoke(app, ["logs", "-f", "20260301-001"], obj=client(stream(*events)))
    assert [line[10:] for line in shown.stdout.strip().split("\n")] == ["half way", "t1 = 50"]


def test_a_watched_task_ends_with_the_exit_code_of_its_run() -> None:
    for status, code in (("completed", 0), ("failed", 1)):
        answers = (started(), stream({"type": "end", "status": status}), *(execution(status) for _ in range(3)))
        words = ["task", "CheckT1", "--qubit", "3", "--chip", "64Q", "--set", "shots=4096", "--watch"]
        assert CliRunner().invoke(app, words, obj=client(*answers)).exit_code == code


def test_progress_is_printed_when_it_changes() -> None:
    def progress(done: int, end: str) -> dict[str, object]:
        counts = {"done": done, "failed": 0, "skipped": 0, "total": 2, "stage": "T1"}
        return {"type": "progress", **counts, "estimated_end": f"2026-03-01T10:{end}:00Z"}

    events = (progress(0, "01"), progress(0, "02"), progress(1, "03"), progress(1, "04"))
    answers = (stream(*events, {"type": "end", "status": "completed"}), *(execution("completed") for _ in range(2)))
    shown = CliRunner().invoke(app, ["watch", "20260301-001"], obj=client(*answers))
    assert shown.stdout.splitlines() == ["0 of 2 done, 0 failed", "1 of 2 done, 0 failed", "completed"]


def test_the_shell_completes_commands() -> None:
    env = {**os.environ, "_CALIBRON_COMPLETE": "complete_bash", "COMP_WORDS": "calibron ex", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from calibron.command.main import app; app(prog_name='calibron')"]
    ended = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert ended.stdout.split() == ["executions"]


def test_values_are_read_from_files(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.csv"
    seeds.write_text("parameter,qid,value\nt1,0,50.5\nt1,1,\n")
    assert read_values(seeds) == {"t1": {"0": 50.5, "1": None}}
    other = tmp_path / "seeds.json"
    other.write_text('{"t1": {"0": "50.5"}}')
    assert read_values(other) == {"t1": {"0": 50.5}}
    for text in ("[]", "{}", "{", '{"t1": {"0": "x"}}'):
        other.write_text(text)
        with pytest.raises(typer.Exit):
            read_values(other)


def test_the_check_succeeds_and_fails_by_its_exit_code() -> None:
    ended = calibron("backend", "check", "fridge:backend", "--only", "does not know, with a message")
    assert ended.returncode == 0, ended.stdout
    assert "Nothing to fix." in ended.stdout
    naive = f"{sys.executable} naive.py"
    ended = calibron("backend", "check", "--command", naive, "--task", "CheckT1", "--only", "version of the contract")
    assert ended.returncode == 1
    assert "1 to fix." in ended.stdout
