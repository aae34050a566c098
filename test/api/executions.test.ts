import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ExecutionDocument,
  executionDetail,
  executionList,
} from '../../shared/domain/executions/model.ts';
import { cancelResult, lockStatus, startedRun } from '../../shared/domain/runs/model.ts';
import type { Engine } from '../../shared/kernel/engine/temporal.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { buildCheckedServer } from '../support/documented-answers.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory, storedExecution } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let stranger: Person;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
});
afterAll(() => api.close());

const newLaboratory = () => makeLaboratory(api, owner, viewer);
const executions = () => api.database.db.collection<ExecutionDocument>('executions');

describe('cancelling', () => {
  const cancel = (laboratory: Laboratory, id: string, person = owner) =>
    api.as(person, laboratory.project)(`/executions/${id}/cancel`, { method: 'POST' });

  test('asks the engine to end the run', async () => {
    const laboratory = await newLaboratory();
    const started = read(startedRun, await laboratory.execute());
    const answer = read(cancelResult, await cancel(laboratory, started.flow_run_id));
    expect(answer).toEqual({
      execution_id: started.flow_run_id,
      status: 'cancelling',
      message: expect.any(String),
    });
    await laboratory.free();
  });

  test('takes the execution id too, as web pages send it', async () => {
    const laboratory = await newLaboratory();
    const started = read(startedRun, await laboratory.execute());
    const answer = read(cancelResult, await cancel(laboratory, started.execution_id));
    expect(answer).toMatchObject({ execution_id: started.execution_id, status: 'cancelling' });
    await laboratory.free();
    expectError(await cancel(laboratory, '20200101-001'), 404, 'not_found');
    const other = await newLaboratory();
    expectError(await cancel(other, started.execution_id), 404, 'not_found');
  });

  test('is 400 for another form of id, 404 for an unknown run, 409 for one that ended', async () => {
    const laboratory = await newLaboratory();
    expectError(await cancel(laboratory, 'not-a-uuid'), 400, 'bad_request');
    expectError(await cancel(laboratory, newId()), 404, 'not_found');
    const ended = storedExecution(laboratory.project, owner);
    await executions().insertOne(ended);
    expectError(await cancel(laboratory, String(ended.note.flow_run_id)), 409, 'not_cancellable');
    expectError(await cancel(laboratory, ended.execution_id), 409, 'not_cancellable');
  });

  test('is 403 for the run of another project and leaves it alone', async () => {
    const laboratory = await newLaboratory();
    const other = await newLaboratory();
    const started = read(startedRun, await laboratory.execute());
    expectError(await cancel(other, started.flow_run_id), 403, 'forbidden');
    expect(read(lockStatus, await laboratory.as('/executions/lock-status')).lock).toBe(true);
    await laboratory.free();
  });

  test('needs the editor role', async () => {
    const laboratory = await newLaboratory();
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
    const laboratory = await newLaboratory();
    await executions().insertMany(
      Array.from({ length: 25 }, (_, index) =>
        storedExecution(laboratory.project, owner, {
          execution_id: executionNamed(`20260102-${String(index).padStart(3, '0')}`),
          start_at: new Date(Date.UTC(2026, 0, 2, 0, index)),
        }),
      ),
    );
    await executions().insertOne(
      storedExecution(laboratory.project, owner, {
        execution_id: executionNamed('20260102-900'),
        chip_id: 'OTHER',
      }),
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
      flow_run_state: 'COMPLETED',
    });
    const last = await page({ skip: '20', limit: '100' });
    expect(last.executions.map((each) => each.execution_id)).toEqual(
      [4, 3, 2, 1, 0].map((index) => `20260102-00${index}`),
    );
  });

  test('gives an empty list for an unknown chip, and 422 for a page out of bounds', async () => {
    const laboratory = await newLaboratory();
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
    const laboratory = await newLaboratory();
    const open = storedExecution(laboratory.project, owner, {
      execution_id: executionNamed('20260102-007'),
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
    const laboratory = await newLaboratory();
    for (const id of ['20260102-999', newId(), 'x', '%2e%2e', 'y'.repeat(400)]) {
      expectError(await laboratory.as(`/executions/${id}`), 404, 'not_found');
    }
  });

  test('two projects with the same execution id never meet', async () => {
    const [one, two] = [await newLaboratory(), await newLaboratory()];
    await executions().insertMany([
      storedExecution(one.project, owner, { message: 'of one' }),
      storedExecution(two.project, owner, { message: 'of two' }),
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

  test('lock-status knows of a holder without a row its id alone, not the chip of an earlier run', async () => {
    const laboratory = await newLaboratory();
    await executions().insertOne(storedExecution(laboratory.project, owner, { chip_id: 'EARLIER' }));
    const started = read(startedRun, await laboratory.execute());
    await executions().deleteOne({ _id: keyOf(laboratory.project, started.execution_id) });
    expect(read(lockStatus, await laboratory.as('/executions/lock-status'))).toEqual({
      lock: true,
      execution_id: started.execution_id,
      chip_id: null,
      name: null,
      status: null,
    });
    await laboratory.free();
    expect(read(lockStatus, await laboratory.as('/executions/lock-status'))).toEqual({
      lock: false,
      execution_id: '20260102-003',
      chip_id: 'EARLIER',
      name: 'rabi',
      status: 'completed',
    });
  });

  test('a failure that is not the engine being away is not taken for it', async () => {
    const laboratory = await newLaboratory();
    await executions().insertOne(storedExecution(laboratory.project, owner, { status: 'running' }));
    const { settings, database } = api;
    const engine: Engine = {
      ...api.engine,
      get client(): Engine['client'] {
        throw new Error('a mistake of ours');
      },
    };
    const server = await buildCheckedServer({ settings, database, engine, log: createLog('test', 'silent') });
    const answer = await server.inject({
      url: '/executions/20260102-003',
      headers: { authorization: `Bearer ${owner.token}`, 'x-project-id': laboratory.project },
    });
    expect(answer.statusCode).toBe(500);
    await server.close();
  });

  test('needs a token and membership', async () => {
    const { project } = await newLaboratory();
    for (const url of ['/executions?chip_id=CHIP', '/executions/20260102-003', '/executions/lock-status']) {
      expectError(await api.call(url), 401, 'not_authenticated');
      expectError(await api.as(stranger, project)(url), 403, 'forbidden');
      expectError(await api.as(stranger, newId())(url), 404, 'not_found');
      expectError(await api.as(stranger)(url), 400, 'project_required');
      expect((await api.as(viewer, project)(url)).status).not.toBe(403);
    }
  });
});
