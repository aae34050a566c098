import { listen } from '../../test/api/events/event-listener.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { type BenchedApi, withApi } from './api-process.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';
import { memoryOf, peakMemory } from './memory.ts';

const LISTENERS = 1000;
const QUBITS = 16;
const TASKS = 5;

/** Many listeners of one run on one API process. Each must receive every task and the end. */
export async function benchListeners(small: boolean): Promise<Figure[]> {
  const count = small ? 100 : LISTENERS;
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  try {
    return await withApi(lab, { settings: { EVENT_STREAMS_PER_USER: String(count) } }, (api) =>
      measure(lab, api, count),
    );
  } finally {
    await lab.close();
  }
}

async function measure(
  lab: Laboratory,
  { pid, base, headers }: BenchedApi,
  count: number,
): Promise<Figure[]> {
  await lab.startWorker(processMemory);
  const place = await lab.newProject({ size: QUBITS, projectId: headers['x-project-id'] });
  const idle = await memoryOf(pid);
  const { result, memory } = await peakMemory(pid, () =>
    withInstantBackend(lab, async () => {
      const list = Array.from({ length: TASKS }, () => 'CheckT1');
      const run = await lab.startFlow(place, oneStage(list), { backend: INSTANT_BACKEND });
      const requestedAt = Date.now();
      const listeners = await Promise.all(
        Array.from({ length: count }, () => listen(`${base}/executions/${run.execution_id}/events`, headers)),
      );
      const connected = Date.now() - requestedAt;
      const ends = await Promise.all(listeners.map(({ ended }) => ended.then(() => Date.now())));
      const execution = await lab.areas.executions.store.get(place.projectId, run.execution_id);
      const heard = listeners.map(({ events }) => events.filter(({ event }) => event === 'task').length);
      return { connected, ends, heard, endedAt: execution?.end_at?.getTime() ?? 0 };
    }),
  );
  const complete = result.heard.filter((tasks) => tasks === QUBITS * TASKS).length;
  return [
    { name: `listeners that heard all ${QUBITS * TASKS} tasks`, value: `${complete} of ${count}` },
    { name: 'until all were connected', value: `${result.connected} ms` },
    {
      name: 'from the end of the run to the last listener',
      value: `${Math.max(...result.ends) - result.endedAt} ms`,
    },
    { name: 'memory of the API before', value: `${idle.toFixed(0)} MB` },
    { name: 'memory of the API at most', value: `${memory.toFixed(0)} MB` },
  ];
}
