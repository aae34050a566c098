import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, test } from 'vitest';
import { createWorkerResults, sameRequestKey } from '../../../activities/backends/kept-results.ts';
import type { CalibrationActivities } from '../../../activities/contracts/runs.ts';
import { createPlans } from '../../../activities/record/plans.ts';
import { taskIdAt } from '../../../activities/record/task-ids.ts';
import { createUndeliveredRecording } from '../../../activities/record/undelivered.ts';
import { createStageActivities } from '../../../activities/stages.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { derivedId } from '../../../shared/kernel/new-ids.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import type { Laboratory } from '../../support/laboratory.ts';
import { heldRun, recordActivities } from '../../support/record-keeping.ts';

let lab: Laboratory;
let record: CalibrationActivities['record'];
const log = createLog('test', 'SILENT');
beforeAll(async () => {
  lab = await commonLaboratory();
  ({ record } = recordActivities(lab));
});

const measured = { targets: { '1': { outputs: { t1: { value: 42, error: 1 } }, quality: { r2: 0.99 } } } };
const answer = { attempt: 1, result: measured, failure: null };

/** A run with a task of the target `1` whose answer is kept and not recorded. */
async function keptRun() {
  const { place, run } = await heldRun(lab, { tasks: ['CheckT1', 'CheckT1'] });
  const where = { run, stage: 0, targets: ['1'], index: 0 };
  const task_id = taskIdAt(where);
  const { next } = await record({ ...where, step: 'prepare' });
  const request = next?.request ?? expect.fail('nothing to measure');
  const at = new Date().toISOString();
  const kept = { request: sameRequestKey(request), ...answer, started_at: at, finished_at: at };
  expect(await createWorkerResults().keep(request, kept)).toBe(true);
  const row = async () => (await lab.areas.results.get(place.projectId, task_id)) ?? expect.fail('no row');
  return { run, task_id, where, row };
}

test('a kept result that cannot be recorded keeps its stage open for a limited number of attempts', async () => {
  const { run, row } = await keptRun();
  const noRoom = async () => {
    throw new Error('ENOSPC: no space left on device');
  };
  const failing = createUndeliveredRecording({ areas: lab.areas, record: noRoom, log });
  await expect(failing(run, 0, ['1'], { isLast: false })).rejects.toThrow('ENOSPC');
  await failing(run, 0, ['1'], { isLast: true });
  expect((await row()).status).toBe('running');
  const working = createUndeliveredRecording({ areas: lab.areas, record, log });
  await working(run, 0, ['1'], { isLast: true });
  expect(await row()).toMatchObject({ status: 'completed', output_parameters: { t1: { value: 42 } } });
});

test('only a late attempt to close a stage is the last one to record what is kept of it', async () => {
  const { run } = await keptRun();
  const tries: boolean[] = [];
  const { closeStage } = createStageActivities({
    areas: lab.areas,
    plans: createPlans({ areas: lab.areas, findTask }),
    recordUndelivered: async (_run, _stage, _targets, { isLast }) => void tries.push(isLast),
  });
  const closing = { run, stage: 0, cancelled: true, stopped: null };
  for (const attempt of [1, 20]) await new MockActivityEnvironment({ attempt }).run(closeStage, closing);
  expect(tries).toEqual([false, true]);
});

test('the kept result of a pass does not end a task that has started its next pass in the meantime', async () => {
  const { run, task_id, where, row } = await keptRun();
  const before = await row();
  const pass = { id: derivedId(task_id, 'pass 2'), reason: 'a wider window', raw_data_path: [] };
  // The worker is not dead: it goes on when the pass was looked at, and the answer is not yet recorded.
  const late = createUndeliveredRecording({
    areas: lab.areas,
    record: async (input) => {
      await lab.areas.results.addPass(run.project_id, task_id, pass, { run: {} });
      return record(input);
    },
    log,
  });
  await late(run, 0, ['1'], { isLast: false });
  expect(await row()).toMatchObject({ status: 'running', passes: [pass] });
  expect((await row()).outcome).toBeUndefined();
  const outcome = {
    status: 'failed' as const,
    message: 'no cable',
    outputs: {},
    quality_metrics: {},
    figure_path: [],
    json_figure_path: [],
    raw_data_path: [],
    start_at: null,
    end_at: new Date(),
  };
  expect((await lab.areas.results.setOutcome(before, outcome, 1))?.outcome).toBeUndefined();
  await record({ ...where, step: 'finish', finished: { task_id, ...answer, pass: 2 } });
  expect((await row()).status).toBe('completed');
});
