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
from service import Service, summary
from typer.testing import CliRunner

from calibron import Client
from calibron.command.main import app
from calibron.command.parameters import read_values

HERE = Path(__file__).parent


def calibron(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "calibron.command.main", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE, check=False)


def test_a_wrong_argument_gets_a_sentence_and_no_stack_trace() -> None:
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


def test_wrong_keys_end_a_worker_with_a_sentence() -> None:
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
    ended = calibron("backend", "check", "fridge:backend", "--only", "does not know, with a sentence")
    assert ended.returncode == 0, ended.stdout
    assert "Nothing to fix." in ended.stdout
    naive = f"{sys.executable} naive.py"
    ended = calibron("backend", "check", "--command", naive, "--task", "CheckT1", "--only", "version of the contract")
    assert ended.returncode == 1
    assert "1 to fix." in ended.stdout
