import { beforeAll, expect, test, vi } from 'vitest';
import type { RecordInput } from '../../../activities/contracts/steps.ts';
import { taskIdAt } from '../../../activities/record/task-ids.ts';
import { createTrailingWrites } from '../../../activities/record/trailing-writes.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import type { Laboratory } from '../../support/laboratory.ts';
import { heldRun, recordActivities } from '../../support/record-keeping.ts';

let lab: Laboratory;
const log = createLog('test', 'SILENT');
beforeAll(async () => {
  lab = await commonLaboratory();
});

type Add = Laboratory['areas']['provenance']['addInOrder'];

/** A record keeper whose provenance is what is given. */
function keeper(addInOrder: Add = lab.areas.provenance.addInOrder) {
  const trailing = createTrailingWrites({ log });
  const { record } = recordActivities(lab, {
    areas: { ...lab.areas, provenance: { ...lab.areas.provenance, addInOrder } },
    trailing,
  });
  return { record, settle: trailing.settle };
}

/** Provenance that waits until it is told to go on. */
function heldUp() {
  let goOn = () => {};
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const add: Add = async (tasks) => {
    await told;
    await lab.areas.provenance.addInOrder(tasks);
  };
  return { add, goOn: () => goOn() };
}

const gone: Add = async () => {
  throw new Error('the store is gone');
};

/** A run that holds its project, and the steps of record keeping of its second target. */
async function heldTarget(tasks: readonly string[]) {
  const { place, run } = await heldRun(lab, { tasks });
  const target = { run, stage: 0, targets: ['1'] };
  const id = (index: number) => taskIdAt({ ...target, index });
  const closing = (index: number, value: number, output = 't1'): RecordInput => {
    const answer = { outputs: { [output]: { value, error: 1 } }, quality: { r2: 0.99 } };
    const result = { targets: { '1': answer } };
    const finished = { task_id: id(index), pass: 1, attempt: 1, result, failure: null };
    return { ...target, index, step: 'finish_and_continue', finished };
  };
  return {
    ...{ place, run, id, closing },
    preparing: { ...target, index: 0, step: 'prepare' } satisfies RecordInput,
    rowOf: async (index: number) =>
      (await lab.areas.results.get(place.projectId, id(index))) ?? expect.fail('no row'),
    async versions() {
      const { versions } = await lab.areas.provenance.history(place.projectId, 't1', '1', 10);
      return versions.map(({ value, version }) => [version, value]);
    },
  };
}

test('the next measurement of a target waits for the state that it is made with, not for history and provenance', async () => {
  const { preparing, closing, rowOf, versions, place, id } = await heldTarget(['CheckT1', 'CheckT1']);
  const { add, goOn } = heldUp();
  const { record, settle } = keeper(add);
  await record(preparing);
  const recorded = await record(closing(0, 41));
  expect(recorded).toMatchObject({ completed: 1, next: { request: { task_id: id(1) } } });
  expect(await rowOf(0)).toMatchObject({ status: 'running', outcome: { status: 'completed' } });
  const { state } = lab.areas.chips;
  const target = await state.read(place.projectId, place.chipId, 'qubit', '1');
  expect(target?.data['t1']).toMatchObject({ value: 41, task_id: id(0) });
  expect(await versions()).toEqual([]);
  goOn();
  await settle();
  expect((await rowOf(0)).status).toBe('completed');
  expect(await versions()).toEqual([[1, 41]]);
});

test('a task ends after the one before it, whose end may take longer than its own measurement', async () => {
  const { preparing, closing, rowOf, versions } = await heldTarget(['CheckT1', 'CheckT1']);
  const { add, goOn } = heldUp();
  const { record } = keeper(add);
  await record(preparing);
  await record(closing(0, 41));
  const second = record(closing(1, 42));
  await expect.poll(async () => (await rowOf(1)).outcome).toBeDefined();
  expect((await rowOf(1)).status).toBe('running');
  goOn();
  await second;
  expect([(await rowOf(0)).status, (await rowOf(1)).status]).toEqual(['completed', 'completed']);
  expect(await versions()).toEqual([
    [2, 42],
    [1, 41],
  ]);
});

test('a task that could not be ended while the next one was measured is ended with that one', async () => {
  const { preparing, closing, rowOf, versions } = await heldTarget(['CheckT1', 'CheckT1']);
  let isGone = true;
  const { record, settle } = keeper((tasks) =>
    isGone ? gone(tasks) : lab.areas.provenance.addInOrder(tasks),
  );
  await record(preparing);
  await record(closing(0, 41));
  await settle();
  expect((await rowOf(0)).status).toBe('running');
  isGone = false;
  await record(closing(1, 42));
  expect([(await rowOf(0)).status, (await rowOf(1)).status]).toEqual(['completed', 'completed']);
  expect(await versions()).toEqual([
    [2, 42],
    [1, 41],
  ]);
});

test('the ends of tasks that follow each other quickly are written together, in their order', async () => {
  const { preparing, closing, rowOf, versions, id } = await heldTarget(['CheckT1', 'CheckT1', 'CheckT1']);
  const added: string[][] = [];
  const { record, settle } = keeper(async (tasks) => {
    added.push(tasks.map(({ task_id }) => task_id));
    await lab.areas.provenance.addInOrder(tasks);
  });
  await record(preparing);
  await record(closing(0, 41));
  await record(closing(1, 42));
  await record(closing(2, 43));
  await settle();
  // A machine that is slower than they are writes some of them before.
  expect(added.flat()).toEqual([id(0), id(1), id(2)]);
  const rows = await Promise.all([0, 1, 2].map(rowOf));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(await versions()).toEqual([
    [3, 43],
    [2, 42],
    [1, 41],
  ]);
});

test('tasks whose writer died while the next one was measured are ended by the step that records the next one, although their values are no longer the newest', async () => {
  const { preparing, closing, rowOf, versions } = await heldTarget(['CheckT1', 'CheckT1', 'CheckT1']);
  const dying = keeper(gone);
  await dying.record(preparing);
  await dying.record(closing(0, 41));
  await dying.record(closing(1, 42));
  await dying.settle();
  expect([(await rowOf(0)).status, (await rowOf(1)).status]).toEqual(['running', 'running']);
  await keeper().record(closing(2, 43));
  const rows = await Promise.all([0, 1, 2].map(rowOf));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(rows.map(({ output_parameters }) => output_parameters['t1']?.value)).toEqual([41, 42, 43]);
  expect(await versions()).toEqual([
    [3, 43],
    [2, 42],
    [1, 41],
  ]);
});

test('what is left of quick tasks is written when no more comes, or when the first of it has waited long; that of a slow one soon', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const trailing = createTrailingWrites({ log });
    const written: string[][] = [];
    const write = async (left: readonly { name: string }[]) => {
      written.push(left.map(({ name }) => name));
    };
    const left = (name: string, took = 10) => ({ name, took, since: performance.now() });
    const first = trailing.follow([left('first')], write);
    await vi.advanceTimersByTimeAsync(40);
    const taken = first.takeBack() ?? expect.fail('it is being written');
    expect(first.takeBack()).toBeNull();
    expect(await first.endNow()).toBe(false);
    await vi.advanceTimersByTimeAsync(40);
    expect(written).toEqual([]);
    trailing.follow([...taken, left('second')], write);
    await vi.advanceTimersByTimeAsync(60);
    expect(written).toEqual([['first', 'second']]);
    const old = { ...left('old'), since: performance.now() - 100 };
    const third = trailing.follow([old, left('third')], write);
    await vi.advanceTimersByTimeAsync(5);
    expect(written.at(-1)).toEqual(['old', 'third']);
    expect(third.takeBack()).toBeNull();
    expect(await third.endNow()).toBe(true);
    trailing.follow([left('slow', 60)], write);
    await vi.advanceTimersByTimeAsync(5);
    expect(written).toEqual([['first', 'second'], ['old', 'third'], ['slow']]);
  } finally {
    vi.useRealTimers();
  }
});

test('who does both tasks again, from the first one on, ends them, though calibration state is that of the second', async () => {
  const { preparing, closing, rowOf, versions } = await heldTarget(['CheckT1', 'CheckT1']);
  const dying = keeper(gone);
  await dying.record(preparing);
  await dying.record(closing(0, 41));
  await expect(dying.record(closing(1, 42))).rejects.toThrow('gone');
  const { record, settle } = keeper();
  // Both rows have outcomes: each is brought to its end, and none is measured.
  expect(await record(preparing)).toMatchObject({ completed: 1, next: null, index: 1 });
  expect(await record({ ...preparing, index: 1 })).toMatchObject({ completed: 1, next: null, index: 2 });
  await settle();
  const rows = await Promise.all([0, 1].map(rowOf));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(rows.map(({ output_parameters }) => output_parameters['t1']?.value)).toEqual([41, 42]);
  expect(await versions()).toEqual([
    [2, 42],
    [1, 41],
  ]);
});

test('what is computed next, and what ends its list, is recorded when all before it is', async () => {
  const tasks = ['CheckT1Average', 'CheckT2EchoAverage', 'Check1QGateCoherenceLimit'];
  const { preparing, closing, rowOf } = await heldTarget(tasks);
  const { record, settle } = keeper();
  await record(preparing);
  await record(closing(0, 41, 't1_average'));
  await settle();
  const last = closing(1, 42, 't2_echo_average');
  await expect(keeper(gone).record(last)).rejects.toThrow('gone');
  expect((await rowOf(1)).status).toBe('running');
  await record(last);
  const rows = await Promise.all([0, 1, 2].map(rowOf));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
});

test('a run that is closed while tasks are yet to be ended ends them as they came out, in their order', async () => {
  const list = ['CheckT1', 'CheckT1', 'CheckT1', 'CheckT1'];
  const { run, preparing, closing, rowOf, versions } = await heldTarget(list);
  const { record, settle } = keeper(gone);
  await record(preparing);
  await record(closing(0, 41));
  await record(closing(1, 42));
  await record(closing(2, 43));
  await settle();
  await lab.runs.closer.close(run, { status: 'cancelled', message: 'cancelled' });
  const rows = await Promise.all(list.map((_, index) => rowOf(index)));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'cancelled']);
  expect(await versions()).toEqual([
    [3, 43],
    [2, 42],
    [1, 41],
  ]);
});
