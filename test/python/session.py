"""A session of a physicist: measures T1 on the lab's own instrument, and prints what came of it."""

import asyncio
import sys

from calibron import AsyncClient, Client, Conflict

url, username, password, project = sys.argv[1:]
client = Client(url, username=username, password=password, project=project)
try:
    client.task("CheckT1", chip="A16", target=0, backend="idle", require_worker=True)
except Conflict as error:
    print("refused", error.code)
run = client.task("CheckT1", chip="A16", target=0, backend="fridge-1", persist=True, require_worker=True).wait()
[result] = run.results("CheckT1")
t1 = client.get_task_result(result.task_id).output_parameters["t1"]
print(result.status, abs(t1.value - 50) < 15, t1.unit)
[given] = [each for each in client.get_backend_config().backends if each == "fridge-1"]
print(given, len(list(client.iterate_executions(chip_id="A16", limit=1))) >= 1)


async def flow() -> None:
    async with AsyncClient(url, username=username, password=password, project=project) as lab:
        started = await lab.run("first_light", chip="A16")
        seen: set[str] = set()
        await started.wait(each=lambda event: seen.add(event.type))
        print(sorted(seen & {"task", "end"}), (await started.status()))


asyncio.run(flow())
