import type { StartedRun } from '../../shared/domain/runs/model.ts';
import { isStoreUnavailable } from '../../shared/kernel/database.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import { newProjectId } from '../../shared/kernel/new-ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { UNLIMITED, withApi } from './api-process.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';
import { peakMemory } from './memory.ts';
import { answerText, timedGet } from './timed-get.ts';

/** Limit of events in a workflow's history. */
const HISTORY_BOUND = 2000;
/** Number of chips created to time the creation. */
const CHIPS = 5;
/** Maximum duration of a run in milliseconds. */
const PATIENCE = 3 * 3_600_000;

/** The full one-qubit list on every qubit, then the two-qubit list on all pairs between those that passed. */
const CHIP_FLOW = `export async function flow(session) {
  const check = await session.oneQubitCheck(session.targets.all(), { mode: 'simultaneous' });
  const tuned = await session.oneQubitFineTune(check.passed, { mode: 'simultaneous' });
  await session.twoQubit(await session.schedulePairs({ candidates: tuned.passed }));
}
`;

/**
 * Size: the full one-qubit list and the pairs of a chip on the simulator, and 10 tasks on 1,024 qubits on a backend that
 * takes no time. Each run must complete without any history reaching its limit. Memory is reported.
 */
export async function benchSize(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory({
    MEASURE_HEARTBEAT_TIMEOUT: '10',
    RECONCILE_INTERVAL: '60',
  });
  try {
    const worker = await lab.startWorker(processMemory);
    const chip = small ? 4 : 64;
    const many = small ? 64 : 1024;
    return [
      ...(await chipCreation(lab, many)),
      ...(await sizeOf(lab, worker, {
        name: `${chip} qubits and their pairs, simulator`,
        qubits: chip,
        start: (place) => lab.startFlow(place, CHIP_FLOW),
      })),
      ...(await withInstantBackend(lab, () =>
        sizeOf(lab, worker, {
          name: `${many} qubits × 10 tasks, instant backend`,
          qubits: many,
          start: (place) =>
            lab.startFlow(place, oneStage(Array.from({ length: 10 }, () => 'CheckT1')), {
              backend: INSTANT_BACKEND,
            }),
        }),
      )),
    ];
  } finally {
    await lab.close();
  }
}

/**
 * The largest run: 199,680 tasks on 1,024 qubits, in three stages, on a backend that takes no time. `small` has 21,504 tasks.
 * It must complete without any history reaching its limit.
 */
export async function benchLargest(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  const tasks = small ? 7 : 65;
  const stages = ['one', 'two', 'three'].map(
    (name) =>
      `  await session.run({ name: '${name}', tasks: Array(${tasks}).fill('CheckT1'), targets: session.targets.all() });`,
  );
  const code = ['export async function flow(session) {', ...stages, '}', ''].join('\n');
  try {
    const worker = await lab.startWorker(processMemory);
    return await withInstantBackend(lab, () =>
      sizeOf(lab, worker, {
        name: `1024 qubits × ${3 * tasks} tasks, instant backend`,
        qubits: 1024,
        start: (place) => lab.startFlow(place, code, { backend: INSTANT_BACKEND }),
        afterwards: (place, run) => answersAbout(lab, place, run),
      }),
    );
  } finally {
    await lab.close();
  }
}

/** Creates chips of one size one after another. @returns the median duration, and the contents of a chip */
async function chipCreation({ chips }: Laboratory, size: number): Promise<Figure[]> {
  const times: number[] = [];
  let couplings = 0;
  for (let number = 0; number < CHIPS; number += 1) {
    const began = performance.now();
    const made = await chips.create(newProjectId(), 'ada', { chip_id: 'CHIP', size, topology_id: null });
    times.push(performance.now() - began);
    couplings = made.coupling_count;
  }
  times.sort((a, b) => a - b);
  return [
    {
      name: `a chip of ${size} qubits and ${couplings} couplings is made`,
      value: `${(times[Math.floor(CHIPS / 2)] ?? 0).toFixed(0)} ms`,
      budget: '< 1000 ms',
    },
  ];
}

async function sizeOf(
  lab: Laboratory,
  worker: OwnProcess,
  {
    name,
    qubits,
    start,
    afterwards,
  }: {
    name: string;
    qubits: number;
    start(place: LabChip): Promise<StartedRun>;
    afterwards?(place: LabChip, run: StartedRun): Promise<Figure[]>;
  },
): Promise<Figure[]> {
  const place = await lab.newProject({ size: qubits });
  const started = Date.now();
  const { result: run, memory } = await peakMemory(worker.pid, async () => {
    const begun = await start(place);
    await ended(lab, place.projectId, begun.execution_id);
    return begun;
  });
  const seconds = (Date.now() - started) / 1000;
  await lab.free(place.projectId);
  const execution = await lab.areas.executions.store.get(place.projectId, run.execution_id);
  const histories = await historyLengths(lab, place.projectId, run);
  return [
    { name: `${name}: ${execution?.status}. ${execution?.message}`, value: `${seconds.toFixed(1)} s` },
    {
      name: `  longest history of ${histories.length} workflow runs`,
      value: `${Math.max(...histories)} events`,
      budget: `< ${HISTORY_BOUND}`,
    },
    { name: '  memory of the worker at most', value: `${memory.toFixed(0)} MB`, budget: '< 700 MB' },
    ...((await afterwards?.(place, run)) ?? []),
  ];
}

/** What clients read of the largest run, and its deletion with its project: times, and memory of the API. */
function answersAbout(lab: Laboratory, place: LabChip, { execution_id }: StartedRun): Promise<Figure[]> {
  const { projectId, chipId } = place;
  return withApi(lab, { settings: UNLIMITED, project: projectId }, async ({ base, headers, pid }) => {
    const figures: Figure[] = [];
    for (const { name, path } of [
      { name: 'its detail', path: `/executions/${execution_id}` },
      { name: 'its first 100 tasks', path: `/executions/${execution_id}?tasks_limit=100` },
      {
        name: 'the latest results of its task',
        path: `/task-results/qubits/latest?chip_id=${chipId}&task=CheckT1`,
      },
      {
        name: 'the history of a qubit',
        path: `/task-results/qubits/7/history?chip_id=${chipId}&task=CheckT1`,
      },
    ]) {
      const { result, memory } = await peakMemory(pid, () => timedGet(`${base}${path}`, headers));
      if (result.status !== 200) throw new Error(`${path} answered ${result.status}`);
      figures.push({
        name: `  ${name}`,
        value: answerText(result, memory),
        budget: 'first byte ≤ 200 ms',
      });
    }
    const began = performance.now();
    const deleted = await fetch(`${base}/projects/${projectId}`, { method: 'DELETE', headers });
    if (deleted.status !== 204) throw new Error(`The deletion answered ${deleted.status}.`);
    const answeredAfter = performance.now() - began;
    const { db } = lab.database;
    const isLeft = () =>
      db.collection('task_results').findOne({ project_id: projectId }, { projection: { _id: 1 } });
    await eventually(async () => (await isLeft()) === null, PATIENCE);
    const took = `answered after ${answeredAfter.toFixed(0)} ms, gone after ${(performance.now() - began).toFixed(0)} ms`;
    return [...figures, { name: '  deletion of its project', value: took }];
  });
}

/**
 * Waits until a run has ended. An embedded store that is busy for more than the five seconds of the client ends one read,
 * not the measurement of a run that takes half an hour.
 */
async function ended(lab: Laboratory, projectId: ProjectId, executionId: ExecutionId): Promise<void> {
  const began = Date.now();
  for (;;) {
    try {
      await lab.ended(projectId, executionId, PATIENCE - (Date.now() - began));
      return;
    } catch (thrown) {
      if (!isStoreUnavailable(thrown)) throw thrown;
      console.error(`The store did not answer after ${((Date.now() - began) / 1000).toFixed(0)} s.`);
    }
  }
}

/** Numbers of history events of the run and of every workflow run in the chains of its stages. */
async function historyLengths(lab: Laboratory, projectId: ProjectId, run: StartedRun): Promise<number[]> {
  const { workflow } = lab.engine.client;
  const { historyLength } = await workflow.getHandle(lockWorkflowId(projectId), run.flow_run_id).describe();
  const lengths = [historyLength];
  for (const command of await lab.areas.executions.commands.ofExecution(projectId, run.execution_id)) {
    if (command.kind !== 'stage') continue;
    const stage = stageWorkflowId(projectId, run.execution_id, command.index);
    for await (const link of workflow.list({ query: `WorkflowId = '${stage}'` })) {
      lengths.push(link.historyLength ?? 0);
    }
  }
  return lengths;
}
