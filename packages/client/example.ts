/** From the sign-in to the figure of a run: `tsx example.ts URL USERNAME PASSWORD PROJECT`. */
import { connect } from './client.ts';

const [baseUrl = '', username = '', password = '', project = ''] = process.argv.slice(2);
const { api, signIn, useProject, executionPart } = connect(baseUrl);
await signIn(username, password);
useProject(project);

const started = await api.POST('/flows/{name}/execute', {
  params: { path: { name: 'first_light' } },
  body: { parameters: {} },
});
const execution_id = started.data?.execution_id ?? '';

async function whenEnded() {
  for (;;) {
    const execution = await executionPart(execution_id, ['figure_path']);
    if (execution.status !== 'running' && execution.status !== 'scheduled') return execution;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const { status, task } = await whenEnded();
const path = task[0]?.figure_path[0] ?? '';
const figure = await api.GET('/executions/figure', { params: { query: { path } }, parseAs: 'arrayBuffer' });
const signature = new Uint8Array(figure.data ?? new ArrayBuffer(0)).slice(0, 4);
console.log(status, figure.response.headers.get('content-type'), signature.join());
