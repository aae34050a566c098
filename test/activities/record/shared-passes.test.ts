import { beforeAll, describe, expect, test } from 'vitest';
import type { AnalysisPool } from '../../../activities/analysis/pool.ts';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import type { CalibrationActivities } from '../../../activities/contracts/runs.ts';
import type { RecordInput } from '../../../activities/contracts/steps.ts';
import { createPlans } from '../../../activities/record/plans.ts';
import { taskIdAt } from '../../../activities/record/task-ids.ts';
import { keyOf } from '../../../shared/kernel/ids.ts';
import { derivedId } from '../../../shared/kernel/new-ids.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { taskNamed } from '../../support/ids.ts';
import type { Laboratory } from '../../support/laboratory.ts';
import { commonAnalysis, heldRun, recordActivities } from '../../support/record-keeping.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

type Analyse = AnalysisPool['analyse'];

const MATES = ['0', '1', '2'];

/** A sweep that shows the line of qubit 0 at once, and those of the others when it is finer. */
function keeper({
  addPass = lab.areas.results.addPass,
  analyse = undefined as Analyse | undefined,
  task = findTask,
} = {}): CalibrationActivities['record'] {
  return recordActivities(lab, {
    areas: { ...lab.areas, results: { ...lab.areas.results, addPass } },
    analysis: {
      ...commonAnalysis(),
      async analyse(input) {
        if (analyse) return analyse(input);
        const { qid, dataset } = input;
        const fine = dataset.coordinates['fine']?.values[0] === 1;
        const found = { readout_frequency: { value: 10, error: 1e-4 } };
        if (qid === '0' || fine) return { outputs: found, r2: 0.99, figures: [] };
        const again = {
          run: { frequency_range: { value: [9.75, 10.75, 0.0005], value_type: 'np.arange' } },
          reason: 'it is too narrow',
        };
        return { outputs: {}, r2: null, figures: [], refused: `qubit ${qid} is missing`, again };
      },
    },
    plans: createPlans({ areas: lab.areas, findTask: task }),
  }).record;
}

/** Notes the next pass of one row; then its worker is gone. */
function dyingAfterOne(): typeof lab.areas.results.addPass {
  let noted = 0;
  return async (...pass) => {
    noted += 1;
    if (noted > 1) throw new Error('the process is gone');
    return lab.areas.results.addPass(...pass);
  };
}

function answerTo({ targets, pass = 1 }: Pick<MeasureRequest, 'targets' | 'pass'>) {
  const dataset = {
    dims: { fine: 1 },
    coordinates: { fine: { dims: ['fine'], values: [pass > 1 ? 1 : 0], unit: '', long_name: 'fine' } },
    variables: {},
  };
  return { targets: Object.fromEntries(targets.map((qid) => [qid, { dataset }])) };
}

type FinishingStep = Exclude<RecordInput, { step: 'prepare' }>;

/** A run that holds its project, and a measurement of its multiplexer that is prepared. */
async function sharedMeasurement() {
  const tasks = ['CheckT1', 'CheckResonatorSpectroscopy', 'CheckT1'];
  const { place, run } = await heldRun(lab, { tasks, qids: MATES });
  const shared = { run, stage: 0, targets: MATES, index: 1 };
  const task_id = taskIdAt(shared);
  const preparing: RecordInput = { ...shared, step: 'prepare' };
  const closing = (pass: number): FinishingStep => ({
    ...shared,
    step: 'finish_or_repeat',
    finished: { task_id, pass, attempt: 1, result: answerTo({ targets: MATES, pass }), failure: null },
  });
  const rowOf = async (qid: string) =>
    (await lab.areas.results.get(place.projectId, taskNamed(derivedId(task_id, qid)))) ??
    expect.fail('no row');
  return { place, run, task_id, preparing, closing, rowOf };
}

/** One row has ended, one is in its second pass, one still in the first. */
async function cutBetweenPasses() {
  const shared = await sharedMeasurement();
  await keeper()(shared.preparing);
  await expect(keeper({ addPass: dyingAfterOne() })(shared.closing(1))).rejects.toThrow('gone');
  const rows = await Promise.all(MATES.map(shared.rowOf));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'running', 'running']);
  const ahead = rows.find(({ passes = [] }) => passes.length > 0) ?? expect.fail('none went on');
  const behind = rows.find(({ status, passes = [] }) => status === 'running' && passes.length === 0);
  return { ...shared, ahead: ahead.qid, behind: behind?.qid ?? expect.fail('none stayed') };
}

describe('a worker that dies when one of the targets of a measurement has gone on to its next pass', () => {
  test('leaves to the next one only the target that stayed behind to be measured in this pass', async () => {
    const { preparing, behind } = await cutBetweenPasses();
    const { next } = await keeper()(preparing);
    expect(next?.request.targets).toEqual([behind]);
    expect(next?.request.pass).toBeUndefined();
  });

  test('costs no count when the measurement is given up: each target ends, once, however often it is said', async () => {
    const { preparing, closing, task_id, rowOf } = await cutBetweenPasses();
    const record = keeper();
    const prepared = await record(preparing);
    const givenUp: RecordInput = {
      ...closing(1),
      step: 'finish_or_repeat',
      targets: prepared.passed,
      finished: { task_id, pass: 1, attempt: 3, result: null, failure: 'It was given up.', given_up: true },
    };
    const recorded = await record(givenUp);
    expect(recorded).toMatchObject({ completed: 1, failed: 2, passed: ['0'], next: null });
    expect(await record(givenUp)).toMatchObject({ completed: 1, failed: 2, passed: ['0'], next: null });
    for (const qid of ['1', '2']) expect((await rowOf(qid)).status).toBe('failed');
  });

  test('does not have the target that went on take the answer of the pass before, when a cancel ends the others', async () => {
    const { closing, ahead, behind, rowOf } = await cutBetweenPasses();
    const cancelled: RecordInput = { ...closing(1), step: 'finish' };
    for (let time = 0; time < 2; time += 1) {
      expect(await keeper()(cancelled)).toMatchObject({ completed: 1, failed: 1, passed: ['0'] });
    }
    expect((await rowOf(behind)).status).toBe('failed');
    const left = await rowOf(ahead);
    expect(left).toMatchObject({ status: 'running', passes: [{}] });
    expect(left.outcome).toBeUndefined();
  });
});

test('a pass whose closing was interrupted is repeated for the target that lacks it, in the remaining time', async () => {
  const { preparing, closing, rowOf } = await sharedMeasurement();
  const record = keeper();
  await record(preparing);
  expect((await record(closing(1))).next?.request).toMatchObject({ pass: 2, targets: ['1', '2'] });
  const cut = closing(2);
  await record({ ...cut, targets: ['1'] });
  expect((await rowOf('1')).status).toBe('completed');
  const { next, ...prepared } = await record(preparing);
  expect(prepared).toMatchObject({ completed: 1, failed: 0, passed: MATES });
  expect(next?.request).toMatchObject({ pass: 2, targets: ['2'] });
  const limit = findTask('CheckResonatorSpectroscopy')?.timeout ?? 0;
  expect(next?.timeout).toBeGreaterThan(limit / 4);
  expect(await record(cut)).toMatchObject({ completed: 2, failed: 0, passed: MATES, index: 2 });
});

describe('a target that goes on though its part of a shared measurement failed', () => {
  /** The task that is measured, as one on which no other task depends. */
  const goingOn: typeof findTask = (name) => {
    const task = findTask(name);
    return task && { ...task, goesOnWhenRefused: true };
  };

  test('is counted once, when another of them is prepared again', async () => {
    const { preparing, closing, rowOf } = await sharedMeasurement();
    const analyse: Analyse = async ({ qid }) => {
      const again = { run: {}, reason: 'it is too narrow' };
      const refused = { outputs: {}, r2: null, figures: [], refused: `qubit ${qid} is missing` };
      return qid === '2' ? { ...refused, again } : refused;
    };
    const addPass = async () => {
      throw new Error('the process is gone');
    };
    await keeper({ task: goingOn })(preparing);
    await expect(keeper({ task: goingOn, analyse, addPass })(closing(1))).rejects.toThrow('gone');
    expect(await rowOf('1')).toMatchObject({ status: 'failed', goes_on: true });
    expect((await rowOf('2')).status).toBe('running');
    const record = keeper({ task: goingOn, analyse });
    const prepared = await record(preparing);
    expect(prepared.next?.request.targets).toEqual(['2']);
    const closed = await record(closing(1));
    expect(prepared.failed + closed.failed).toBe(2);
    expect(closed.next?.request).toMatchObject({ pass: 2, targets: ['2'] });
    expect(closed.passed).toEqual(MATES);
    // Once more in the next pass: what ended in the first is told when it is prepared, and no longer when it is closed.
    expect(await record(preparing)).toMatchObject({ failed: 2, passed: MATES });
    expect(await record(closing(2))).toMatchObject({ next: { request: { pass: 3 } }, failed: 0 });
  });

  test('is counted once, when it fails before the others are measured', async () => {
    const { place, preparing, closing } = await sharedMeasurement();
    const needing: typeof findTask = (name) => {
      const [task, other] = [goingOn(name), findTask('CheckT1')];
      const frequency = other?.inputs.qubit_frequency;
      return task && frequency && { ...task, inputs: { qubit_frequency: { ...frequency, required: true } } };
    };
    await lab.database.db
      .collection<{ _id: string }>('qubits')
      .updateOne(
        { _id: keyOf(place.projectId, place.chipId, '1') },
        { $unset: { 'data.qubit_frequency': '' } },
      );
    const analyse: Analyse = async () => ({
      outputs: { readout_frequency: { value: 10, error: 1e-4 } },
      r2: 0.99,
      figures: [],
    });
    const record = keeper({ task: needing, analyse });
    const prepared = await record(preparing);
    expect(prepared.next?.request.targets).toEqual(['0', '2']);
    expect(prepared.passed).toEqual(MATES);
    const closed = await record({ ...closing(1), targets: prepared.passed });
    expect([prepared.completed + closed.completed, prepared.failed + closed.failed]).toEqual([2, 1]);
    expect(closed.passed).toEqual(MATES);
  });
});
