"""Runs the code cells of a notebook in one process, and prints the value of each cell."""

import ast
import json
import sys
from pathlib import Path

[path] = sys.argv[1:]
names: dict[str, object] = {"__name__": "__main__"}
for number, cell in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))["cells"]):
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]), f"cell {number}")
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {number}", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        print(f"[{number}] {value!r}")
