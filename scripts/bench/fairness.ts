import { z } from 'zod';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import { listen } from '../../test/api/events/event-listener.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { type BenchedApi, UNLIMITED, withApi } from './api-process.ts';
import type { Figure } from './figure.ts';
import { openTenant, type Tenant } from './tenants.ts';

/** The load of a busy tenant while a small one is measured. */
interface Load {
  name: string;
  /** Measuring runs, each in its own project. */
  runs: number;
  /** Event streams of these runs. */
  listeners: number;
  /** Clients that continuously read long lists. */
  readers: number;
  /** Runs whose flows compute. */
  computing: number;
  /** Seconds that each measurement of the busy tenant takes. Those of the small tenant take no time. */
  seconds: number;
}

/** Seconds that a short measurement of a real instrument takes. */
const MEASUREMENT_SECONDS = 5;
const NO_LOAD = { runs: 0, listeners: 0, readers: 0, computing: 0, seconds: MEASUREMENT_SECONDS };
const [PROBES, SMALL_PROBES] = [12, 2];
const READS = 60;
/** Qubits of a chip of the busy tenant. */
const QUBITS = 16;
/** Tasks on each of these qubits: more than can finish during the benchmark. */
const LONG_STAGE = Array.from({ length: 200 }, () => 'CheckT1');

const COMPUTING_FLOW = `export async function flow(session) {
  for (let round = 0; round < 5000; round += 1) {
    let sum = 0;
    for (let step = 0; step < 5_000_000; step += 1) sum += step % 7;
    session.record('sum', sum);
    await session.sleep(0.1);
  }
}
`;

/** Times in milliseconds, one for each probe or read. */
interface Measured {
  /** The request that starts a run. */
  post: number[];
  /** From that request to the start of the first measurement. */
  first: number[];
  /** From that request to the end of the run. */
  run: number[];
  reads: number[];
  /** Measurements that were retried because their first attempt was lost. */
  repeats: number;
}

/**
 * How much a busy tenant slows down a small one: idle, under load, idle again. `FAIRNESS_WORKERS=2` in the environment
 * adds a second worker process.
 */
export async function benchFairness(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  try {
    const settings = { ...UNLIMITED, EVENT_STREAMS_PER_USER: '400' };
    return await withApi(lab, { settings }, (api) => measure(lab, api, small));
  } finally {
    await lab.close();
  }
}

async function measure(lab: Laboratory, api: BenchedApi, small: boolean): Promise<Figure[]> {
  const workers = Number(process.env['FAIRNESS_WORKERS'] ?? 1);
  for (let count = 0; count < workers; count += 1) await lab.startWorker(processMemory);
  const loads: Load[] = small
    ? [{ ...NO_LOAD, name: 'small load', runs: 2, listeners: 4, readers: 1, computing: 1 }]
    : [
        { ...NO_LOAD, name: `10 runs of ${MEASUREMENT_SECONDS} s measurements`, runs: 10 },
        { ...NO_LOAD, name: 'the same, 200 listeners, 4 readers', runs: 10, listeners: 200, readers: 4 },
        {
          ...NO_LOAD,
          name: 'the same, 4 computing flows',
          runs: 10,
          listeners: 200,
          readers: 4,
          computing: 4,
        },
        { ...NO_LOAD, name: `40 runs of ${MEASUREMENT_SECONDS} s measurements`, runs: 40 },
        { ...NO_LOAD, name: '10 runs of an instant instrument', runs: 10, seconds: 0 },
      ];
  const tenant = await openTenant(lab, api, 'small');
  const project = await tenant.newProject(oneStage(['CheckT1'], ['0']), 4);
  const busy = await openTenant(lab, api, 'busy');
  const busyProjects: ProjectId[] = [];
  const most = Math.max(...loads.map(({ runs, computing }) => runs + computing));
  for (let count = 0; count < most; count += 1) {
    busyProjects.push(await busy.newProject(oneStage(LONG_STAGE), QUBITS));
  }
  const probes = small ? SMALL_PROBES : PROBES;
  await probe(lab, tenant, project, 2); // warms up
  const phases: [string, Measured][] = [['calm', await probe(lab, tenant, project, probes)]];
  for (const [name, measured] of phases) console.error(summaryOf(name, measured));
  for (const load of loads) {
    await lab.setFaults({
      rules: busyProjects.map((project_id) => ({
        behaviour: 'slow',
        match: { project_id },
        seconds: load.seconds,
      })),
    });
    const measured = await underLoad(busy, busyProjects, { load, base: api.base }, () =>
      probe(lab, tenant, project, probes),
    );
    phases.push([load.name, measured]);
    console.error(summaryOf(load.name, measured));
  }
  phases.push(['calm again', await probe(lab, tenant, project, probes)]);
  return figuresOf(phases);
}

/** Runs of the small tenant one after another, with reads in between. */
async function probe(
  lab: Laboratory,
  tenant: Tenant,
  projectId: ProjectId,
  count: number,
): Promise<Measured> {
  const measured: Measured = { post: [], first: [], run: [], reads: [], repeats: 0 };
  for (let turn = 0; turn < count; turn += 1) {
    const requestedAt = Date.now();
    const run = await tenant.start(projectId);
    measured.post.push(Date.now() - requestedAt);
    const execution = await lab.ended(projectId, run.execution_id);
    measured.run.push(Date.now() - requestedAt);
    if (execution.status !== 'completed') throw new Error(`the small run ended: ${execution.message}`);
    const measurements = await lab.journal(projectId, run.execution_id);
    const [first] = measurements;
    measured.repeats += measurements.filter(({ attempt }) => attempt > 1).length;
    measured.first.push(Date.parse(first?.at ?? '') - requestedAt);
    for (let read = 0; read < READS / count; read += 1) {
      const began = performance.now();
      await tenant.client.ask('/executions?limit=20&chip_id=CHIP', z.unknown(), { projectId });
      await tenant.client.ask(`/executions/${run.execution_id}`, z.unknown(), { projectId });
      measured.reads.push((performance.now() - began) / 2);
    }
  }
  return measured;
}

/** Runs a function while another tenant keeps the installation busy. */
async function underLoad<T>(
  busy: Tenant,
  projects: readonly ProjectId[],
  { load, base }: { load: Load; base: string },
  body: () => Promise<T>,
): Promise<T> {
  const measuring = projects.slice(0, load.runs);
  const computing = projects.slice(load.runs, load.runs + load.computing);
  await Promise.all(computing.map((projectId) => busy.saveFlow(projectId, COMPUTING_FLOW)));
  const runs: { projectId: ProjectId; flow_run_id: string; execution_id: ExecutionId }[] = [];
  for (const projectId of [...measuring, ...computing]) {
    runs.push({ projectId, ...(await busy.start(projectId)) });
  }
  const listeners = await Promise.all(
    Array.from({ length: load.listeners }, (_, position) => {
      const run = runs[position % runs.length];
      const headers = { ...busy.headers, 'x-project-id': run?.projectId ?? '' };
      return listen(`${base}/executions/${run?.execution_id}/events`, headers);
    }),
  );
  const reading = new AbortController();
  const readers = Promise.all(
    Array.from({ length: load.readers }, (_, reader) =>
      readUntilAborted(busy, measuring[reader] ?? '', reading.signal),
    ),
  );
  try {
    return await body();
  } finally {
    reading.abort();
    await readers;
    for (const listener of listeners) listener.close();
    await Promise.all(runs.map((run) => busy.cancel(run.projectId, run)));
    await Promise.all(runs.map((run) => busy.freed(run.projectId)));
    await Promise.all(computing.map((projectId) => busy.saveFlow(projectId, oneStage(LONG_STAGE))));
  }
}

/** Reads long lists until the signal aborts. */
async function readUntilAborted({ client }: Tenant, projectId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await client.ask('/task-results?limit=100', z.unknown(), { projectId });
    await client.ask('/executions?limit=100&chip_id=CHIP', z.unknown(), { projectId });
  }
}

/** Medians of one phase, printed while the benchmark continues. */
function summaryOf(phase: string, { post, first, run, reads }: Measured): string {
  const medians = [post, first, run, reads].map((values) => `${quantile(values, 0.5).toFixed(0)} ms`);
  return `${phase}: ${medians.join(', ')} for POST, first measurement, run, read`;
}

function figuresOf(phases: readonly [string, Measured][]): Figure[] {
  const calm = phases[0]?.[1];
  if (!calm) return [];
  const kinds = [
    ['POST, median', (measured: Measured) => quantile(measured.post, 0.5)],
    ['POST to first measurement, median', (measured: Measured) => quantile(measured.first, 0.5)],
    ['whole run, median', (measured: Measured) => quantile(measured.run, 0.5)],
    ['reads, p50', (measured: Measured) => quantile(measured.reads, 0.5)],
    ['reads, p95', (measured: Measured) => quantile(measured.reads, 0.95)],
  ] as const;
  const repeats = phases.map(([phase, measured]) => ({
    name: `measurements repeated: ${phase}`,
    value: String(measured.repeats),
    budget: '0',
  }));
  const slowed = kinds.flatMap(([kind, of]) =>
    phases.map(([phase, measured]) => ({
      name: `${kind}: ${phase}`,
      value: `${of(measured).toFixed(0)} ms`,
      ...(measured !== calm && { budget: `< 2 × calm; is ${(of(measured) / of(calm)).toFixed(1)} ×` }),
    })),
  );
  return [...slowed, ...repeats];
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
}
