import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, test } from 'vitest';
import type { Heartbeats } from '../../activities/backends/heartbeats.ts';
import { createMeasureActivity } from '../../activities/backends/host.ts';
import { createInstrument } from '../../activities/backends/instrument.ts';
import type { MeasureAndRecordOutput, Preceding, RecordInput } from '../../activities/contracts/steps.ts';
import { createExecutionActivities } from '../../activities/execution.ts';
import { createMeasureAndRecord } from '../../activities/measure-and-record.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { eventually, type Laboratory, oneStage, runOf } from '../support/laboratory.ts';
import { followingFigures, heldRun, recordActivities } from '../support/record-keeping.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** The record activities of a worker, called as the engine would call a late one. */
const lateRecords = () => recordActivities(lab);

test('a worker of an older epoch that wakes up late changes no calibration state', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, task_name: 'CheckT1' }, behaviour: 'stall' }],
  });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, first.execution_id);
  const [task] = await lab.tasksOf(place.projectId, first.execution_id);
  const old: HeldRun = {
    ...runOf(place, first.execution_id),
    epoch: (await lab.runs.locks.get(place.projectId))?.epoch ?? 0,
  };
  await lab.engine.client.workflow.getHandle(`exec:${place.projectId}`).terminate('operator');
  await lab.setFaults({ rules: [] });
  const second = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, second.execution_id);
  const state = () =>
    lab.database.db
      .collection('qubits')
      .find({ project_id: place.projectId })
      .sort({ qid_order: 1 })
      .toArray();
  const before = await state();
  // The old worker thinks that its task still runs: without the epoch it would write now.
  await lab.database.db
    .collection('task_results')
    .updateOne({ project_id: place.projectId, task_id: task?.task_id }, { $set: { status: 'running' } });
  const answer = { targets: { [task?.qid ?? '']: { outputs: { t1: { value: 999 } } } } };
  const late = lateRecords().record({
    run: old,
    stage: 0,
    targets: [task?.qid ?? ''],
    index: 0,
    finished: { task_id: task?.task_id ?? '', attempt: 1, result: answer, failure: null },
    next_task_id: newId(),
  });
  await expect(late).rejects.toMatchObject({ type: failureTypes.fenced, nonRetryable: true });
  expect(await state()).toEqual(before);
});

test('state of a later epoch refuses an older write even where the lock is not asked', async () => {
  const place = await lab.newProject();
  const write = (epoch: number, sequence: number, value: number) =>
    lab.areas.chips.state.write(
      { project_id: place.projectId, chip_id: place.chipId, kind: 'qubit', qid: '0' },
      { epoch, sequence },
      {
        status: 'completed',
        data: {
          t1: {
            value,
            parameter_name: 't1',
            qid_role: '',
            required: false,
            value_type: 'float',
            unit: 'us',
            description: '',
            execution_id: '',
            task_id: '',
          },
        },
      },
      { recorded_date: '20261121', cooldown_id: null },
    );
  await write(3, 1, 40);
  await expect(write(2, 9, 1)).rejects.toThrow(/newer run/);
  await expect(write(3, 0, 2)).rejects.toThrow(/newer run/);
  await write(3, 1, 41);
  const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
  expect(qubit?.data['t1']?.value).toBe(41);
});

test('a measurement asked for by a run that does not hold the project never reaches the instrument', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  const [task] = await lab.tasksOf(place.projectId, run.execution_id);
  let measured = 0;
  const backend = {
    measure: async () => {
      measured += 1;
      return { targets: {} };
    },
  };
  const instrument = createInstrument(backend, lab.runs.locks);
  const measure = createMeasureActivity(instrument);
  const request = {
    contract: 1 as const,
    project_id: place.projectId,
    chip_id: place.chipId,
    execution_id: run.execution_id,
    epoch: task?.epoch ?? 0,
    task_id: newId(),
    attempt: 1,
    task_name: 'CheckT1',
    task_type: 'qubit' as const,
    targets: ['0'],
    input_parameters: {},
    run_parameters: {},
    artifact_dir: lab.directory,
    deadline: new Date().toISOString(),
    timeout: 60,
  };
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  await expect(environment.run(measure, request)).rejects.toMatchObject({ type: failureTypes.fenced });
  // Who saw long ago that the run holds the project knows no better; who has just seen it is believed.
  const askedFor: Heartbeats = {
    alive: () => undefined,
    wanted: async () => undefined,
    letGo: new AbortController().signal,
    mayEnd: async () => undefined,
    end: () => undefined,
  };
  const seen = (heldAt: number, heartbeatTimeoutMs = 10_000) =>
    new MockActivityEnvironment({ heartbeatTimeoutMs }, { client: lab.engine.client }).run(() =>
      instrument(request, { context: Context.current(), heartbeats: askedFor, heldAt }),
    );
  const longAgo = seen(performance.now() - 60_000);
  await expect(longAgo).rejects.toMatchObject({ type: failureTypes.fenced });
  // Half a second is long where the engine gives a silent worker up after one.
  const soonGivenUp = seen(performance.now() - 500, 1000);
  await expect(soonGivenUp).rejects.toMatchObject({ type: failureTypes.fenced });
  expect(measured).toBe(0);
  await seen(Number.POSITIVE_INFINITY);
  expect(measured).toBe(1);
});

test('the same record twice stores one result, one version and answers the same', async () => {
  const { place, started, run } = await heldRun(lab, { tasks: ['CheckT1', 'CheckT1'], qids: ['0'] });
  const [task] = await lab.tasksOf(place.projectId, started.execution_id);
  const input = {
    run,
    stage: 0,
    targets: ['0'],
    index: 0,
    finished: {
      task_id: task?.task_id ?? '',
      attempt: 1,
      result: { targets: { 0: { outputs: { t1: { value: 42, error: 1 } } } } },
      failure: null,
    },
    next_task_id: newId(),
  };
  const { record, recordTogether } = lateRecords();
  const answers = await Promise.all([record(input), record(input), record(input)]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ completed: 1, failed: 0, skipped: 0, index: 1 });
    expect(answer.next?.request.task_id).toBe(input.next_task_id);
  }
  // Together with one that fails it is answered as alone, and the other is left to be tried by itself.
  const unknown = { ...input, targets: ['1'], finished: { ...input.finished, task_id: newId() } };
  const { recorded } = await recordTogether({ steps: [unknown, input] });
  expect(recorded).toMatchObject([null, { completed: 1, failed: 0, skipped: 0, index: 1 }]);
  const versions = await lab.areas.provenance.history(place.projectId, 't1', '0', 10);
  expect(versions.versions).toMatchObject([{ value: 42, version: 1 }]);
  const rows = await lab.tasksOf(place.projectId, started.execution_id);
  expect(rows.map((row) => row.status)).toEqual(['completed', 'running']);
  await lab.runs.control.cancel(place.projectId, started.flow_run_id);
  await lab.ended(place.projectId, started.execution_id);
  await lab.setFaults({ rules: [] });
});

/** A step of a run that holds its project and has not come to the target `1` yet. */
async function stepOfHeldRun() {
  const { place, run } = await heldRun(lab);
  return { place, step: { run, stage: 0, targets: ['1'], index: 0 } };
}

function measured(value: number) {
  return { targets: { 1: { outputs: { t1: { value, error: 1 } }, quality: { r2: 0.99 } } } };
}

test('an instrument is told when it was asked whether the run holds its project, not when that was answered', async () => {
  const { step } = await stepOfHeldRun();
  const { record } = lateRecords();
  let asked: number | undefined;
  const told: (number | undefined)[] = [];
  const { measureAndRecord } = createMeasureAndRecord({
    instrument: async (_request, { heldAt }) => {
      told.push(heldAt);
      return { result: measured(42), failure: null };
    },
    record(each) {
      asked ??= performance.now();
      return record(each);
    },
    keptAnswers: lab.runs.keptAnswers,
    areas: lab.areas,
    log: createLog('test', 'SILENT'),
  });
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  await environment.run(measureAndRecord, { ...step, task_id: newId(), attempt: 1, again: false });
  expect(told).toHaveLength(1);
  expect(told[0]).toBeLessThanOrEqual(asked ?? expect.fail('nothing was asked'));
});

test('the next task of a target asks its instrument without asking the engine, in the process that recorded the one before', async () => {
  const { place, step } = await stepOfHeldRun();
  const wanted: boolean[] = [];
  const { measureAndRecord } = createMeasureAndRecord({
    async instrument(_request, { heartbeats }) {
      const isWanted = heartbeats.wanted(heartbeats.letGo).then(
        () => true,
        () => false,
      );
      const isOver = new Promise<boolean>((resolve) => setImmediate(resolve, false));
      wanted.push(await Promise.race([isWanted, isOver]));
      return { result: measured(42), failure: null };
    },
    record: lateRecords().record,
    keptAnswers: lab.runs.keptAnswers,
    areas: lab.areas,
    log: createLog('test', 'SILENT'),
  });
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  async function carryOut(after: Preceding | null, again = false): Promise<Preceding> {
    const asked = { ...step, task_id: newId(), attempt: 1, again, after };
    const answer: MeasureAndRecordOutput = await environment.run(measureAndRecord, asked);
    if (!('recorded' in answer) || !answer.after) throw new Error('nothing follows from it');
    return answer.after;
  }
  const first = await carryOut(null);
  // As if it had been given just now, however long this machine took since.
  const mark = { ...first.mark, at: performance.now() + 60_000 };
  const second = await carryOut({ ...first, mark });
  expect(await lab.areas.results.get(place.projectId, second.task_id ?? '')).toMatchObject({
    upstream_id: first.task_id,
  });
  await carryOut({ mark: { ...mark, process: newId() } });
  await carryOut({ mark }, true);
  expect(wanted).toEqual([false, true, false, false]);
});

test('a task that another process recorded, or that ended with its run, stays as it is, though its maker has just made it', async () => {
  const { place, step } = await stepOfHeldRun();
  const maker = lateRecords();
  const closing = (task_id: string, value: number): RecordInput => ({
    ...step,
    finished: { task_id, attempt: 1, result: measured(value), failure: null },
    next_task_id: null,
  });
  const make = async () => {
    const next_task_id = newId();
    await maker.record({ ...step, finished: null, next_task_id, again: false });
    return next_task_id;
  };
  const rowOf = (task_id: string) => lab.areas.results.get(place.projectId, task_id);
  const recorded = await make();
  await lateRecords().record(closing(recorded, 42));
  expect(await maker.record(closing(recorded, 43))).toMatchObject({ completed: 1, failed: 0 });
  expect(await rowOf(recorded)).toMatchObject({
    status: 'completed',
    output_parameters: { t1: { value: 42 } },
  });
  const ended = await make();
  await lab.areas.results.closeOpen(place.projectId, step.run.execution_id, 'cancelled', new Date());
  expect(await maker.record(closing(ended, 43))).toMatchObject({ completed: 0, failed: 0, passed: [] });
  expect(await rowOf(ended)).toMatchObject({ status: 'cancelled', output_parameters: {} });
  const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '1');
  expect(qubit?.data['t1']?.value).toBe(42);
});

test('begin refuses an execution that has ended and one that another run owns', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  await eventually(async () => (await lab.runs.locks.get(place.projectId))?.state === 'free');
  const { begin } = createExecutionActivities({
    areas: lab.areas,
    engine: lab.engine,
    settings: lab.settings,
    figures: followingFigures(lab),
    log: createLog('test', 'SILENT'),
  });
  const identity = runOf(place, run.execution_id);
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  const beginAs = (input: Parameters<typeof begin>[0]) => environment.run(begin, input);
  const again = beginAs({ run: identity, flow_run_id: run.flow_run_id, heartbeat_timeout: 1 });
  await expect(again).rejects.toMatchObject({ type: failureTypes.notStartable, message: /has ended/ });
  const other = beginAs({ run: identity, flow_run_id: newId(), heartbeat_timeout: 1 });
  await expect(other).rejects.toMatchObject({
    type: failureTypes.notStartable,
    message: /belongs to another run/,
  });
  const unknown = beginAs({
    run: { ...identity, execution_id: '20200101-000' },
    flow_run_id: newId(),
    heartbeat_timeout: 1,
  });
  await expect(unknown).rejects.toMatchObject({
    type: failureTypes.notStartable,
    message: /never requested/,
  });
});
