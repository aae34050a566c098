"""Executes a notebook in Jupyter and writes it with its outputs: `execute_notebook.py NOTEBOOK TARGET`."""

import sys

import nbformat
from nbclient import NotebookClient

source, target = sys.argv[1:]
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3", record_timing=False).execute()
for cell in notebook.cells:
    cell.metadata.pop("execution", None)
nbformat.write(notebook, target)
