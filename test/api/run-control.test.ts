import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ExecutionDocument,
  executionDetail,
  executionList,
  executionStageDetail,
  executionStageList,
  type FlowCommandDocument,
} from '../../shared/domain/executions/model.ts';
import { runControlAnswer, startedRun } from '../../shared/domain/runs/model.ts';
import { lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory, storedExecution } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let laboratory: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  laboratory = await makeLaboratory(api, owner, viewer);
});
afterAll(() => api.close());

const executions = () => api.database.db.collection<ExecutionDocument>('executions');
const control = (id: string, action: string, person = owner) =>
  api.as(person, laboratory.project)(`/executions/${id}/${action}`, { method: 'POST' });

describe('pause, resume and stop', () => {
  test('change how the run is shown, by either id, and reach its workflow', async () => {
    const run = read(startedRun, await laboratory.execute());
    const shown = async () => read(executionDetail, await laboratory.as(`/executions/${run.execution_id}`));
    expect(await shown()).toMatchObject({
      flow_run_state: 'PENDING',
      waiting: expect.stringMatching(/^the service to start the run, since/),
    });
    expect(read(runControlAnswer, await control(run.flow_run_id, 'pause'))).toEqual({
      execution_id: run.execution_id,
      status: 'paused',
    });
    expect(await shown()).toMatchObject({
      flow_run_state: 'PAUSED',
      waiting: expect.stringMatching(new RegExp(`^resume, since ${owner.username} paused the run at`)),
    });
    const [listed] = read(
      executionList,
      await laboratory.as('/executions', { query: { chip_id: 'CHIP', limit: '1' } }),
    ).executions;
    expect(listed).toMatchObject({ execution_id: run.execution_id, flow_run_state: 'PAUSED' });
    expect(expectError(await control(run.execution_id, 'pause'), 409, 'already_paused')).toContain(
      'Resume it',
    );
    expect(read(runControlAnswer, await control(run.execution_id, 'resume')).status).toBe('running');
    expectError(await control(run.execution_id, 'resume'), 409, 'not_paused');
    expect(read(runControlAnswer, await control(run.execution_id, 'stop')).status).toBe('stopping');
    const { events } = await api.engine.client.workflow
      .getHandle(lockWorkflowId(laboratory.project))
      .fetchHistory();
    const signals = events?.flatMap(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
    );
    expect(signals).toEqual(['pause', 'resume', 'stop_after_current']);
    await laboratory.free();
  });

  test('are 409 for a run that has ended, also when only the engine knows', async () => {
    const ended = storedExecution(laboratory.project, owner, {
      execution_id: executionNamed('20260102-050'),
    });
    await executions().insertOne(ended);
    for (const action of ['pause', 'resume', 'stop']) {
      expectError(await control(ended.execution_id, action), 409, 'not_running');
    }
    const run = read(startedRun, await laboratory.execute());
    await laboratory.free();
    expectError(await control(run.execution_id, 'pause'), 409, 'not_running');
    const detail = read(executionDetail, await laboratory.as(`/executions/${run.execution_id}`));
    expect(detail).toMatchObject({ status: 'cancelled', flow_run_state: 'CRASHED', waiting: null });
  });

  test('of several pauses at once one wins', async () => {
    const run = read(startedRun, await laboratory.execute());
    const answers = await Promise.all(Array.from({ length: 5 }, () => control(run.execution_id, 'pause')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    await laboratory.free();
  });

  test('need the editor role, a token and an execution of the project', async () => {
    const other = await makeLaboratory(api, owner, viewer);
    const foreign = storedExecution(other.project, owner, {
      execution_id: executionNamed('20260102-051'),
      status: 'running',
    });
    await executions().insertOne(foreign);
    for (const action of ['pause', 'resume', 'stop']) {
      expectError(await control('20260102-050', action, viewer), 403, 'forbidden');
      expectError(await api.call(`/executions/x/${action}`, { method: 'POST' }), 401, 'not_authenticated');
      for (const id of [foreign.execution_id, newId(), 'nonsense']) {
        expectError(await control(id, action), 404, 'not_found');
      }
    }
  });
});

describe('the stages of an execution', () => {
  const counts = { completed: 3, failed: 1, skipped: 0, cancelled: 0, total: 4 };
  const stage = (index: number, fields: Partial<FlowCommandDocument> = {}): FlowCommandDocument => ({
    _id: keyOf(laboratory.project, '20260102-060', index),
    project_id: laboratory.project,
    execution_id: executionNamed('20260102-060'),
    index,
    kind: 'stage',
    name: `stage ${index}`,
    command: null,
    tasks: [{ name: 'CheckT1', scope: 'target', run_parameters: {}, input_overrides: {} }],
    targets: ['0', '1', '2', '3'],
    parallel: null,
    status: 'done',
    summary: {
      counts,
      passed: ['0', '1', '2'],
      failed: [{ target: '3', task: 'CheckT1', message: 'no decay' }],
      yields: [{ task: 'CheckT1', completed: 3, failed: 1, skipped: 0, cancelled: 0, yield: 0.75 }],
      metrics: { t1: { unit: 'us', values: { 0: { value: 50, error: 1 } } } },
      metrics_truncated: false,
    },
    answered_at: new Date('2026-01-02T00:01:00Z'),
    created_at: new Date('2026-01-02T00:00:00Z'),
    ...fields,
  });

  beforeAll(async () => {
    await executions().insertOne(
      storedExecution(laboratory.project, owner, { execution_id: executionNamed('20260102-060') }),
    );
    await api.database.db
      .collection<FlowCommandDocument>('flow_steps')
      .insertMany([
        stage(0),
        stage(1, { kind: 'sleep', name: 'sleep', tasks: [], targets: [], summary: null }),
        stage(2, { status: 'planned', summary: null, answered_at: null }),
      ]);
  });
  const ask = (path: string, query: Record<string, string> = {}, person = owner) =>
    api.as(person, laboratory.project)(`/executions/${path}`, { query });

  test('are listed in order with counts and yields, in pages', async () => {
    const all = read(executionStageList, await ask('20260102-060/stages', {}, viewer));
    expect(all).toMatchObject({ total: 2, skip: 0, limit: 50 });
    expect(all.stages).toMatchObject([
      {
        index: 0,
        status: 'done',
        tasks: ['CheckT1'],
        targets: 4,
        counts,
        target_yield: 0.75,
        failed: [{ target: '3' }],
        end_at: '2026-01-02T00:01:00.000Z',
      },
      { index: 2, status: 'running', counts: null, passed: [], yields: [], target_yield: null, end_at: null },
    ]);
    const second = read(executionStageList, await ask('20260102-060/stages', { skip: '1', limit: '1' }));
    expect([second.total, second.stages.map(({ index }) => index)]).toEqual([2, [2]]);
    expectProblems(await ask('20260102-060/stages', { limit: '201' }), [
      ['less_than_equal', 'query', 'limit'],
    ]);
    expectProblems(await ask('20260102-060/stages', { skip: '-1' }), [
      ['greater_than_equal', 'query', 'skip'],
    ]);
  });

  test('show the values of each target one by one', async () => {
    const detail = read(executionStageDetail, await ask('20260102-060/stages/0'));
    expect(detail.metrics).toEqual({ t1: { unit: 'us', values: { 0: { value: 50, error: 1 } } } });
    expect(read(executionStageDetail, await ask('20260102-060/stages/2')).metrics).toEqual({});
  });

  test('are 404 for an unknown execution or stage', async () => {
    for (const path of [
      '20260102-999/stages',
      '20260102-999/stages/0',
      '20260102-060/stages/1',
      '20260102-060/stages/7',
    ]) {
      expectError(await ask(path), 404, 'not_found');
    }
    expectProblems(await ask('20260102-060/stages/x'), [['int_parsing', 'path', 'index']]);
    expectError(await api.call('/executions/20260102-060/stages'), 401, 'not_authenticated');
  });
});
