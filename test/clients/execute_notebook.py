"""Executes a notebook in Jupyter and writes it with its outputs: `execute_notebook.py NOTEBOOK TARGET`."""

import os
import sys

import nbformat
from nbclient import NotebookClient

VIEW = "application/vnd.jupyter.widget-view+json"

source, target = sys.argv[1:]
# Figures as data alone, without a copy of Plotly's program in the notebook.
os.environ["PLOTLY_RENDERER"] = "plotly_mimetype"
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3", record_timing=False).execute()

states = {
    name: widget["state"]
    for kept in notebook.metadata.pop("widgets", {}).values()
    for name, widget in kept["state"].items()
}


def outputs_of(output):
    """A live table as it was at the end, for readers without a kernel; nothing of an output that is empty."""
    data = output.get("data", {})
    if VIEW in data:
        return [nbformat.from_dict(each) for each in states[data[VIEW]["model_id"]]["outputs"]]
    is_empty = set(data) == {"text/html", "text/plain"} and not data["text/plain"]
    return [] if is_empty else [output]


for cell in notebook.cells:
    cell.metadata.pop("execution", None)
    if cell.cell_type == "code":
        cell.outputs = [each for output in cell.outputs for each in outputs_of(output)]
nbformat.write(notebook, target)
