import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import type { Answer } from '../../activities/backends/instrument.ts';
import type { CalibrationActivities } from '../../activities/contracts/runs.ts';
import type { RecordInput } from '../../activities/contracts/steps.ts';
import { keyOf, newId } from '../../shared/kernel/ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import type { Laboratory } from '../support/laboratory.ts';
import { measuredHere, recordKeeper, workerOf } from './recording-worker.ts';

/** A computed task stands among those that are measured. */
const TASKS = ['CheckT1Average', 'CheckT2EchoAverage', 'Check1QGateCoherenceLimit', 'CheckT1'];
const OUTPUT: Record<string, string> = {
  CheckT1Average: 't1_average',
  CheckT2EchoAverage: 't2_echo_average',
};
const QUICK = ['CheckT1', 'CheckT1', 'CheckT1'];
const QIDS = ['0', '1', '2', '3', '4', '5', '6', '7', '8'];

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});
// The pace of the machine makes no task slow here.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Held = Awaited<ReturnType<typeof measuredHere>>;
/** A run that tests share which leave it as it is. */
let shared: Held | undefined;
const free = QIDS.slice(1);

/** A target of the shared run that is measured here, and the ids of the tasks that may follow its first. */
async function manyTasks() {
  shared ??= await measuredHere(lab, { tasks: QUICK, qids: QIDS });
  const qid = free.shift();
  if (qid === undefined) throw new Error('there are more tests than targets');
  return targetOf(shared, qid);
}

/** The same in a run of its own. */
async function ownRun(tasks: readonly string[] = QUICK) {
  return targetOf(await measuredHere(lab, { tasks }), '1');
}

function targetOf({ place, run, input }: Held, qid: string) {
  const ids = [newId(), newId(), newId(), newId()];
  const [task_id = '', ...following] = ids;
  return {
    place,
    run,
    ids,
    input: { ...input, targets: [qid], task_id, following },
    execution: { _id: keyOf(place.projectId, run.execution_id) },
    /** What is stored of the target's tasks. */
    async stored() {
      const rows = await lab.areas.results.ofTargets(place.projectId, run.execution_id, 0, [qid]);
      return rows.map(({ index, status }) => `${index} ${status}`).toSorted();
    },
  };
}

const asked = () => ({ by: 'ada', at: new Date().toISOString() });
const pause = (execution: { _id: string }) => lab.areas.executions.store.changePause(execution, asked());

/** An answer after so many milliseconds. */
function after(ms: number) {
  return ({ task_name, targets }: MeasureRequest): Answer => {
    vi.advanceTimersByTime(ms);
    const outputs = { [OUTPUT[task_name] ?? 't1']: { value: 42, error: 1 } };
    const each = { outputs, quality: { r2: 0.99 } };
    return { result: { targets: Object.fromEntries(targets.map((qid) => [qid, each])) }, failure: null };
  };
}

const doing = (record: CalibrationActivities['record'], step: RecordInput) => record(step);

/** Record keeping that ends with its process when it comes to the end of the task with this number. */
function dyingAt(number: number) {
  let ended = 0;
  return (record: CalibrationActivities['record'], step: RecordInput) => {
    if (step.finished) ended += 1;
    if (ended === number) throw new Error('the process is gone');
    return record(step);
  };
}

const askedOf = (worker: ReturnType<typeof workerOf>) => worker.asked.map(({ task_id }) => task_id);

test('quick tasks of a target are measured and recorded in one activity, computed ones among them', async () => {
  const { place, input, ids, stored } = await ownRun(TASKS);
  const worker = workerOf(lab, doing, after(100));
  const last = worker.asked;
  expect(await worker.carryOut({ ...input, after: null })).toMatchObject({
    recorded: { completed: 4, failed: 0, skipped: 0, passed: ['1'], index: 4, next: null },
    after: { task_id: last.at(-1)?.task_id },
  });
  expect(last.map(({ task_name, attempt }) => `${task_name} ${attempt}`)).toEqual([
    'CheckT1Average 1',
    'CheckT2EchoAverage 1',
    'CheckT1 1',
  ]);
  expect(await stored()).toEqual(['0 completed', '1 completed', '2 completed', '3 completed']);
  const chain = [...ids.slice(0, 3), last.at(-1)?.task_id ?? ''];
  const rows = await Promise.all(chain.map((id) => lab.areas.results.get(place.projectId, id)));
  expect(rows.map((row) => row?.name)).toEqual(TASKS);
  expect(rows.map((row) => row?.upstream_id)).toEqual(['', ...chain.slice(0, 3)]);
});

test('after a measurement that takes long the next task is an activity of its own', async () => {
  const { input, ids, stored } = await manyTasks();
  const worker = workerOf(lab, doing, after(101));
  expect(await worker.carryOut(input)).toMatchObject({ recorded: { completed: 1, index: 1, next: null } });
  expect(askedOf(worker)).toEqual(ids.slice(0, 1));
  expect(await stored()).toEqual(['0 completed']);
});

test('an activity that has gone on for a second begins nothing more', async () => {
  const { input, ids } = await manyTasks();
  const worker = workerOf(
    lab,
    (record, step) => {
      vi.advanceTimersByTime(600);
      return record(step);
    },
    after(1),
  );
  expect(await worker.carryOut(input)).toMatchObject({ recorded: { completed: 2, index: 2 } });
  expect(askedOf(worker)).toEqual(ids.slice(0, 2));
});

test('an activity that began at a pause goes on with no task', async () => {
  const { input, ids, execution } = await ownRun();
  const worker = workerOf(lab, doing, after(1));
  await pause(execution);
  expect(await worker.carryOut(input)).toMatchObject({ recorded: { completed: 1, index: 1 } });
  expect(askedOf(worker)).toEqual(ids.slice(0, 1));
});

test('nothing is begun in a run that is stopped or being cancelled, nor where the store cannot tell', async () => {
  const { store } = lab.areas.executions;
  const { place, run, execution, input } = await ownRun();
  const isHeldBack = () => store.isHeldBack(place.projectId, run.execution_id);
  expect(await isHeldBack()).toBe(false);
  const worker = workerOf(lab, doing, after(1), {
    ...lab.areas,
    executions: {
      ...lab.areas.executions,
      store: { ...store, isHeldBack: () => Promise.reject(new Error('the store is away')) },
    },
  });
  expect(await worker.carryOut(input)).toMatchObject({ recorded: { completed: 1, index: 1 } });
  await store.noteStop(execution, asked());
  expect(await isHeldBack()).toBe(true);
  const { place: elsewhere, run: other, execution: cancelled } = await ownRun();
  await store.noteCancelRequest(cancelled, new Date());
  expect(await store.isHeldBack(elsewhere.projectId, other.execution_id)).toBe(true);
});

test('what was begun before a worker died is brought to its end, even in a paused run, and nothing more is begun', async () => {
  const { input, ids, stored, execution } = await ownRun();
  const dying = workerOf(lab, dyingAt(2), after(1));
  expect(await dying.carryOut(input)).toMatchObject({ undone: { index: 1, following_id: ids[2] } });
  expect(askedOf(dying)).toEqual(ids.slice(0, 2));
  await dying.settle();
  expect(await stored()).toEqual(['0 completed', '1 running']);
  await pause(execution);
  const next = workerOf(lab, doing, after(1));
  expect(await next.carryOut({ ...input, attempt: 2, again: true })).toMatchObject({
    recorded: { completed: 2, failed: 0, passed: ['1'], index: 2 },
  });
  // The answer of the second was kept.
  expect(askedOf(next)).toEqual([]);
  expect(await stored()).toEqual(['0 completed', '1 completed']);
});

test('a task among others whose measurement was lost is made again, marked as that, and is the last of its activity', async () => {
  const { place, run, input, ids, stored } = await manyTasks();
  const dying = workerOf(lab, dyingAt(2), after(1));
  await dying.carryOut(input);
  await lab.runs.keptAnswers.drop(run, { task_id: ids[1] ?? '', pass: 1 });
  const next = workerOf(lab, doing, after(1));
  expect(await next.carryOut({ ...input, attempt: 2, again: true })).toMatchObject({
    recorded: { completed: 2, index: 2 },
  });
  expect(next.asked.map(({ task_id, attempt }) => [task_id, attempt])).toEqual([[ids[1], 2]]);
  expect(await lab.areas.results.get(place.projectId, ids[1] ?? '')).toMatchObject({ attempt: 2 });
  expect(await stored()).toEqual(['0 completed', '1 completed']);
});

test('an activity that is asked for again waits while the store cannot tell what was begun', async () => {
  const { input, ids } = await manyTasks();
  await workerOf(lab, dyingAt(2), after(1)).carryOut(input);
  const away = new Error('the store is away');
  const { results } = lab.areas;
  const blind = { ...lab.areas, results: { ...results, get: () => Promise.reject(away) } };
  const worker = workerOf(lab, doing, after(1), blind);
  expect(await worker.carryOut({ ...input, attempt: 2, again: true })).toMatchObject({
    undone: { finished: null, next_task_id: ids[0], again: true },
  });
  expect(worker.asked).toEqual([]);
});

test('a task that fails ends the activity, and those after it are skipped', async () => {
  const { input, ids, stored } = await manyTasks();
  const worker = workerOf(lab, doing, (request) =>
    request.task_id === ids[1] ? { result: null, failure: 'no cable' } : after(1)(request),
  );
  expect(await worker.carryOut(input)).toMatchObject({
    recorded: { completed: 1, failed: 1, skipped: 1, passed: [], next: null },
  });
  expect(await stored()).toEqual(['0 completed', '1 failed', '2 skipped']);
  expect(await worker.carryOut({ ...input, attempt: 2, again: true })).toMatchObject({
    recorded: { completed: 1, failed: 1, skipped: 1, passed: [] },
  });
  expect(askedOf(worker)).toEqual(ids.slice(0, 2));
});

test('who asks for what was begun alone is told where nothing was', async () => {
  const { run, input, ids, stored } = await manyTasks();
  const record = recordKeeper(lab);
  const nothing = { completed: 0, failed: 0, skipped: 0, passed: ['1'], index: 1, next: null };
  const asked: RecordInput = {
    ...{ run, stage: 0, targets: ['1'], index: 1, finished: null, next_task_id: ids[1] ?? '' },
    ...{ again: true, begun_only: true },
  };
  expect(await record(asked)).toEqual(nothing);
  expect(await stored()).toEqual([]);
  await workerOf(lab, dyingAt(2), after(1)).carryOut(input);
  expect(await record(asked)).toMatchObject({ next: { request: { task_id: ids[1] } } });
});
