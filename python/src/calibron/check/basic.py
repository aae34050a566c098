"""Checks that every worker can be put to: requests, results and refusals."""

from __future__ import annotations

import asyncio
import json
import time

from .answers import answer_problems
from .requests import most_targets_of
from .subject import Skip, Subject, Wrong


async def measures(subject: Subject) -> None:
    """measures each of its tasks"""
    problems = []
    for task in subject.tasks:
        request = subject.request(task)
        begin = time.monotonic()
        result = await subject.measured(request)
        if task == subject.task:
            subject.duration = time.monotonic() - begin
        problems += [f"{task}: {each}" for each in answer_problems(subject.facts(task), request, json.dumps(result))]
    if problems:
        raise Wrong(" ".join(problems[:5]))


async def measures_many(subject: Subject) -> None:
    """measures as many targets at once as Calibron may ask for"""
    shared = [task for task in subject.tasks if task in subject.known and len(most_targets_of(task, subject.known)) > 1]
    if not shared:
        raise Skip("None of its tasks has several targets in one measurement.")
    for task in shared:
        request = subject.request(task, targets=most_targets_of(task, subject.known))
        result = await subject.measured(request)
        problems = answer_problems(subject.facts(task), request, json.dumps(result))
        if problems:
            raise Wrong(" ".join(f"{task}: {each}" for each in problems[:5]))


async def beats_first(subject: Subject) -> None:
    """sends a heartbeat that waits for its answer before it measures"""
    attempt = subject.offer(subject.request())
    attempt.holds_heartbeats = True
    for _ in range(int(subject.patience / 0.05)):
        if attempt.calls or attempt.ended.done():
            break
        await asyncio.sleep(0.05)
    await asyncio.sleep(1.5)
    is_early = attempt.ended.done() or bool(attempt.refused)
    attempt.holds_heartbeats = False
    await subject.ended(attempt)
    if is_early or not attempt.calls:
        raise Wrong(
            "It measured before a heartbeat was answered. Send the first heartbeat by the client and wait for "
            "its answer: the measurement may have been given to another worker."
        )


async def repeats_kept(subject: Subject) -> None:
    """answers a repeated request with the kept result"""
    request = subject.request()
    first = await subject.measured(request)
    second = await subject.measured({**request, "attempt": 2})
    if second.get("measured_in_attempt") != 1:
        raise Wrong("A repetition of the same request must return the kept result with measured_in_attempt: 1.")
    if second["targets"] != first["targets"]:
        raise Wrong("A repetition of the same request was measured again: the data differ.")


async def measures_next_pass(subject: Subject) -> None:
    """measures a further pass of a task again"""
    request = subject.request()
    await subject.measured(request)
    second = await subject.measured({**request, "pass": 2})
    if "measured_in_attempt" in second:
        raise Wrong("A request with pass 2 was answered with the result of pass 1. Keep results by task_id and pass.")


async def refuses_contract(subject: Subject) -> None:
    """refuses a version of the contract that it does not know"""
    await subject.refused(subject.request(contract=99), "a request of contract 99")


async def refuses_task(subject: Subject) -> None:
    """refuses a task that it does not know, with a message"""
    request = {**subject.request(), "task_name": "CheckUnheardOf"}
    ended = await subject.refused(request, "an unknown task")
    if "CheckUnheardOf" not in ended.text:
        raise Wrong(f"The message about an unknown task does not name it: {ended.text}")


async def fails_and_goes_on(subject: Subject) -> None:
    """fails with a message where it cannot measure, and measures the next request"""
    request = {**subject.request(), "run_parameters": {}, "input_parameters": {}}
    ended = await subject.ended(subject.offer(request))
    if ended.kind != "completed" and not ended.text.strip():
        raise Wrong(f"A request without any parameter {ended.kind} without a message.")
    await subject.measured(subject.request())


async def refuses_outdated(subject: Subject) -> None:
    """refuses a run that a later run of the project has replaced"""
    subject.epoch += 1
    await subject.measured(subject.request())
    ended = await subject.refused(subject.request(epoch=subject.epoch - 1), "an outdated run")
    if ended.failure_type != "Fenced":
        raise Wrong(f"An outdated run must fail with the error type Fenced, not {ended.failure_type or 'without one'}.")
    await subject.measured(subject.request(project_id="another-project", epoch=1))


async def measures_late(subject: Subject) -> None:
    """measures a request whose deadline has passed while it waited"""
    await subject.measured(subject.request(deadline="2020-01-01T00:00:00Z"))


async def leaves_unwanted(subject: Subject) -> None:
    """measures nothing that Temporal does not wait for any more"""
    attempt = subject.offer(subject.request())
    attempt.forgotten = True
    for _ in range(int(subject.patience / 0.05)):
        if attempt.refused or (attempt.calls and subject.temporal.polls > 0):
            break
        await asyncio.sleep(0.05)
    if not attempt.calls:
        raise Wrong("It sent no heartbeat before it measured.")
    if any(ended.kind == "completed" for ended in attempt.refused):
        raise Wrong("It measured although the first heartbeat was answered by NOT_FOUND.")
    await subject.measured(subject.request())


async def describes(subject: Subject) -> None:
    """describes itself"""
    ended = await subject.ended(subject.offer({}, activity="describe"))
    if ended.kind != "completed":
        raise Skip("It has no activity describe, so Calibron cannot show its tasks, version and health.")
    description = json.loads(ended.text)
    missing = [name for name in ("identity", "at_once", "tasks", "measuring") if name not in description]
    if missing:
        raise Wrong(f"The description has no {', '.join(missing)}.")


BASIC = (
    *(measures, measures_many, beats_first, repeats_kept, measures_next_pass),
    *(refuses_contract, refuses_task, fails_and_goes_on, refuses_outdated, measures_late, leaves_unwanted, describes),
)
