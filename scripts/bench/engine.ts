import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { type BareActivities, withBareActivities } from './bare-activities.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';
import { processorTimes } from './processor-time.ts';

const PARALLEL_TARGETS = 64;
/** Rounds that count, and in each: tasks one after another, and on each of the targets in parallel. */
const FULL = { rounds: 5, sequential: 100, parallel: 10 };
const SMALL = { rounds: 1, sequential: 3, parallel: 1 };

/** Processes whose processor time is told, by name. */
type Processes = Record<'temporal' | 'store' | 'worker' | 'backend', number>;
type Times = Record<string, number>;

/** Milliseconds from the start of the first measurement to the end of the last record. */
async function span(lab: Laboratory, place: LabChip, tasks: number, qids: readonly string[]) {
  const list = Array.from({ length: tasks }, () => 'CheckT1');
  const asked = Date.now();
  const run = await lab.startFlow(place, oneStage(list, qids, `, parallel: ${qids.length}`), {
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

/** One way of going through tasks, measured between bare activities of the same engine. */
interface Measured {
  /** Milliseconds a task. */
  task: number;
  /** Milliseconds a bare activity. */
  bare: number;
  /** Milliseconds of processor time a task, and of the engine's for a bare activity. */
  used: Times;
  bareEngine: number;
  toFirst: number;
}

/**
 * Engine cost of a task: both activities and all record writes, without fit and figure, beside activities that do
 * nothing. The ratios of wall and processor times say more than the times where the machine is shared.
 * `small` shows that it works.
 */
export async function benchEngine(
  small: boolean,
  engines: { temporal: number; store: number },
): Promise<Figure[]> {
  const lab = await openLaboratory({
    MEASURE_HEARTBEAT_TIMEOUT: '10',
    RECONCILE_INTERVAL: '60',
    LOG_LEVEL: 'WARN',
  });
  const worker = await lab.startWorker({ ...processMemory, LOG_LEVEL: 'INFO' });
  const processes = { ...engines, worker: worker.pid, backend: process.pid };
  try {
    return await withBareActivities(lab, (bare) =>
      withInstantBackend(lab, () => measure(lab, bare, processes, small ? SMALL : FULL)),
    );
  } finally {
    await worker.stop();
    await lab.close();
  }
}

async function measure(
  lab: Laboratory,
  bare: BareActivities,
  processes: Processes,
  { rounds, sequential, parallel }: typeof FULL,
): Promise<Figure[]> {
  const qids = Array.from({ length: PARALLEL_TARGETS }, (_, qid) => String(qid));

  async function round(tasks: number, targets: readonly string[]): Promise<Measured> {
    const lanes = targets.length;
    const count = tasks * lanes;
    const empty = await processorTimes(processes, () => bare.run(tasks, lanes));
    const place = await lab.newProject({ size: PARALLEL_TARGETS });
    const full = await processorTimes(processes, () => span(lab, place, tasks, targets));
    const each = (times: Times) =>
      Object.fromEntries(Object.entries(times).map(([name, time]) => [name, (time * 1000) / count]));
    return {
      task: full.result.total / count,
      bare: empty.result / count,
      used: each(full.used),
      bareEngine: each(empty.used)['temporal'] ?? 0,
      toFirst: full.result.toFirst,
    };
  }

  const alone: Measured[] = [];
  const together: Measured[] = [];
  for (let number = 0; number <= rounds; number += 1) {
    const [one, many] = [await round(sequential, ['0']), await round(parallel, qids)];
    if (number === 0) continue; // warms up
    alone.push(one);
    together.push(many);
  }
  return [
    ...figuresOf(`one after another (${sequential})`, alone, '≤ 2 bare'),
    ...figuresOf(
      `${PARALLEL_TARGETS} targets in parallel (${PARALLEL_TARGETS * parallel})`,
      together,
      '≤ 2 bare',
    ),
    {
      name: 'start of a flow to its first measurement',
      value: `${spread(alone.map(({ toFirst }) => toFirst))} ms; ${spread(alone.map(({ toFirst, bare: activity }) => toFirst / activity))} bare`,
      budget: '≤ 12 bare',
    },
  ];
}

function figuresOf(way: string, rounds: readonly Measured[], budget: string): Figure[] {
  const names = Object.keys(rounds[0]?.used ?? {});
  const cpu = (name: string) => spread(rounds.map(({ used }) => used[name] ?? 0));
  const all = rounds.map(({ used }) => Object.values(used).reduce((sum, time) => sum + time, 0));
  return [
    {
      name: `a task, ${way}`,
      value: `${spread(rounds.map(({ task }) => task))} ms; ${spread(rounds.map(({ task, bare }) => task / bare))} bare`,
      budget,
    },
    { name: `  a second`, value: (1000 / middle(rounds.map(({ task }) => task))).toFixed(0) },
    { name: '  processor time a task', value: `${spread(all)} ms`, budget: '≤ 30 ms' },
    ...names.map((name) => ({ name: `    ${name}`, value: `${cpu(name)} ms` })),
    {
      name: "    temporal's, in bare activities",
      value: spread(rounds.map(({ used, bareEngine }) => (used['temporal'] ?? 0) / bareEngine)),
    },
  ];
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The middle value, with the least and the most. */
function spread(values: readonly number[]): string {
  return `${middle(values).toFixed(1)} (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
}
