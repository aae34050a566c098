import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { unknownNameText, withKnownNames } from '../../api/plugins/known-names.ts';
import { executionList } from '../../shared/domain/executions/model.ts';
import { userNamed } from '../support/ids.ts';
import { type Answer, type Api, expectProblems, type Person, read, startApi } from './harness.ts';
import { makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let laboratory: Awaited<ReturnType<typeof makeLaboratory>>;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  laboratory = await makeLaboratory(api, owner, await api.makePerson());
});
afterAll(() => api.close());

const problemBody = z.object({
  detail: z.array(z.object({ type: z.string(), loc: z.array(z.unknown()), msg: z.string() })),
});
const readMethods = ['GET', 'DELETE'] as const;

const post = (url: string, body: unknown) => laboratory.as(url, { method: 'POST', body });
const messages = ({ body }: Answer) => {
  const { detail } = problemBody.parse(body);
  return detail.map(({ msg }) => msg);
};

describe('a query parameter that a route does not know', () => {
  test('is 422 on every route that people may read, with or without parameters of its own', async () => {
    await api.users.updateOne({ _id: userNamed(owner.id) }, { $set: { system_role: 'admin' } });
    const open = /^\/(?:docs|console|auth\/oidc\/callback|$)/;
    const routes = api.server.knownRoutes.all().flatMap(({ method, url }) => {
      const known = readMethods.find((each) => each === method);
      return known === undefined || open.test(url) ? [] : [{ method: known, url }];
    });
    expect(routes.length).toBeGreaterThan(120);
    for (const { method, url } of routes) {
      const path = url
        .replace(':project_id', laboratory.project)
        .replace(':recorded_date', '20260101')
        .replaceAll(/:[a-z_]+|\*/g, '1');
      const answer = await laboratory.as(`${path}?surely_unknown=1`, {
        method,
        headers: { 'x-username': owner.username },
      });
      expect({ method, url, status: answer.status, body: answer.body }).toMatchObject({ status: 422 });
      const { detail } = problemBody.parse(answer.body);
      expect(detail, url).toContainEqual(
        expect.objectContaining({ type: 'extra_forbidden', loc: ['query', 'surely_unknown'] }),
      );
    }
  });

  test('is answered with the nearest name, and changes nothing', async () => {
    const answer = await laboratory.as('/executions', { query: { chip_id: 'CHIP', state: 'failed' } });
    expectProblems(answer, [['extra_forbidden', 'query', 'state']]);
    expect(messages(answer)).toEqual(['Extra inputs are not permitted; did you mean status?']);
    const none = await laboratory.as('/tags?page=2');
    expect(messages(none)).toEqual(['Extra inputs are not permitted; none are known here']);
  });

  test('is nothing to complain about on pages', async () => {
    expect((await api.call('/docs/?deep=1')).status).toBe(200);
  });
});

test('executions can be listed by status', async () => {
  const list = async (status: string) => laboratory.as('/executions', { query: { chip_id: 'CHIP', status } });
  read(z.looseObject({}), await laboratory.execute());
  expect(read(executionList, await list('scheduled')).total).toBe(1);
  expect(read(executionList, await list('failed'))).toMatchObject({ executions: [], total: 0 });
  expectProblems(await list('broken'), [['enum', 'query', 'status']]);
  await laboratory.free();
});

describe('a request that starts something', () => {
  test.each([
    ['/flows/rabi/execute', { params: {} }, 'did you mean parameters?'],
    ['/flows/rabi/schedule', { cron: '0 2 * * *', time_zone: 'UTC' }, 'did you mean timezone?'],
    [
      '/tasks/CheckT1/execute',
      { chip_id: 'CHIP', qid: '0', run_params: {} },
      'did you mean run_parameter_overrides?',
    ],
    ['/task-results/none/re-execute', { update: true }, 'did you mean update_params?'],
    ['/executions/none/re-execute', { flow: 'rabi' }, 'did you mean flow_name?'],
    ['/executions/none/retry', { cod: 'current' }, 'did you mean code?'],
    ['/task-results/ai-review/bulk', { chip_id: 'CHIP', task: 'CheckT1', target: '0' }, 'known are chip_id'],
    ['/agent-sessions/none/actions/none/execute', { source: 'x' }, 'did you mean source_execution_id?'],
  ])('refuses a key of its body that it does not know: %s', async (url, body, message) => {
    const answer = await post(url, body);
    expect(answer.status).toBe(422);
    expect(messages(answer).join(' ')).toContain(message);
  });

  test('names the nearest key of an inner object too', async () => {
    const answer = await post('/task-results/none/re-execute', { parameter_overrides: { inputs: {} } });
    expectProblems(answer, [['extra_forbidden', 'body', 'parameter_overrides', 'inputs']]);
    expect(messages(answer)).toEqual(['Extra inputs are not permitted; did you mean input?']);
  });

  test('takes the names that answers use: run_parameters of a task are checked as its overrides', async () => {
    const body = { chip_id: 'CHIP', qid: '0', run_parameters: { shotz: 1 } };
    const answer = await post('/tasks/CheckT1/execute', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('shotz');
  });
});

test('task and task_name are one filter', async () => {
  for (const [url, name] of [
    ['/task-results', 'task'],
    ['/task-results', 'task_name'],
    ['/task-results/qubits/latest', 'task_name'],
    ['/task-results/qubits/latest', 'task'],
  ] as const) {
    const answer = await laboratory.as(url, { query: { chip_id: 'CHIP', [name]: 'CheckT1' } });
    expect(answer.status, `${url} ${name}`).toBe(200);
  }
});

test('a synonym beside its name is unknown, and an object that takes any name keeps all', () => {
  const strict = z.strictObject({ task_name: z.string(), inner: z.strictObject({ task: z.string() }) });
  expect(withKnownNames(strict, { task: 'a', inner: { task_name: 'b' } })).toEqual({
    task_name: 'a',
    inner: { task: 'b' },
  });
  expect(withKnownNames(strict, { task: 'a', task_name: 'b' })).toEqual({ task: 'a', task_name: 'b' });
  expect(withKnownNames(z.object({ task_name: z.string() }), { task: 'a' })).toEqual({ task: 'a' });
  expect(withKnownNames(strict, [1])).toEqual([1]);
  const list = z.object({ rows: z.array(z.strictObject({ colour: z.string() })) });
  expect(unknownNameText(list, ['rows', 0], 'color')).toContain('did you mean colour?');
});
