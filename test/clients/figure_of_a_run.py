"""From the sign-in to the figure of a run, with the client that openapi-python-client generates."""

import sys
import time

from calibron_client import AuthenticatedClient, Client
from calibron_client.api.accounts import login
from calibron_client.api.executions import get_execution, get_figure
from calibron_client.api.flows import execute_flow
from calibron_client.models import FlowExecution, LoginForm

base_url, username, password, project = sys.argv[1:]
token = login.sync(client=Client(base_url), body=LoginForm(username=username, password=password))
client = AuthenticatedClient(base_url, token=token.access_token)
started = execute_flow.sync("first_light", client=client, body=FlowExecution(), x_project_id=project)
while True:
    execution = get_execution.sync(started.execution_id, client=client, x_project_id=project)
    if str(execution.status) not in ("running", "scheduled"):
        break
    time.sleep(0.2)
figure = get_figure.sync_detailed(client=client, path=execution.task[0].figure_path[0])
print(execution.status, ",".join(str(byte) for byte in figure.content[:4]))
