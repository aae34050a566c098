import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Answer } from '../../activities/backends/instrument.ts';
import type { CloseStageInput } from '../../activities/contracts/steps.ts';
import { createMeasureAndRecord } from '../../activities/measure-and-record.ts';
import { createKeptRecording } from '../../activities/record/kept.ts';
import { createPlans } from '../../activities/record/plans.ts';
import { createStageActivities } from '../../activities/stages.ts';
import { executionDirectory } from '../../shared/domain/executions/index.ts';
import { derivedId, keyOf, newId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { type LabChip, type Laboratory, runOf } from '../support/laboratory.ts';
import { found, measuredHere, recordKeeper, workerOf } from './recording-worker.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** The activities at the ends of a stage as a worker of ours has them. */
const stageKeeper = () =>
  createStageActivities({
    areas: lab.areas,
    plans: createPlans({ areas: lab.areas, findTask }),
    recordKept: createKeptRecording({
      areas: lab.areas,
      record: recordKeeper(lab),
      log: createLog('test', 'SILENT'),
    }),
  });

const closeStage = (input: CloseStageInput) =>
  new MockActivityEnvironment().run(stageKeeper().closeStage, input);

/** Where answers wait for their record. */
const answersOf = ({ projectId, chipId }: LabChip, execution_id: string) =>
  join(
    executionDirectory(lab.settings.CALIB_DATA_PATH, {
      project_id: projectId,
      chip_id: chipId,
      execution_id,
    }),
    'answers',
  );

/** Files of answers that wait for their record. */
const keptOf = (place: LabChip, execution_id: string) =>
  readdir(answersOf(place, execution_id)).catch(() => []);

const done = { completed: 1, failed: 0, skipped: 0, passed: ['1'], index: 1, next: null };

test('a worker that dies between measuring and recording costs no measurement', async () => {
  const { place, run, input } = await measuredHere(lab);
  const dying = workerOf(lab, async (record, step) => {
    if (step.finished) throw new Error('the process is gone');
    return record(step);
  });
  await dying.carryOut(input);
  expect(await keptOf(place, run.execution_id)).toEqual([`${input.task_id}_1.json`]);
  const next = workerOf(lab, (record, step) => record(step));
  const answer = await next.carryOut({ ...input, attempt: 2, again: true });
  expect(answer).toEqual({ recorded: done });
  expect(dying.asked).toHaveLength(1);
  expect(next.asked).toEqual([]);
  expect(await lab.areas.results.get(place.projectId, input.task_id)).toMatchObject({
    status: 'completed',
    attempt: 1,
    output_parameters: { t1: { value: 42 } },
  });
  expect(await keptOf(place, run.execution_id)).toEqual([]);
});

test('what a worker measured before it died is recorded when a cancel ends its stage, and nothing else is', async () => {
  const { place, run, input } = await measuredHere(lab);
  const dying = workerOf(lab, async (record, step) => {
    if (step.finished) throw new Error('the process is gone');
    return record(step);
  });
  await dying.carryOut(input);
  const [other] = await lab.areas.results.ofTargets(place.projectId, run.execution_id, 0, ['0']);
  if (!other) throw new Error('the target 0 is not under way');
  const failed = { attempt: 1, result: null, failure: 'no cable' };
  // A pass that its task has not come to, and a task of no stage.
  await lab.runs.keptAnswers.keep(run, { task_id: other.task_id, pass: 2 }, failed);
  await lab.runs.keptAnswers.keep(run, { task_id: newId(), pass: 1 }, failed);

  const closing = { run, stage: 0, cancelled: true, stopped: null };
  const closed = await closeStage(closing);
  expect(closed).toMatchObject({ counts: { completed: 1, failed: 0, skipped: 0 } });
  expect(await closeStage(closing)).toEqual(closed);
  expect(dying.asked).toHaveLength(1);
  const statusOf = async (task_id: string) => lab.areas.results.get(place.projectId, task_id);
  expect(await statusOf(input.task_id)).toMatchObject({
    status: 'completed',
    attempt: 1,
    output_parameters: { t1: { value: 42 } },
  });
  expect((await statusOf(other.task_id))?.status).toBe('running');
  expect(await keptOf(place, run.execution_id)).toHaveLength(2);
  const { versions } = await lab.areas.provenance.history(place.projectId, 't1', '1', 10);
  expect(versions.filter(({ task_id }) => task_id === input.task_id)).toHaveLength(1);
});

test('what is kept of a run that holds the project no more is left, and its stage ends all the same', async () => {
  const { place, run, input } = await measuredHere(lab);
  const dying = workerOf(lab, async (record, step) => {
    if (step.finished) throw new Error('the process is gone');
    return record(step);
  });
  await dying.carryOut(input);
  const late = { ...run, epoch: run.epoch - 1 };
  const closed = await closeStage({ run: late, stage: 0, cancelled: true, stopped: null });
  expect(closed).toMatchObject({ counts: { completed: 0 } });
  expect(await lab.areas.results.get(place.projectId, input.task_id)).toMatchObject({ status: 'running' });
});

test('what record keeping could not do is the answer, and may be done by any record keeper', async () => {
  const { place, input } = await measuredHere(lab);
  let away = true;
  const worker = workerOf(lab, async (record, step) => {
    if (step.finished && away) throw new Error('the store is away');
    return record(step);
  });
  const answer = await worker.carryOut(input);
  if (!('undone' in answer)) throw new Error('it was recorded');
  expect(answer.undone.finished).toMatchObject({ task_id: input.task_id, attempt: 1, failure: null });
  away = false;
  const keeper = workerOf(lab, (record, step) => record(step));
  await worker.carryOut({ ...input, again: true });
  const repeated = await keeper.carryOut({ ...input, again: true });
  expect(repeated).toEqual({ recorded: done });
  expect(worker.asked).toHaveLength(1);
  expect(keeper.asked).toEqual([]);
  const { versions } = await lab.areas.provenance.history(place.projectId, 't1', '1', 10);
  expect(versions.filter(({ task_id }) => task_id === input.task_id)).toHaveLength(1);
});

test('a task whose answer is lost on its way to the engine is told again, from its row', async () => {
  const { place, run, input } = await measuredHere(lab);
  const worker = workerOf(lab, (record, step) => record(step));
  const first = await worker.carryOut(input);
  expect(first).toEqual({ recorded: done });
  expect(await worker.carryOut({ ...input, attempt: 2, again: true })).toEqual(first);
  expect(worker.asked).toHaveLength(1);
  expect(await keptOf(place, run.execution_id)).toEqual([]);
});

test('an error that the instrument reported is kept as any answer, and not asked for again', async () => {
  const { place, input } = await measuredHere(lab);
  const broken = (): Answer => ({ result: null, failure: 'no cable' });
  let dies = true;
  const worker = workerOf(
    lab,
    async (record, step) => {
      if (step.finished && dies) throw new Error('the process is gone');
      return record(step);
    },
    broken,
  );
  await worker.carryOut(input);
  dies = false;
  const answer = await worker.carryOut({ ...input, attempt: 2, again: true });
  expect(answer).toMatchObject({ recorded: { failed: 1, skipped: 1, passed: [] } });
  expect(worker.asked).toHaveLength(1);
  expect(await lab.areas.results.get(place.projectId, input.task_id)).toMatchObject({
    status: 'failed',
    message: 'The backend reported an error: no cable',
    attempt: 1,
  });
});

test('a task that is given up because its workers died has the answer that one of them kept', async () => {
  const { place, run, input } = await measuredHere(lab);
  const dying = workerOf(lab, async (record, step) => {
    if (step.finished) throw new Error('the process is gone');
    return record(step);
  });
  await dying.carryOut(input);
  const failure = 'The measurement was given up.';
  const finished = { task_id: input.task_id, attempt: 3, result: null, failure };
  const step = { run, stage: 0, targets: ['1'], index: 0, finished, next_task_id: null };
  expect(await recordKeeper(lab)(step)).toMatchObject({ completed: 1, failed: 0 });
  expect(await lab.areas.results.get(place.projectId, input.task_id)).toMatchObject({
    status: 'completed',
    attempt: 1,
  });
});

test('a run that has ended leaves no kept answer', async () => {
  const { place, run, input } = await measuredHere(lab);
  await workerOf(lab, async (record, step) => {
    if (step.finished) throw new Error('the process is gone');
    return record(step);
  }).carryOut(input);
  expect(await keptOf(place, run.execution_id)).toHaveLength(1);
  await lab.setFaults({ rules: [] });
  await lab.engine.client.workflow.getHandle(`exec:${place.projectId}`).terminate('operator');
  await lab.ended(place.projectId, run.execution_id);
  expect(await keptOf(place, run.execution_id)).toEqual([]);
});

test('what was measured before its run was reset is not measured again, although the engine tells nothing of it', async () => {
  const { place, run, input } = await measuredHere(lab);
  const dying = workerOf(lab, async (record, step) => {
    if (step.finished) throw new Error('the process is gone');
    return record(step);
  });
  await dying.carryOut(input);
  const next = workerOf(lab, (record, step) => record(step));
  expect(await next.carryOut(input)).toEqual({ recorded: done });
  expect(await next.carryOut(input)).toEqual({ recorded: done });
  expect(next.asked).toEqual([]);
  expect(await keptOf(place, run.execution_id)).toEqual([]);
});

test('an answer that comes after the time of its task is not kept: nobody would take it away', async () => {
  const { place, run, input } = await measuredHere(lab);
  const told = new EventEmitter();
  const recorded = once(told, 'recorded');
  const late = once(told, 'late');
  const record = recordKeeper(lab);
  const { measureAndRecord } = createMeasureAndRecord({
    async instrument(request, { keep }) {
      vi.advanceTimersByTime((request.timeout + 60) * 1000);
      vi.useRealTimers();
      const said = found(request);
      await recorded;
      await keep?.(said);
      told.emit('late');
      return said;
    },
    async record(step) {
      const output = await record(step);
      // The next thing that happens is that the instrument is asked.
      if (!step.finished) vi.useFakeTimers({ toFake: ['setTimeout'] });
      return output;
    },
    keptAnswers: lab.runs.keptAnswers,
    areas: lab.areas,
    log: createLog('test', 'SILENT'),
  });
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  expect(await environment.run(measureAndRecord, input)).toMatchObject({ recorded: { failed: 1 } });
  told.emit('recorded');
  await late;
  expect(await keptOf(place, run.execution_id)).toEqual([]);
  expect(await lab.areas.results.get(place.projectId, input.task_id)).toMatchObject({
    message: 'The measurement exceeded its time limit.',
  });
});

test('a kept answer that is damaged counts as none', async () => {
  const { place, run, input } = await measuredHere(lab);
  await mkdir(answersOf(place, run.execution_id), { recursive: true });
  await writeFile(join(answersOf(place, run.execution_id), `${input.task_id}_1.json`), '{"attempt": 1, "res');
  const worker = workerOf(lab, (record, step) => record(step));
  expect(await worker.carryOut({ ...input, attempt: 2, again: true })).toEqual({ recorded: done });
  expect(worker.asked).toHaveLength(1);
});

test('a kept answer that cannot be read just now is waited for, and nothing is measured; no path is told', async () => {
  const { place, run, input } = await measuredHere(lab);
  const file = join(answersOf(place, run.execution_id), `${input.task_id}_1.json`);
  await mkdir(file, { recursive: true });
  const worker = workerOf(lab, (record, step) => record(step));
  const answer = await worker.carryOut({ ...input, attempt: 2, again: true });
  expect(answer).toMatchObject({ undone: { finished: null, next_task_id: input.task_id, again: true } });
  expect(worker.asked).toEqual([]);
  await expect(lab.runs.keptAnswers.read(run, { task_id: input.task_id, pass: 1 })).rejects.toThrow(
    /^A kept answer cannot be read: EISDIR\.$/,
  );
  await rm(file, { recursive: true });
  expect(await worker.carryOut({ ...input, attempt: 3, again: true })).toEqual({ recorded: done });
});

test('an answer to a pass that comes late is not taken for that of a later pass', async () => {
  const { place, run, input } = await measuredHere(lab);
  const record = recordKeeper(lab);
  const { task_id } = input;
  const step = { run, stage: 0, targets: ['1'], index: 0 };
  await record({ ...step, finished: null, next_task_id: task_id });
  for (const pass of [2, 3]) {
    const id = derivedId(task_id, `pass ${pass}`);
    const begun = { id, reason: 'a wider window', raw_data_path: [] };
    await lab.areas.results.addPass(place.projectId, task_id, begun, {});
  }
  const late = { task_id, attempt: 1, result: null, failure: 'no cable' };
  const answer = await record({ ...step, finished: late, next_task_id: derivedId(task_id, 'pass 2') });
  expect(answer).toMatchObject({ failed: 0, next: { request: { task_id, pass: 3 } } });
});

test('the activity of a task that is computed has the time of the next that is measured as well', async () => {
  const place = await lab.newProject();
  const run = { ...runOf(place, '20260102-000'), epoch: 1 };
  const names = ['CheckT1', 'Check1QGateCoherenceLimit', 'CheckRabi'];
  await lab.areas.executions.commands.plan({
    _id: keyOf(place.projectId, run.execution_id, 0),
    project_id: place.projectId,
    execution_id: run.execution_id,
    index: 0,
    kind: 'stage',
    name: 'limits',
    command: null,
    tasks: names.map((name) => ({ name, scope: 'target', run_parameters: {}, input_overrides: {} })),
    targets: ['0'],
    parallel: null,
    status: 'planned',
    summary: null,
    answered_at: null,
    created_at: new Date(),
  });
  const { tasks } = await stageKeeper().openStage({ run, stage: 0, step: 0, lane: 0 });
  const [t1 = 0, limit = 0, rabi = 0] = names.map((name) => findTask(name)?.timeout);
  expect(rabi).toBeGreaterThan(0);
  expect(tasks?.map(({ timeout }) => timeout)).toEqual([t1, limit + rabi, rabi]);
});
