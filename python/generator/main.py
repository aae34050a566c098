"""Writes the client's models and operations: `python -m generator.main OPENAPI.json TARGET`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from .document import fingerprint, read, schemas_only
from .operations import module_of, operations, source_of

_OPTIONS = (
    *("--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"),
    *("--base-class", "calibron.transport.model.Model", "--enum-field-as-literal", "all"),
    *("--target-python-version", "3.11", "--use-union-operator", "--use-standard-collections"),
    *("--use-schema-description", "--use-field-description", "--disable-timestamp", "--collapse-root-models"),
    *("--output-datetime-class", "datetime", "--formatters", "ruff-format"),
)


_STYLE = Path(__file__).parents[1] / "pyproject.toml"
_WORDS = re.compile(r"Literal\[([^\[\]]*)\]")


def generate(document_file: Path, target: Path) -> None:
    """Writes the package `calibron.api` to a folder."""
    document = read(document_file.read_text(encoding="utf-8"))
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.py"):
        old.unlink()
    _models(document, target / "models.py")
    by_tag: dict[str, list[str]] = {}
    every = operations(document)
    for each in every:
        by_tag.setdefault(each.tag, []).append(each.name)
    for tag in by_tag:
        text = source_of(tag, [each for each in every if each.tag == tag])
        (target / f"{module_of(tag)}.py").write_text(text, encoding="utf-8")
    (target / "__init__.py").write_text(_face(document, list(by_tag)), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    style = ["--quiet", "--no-cache", "--config", str(_STYLE), str(target)]
    subprocess.run([*ruff, "check", "--fix", "--select", "F401,I", *style], check=True)
    subprocess.run([*ruff, "format", *style], check=True)


def _models(document: dict[str, object], file: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory, "openapi.json")
        source.write_text(json.dumps(schemas_only(document)), encoding="utf-8")
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--output", str(file)]
        subprocess.run([*command, *_OPTIONS], check=True)
    text = file.read_text(encoding="utf-8")
    text = _WORDS.sub(_extensible, text)
    head = '"""Models of the interface. Generated; see python/generator."""\n'
    body = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
    file.write_text(head + body, encoding="utf-8")


def _extensible(found: re.Match[str]) -> str:
    """A choice of words, of which later versions may have more. A single word tells kinds of objects apart."""
    is_choice = found[1].count('"') + found[1].count("'") > 2
    return f"({found[0]} | str)" if is_choice else found[0]


def _face(document: dict[str, object], tags: list[str]) -> str:
    names = ["".join(part.title() for part in tag.split("-")) for tag in tags]
    imports = [
        f"from .{module_of(tag)} import Async{name}Operations, {name}Operations"
        for tag, name in zip(tags, names, strict=True)
    ]
    sync = ", ".join(f"{name}Operations" for name in names)
    coroutines = ", ".join(f"Async{name}Operations" for name in names)
    return "\n".join(
        [
            '"""Every operation of the interface. Generated; see python/generator."""',
            *imports,
            f'FINGERPRINT = "{fingerprint(document)}"',
            '"""Of the OpenAPI document that this was made from."""',
            f"class Operations({sync}):",
            '    """Every operation."""',
            f"class AsyncOperations({coroutines}):",
            '    """Every operation, as coroutines."""',
        ]
    )


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(sys.argv[2]))
