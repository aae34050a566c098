"""Commands that start, follow and answer runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import FAILED, ChipOption, FormatOption, chip_of, client_of, fail, out, settings, show
from .results import output_lines

if TYPE_CHECKING:
    from ..runs import Event, Run

WatchOption = Annotated[bool, typer.Option("--watch", "-w", help="Follow the run; the exit code says how it ended")]
SetOption = Annotated[list[str] | None, typer.Option("--set", "-s", help="Parameter as NAME=VALUE; may be repeated")]
BackendOption = Annotated[str | None, typer.Option("--backend", help="Default: the one of the installation")]
WorkerOption = Annotated[bool, typer.Option("--require-worker", help="Do not wait for a worker of the backend")]
PriorityOption = Annotated[
    int | None,
    typer.Option(min=0, max=9, help="Above a long run's: measure in between, if it allows this"),
]
Execution = Annotated[str, typer.Argument(metavar="EXECUTION", help="Such as 20260301-001")]


def run(
    context: typer.Context,
    flow: Annotated[str, typer.Argument(metavar="FLOW")],
    chip: ChipOption = None,
    qids: Annotated[str | None, typer.Option("--qids", help="Qubits, such as 0,1,2")] = None,
    set_: SetOption = None,
    backend: BackendOption = None,
    require_worker: WorkerOption = False,
    priority: PriorityOption = None,
    allow_preemption: Annotated[
        bool, typer.Option("--allow-preemption", help="Runs of higher priority may measure in between")
    ] = False,
    watch: WatchOption = False,
) -> None:
    """Start a run of a flow."""
    parameters = settings(set_)
    for name in ("chip", "qids", "backend", "require_worker", "priority", "allow_preemption"):
        if name in parameters:
            raise fail(f"Use the option --{name.replace('_', '-')}, not --set {name}=…")
    client = client_of(context)
    targets = None if qids is None else [each.strip() for each in qids.split(",") if each.strip()]
    started = client.run(
        flow,
        chip=chip,
        qids=targets,
        backend=backend,
        require_worker=require_worker or None,
        priority=priority,
        allow_preemption=allow_preemption or None,
        **parameters,
    )
    _started(started, watch=watch)


def task(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="TASK", help="Such as CheckT1")],
    qubit: Annotated[str | None, typer.Option("--qubit", "-q", help="Such as 3")] = None,
    coupling: Annotated[str | None, typer.Option("--coupling", help="Such as 0-1")] = None,
    chip: ChipOption = None,
    set_: SetOption = None,
    input_: Annotated[list[str] | None, typer.Option("--input", help="Input as NAME=VALUE; may be repeated")] = None,
    backend: BackendOption = None,
    persist: Annotated[bool, typer.Option("--persist", help="Outputs become calibration state")] = False,
    require_worker: WorkerOption = False,
    priority: PriorityOption = None,
    watch: WatchOption = False,
) -> None:
    """Measure one task on a qubit or coupling."""
    if (qubit is None) == (coupling is None):
        raise fail("Name either a --qubit or a --coupling.")
    client = client_of(context)
    started = client.task(
        name,
        chip=chip_of(client, chip),
        target=qubit or coupling or "",
        run_parameters=settings(set_),
        inputs=settings(input_),
        backend=backend,
        persist=persist,
        require_worker=require_worker or None,
        priority=priority,
    )
    _started(started, watch=watch)
    if watch:
        for line in output_lines(started.execution):
            out.print(line, markup=False)


def watch(context: typer.Context, execution: Execution) -> None:
    """Follow a run to its end."""
    _follow(client_of(context).run_of(execution))


def _started(run: Run, *, watch: bool) -> None:
    out.print(run.execution_id, markup=False)
    if watch:
        _follow(run)


def _follow(run: Run) -> None:
    """Shows the events of a run. Exits with 1 if it did not complete."""
    from ..transport.errors import ended

    said = ""

    def say(event: Event) -> None:
        nonlocal said
        line = _line_of(event)
        # A progress is sent again when only its estimated end has moved.
        if line is not None and not (event.type == "progress" and line == said):
            out.print(line, markup=False)
            said = line

    run.wait(check=False, each=say)
    execution = run.execution
    if execution.status != "completed":
        raise fail(f"The run {run.execution_id} {ended(execution.status)}. {execution.message or ''}".strip(), FAILED)


def _line_of(event: Event) -> str | None:
    """What is printed of an event; None for one that says nothing to a reader."""
    text: dict[str, Any] = event.model_dump(by_alias=True)
    kind = event.type
    if kind == "task":
        return f"{text['status']:>10}  {text['task_name']} {text['qid']}  {text['message']}".rstrip()
    if kind == "progress" and text["total"]:
        return f"{text['done']} of {text['total']} done, {text['failed']} failed"
    if kind == "log":
        return str(text["message"]) if text["kind"] == "log" else f"{text['name']} = {text['value']}"
    if kind == "waiting" and text["for"]:
        return f"waiting for {text['for']}"
    return str(text["status"]) if kind == "end" else None


def executions(
    context: typer.Context,
    chip: ChipOption = None,
    status: Annotated[str | None, typer.Option("--status", help="Only runs of this status")] = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many", min=1)] = 20,
    form: FormatOption = "table",
) -> None:
    """List the runs of a chip, newest first."""
    client = client_of(context)
    found = client.iterate_executions(chip_id=chip_of(client, chip), status=status, limit=min(limit, 100))
    rows = [each.model_dump() for each, _ in zip(found, range(limit), strict=False)]
    show(rows, ("execution_id", "name", "status", "username", "start_at", "elapsed_time", "message"), form)


def logs(
    context: typer.Context,
    execution: Execution,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the end of the run")] = False,
) -> None:
    """Print what a flow logged and recorded."""
    run = client_of(context).run_of(execution)
    if not follow:
        for entry in run.log():
            _say_logged(entry.model_dump())
        return
    for event in run.watch():
        if event.type == "log":
            _say_logged(event.model_dump())


def _say_logged(entry: dict[str, Any]) -> None:
    text = entry["message"] if entry["kind"] == "log" else f"{entry['name']} = {entry['value']}"
    out.print(f"{entry['at'].astimezone():%H:%M:%S}  {text}", markup=False)


def cancel(context: typer.Context, execution: Execution) -> None:
    """End a run now. Measurements in flight are aborted within a few seconds."""
    client_of(context).run_of(execution).cancel()


def approve(
    context: typer.Context,
    question: Annotated[str | None, typer.Argument(metavar="APPROVAL", help="Default: list the open questions")] = None,
    answer: Annotated[str | None, typer.Argument(metavar="ANSWER", help="One of its options")] = None,
) -> None:
    """Answer a question of a flow, or list the open ones."""
    from ..api import models as m

    client = client_of(context)
    if question is not None and answer is not None:
        client.answer_approval(question, m.ApprovalReply(answer=answer))
        return
    found = [each.model_dump() for each in client.iterate_approvals(status="pending")]
    if question is not None:
        raise fail(f"Give the answer to {question}, too: {_options(found, question)}.")
    show(found, ("approval_id", "execution_id", "question", "options", "default", "deadline"), "table")


def _options(found: list[dict[str, Any]], question: str) -> str:
    options: list[str] = next((each["options"] for each in found if each["approval_id"] == question), [])
    return ", ".join(options) or "there is no such open question"
