import { randomUUID } from 'node:crypto';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { StoredParameters } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { taskCatalog } from '../../shared/tasks/catalog.ts';
import { executionNamed, taskNamed, userNamed } from '../../test/support/ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';
import { measuredOutput, storedExecution, storedTask } from '../../test/support/stored-results.ts';
import { type BenchedApi, UNLIMITED, withApi } from './api-process.ts';
import type { Engines } from './engines.ts';
import type { Figure } from './figure.ts';
import { askPlainly } from './plain-requests.ts';
import { processorTimes } from './processor-time.ts';

const QUBITS = 64;
const TASKS = 10;
/** Number of inputs of each task; with them an execution has the size of a real one. */
const INPUTS = 12;
/** The tasks that have results. */
const measured = taskCatalog
  .filter(({ taskType }) => taskType === 'qubit')
  .slice(0, TASKS)
  .map(({ name }) => name);
const CONNECTIONS = 4;
const [REQUESTS, SMALL_REQUESTS] = [2000, 40];
/** Reads that make the whole answer take a hundred times longer. */
const CHANGED_SHARE = 40;
const EXECUTION = '20260102-003';

/**
 * What open pages of a client read every few seconds, of 64 qubits and an execution with 640 tasks: processor time of API
 * and store for each read, if it is unchanged (304) and if it is made.
 */
export async function benchPolling(small: boolean, { pids: { store } }: Engines): Promise<Figure[]> {
  const lab = await openLaboratory({ RECONCILE_INTERVAL: '60' });
  try {
    return await withApi(lab, { settings: UNLIMITED }, async (api) => {
      const projectId = api.headers['x-project-id'];
      const { chipId } = await lab.newProject({ size: QUBITS, projectId });
      await fill(lab, projectId, chipId);
      return measure(api, chipId, { small, store });
    });
  } finally {
    await lab.close();
  }
}

async function fill(lab: Laboratory, projectId: ProjectId, chipId: string): Promise<void> {
  const measurer = { id: userNamed('mia'), username: 'mia' };
  const place = { chip_id: chipId, execution_id: executionNamed(EXECUTION) };
  const inputs: StoredParameters = Object.fromEntries(
    Array.from({ length: INPUTS }, (_, number) => [
      `input_${number}`,
      measuredOutput(`input_${number}`, number),
    ]),
  );
  await lab.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(projectId, measurer, place));
  for (const name of measured) {
    await lab.areas.results.createMany(
      Array.from({ length: QUBITS }, (_, qubit) =>
        storedTask(projectId, measurer, {
          ...place,
          task_id: taskNamed(randomUUID()),
          name,
          qid: String(qubit),
          input_parameters: inputs,
        }),
      ),
    );
  }
}

async function measure(
  { base, headers, pid }: BenchedApi,
  chipId: string,
  { small, store }: { small: boolean; store: number },
): Promise<Figure[]> {
  const detail = `/executions/${EXECUTION}`;
  const reads = [
    { name: "an execution's detail, 640 tasks", path: detail, budget: 'unchanged ≤ 2 ms' },
    {
      name: 'the same without parameters',
      path: `${detail}?fields=task_id,name,qid,status,start_at,end_at`,
      budget: 'unchanged ≤ 2 ms',
    },
    {
      name: 'latest of a task, 64 qubits',
      path: `/task-results/qubits/latest?chip_id=${chipId}&task=${measured[0]}`,
      budget: 'unchanged ≤ 1 ms',
    },
    { name: 'muxes, 64 qubits', path: `/chips/${chipId}/muxes`, budget: 'unchanged ≤ 1 ms' },
  ];
  // A store that we did not start has no process id here.
  const pids: Record<string, number> = { api: pid, ...(store > 0 && { store }) };
  const figures: Figure[] = [];
  for (const { name, path, budget } of reads) {
    const answer = await fetch(`${base}${path}`, { headers });
    const size = (await answer.arrayBuffer()).byteLength;
    const tag = answer.headers.get('etag') ?? '';
    const count = small ? SMALL_REQUESTS : REQUESTS;
    const ask = async (extra: Record<string, string>, times: number, status: number): Promise<string> => {
      const request = { base, path, headers: { ...headers, ...extra }, connections: CONNECTIONS, status };
      // An API that has run for an hour has compiled the code of these reads.
      await askPlainly({ ...request, count: times });
      const { used } = await processorTimes(pids, () => askPlainly({ ...request, count: times }));
      const each = (process: string) => (((used[process] ?? 0) * 1000) / times).toFixed(2);
      return `${each('api')} + ${each('store')} ms`;
    };
    const unchanged = await ask({ 'if-none-match': tag }, count, 304);
    const changed = await ask({}, Math.ceil(count / CHANGED_SHARE), 200);
    figures.push({
      name: `${name}: CPU of API + store`,
      value: `unchanged ${unchanged}, made ${changed}; ${(size / 1024).toFixed(0)} KiB`,
      budget,
    });
  }
  return figures;
}
