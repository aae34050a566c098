import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../../activities/backends/backend.ts';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { keyOf } from '../../../../shared/kernel/ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { serveBackend } from '../../../support/foreign-backend.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../../../support/laboratory.ts';

const BACKEND = 'one-at-a-time';
const QIDS = ['0', '1', '2', '3', '4', '5'];
const TASKS = ['CheckT1', 'CheckT1'];
/** What the instrument finds on each target. */
const FOUND: Record<string, object> = {
  CheckT1: { t1: { value: 42, error: 1 } },
  CheckResonatorSpectroscopy: { readout_frequency: { value: 10.1, error: 1e-5 } },
};

let lab: Laboratory;
let backend: Awaited<ReturnType<typeof serveBackend>>;
/** Requests that the instrument has taken, in order. */
let taken: MeasureRequest[] = [];
/** Whether the instrument answers at once. Otherwise each measurement takes until `release` is called. */
let isQuick = false;
let release = () => {};

beforeAll(async () => {
  lab = await commonLaboratory();
  // An instrument that measures one target at a time, as those of most labs do.
  backend = await serveBackend(
    lab,
    BACKEND,
    async (request) => {
      taken.push(request);
      if (!isQuick) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return {
        targets: Object.fromEntries(
          request.targets.map((qid) => [qid, { outputs: FOUND[request.task_name] }]),
        ),
      };
    },
    { maxConcurrentActivityTaskExecutions: 1 },
  );
});
beforeEach(() => {
  taken = [];
  isQuick = false;
});
afterAll(async () => {
  letGo();
  await backend?.close();
});

/** Ends the measurement under way, and makes the instrument quick from now on. */
function letGo(): void {
  isQuick = true;
  release();
}

/** Measurements that the stage of a run waits for: under way or in the queue of the backend. */
async function pending(place: LabChip, run: StartedRun): Promise<number> {
  const { raw } = await lab.engine.client.workflow
    .getHandle(lockWorkflowId(place.projectId), run.flow_run_id)
    .describe();
  const [child] = raw.pendingChildren ?? [];
  if (!child?.workflowId) return 0;
  const stage = await lab.engine.client.workflow.getHandle(child.workflowId).describe();
  return (stage.raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === 'measure')
    .length;
}

/** Starts a stage, and waits until one measurement is under way and the others are in the backend's queue. */
async function measuringOne(
  place: LabChip,
  {
    tasks = TASKS,
    qids = QIDS,
    measurements = qids.length,
    allowPreemption = false,
  }: { tasks?: string[]; qids?: string[]; measurements?: number; allowPreemption?: boolean } = {},
) {
  const run = await lab.startFlow(place, oneStage(tasks, qids), { backend: BACKEND, allowPreemption });
  await eventually(async () => taken.length === 1 && (await pending(place, run)) === measurements);
  return run;
}

const rowsOf = (place: LabChip, run: StartedRun) => lab.tasksOf(place.projectId, run.execution_id);

/** Pauses a run, and waits until all but the measurement under way are taken back and their tasks are pending. */
async function pause(place: LabChip, run: StartedRun, takenBack = QIDS.length - 1): Promise<void> {
  await lab.runs.control.pause(place.projectId, run.execution_id, 'ada');
  await eventually(async () => {
    const waiting = (await rowsOf(place, run)).filter(({ status }) => status === 'pending');
    return waiting.length === takenBack && (await pending(place, run)) === 1;
  });
}

test('a stop takes back the measurements in the queue of the backend, and the one under way is recorded', async () => {
  const place = await lab.newProject();
  const run = await measuringOne(place);
  await lab.runs.control.stop(place.projectId, run.execution_id, 'ada');
  await eventually(async () => (await pending(place, run)) === 1);
  letGo();
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('ada stopped the run. 1 of 12 tasks completed, 11 skipped.');
  expect(taken).toHaveLength(1);
  const rows = await rowsOf(place, run);
  expect(rows.filter(({ status }) => status === 'completed').map(({ qid }) => qid)).toEqual(
    taken.flatMap(({ targets }) => targets),
  );
  const others = rows.filter(({ status }) => status !== 'completed');
  expect(new Set(others.map(({ status, message }) => `${status}: ${message}`))).toEqual(
    new Set(['skipped: Skipped, because ada stopped the run.']),
  );
  expect(others).toHaveLength(11);
});

test('a pause takes them back, and the run measures them with the values of then when it continues', async () => {
  const place = await lab.newProject();
  const run = await measuringOne(place);
  await pause(place, run);
  const first = taken[0]?.targets[0];
  const waiting = (await rowsOf(place, run)).filter(({ status }) => status === 'pending');
  expect(new Set(waiting.map(({ qid, message }) => `${qid}: ${message}`)).size).toBe(5);
  expect(waiting[0]?.start_at).toBeNull();
  expect(waiting[0]?.message).toBe(
    `Its measurement was taken back from the queue of backend ${BACKEND}, and is made when the run continues.`,
  );
  letGo();
  await eventually(async () => (await pending(place, run)) === 0);
  const changed = QIDS.find((qid) => qid !== first) ?? '';
  await lab.database.db
    .collection<{ _id: string }>('qubits')
    .updateOne(
      { _id: keyOf(place.projectId, place.chipId, changed) },
      { $set: { 'data.qubit_frequency.value': 4.321 } },
    );
  expect(taken).toHaveLength(1);

  await lab.runs.control.resume(place.projectId, run.execution_id, 'ada');
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('The flow ended. 12 of 12 tasks completed.');
  const rows = await rowsOf(place, run);
  expect(rows).toHaveLength(12);
  expect(rows.every(({ status, start_at }) => status === 'completed' && start_at !== null)).toBe(true);
  // Each task was measured once.
  expect(taken.map(({ task_id }) => task_id).sort()).toEqual(rows.map(({ task_id }) => task_id).sort());
  const attempts = taken.map(({ targets: [qid], attempt }) => `${qid}: ${attempt}`);
  expect(attempts.sort()).toEqual(
    QIDS.flatMap((qid) => [`${qid}: 1`, `${qid}: ${qid === first ? 1 : 2}`]).sort(),
  );
  const values = taken
    .filter(({ targets }) => targets.includes(changed))
    .map(({ input_parameters }) => input_parameters['qubit_frequency']?.value);
  expect(values).toEqual([4.321, 4.321]);
});

test('a pause takes back measurements that several targets share, and each is made once', async () => {
  const place = await lab.newProject();
  const qids = Array.from({ length: 16 }, (_, index) => String(index));
  const run = await measuringOne(place, { tasks: ['CheckResonatorSpectroscopy'], qids, measurements: 4 });
  await pause(place, run, 12);
  letGo();
  await lab.runs.control.resume(place.projectId, run.execution_id, 'ada');
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('The flow ended. 16 of 16 tasks completed.');
  expect(taken.map(({ targets, attempt }) => [targets.length, attempt])).toEqual([
    [4, 1],
    [4, 2],
    [4, 2],
    [4, 2],
  ]);
  expect(await rowsOf(place, run)).toHaveLength(16);
});

test('a stop during a pause skips the tasks whose measurements were taken back', async () => {
  const place = await lab.newProject();
  const run = await measuringOne(place);
  await pause(place, run);
  letGo();
  await lab.runs.control.stop(place.projectId, run.execution_id, 'ada');
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('ada stopped the run. 1 of 12 tasks completed, 11 skipped.');
  expect(taken).toHaveLength(1);
  expect((await rowsOf(place, run)).filter(({ status }) => status === 'skipped')).toHaveLength(11);
});

test('a cancel during a pause cancels the tasks whose measurements were taken back', async () => {
  const place = await lab.newProject();
  const run = await measuringOne(place);
  await pause(place, run);
  letGo();
  await eventually(async () => (await pending(place, run)) === 0);
  await lab.runs.control.cancel(place.projectId, run.execution_id);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
  const rows = await rowsOf(place, run);
  expect(rows.map(({ status }) => status).sort()).toEqual([...Array(5).fill('cancelled'), 'completed']);
});

test('a run of higher priority waits for the measurement under way only', async () => {
  const place = await lab.newProject();
  const run = await measuringOne(place, { allowPreemption: true });
  const short = await lab.startTask(place, 'CheckT1', '7', { priority: 5, backend: BACKEND });
  await eventually(async () => (await pending(place, run)) === 1);
  letGo();
  expect((await lab.ended(place.projectId, short.execution_id)).status).toBe('completed');
  expect((await lab.ended(place.projectId, run.execution_id)).message).toBe(
    'The flow ended. 12 of 12 tasks completed.',
  );
  expect(taken.slice(0, 2).map(({ execution_id }) => execution_id)).toEqual([
    run.execution_id,
    short.execution_id,
  ]);
  expect(taken).toHaveLength(13);
});
