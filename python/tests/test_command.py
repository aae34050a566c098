"""The command line without a service."""

import subprocess
import sys
from pathlib import Path

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


def test_the_check_succeeds_and_fails_by_its_exit_code() -> None:
    ended = calibron("backend", "check", "fridge:backend", "--only", "does not know, with a sentence")
    assert ended.returncode == 0, ended.stdout
    assert "Nothing to fix." in ended.stdout
    naive = f"{sys.executable} naive.py"
    ended = calibron("backend", "check", "--command", naive, "--task", "CheckT1", "--only", "version of the contract")
    assert ended.returncode == 1
    assert "1 to fix." in ended.stdout
