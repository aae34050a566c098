import { type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';

const PARALLEL_TARGETS = 64;
/** Tasks to warm up with, one after another, and on each of the targets. */
const FULL = { warmUp: 20, sequential: 100, parallel: 15 };
const SMALL = { warmUp: 1, sequential: 3, parallel: 1 };

/** Milliseconds from the start of the first measurement to the end of the last record. */
async function span(lab: Laboratory, tasks: number, qids: readonly string[], parallel: number) {
  const place = await lab.newProject({ size: 64 });
  const list = Array.from({ length: tasks }, () => 'CheckT1');
  const asked = Date.now();
  const run = await lab.startFlow(place, oneStage(list, qids, `, parallel: ${parallel}`), {
    backend: INSTANT_BACKEND,
  });
  const execution = await lab.ended(place.projectId, run.execution_id, 300_000);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  const failed = rows.filter((row) => row.status !== 'completed');
  if (failed.length > 0)
    throw new Error(`${failed.length} tasks failed: ${failed[0]?.message}; ${execution.message}`);
  const first = Math.min(...rows.map((row) => row.start_at?.getTime() ?? Number.POSITIVE_INFINITY));
  const last = Math.max(...rows.map((row) => row.end_at?.getTime() ?? 0));
  return { total: last - first, toFirst: first - asked, count: rows.length };
}

/** Engine cost of a task: both activities and all record writes, without fit and figure. `small` shows that it works. */
export async function benchEngine(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory({
    MEASURE_HEARTBEAT_TIMEOUT: '10',
    RECONCILE_INTERVAL: '60',
    LOG_LEVEL: 'WARN',
  });
  const worker = await lab.startWorker({ ...processMemory, LOG_LEVEL: 'INFO' });
  try {
    return await withInstantBackend(lab, () => measure(lab, small ? SMALL : FULL));
  } finally {
    await worker.stop();
    await lab.close();
  }
}

async function measure(lab: Laboratory, tasks: typeof FULL): Promise<Figure[]> {
  await span(lab, tasks.warmUp, ['0'], 1);
  const one = await span(lab, tasks.sequential, ['0'], 1);
  const qids = Array.from({ length: PARALLEL_TARGETS }, (_, qid) => String(qid));
  const many = await span(lab, tasks.parallel, qids, PARALLEL_TARGETS);
  return [
    {
      name: `engine cost of a task, one after another (${one.count})`,
      value: `${(one.total / one.count).toFixed(1)} ms`,
      budget: '≤ 40 ms',
    },
    {
      name: `tasks per second, ${PARALLEL_TARGETS} targets in parallel (${many.count})`,
      value: (many.count / (many.total / 1000)).toFixed(0),
      budget: '≥ 80',
    },
    { name: 'start of a flow to its first measurement', value: `${one.toFirst} ms`, budget: '< 250 ms' },
  ];
}
