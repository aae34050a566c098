import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredChip } from '../../shared/chips/model.ts';
import { lockWorkflowId } from '../../shared/engine/workflow-ids.ts';
import {
  cancelResult,
  type ExecutionDocument,
  executionDetail,
  executionList,
  executionNote,
  lockStatus,
  startedRun,
} from '../../shared/executions/model.ts';
import { keyOf, newId } from '../../shared/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

const code = `import type { Session } from 'calibron';

export async function rabi(session: Session) {
  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });
}
`;

let api: Api;
let owner: Person;
let viewer: Person;
let stranger: Person;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
});
afterAll(() => api.close());

/** A project with a chip and a flow, held by nobody. No worker runs, so a started run stays open. */
async function makeLaboratory() {
  const project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const as = api.as(owner, project);
  await as('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 16 } });
  await as('/flows', {
    method: 'POST',
    body: { name: 'rabi', code, chip_id: 'CHIP', tags: ['daily'], default_parameters: { a: 1, b: 2 } },
  });
  const execute = (body?: unknown, headers: Record<string, string> = {}) =>
    as('/flows/rabi/execute', { method: 'POST', headers, ...(body !== undefined && { body }) });
  return { project, as, execute };
}

type Laboratory = Awaited<ReturnType<typeof makeLaboratory>>;

function free({ project }: Pick<Laboratory, 'project'>): Promise<unknown> {
  return api.engine.client.workflow.getHandle(lockWorkflowId(project)).terminate('test');
}

function storedExecution(project: string, fields: Partial<ExecutionDocument> = {}): ExecutionDocument {
  const execution_id = fields.execution_id ?? '20260102-003';
  return {
    _id: keyOf(project, execution_id),
    project_id: project,
    execution_id,
    chip_id: 'CHIP',
    user_id: owner.id,
    username: owner.username,
    name: 'rabi',
    backend: 'simulator',
    trigger: 'api',
    calib_data_path: '/nowhere',
    status: 'completed',
    message: 'All is well.',
    tags: ['daily'],
    note: executionNote.parse({ flow_run_id: newId(), stages: { Rabi: { completed: 16, total: 16 } } }),
    start_at: new Date('2026-01-02T03:04:05.678Z'),
    end_at: new Date('2026-01-02T05:05:05.678Z'),
    elapsed_time: 7260.9,
    cancel_requested_at: null,
    created_at: new Date('2026-01-02T03:04:05.678Z'),
    ...fields,
  };
}

const executions = () => api.database.db.collection<ExecutionDocument>('executions');

describe('executing a flow', () => {
  test('starts a run, names it, and holds the project', async () => {
    const laboratory = await makeLaboratory();
    const started = read(startedRun, await laboratory.execute({ parameters: { b: 3, qids: ['0'] } }));
    expect(started).toEqual({
      execution_id: expect.stringMatching(/^\d{8}-000$/),
      flow_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      flow_run_url: expect.stringContaining(started.flow_run_id),
      service_ui_url: expect.stringContaining(`/execution/CHIP/${started.execution_id}`),
      qdash_ui_url: started.service_ui_url,
      message: expect.any(String),
    });
    const request = await api.database.db
      .collection<{ _id: string }>('execution_requests')
      .findOne({ _id: keyOf(laboratory.project, started.execution_id) });
    expect(request).toMatchObject({
      flow: { name: 'rabi', function_name: 'rabi', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      parameters: {
        a: 1,
        b: 3,
        qids: ['0'],
        chip_id: 'CHIP',
        username: owner.username,
        flow_name: 'rabi',
        project_id: laboratory.project,
      },
    });
    expect(read(lockStatus, await laboratory.as('/executions/lock-status'))).toEqual({
      lock: true,
      execution_id: started.execution_id,
      chip_id: 'CHIP',
      name: 'rabi',
      status: 'scheduled',
    });
    await free(laboratory);
  });

  test('is 409 naming the holder while a run is open, and free afterwards', async () => {
    const laboratory = await makeLaboratory();
    const started = read(startedRun, await laboratory.execute());
    expect(expectError(await laboratory.execute({}), 409, 'project_busy')).toContain(started.execution_id);
    await free(laboratory);
    expect(read(startedRun, await laboratory.execute()).execution_id).toMatch(/-001$/);
    await free(laboratory);
  });

  test('many times at once starts one run and stores one row', async () => {
    const laboratory = await makeLaboratory();
    const answers = await Promise.all(Array.from({ length: 20 }, () => laboratory.execute()));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    expect(await executions().countDocuments({ project_id: laboratory.project })).toBe(1);
    await free(laboratory);
  });

  test('with one Idempotency-Key starts one run and gives one answer', async () => {
    const laboratory = await makeLaboratory();
    const key = { 'idempotency-key': 'night run 7' };
    const first = read(startedRun, await laboratory.execute({ parameters: { b: 4 } }, key));
    expect(read(startedRun, await laboratory.execute({ parameters: { b: 4 } }, key))).toEqual(first);
    expectError(await laboratory.execute({ parameters: { b: 5 } }, key), 409, 'idempotency_conflict');
    expectProblems(await laboratory.execute({}, { 'idempotency-key': 'k'.repeat(256) }), [
      ['string_too_long', 'header', 'idempotency-key'],
    ]);
    await free(laboratory);
  });

  test('takes its chip from the parameters, else from the flow', async () => {
    const laboratory = await makeLaboratory();
    await laboratory.as('/chips', { method: 'POST', body: { chip_id: 'SECOND', size: 4 } });
    read(startedRun, await laboratory.execute({ parameters: { chip_id: 'SECOND', tags: ['night'] } }));
    const { executions: listed } = read(
      executionList,
      await laboratory.as('/executions', { query: { chip_id: 'SECOND' } }),
    );
    expect(listed).toMatchObject([{ tags: ['night'], user_id: owner.id, username: owner.username }]);
    await free(laboratory);
    for (const chip_id of ['', 7, null, ['CHIP']]) {
      const answer = await laboratory.execute({ parameters: { chip_id } });
      if (chip_id === null) {
        expect(answer.status).toBe(200);
        await free(laboratory);
      } else {
        expectError(answer, 400, 'bad_request');
      }
    }
  });

  test('is 404 for an unknown flow or chip, 409 for an inactive chip', async () => {
    const laboratory = await makeLaboratory();
    const unknown = await laboratory.as('/flows/unknown/execute', { method: 'POST' });
    expectError(unknown, 404, 'not_found');
    expectError(await laboratory.execute({ parameters: { chip_id: 'NONE' } }), 404, 'not_found');
    await api.database.db
      .collection<StoredChip>('chips')
      .updateOne({ _id: keyOf(laboratory.project, 'CHIP') }, { $set: { activity_status: 'inactive' } });
    expectError(await laboratory.execute(), 409, 'conflict');
    expect(read(lockStatus, await laboratory.as('/executions/lock-status')).lock).toBe(false);
  });

  test('needs the editor role and a body of the right form', async () => {
    const laboratory = await makeLaboratory();
    const asViewer = api.as(viewer, laboratory.project)('/flows/rabi/execute', { method: 'POST', text: '{' });
    expectError(await asViewer, 403, 'forbidden');
    const asStranger = api.as(stranger, laboratory.project)('/flows/rabi/execute', { method: 'POST' });
    expectError(await asStranger, 403, 'forbidden');
    expectError(await api.call('/flows/rabi/execute', { method: 'POST' }), 401, 'not_authenticated');
    expectProblems(await laboratory.execute({ parameters: 'all' }), [['dict_type', 'body', 'parameters']]);
    const large = { parameters: { note: 'x'.repeat(70_000) } };
    expectProblems(await laboratory.execute(large), [['value_error', 'body', 'parameters']]);
  });
});

describe('cancelling', () => {
  const cancel = (laboratory: Laboratory, id: string, person = owner) =>
    api.as(person, laboratory.project)(`/executions/${id}/cancel`, { method: 'POST' });

  test('asks the engine to end the run', async () => {
    const laboratory = await makeLaboratory();
    const started = read(startedRun, await laboratory.execute());
    const answer = read(cancelResult, await cancel(laboratory, started.flow_run_id));
    expect(answer).toEqual({
      execution_id: started.flow_run_id,
      status: 'cancelling',
      message: expect.any(String),
    });
    await free(laboratory);
  });

  test('is 400 for no UUID, 404 for an unknown run, 409 for one that ended', async () => {
    const laboratory = await makeLaboratory();
    expectError(await cancel(laboratory, 'not-a-uuid'), 400, 'bad_request');
    expectError(await cancel(laboratory, newId()), 404, 'not_found');
    const ended = storedExecution(laboratory.project);
    await executions().insertOne(ended);
    expectError(await cancel(laboratory, String(ended.note.flow_run_id)), 409, 'not_cancellable');
  });

  test('never reaches the run of another project', async () => {
    const laboratory = await makeLaboratory();
    const other = await makeLaboratory();
    const started = read(startedRun, await laboratory.execute());
    expectError(await cancel(other, started.flow_run_id), 404, 'not_found');
    expect(read(lockStatus, await laboratory.as('/executions/lock-status')).lock).toBe(true);
    await free(laboratory);
  });

  test('needs the editor role', async () => {
    const laboratory = await makeLaboratory();
    expectError(await cancel(laboratory, newId(), viewer), 403, 'forbidden');
    expectError(await cancel(laboratory, newId(), stranger), 403, 'forbidden');
    expectError(
      await api.call(`/executions/${newId()}/cancel`, { method: 'POST' }),
      401,
      'not_authenticated',
    );
  });
});

describe('reading executions', () => {
  test('lists those of a chip, newest first, in pages', async () => {
    const laboratory = await makeLaboratory();
    await executions().insertMany(
      Array.from({ length: 25 }, (_, index) =>
        storedExecution(laboratory.project, {
          execution_id: `20260102-${String(index).padStart(3, '0')}`,
          start_at: new Date(Date.UTC(2026, 0, 2, 0, index)),
        }),
      ),
    );
    await executions().insertOne(
      storedExecution(laboratory.project, { execution_id: '20260102-900', chip_id: 'OTHER' }),
    );
    const page = async (query: Record<string, string>) =>
      read(executionList, await laboratory.as('/executions', { query: { chip_id: 'CHIP', ...query } }));
    const first = await page({});
    expect(first).toMatchObject({ total: 25, skip: 0, limit: 20 });
    expect(first.executions).toHaveLength(20);
    expect(first.executions[0]).toEqual({
      name: 'rabi-20260102-024',
      execution_id: '20260102-024',
      status: 'completed',
      message: 'All is well.',
      user_id: owner.id,
      username: owner.username,
      start_at: '2026-01-02T00:24:00.000Z',
      end_at: '2026-01-02T05:05:05.678Z',
      elapsed_time: '2:01:00',
      tags: ['daily'],
      note: { flow_run_id: expect.any(String), stages: { Rabi: { completed: 16, total: 16 } } },
    });
    const last = await page({ skip: '20', limit: '100' });
    expect(last.executions.map((each) => each.execution_id)).toEqual(
      [4, 3, 2, 1, 0].map((index) => `20260102-00${index}`),
    );
  });

  test('gives an empty list for an unknown chip, and 422 for a page out of bounds', async () => {
    const laboratory = await makeLaboratory();
    const list = (query: Record<string, string>) => laboratory.as('/executions', { query });
    expect(read(executionList, await list({ chip_id: 'NONE' }))).toEqual({
      executions: [],
      total: 0,
      skip: 0,
      limit: 20,
    });
    expectProblems(await list({}), [['missing', 'query', 'chip_id']]);
    expectProblems(await list({ chip_id: 'CHIP', limit: '101' }), [['less_than_equal', 'query', 'limit']]);
    expectProblems(await list({ chip_id: 'CHIP', limit: '0' }), [['greater_than_equal', 'query', 'limit']]);
    expectProblems(await list({ chip_id: 'CHIP', skip: '-1' }), [['greater_than_equal', 'query', 'skip']]);
  });

  test('shows one by its id or by the id of its run, with null for what is not known', async () => {
    const laboratory = await makeLaboratory();
    const open = storedExecution(laboratory.project, {
      execution_id: '20260102-007',
      status: 'failed',
      message: null,
      end_at: null,
      elapsed_time: null,
    });
    await executions().insertOne(open);
    const shown = read(executionDetail, await laboratory.as('/executions/20260102-007'));
    expect(shown).toMatchObject({
      name: 'rabi',
      flow_name: 'rabi',
      chip_id: 'CHIP',
      message: null,
      end_at: null,
      elapsed_time: null,
      task: [],
    });
    const byRun = await laboratory.as(`/executions/${open.note.flow_run_id}`);
    expect(read(executionDetail, byRun)).toEqual(shown);
  });

  test('is 404 for an unknown id of any form', async () => {
    const laboratory = await makeLaboratory();
    for (const id of ['20260102-999', newId(), 'x', '%2e%2e', 'y'.repeat(400)]) {
      expectError(await laboratory.as(`/executions/${id}`), 404, 'not_found');
    }
  });

  test('two projects with the same execution id never meet', async () => {
    const [one, two] = [await makeLaboratory(), await makeLaboratory()];
    await executions().insertMany([
      storedExecution(one.project, { message: 'of one' }),
      storedExecution(two.project, { message: 'of two' }),
    ]);
    for (const [laboratory, message] of [
      [one, 'of one'],
      [two, 'of two'],
    ] as const) {
      expect(read(executionDetail, await laboratory.as('/executions/20260102-003')).message).toBe(message);
      const { executions: listed, total } = read(
        executionList,
        await laboratory.as('/executions', { query: { chip_id: 'CHIP' } }),
      );
      expect([total, listed[0]?.message]).toEqual([1, message]);
    }
  });

  test('lock-status of a project without any execution knows only that it is free', async () => {
    const project = await api.makeProject(owner);
    const answer = await api.as(owner, project)('/executions/lock-status');
    expect(read(lockStatus, answer)).toEqual({
      lock: false,
      execution_id: null,
      chip_id: null,
      name: null,
      status: null,
    });
  });

  test('needs a token and membership', async () => {
    const { project } = await makeLaboratory();
    for (const url of ['/executions?chip_id=CHIP', '/executions/20260102-003', '/executions/lock-status']) {
      expectError(await api.call(url), 401, 'not_authenticated');
      expectError(await api.as(stranger, project)(url), 403, 'forbidden');
      expectError(await api.as(stranger, newId())(url), 404, 'not_found');
      expectError(await api.as(stranger)(url), 400, 'project_required');
      expect((await api.as(viewer, project)(url)).status).not.toBe(403);
    }
  });
});
