"""The examples are short, and measure tasks that there are. They run under `npm run test:clients`."""

import ast
from pathlib import Path

import pytest

from calibron.catalog import catalog

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_serves_known_tasks(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 120
    tasks = {
        str(ast.literal_eval(decorator.args[0]))
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "backend.task"
    }
    assert tasks
    assert {task for task in tasks if not task.startswith("Lab")} <= set(catalog())


def test_qibolab_measures_rabi_relaxation_fringes_and_a_resonator() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in EXAMPLES if path.stem.startswith("qibolab"))
    for task in ("CheckRabi", "CheckT1", "CheckRamsey", "CheckReflectionCoefficient"):
        assert f'@backend.task("{task}")' in text


def test_the_worker_in_go_has_a_hundred_lines() -> None:
    worker = ROOT / "test" / "clients" / "go-worker" / "main.go"
    assert len(worker.read_text(encoding="utf-8").splitlines()) <= 100
