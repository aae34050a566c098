import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { type BareActivities, withBareActivities } from './bare-activities.ts';
import { engineCounts, storeCounts } from './engine-counts.ts';
import type { Engines } from './engines.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';
import { type InstantWorker, startInstantWorker } from './instant-worker-process.ts';

import { differenceOf, processorTimes, type Used } from './processor-time.ts';

const PARALLEL_TARGETS = 64;
/** Maximum number of warm-up rounds, number of measured rounds, and tasks per round: sequential, and per parallel target. */
const FULL = { warmUps: 6, rounds: 5, sequential: 100, parallel: 10 };
const SMALL = { warmUps: 0, rounds: 1, sequential: 3, parallel: 1 };

/** Warm-up ends when a round uses no less than (1 - this share) times the lowest processor time of the rounds before. */
const FLAT = 0.05;

/** Where measurements run: in another process, like a lab's instrument, or in the recording process, like the simulator. */
const WAYS = [
  { backend: INSTANT_BACKEND, name: 'a foreign backend' },
  { backend: SIMULATOR_BACKEND, name: "the simulator's host" },
] as const;

/** Cost budget of a task, relative to {@link BareActivities} and in milliseconds of processor time. */
const BUDGETS = {
  alone: { task: '≤ 2 bare', processor: '≤ 30 ms' },
  together: { task: '≤ 2 bare', processor: '≤ 9 ms' },
  toFirst: '≤ 10 bare',
} as const;

/** Kinds of threads and commands below this value are not reported. */
const MIN_TOLD = 0.1;

/** Milliseconds from the start of the first measurement to the end of the last record. */
async function span(
  lab: Laboratory,
  place: LabChip,
  { tasks, qids, backend }: { tasks: number; qids: readonly string[]; backend: string },
) {
  const list = Array.from({ length: tasks }, () => 'CheckT1');
  const start = await lab.saveFlow(place, oneStage(list, qids, `, parallel: ${qids.length}`), { backend });
  const requestedAt = Date.now();
  const run = await start();
  const execution = await lab.ended(place.projectId, run.execution_id, 300_000);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  const failed = rows.filter((row) => row.status !== 'completed');
  if (failed.length > 0)
    throw new Error(`${failed.length} tasks failed: ${failed[0]?.message}; ${execution.message}`);
  const first = Math.min(...rows.map((row) => row.start_at?.getTime() ?? Number.POSITIVE_INFINITY));
  const last = Math.max(...rows.map((row) => row.end_at?.getTime() ?? 0));
  return { total: last - first, toFirst: first - requestedAt, execution_id: run.execution_id };
}

/** One way of running tasks, measured between runs of bare activities on the same engine. */
interface Measured {
  /** Milliseconds per task. */
  task: number;
  /** Milliseconds per bare activity, in the same worker and in another one. */
  bare: number;
  bareElsewhere: number;
  /** Processor time in ms per task, without start and end of its run, and the engine's per bare activity. */
  used: Used;
  threads: Used;
  /** Processor time in ms of the run of all tasks, the number of tasks, and the processor time of a run of one task. */
  usedByRun: number;
  count: number;
  usedBySingle: number;
  bareEngine: number;
  bareElsewhereEngine: number;
  toFirst: number;
  /** Per task. */
  commands: Record<string, number>;
  ofEngine: Record<string, number>;
  ofStore: Record<string, number>;
  events: Record<string, number>;
  steps: Record<string, number>;
}

/**
 * Engine cost of a task: its activities and all record writes, without fit and figure, compared with activities that do
 * nothing. On a shared machine the ratios of wall and processor times are more reliable than the times.
 * `small` only checks that the benchmark works.
 */
export async function benchEngine(small: boolean, { pids, metricsPort }: Engines): Promise<Figure[]> {
  const lab = await openLaboratory({
    MEASURE_HEARTBEAT_TIMEOUT: '10',
    RECONCILE_INTERVAL: '60',
    LOG_LEVEL: 'WARN',
  });
  try {
    const worker = await startInstantWorker(lab, processMemory);
    try {
      const processes = { ...pids, worker: worker.pid, backend: process.pid };
      return await withBareActivities(lab, (bare) =>
        withInstantBackend(lab, () =>
          measure({ lab, bare, worker, processes, metricsPort }, small ? SMALL : FULL),
        ),
      );
    } finally {
      await worker.stop();
    }
  } finally {
    await lab.close();
  }
}

interface Bench {
  lab: Laboratory;
  bare: BareActivities;
  worker: InstantWorker;
  /** Ids of the processes whose processor time is reported, by name. */
  processes: Record<'temporal' | 'store' | 'worker' | 'backend', number>;
  metricsPort: Engines['metricsPort'];
}

async function measure(
  { lab, bare, worker, processes, metricsPort }: Bench,
  { warmUps, rounds, sequential, parallel }: typeof FULL,
): Promise<Figure[]> {
  const qids = Array.from({ length: PARALLEL_TARGETS }, (_, qid) => String(qid));

  /** Counts so far: commands that the worker sent to the store, and the engine's and the store's own counts. */
  async function counts() {
    const [commands, ofEngine, ofStore] = await Promise.all([
      worker.commands(),
      engineCounts(metricsPort),
      storeCounts(lab.database.db),
    ]);
    return { commands, ofEngine, ofStore };
  }

  async function round(tasks: number, targets: readonly string[], backend: string): Promise<Measured> {
    const count = tasks * targets.length;
    const each = (times: Readonly<Record<string, number>>, scale = 1, of = count) =>
      Object.fromEntries(Object.entries(times).map(([name, time]) => [name, (time * scale) / of]));
    /** Usage per additional task: the difference from a run of one task, divided by the number of further tasks. */
    const eachOwn = (all: Used, one: Used) => each(differenceOf(one, all), 1000, count - 1);
    // Created long before the other run, which would otherwise start during this run's last steps.
    const other = await lab.newProject({ size: PARALLEL_TARGETS });
    const single = await processorTimes(processes, () =>
      span(lab, other, { tasks: 1, qids: targets.slice(0, 1), backend }),
    );
    const empty = await processorTimes(processes, () => bare.run(tasks, targets.length));
    const elsewhere = await processorTimes(processes, () => bare.run(tasks, targets.length, true));
    const place = await lab.newProject({ size: PARALLEL_TARGETS });
    const before = await counts();
    const full = await processorTimes(processes, () => span(lab, place, { tasks, qids: targets, backend }));
    const after = await counts();
    const { events, steps } = await eventsOf(lab, place, full.result.execution_id);
    return {
      task: full.result.total / count,
      bare: empty.result / count,
      bareElsewhere: elsewhere.result / count,
      used: eachOwn(full.used, single.used),
      threads: eachOwn(full.threads, single.threads),
      usedByRun: sumOf(full.used) * 1000,
      usedBySingle: sumOf(single.used) * 1000,
      count,
      bareEngine: each(empty.used, 1000)['temporal'] ?? 0,
      bareElsewhereEngine: each(elsewhere.used, 1000)['temporal'] ?? 0,
      toFirst: full.result.toFirst,
      commands: each(differenceOf(before.commands, after.commands)),
      ofEngine: each(differenceOf(before.ofEngine, after.ofEngine)),
      ofStore: each(differenceOf(before.ofStore, after.ofStore)),
      events: each(events),
      steps,
    };
  }

  const measured = WAYS.map((way) => ({ ...way, alone: [] as Measured[], together: [] as Measured[] }));

  /** Runs one round of each way. @returns the sum of their processor times per task in ms */
  async function everyWay(): Promise<number> {
    let total = 0;
    for (const { backend, alone, together } of measured) {
      const one = await round(sequential, ['0'], backend);
      const many = await round(parallel, qids, backend);
      alone.push(one);
      together.push(many);
      total += sumOf(one.used) + sumOf(many.used);
    }
    return total;
  }

  const warming: number[] = [];
  while (warming.length < warmUps) {
    const least = Math.min(...warming);
    const needed = await everyWay();
    warming.push(needed);
    if (needed > least * (1 - FLAT)) break;
  }
  for (let number = 0; number < rounds; number += 1) await everyWay();
  const counted = measured.map(({ alone, together, ...way }) => ({
    ...way,
    alone: alone.slice(warming.length),
    together: together.slice(warming.length),
  }));
  const figures = counted.flatMap(({ name, alone, together }) => [
    ...figuresOf(`one after another (${sequential}), ${name}`, alone, BUDGETS.alone),
    ...figuresOf(
      `${PARALLEL_TARGETS} targets in parallel (${PARALLEL_TARGETS * parallel}), ${name}`,
      together,
      BUDGETS.together,
    ),
    {
      name: `start of a flow to its first measurement, ${name}`,
      value: `${spread(alone.map(({ toFirst }) => toFirst))} ms; ${spread(alone.map(({ toFirst, bare: activity }) => toFirst / activity))} bare`,
      budget: BUDGETS.toFirst,
    },
    ...Object.entries(alone.at(-1)?.steps ?? {}).map(([step, at]) => ({
      name: `    ${step}`,
      value: `${at.toFixed(0)} ms`,
    })),
  ]);
  const each = warming.map((needed) => needed.toFixed(0)).join(', ');
  return [{ name: 'processor time of rounds that warmed up', value: `${each || 'none'} ms` }, ...figures];
}

/** Events of a run's stage by kind, and the times of its first steps in ms since the run was started. */
async function eventsOf(lab: Laboratory, { projectId }: LabChip, executionId: ExecutionId) {
  const { workflow } = lab.engine.client;
  const events: Record<string, number> = {};
  const steps: Record<string, number> = {};
  let began = 0;
  const stage = stageWorkflowId(projectId, executionId, 0);
  const { raw } = await workflow.getHandle(stage).describe();
  const open: [string, string | undefined][] = [
    [lockWorkflowId(projectId), undefined],
    [stage, raw.workflowExecutionInfo?.firstRunId ?? undefined],
  ];
  for (let next = open.shift(); next; next = open.shift()) {
    const [workflowId, runId] = next;
    const { events: all } = await workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { eventTime, eventId: _id, ...event } of all ?? []) {
      const at = Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;
      began ||= at;
      const activityName = event.activityTaskScheduledEventAttributes?.activityType?.name;
      const step = event.workflowExecutionStartedEventAttributes ? 'begins' : activityName;
      const name = step && `${workflowId === stage ? 'stage' : 'run'}: ${step}`;
      if (name && !(name in steps)) steps[name] = at - began;
      if (workflowId !== stage) continue;
      const kind = Object.entries(event).find(
        ([key, value]) => key.endsWith('EventAttributes') && value,
      )?.[0];
      const eventName = (kind ?? 'other').replace('EventAttributes', '');
      events[eventName] = (events[eventName] ?? 0) + 1;
      const rest = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (rest) open.push([stage, rest]);
    }
  }
  const measuring = Object.entries(steps).find(([name]) => name.includes('measure'))?.[1] ?? 0;
  const before = Object.entries(steps).filter(([, after]) => after <= measuring);
  return { events, steps: Object.fromEntries(before) };
}

function figuresOf(
  way: string,
  rounds: readonly Measured[],
  budget: { task: string; processor: string },
): Figure[] {
  const all = rounds.map(({ used }) => sumOf(used));
  /** Result lines by name. Small values are omitted. */
  function each(of: (round: Measured) => Readonly<Record<string, number>>, unit = ''): Figure[] {
    const names = [...new Set(rounds.flatMap((round) => Object.keys(of(round))))].sort();
    return names.flatMap((name) => {
      const values = rounds.map((round) => of(round)[name] ?? 0);
      return middle(values) < MIN_TOLD ? [] : [{ name: `    ${name}`, value: `${spread(values)}${unit}` }];
    });
  }
  return [
    {
      name: `a task, ${way}`,
      value: `${spread(rounds.map(({ task }) => task))} ms; ${spread(rounds.map(({ task, bare }) => task / bare))} bare`,
      budget: budget.task,
    },
    {
      name: '  in bare activities of another worker',
      value: spread(rounds.map(({ task, bareElsewhere }) => task / bareElsewhere)),
    },
    { name: '  a second', value: (1000 / middle(rounds.map(({ task }) => task))).toFixed(0) },
    { name: '  processor time a task', value: `${spread(all)} ms`, budget: budget.processor },
    ...each(({ used }) => used, ' ms'),
    {
      name: '    with its share of start and end of the run',
      value: `${spread(rounds.map(({ usedByRun, count }) => usedByRun / count))} ms`,
    },
    { name: '    a run of one task', value: `${spread(rounds.map(({ usedBySingle }) => usedBySingle))} ms` },
    {
      name: "    temporal's, in bare activities",
      value: spread(rounds.map(({ used, bareEngine }) => (used['temporal'] ?? 0) / bareEngine)),
    },
    {
      name: '    the same, of another worker',
      value: spread(
        rounds.map(({ used, bareElsewhereEngine }) => (used['temporal'] ?? 0) / bareElsewhereEngine),
      ),
    },
    { name: '  by kind of thread', value: '' },
    ...each(({ threads }) => threads, ' ms'),
    { name: '  events of the stage', value: spread(rounds.map(({ events }) => sumOf(events))) },
    ...each(({ events }) => events),
    { name: '  commands of the store', value: spread(rounds.map(({ commands }) => sumOf(commands))) },
    ...each(({ commands }) => commands),
    { name: '  requests to the engine, and commits to its disk', value: '' },
    ...each(({ ofEngine }) => ofEngine),
    { name: "  commits to the store's disk", value: '' },
    ...each(({ ofStore }) => ofStore),
  ];
}

function sumOf(values: Readonly<Record<string, number>>): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Median, with minimum and maximum. */
function spread(values: readonly number[]): string {
  return `${middle(values).toFixed(1)} (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
}
