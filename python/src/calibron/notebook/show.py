"""The progress of a run: a live table in Jupyter, a bar in a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..command.results import output_lines
from ..runs import Event, Run

_LAST = 12


class Progress:
    """What is known of a run that goes on."""

    def __init__(self, execution_id: str) -> None:
        self.execution_id = execution_id
        self.status = "scheduled"
        self.done = self.failed = self.total = 0
        self.stage = ""
        self.waiting = ""
        self.tasks: list[dict[str, Any]] = []

    def take(self, event: Event) -> None:
        """Takes an event of the run."""
        given = event.model_dump(by_alias=True)
        if event.type in ("state", "end"):
            self.status = given["status"]
        elif event.type == "progress":
            self.done, self.failed, self.total = given["done"], given["failed"], given["total"]
            self.stage = given["stage"] or ""
        elif event.type == "waiting":
            self.waiting = given["for"] or ""
        elif event.type == "task":
            self.tasks.append(given)

    def drawn(self) -> Group:
        """The bar, and the tasks that ended last."""
        parts = (self.execution_id, self.status, self.stage, f"{self.done} of {self.total}, {self.failed} failed")
        head = "  ".join(part for part in parts if part)
        # A bar alone does not end its line.
        bar = Padding(ProgressBar(total=max(self.total, 1), completed=self.done, width=60), 0)
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("task", "target", "status", "message"):
            table.add_column(column, no_wrap=column != "message", min_width=len(column))
        for task in self.tasks[-_LAST:]:
            cells = (task["task_name"], task["qid"], task["status"], task["message"])
            table.add_row(*(Text(str(each)) for each in cells))
        waits = [Text(f"waiting for {self.waiting}", style="yellow")] if self.waiting else []
        return Group(Text(head), bar, *waits, table)


def show_run(run: Run, console: Console | None = None, *, check: bool = True, outputs: bool = False) -> Run:
    """Shows a run until its end, and the values that it found if `outputs`.

    Raises RunFailed as `run.wait`, unless `check` is false.
    """
    progress = Progress(run.execution_id)
    with Live(progress.drawn(), console=console, refresh_per_second=4) as live:

        def take(event: Event) -> None:
            progress.take(event)
            live.update(progress.drawn())

        try:
            run.wait(check=check, each=take)
        finally:
            # At once: in Jupyter the last picture is not drawn at the end.
            live.update(progress.drawn(), refresh=True)
        if outputs:
            found = Text("\n".join(output_lines(run.execution)))
            live.update(Group(progress.drawn(), found), refresh=True)
    if not live.console.is_terminal and not live.console.is_jupyter:
        live.console.line()  # the last picture has no end of line in a file
    return run
