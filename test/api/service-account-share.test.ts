import { afterAll, beforeAll, expect, test } from 'vitest';
import { newProgramToken } from '../../shared/domain/accounts/program-token-model.ts';
import { newServiceAccount } from '../../shared/domain/projects/service-account-model.ts';
import { lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { type Api, type Person, read, startApi } from './harness.ts';

const PER_USER = 40;

let api: Api;
let administrator: Person;
beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { RATE_LIMIT_USER: String(PER_USER) } });
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const post = (who: Person, url: string, body?: unknown) => api.as(who)(url, { method: 'POST', body });

/** A service account of a project that was transferred from its maker to another person. */
async function transferred() {
  const [maker, successor] = await Promise.all([api.makePerson(), api.makePerson()]);
  const project = await api.makeProject(maker);
  const wanted = { name: 'nightly', role: 'editor', scopes: ['operate'] };
  const made = read(
    newServiceAccount,
    await post(maker, `/projects/${project}/service-accounts`, wanted),
    201,
  );
  const move = await post(administrator, `/projects/${project}/transfer`, { username: successor.username });
  expect(move.status).toBe(200);
  return { maker, successor, project, made, program: { ...maker, token: made.token } };
}

/** How many of some requests are not refused because of the limit of a user. */
async function passing(who: Person, count: number): Promise<number> {
  let passed = 0;
  for (let asked = 0; asked < count; asked += 1) {
    if ((await api.as(who)('/auth/me')).status !== 429) passed += 1;
  }
  return passed;
}

test('after a transfer, requests of a service account count for the new owner, also with a new token', async () => {
  const { maker, successor, made, program } = await transferred();
  const second = read(
    newProgramToken,
    await post(successor, '/auth/tokens', {
      name: 'second',
      scopes: ['read'],
      service_account: made.username,
    }),
    201,
  );
  expect(await passing(program, 20)).toBe(20);
  expect(await passing({ ...maker, token: second.token }, 10)).toBe(10);
  // 31 are counted for the successor, with the request for the token.
  expect(await passing(successor, 20)).toBe(PER_USER - 31);
  expect(await passing(program, 5)).toBe(0);
  expect(await passing(maker, 20)).toBe(20);
});

test('after a transfer, a run of a service account uses the share of the new owner', async () => {
  const { successor, project, program } = await transferred();
  const chip = { chip_id: 'NIGHT', size: 4 };
  expect((await api.as(program, project)('/chips', { method: 'POST', body: chip })).status).toBe(200);
  const started = await api.as(program, project)('/tasks/CheckT1/execute', {
    method: 'POST',
    body: { chip_id: 'NIGHT', qid: '0' },
  });
  expect(started.status).toBe(200);
  const run = api.engine.client.workflow.getHandle(lockWorkflowId(project));
  expect((await run.describe()).priority?.fairnessKey).toBe(successor.id);
  await run.terminate();
});
