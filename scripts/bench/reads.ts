import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { Db } from '../../shared/kernel/database.ts';
import { keyOf, NO_TASK, type ProjectId } from '../../shared/kernel/ids.ts';
import { calendarDay } from '../../shared/kernel/time.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { executionNamed, taskNamed, userNamed } from '../../test/support/ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import { type Get, type Query, withApiClient } from './api-client.ts';
import type { Figure } from './figure.ts';
import { fillingTime, openFilledLaboratory } from './filled-laboratory.ts';
import { insertMade } from './insert-many.ts';
import { fillIssues, issueReadsOf } from './issue-reads.ts';
import { type Read, timeReads } from './timed-reads.ts';

const RESULTS = 1_000_000;
const SMALL_RESULTS = 5_000;
/** Number of results in the store at the first reads. */
const EARLY_RESULTS = 2_000;
const ISSUES = 100_000;
const SMALL_ISSUES = 1_000;
const DAYS = 1000;
const QUBITS = 144;
const CHIP = 'CHIP';
const DAY_MS = 86_400_000;
const DAY_ZONE = 'Asia/Tokyo';

/** Daily tasks of each qubit, with their stored outputs. */
const measured = [
  ['CheckRabi', 'maximum_rabi_frequency', 120],
  ['CheckT1', 't1', 90],
  ['CheckT2Echo', 't2_echo', 110],
  ['CheckRamsey', 't2_star', 40],
  ['ReadoutClassification', 'average_readout_fidelity', 0.97],
  ['RandomizedBenchmarking', 'average_gate_fidelity', 0.998],
  ['X90InterleavedRandomizedBenchmarking', 'x90_gate_fidelity', 0.999],
] as const;

interface Filled {
  project: ProjectId;
  /** Start of the last result. */
  end: Date;
  days: number;
  count: number;
}

/** Result number `index` of `count`. Qubits vary fastest, then tasks, then days. */
function resultOf(filled: Filled, index: number): TaskResultDocument {
  const { project, end, days, count } = filled;
  const [name, output, typical] = measured[Math.floor(index / QUBITS) % measured.length] ?? measured[0];
  const start_at = new Date(end.getTime() - ((count - 1 - index) / count) * days * DAY_MS);
  const day = calendarDay(start_at, DAY_ZONE);
  const task_id = `task-${index}`;
  const execution_id = `${day}-000`;
  const isFailed = index % 20 === 7;
  const record = {
    parameter_name: output,
    qid_role: '',
    required: false,
    value: typical * (1 + 0.1 * Math.sin(index)),
    value_type: 'float',
    error: 0.01 * typical,
    unit: findTask(name)?.outputs[output]?.unit ?? '',
    description: '',
    calibrated_at: start_at.toISOString(),
    execution_id: executionNamed(execution_id),
    task_id: taskNamed(task_id),
  };
  return {
    _id: keyOf(project, task_id),
    project_id: project,
    task_id: taskNamed(task_id),
    execution_id: executionNamed(execution_id),
    chip_id: CHIP,
    user_id: userNamed('user'),
    username: index % 3 === 0 ? 'mia' : 'tom',
    name,
    task_type: 'qubit',
    qid: String(index % QUBITS),
    stage: 0,
    index: Math.floor(index / QUBITS) % measured.length,
    epoch: 1,
    attempt: 1,
    upstream_id: NO_TASK,
    source_task_id: NO_TASK,
    status: isFailed ? 'failed' : 'completed',
    message: isFailed ? 'The fit is not good enough: r2 is 0.42.' : '',
    stack_trace: '',
    input_parameters: {},
    output_parameters: isFailed ? {} : { [output]: record },
    output_parameter_names: isFailed ? [] : [output],
    run_parameters: { shots: { value: 1024, value_type: 'int', unit: '', description: 'Shots' } },
    quality_metrics: { r2: 0.98 },
    note: {},
    user_note: null,
    figure_path: [`/data/${execution_id}/fig/${name}_${index}.png`],
    json_figure_path: [`/data/${execution_id}/fig/${name}_${index}.json`],
    raw_data_path: [`/data/${execution_id}/raw_data/${name}_${index}.nc`],
    tags: ['daily'],
    cooldown_id: null,
    used_entities: [],
    start_at,
    end_at: new Date(start_at.getTime() + 30_000),
    closed_at: new Date(start_at.getTime() + 31_000),
    elapsed_time: 30,
    deadline: null,
    created_at: start_at,
  };
}

async function fill(lab: Laboratory, filled: Filled): Promise<void> {
  const { areas, database } = lab;
  const { db } = database;
  await areas.chips.create(filled.project, 'mia', { chip_id: CHIP, size: QUBITS, topology_id: null });
  await fillState(db, filled);
  const results = db.collection<TaskResultDocument>('task_results');
  const insert = (first: number, end: number) =>
    insertMade(results, Array(end - first).keys(), (index) => resultOf(filled, first + index));
  const early = Math.min(EARLY_RESULTS, filled.count);
  await insert(filled.count - early, filled.count);
  // A lab reads from its first day on. The embedded store creates an index at its first use and then keeps it.
  await withApiClient(lab, filled.project, async (get) => {
    for (const { ask } of readsOf(filled, get)) await ask(0);
  });
  await insert(0, filled.count - early);
  // The cached totals of the early results do not include the results filled in with old end times since.
  await db.collection('metric_totals').deleteMany({});
}

/** Calibration state and its snapshots of the last day, as runs would have stored them. */
async function fillState(db: Db, filled: Filled): Promise<void> {
  const qubits = db.collection<{ _id: string }>('qubits');
  const history = db.collection<{ _id: string }>('qubit_history');
  const newest = Array.from({ length: Math.min(filled.count, QUBITS * measured.length) }, (_, back) =>
    resultOf(filled, filled.count - 1 - back),
  );
  const recorded_date = calendarDay(filled.end, DAY_ZONE);
  await qubits.bulkWrite(
    newest.flatMap(({ qid, output_parameters }) =>
      Object.entries(output_parameters).map(([name, record]) => ({
        updateOne: {
          filter: { _id: keyOf(filled.project, CHIP, qid) },
          update: { $set: { [`data.${name}`]: record } },
        },
      })),
    ),
  );
  await history.insertMany(
    Array.from({ length: QUBITS }, (_, qubit) => ({
      _id: keyOf(filled.project, CHIP, qubit, recorded_date),
      project_id: filled.project,
      chip_id: CHIP,
      qid: String(qubit),
      recorded_date,
      data: {},
    })),
  );
}

/** The most frequent reads. */
function readsOf({ end, days }: Filled, get: Get): Read[] {
  const qidOf = (question: number) => String((question * 7) % QUBITS);
  const taskOf = (question: number) => measured[question % measured.length]?.[0] ?? 'CheckT1';
  const date = calendarDay(end, DAY_ZONE);
  const daysBack = (back: number) => new Date(end.getTime() - back * DAY_MS).toISOString();
  const list = (filter: Query) => get('/task-results', { limit: 50, ...filter });
  const series = (filter: Query) =>
    get('/task-results/timeseries', {
      chip_id: CHIP,
      parameter: 't1',
      end_at: end.toISOString(),
      ...filter,
    });
  const metrics = (query: Query) => get(`/metrics/chips/${CHIP}/metrics`, query);
  const fast = 'p95 50 ms';
  return [
    { name: 'list, newest 50', budget: fast, ask: () => list({}) },
    {
      name: 'list, one task on one qubit',
      budget: fast,
      ask: (n) => list({ chip_id: CHIP, task_name: taskOf(n), qid: qidOf(n) }),
    },
    {
      name: 'list, failed ones',
      budget: fast,
      ask: (n) => list({ chip_id: CHIP, status: 'failed', skip: 50 * (n % 20) }),
    },
    { name: 'list, all of a chip', budget: fast, ask: () => list({ chip_id: CHIP }) },
    { name: 'list, one qubit', budget: fast, ask: (n) => list({ chip_id: CHIP, qid: qidOf(n) }) },
    {
      name: 'list, one task',
      budget: fast,
      ask: (n) => list({ chip_id: CHIP, task_name: taskOf(n), skip: 50 * (n % 20) }),
    },
    { name: 'list, one user', budget: fast, ask: () => list({ username: 'mia' }) },
    {
      name: 'latest of a task',
      budget: fast,
      ask: (n) => get('/task-results/qubits/latest', { chip_id: CHIP, task: taskOf(n) }),
    },
    {
      name: 'history of a day',
      budget: fast,
      ask: (n) => get('/task-results/qubits/history', { chip_id: CHIP, task: taskOf(n), date }),
    },
    {
      name: 'history of one qubit, 200 results',
      budget: fast,
      ask: (n) =>
        get(`/task-results/qubits/${qidOf(n)}/history`, { chip_id: CHIP, task: taskOf(n), limit: 200 }),
    },
    {
      name: 'series of one qubit, all days',
      ask: (n) => series({ qid: qidOf(n), start_at: daysBack(days) }),
    },
    { name: 'series of all qubits, 30 days', ask: () => series({ start_at: daysBack(30) }) },
    { name: 'summary of the chip', ask: () => get(`/chips/${CHIP}/metrics/summary`) },
    { name: 'heat map', ask: () => get(`/chips/${CHIP}/metrics/heatmap/t1`) },
    {
      name: 'metrics, newest of the last day',
      ask: () => metrics({ start_at: daysBack(1), selection_mode: 'latest' }),
    },
    { name: 'metrics, newest of all', ask: () => metrics({ selection_mode: 'latest' }) },
    {
      name: 'metrics, mean of all',
      ask: () => metrics({ selection_mode: 'average' }),
    },
    {
      name: 'metrics, best of all',
      ask: () => metrics({ selection_mode: 'best' }),
    },
    {
      name: 'chip page: chip, 144 qubits, one multiplexer',
      budget: 'p95 100 ms',
      ask: (n) =>
        Promise.all([
          get(`/chips/${CHIP}`),
          get(`/chips/${CHIP}/qubits`, { limit: QUBITS }),
          get(`/chips/${CHIP}/muxes/${n % (QUBITS / 4)}`),
        ]),
    },
  ];
}

/**
 * Reads over HTTP of a project with a million results from a thousand days on 144 qubits: median and slow times of each
 * read, and the processor time of API and store.
 */
export async function benchReads(small: boolean, store: number, kept: boolean): Promise<Figure[]> {
  const count = small ? SMALL_RESULTS : RESULTS;
  const end = new Date('2026-03-01T12:00:00Z');
  const days = Math.max(1, Math.round((DAYS * count) / RESULTS));
  const issues = { end, count: small ? SMALL_ISSUES : ISSUES };
  const { lab, project, seconds } = await openFilledLaboratory(
    `closed_reads_${count}`,
    kept,
    async (empty, into) => {
      await fill(empty, { project: into, end, count, days });
      await fillIssues(empty.database.db, { project: into, ...issues });
    },
  );
  try {
    return await withApiClient(lab, project, async (get, api) => {
      const reads = [
        ...readsOf({ project, end, count, days }, get),
        ...issueReadsOf({ project, ...issues }, get),
      ];
      // A store that we did not start has no process id here.
      const pids = store > 0 ? [api, store] : [api];
      const began = performance.now();
      await lab.areas.metrics.ofChip(project, 'mia', CHIP, { selection_mode: 'average' });
      const looked = (performance.now() - began) / 1000;
      return [
        { name: `${count} results filled in`, value: fillingTime(seconds) },
        { name: 'metrics, mean of all, first request', value: `${looked.toFixed(1)} s` },
        ...(await timeReads(reads, { small, pids })),
      ];
    });
  } finally {
    await lab.close();
  }
}
