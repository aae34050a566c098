import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newProgramToken,
  type ProgramTokenDocument,
  programTokenList,
} from '../../shared/domain/accounts/program-token-model.ts';
import { agentSession } from '../../shared/domain/agent-sessions/model.ts';
import { auditList } from '../../shared/domain/audit/model.ts';
import {
  newServiceAccount,
  serviceAccount,
  serviceAccountList,
} from '../../shared/domain/projects/service-account-model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { owningUser } from '../../shared/kernel/owning-user.ts';
import { agentPolicy } from '../support/stored-results.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;
let administrator: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi({ environment: { PROGRAM_TOKENS_PER_USER: '6', PROGRAM_TOKEN_DAYS: '30' } });
  person = await api.makePerson();
  administrator = await api.makePerson({ system_role: 'admin' });
  project = await api.makeProject(person);
});
afterAll(() => api.close());

const post = (who: Person, url: string, body?: unknown) => api.as(who)(url, { method: 'POST', body });

async function makeToken(who: Person, fields: object = {}) {
  const made = read(
    newProgramToken,
    await post(who, '/auth/tokens', { name: 'dashboard', scopes: ['read'], ...fields }),
    201,
  );
  return { ...made, as: { ...who, token: made.token } };
}

const authenticates = async (as: Person) => (await api.as(as)('/auth/me')).status;

describe('a token for programs', () => {
  test('acts as its user, is shown once and stored as a hash', async () => {
    const owner = await api.makePerson();
    const { as, token, token_id, prefix } = await makeToken(owner);
    expect(token).toMatch(/^cbt_[\w-]{43}$/);
    expect(prefix).toBe(token.slice(0, 12));
    expect((await api.as(as)('/auth/me')).body).toMatchObject({ username: owner.username });
    const { tokens } = read(programTokenList, await api.as(owner)('/auth/tokens'));
    expect(tokens).toMatchObject([
      { token_id, name: 'dashboard', prefix, scopes: ['read'], project_id: null },
    ]);
    expect(tokens[0]?.last_used_at).toEqual(expect.any(String));
    expect(tokens[0]).not.toHaveProperty('token');
    const stored = await api.database.db
      .collection<ProgramTokenDocument>('program_tokens')
      .findOne({ _id: token_id });
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  test('ends when it is revoked, when it is rotated and when it expires', async () => {
    const owner = await api.makePerson();
    const first = await makeToken(owner);
    const rotated = read(newProgramToken, await post(owner, `/auth/tokens/${first.token_id}/rotate`));
    expect(rotated).toMatchObject({ token_id: first.token_id, name: 'dashboard' });
    expectError(await api.as(first.as)('/auth/me'), 401, 'not_authenticated');
    const as = { ...owner, token: rotated.token };
    expect(await authenticates(as)).toBe(200);
    await api.database.db
      .collection<ProgramTokenDocument>('program_tokens')
      .updateOne({ _id: first.token_id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect(await authenticates(as)).toBe(401);
    const second = await makeToken(owner);
    await api.as(owner)(`/auth/tokens/${second.token_id}`, { method: 'DELETE' });
    expect(await authenticates(second.as)).toBe(401);
  });

  test('ends with a change of the password, a reset and a disabled account, but not by signing out', async () => {
    const owner = await api.makePerson();
    const { as, token_id } = await makeToken(owner);
    expect((await post(as, '/auth/logout')).body).toMatchObject({
      message: expect.stringContaining('nothing was revoked'),
    });
    expect(await authenticates(as)).toBe(200);
    const change = { current_password: owner.password, new_password: 'another long password' };
    expect((await post(owner, '/auth/change-password', change)).status).toBe(200);
    expect(await authenticates(as)).toBe(401);
    const { token } = read(newProgramToken, await post(owner, `/auth/tokens/${token_id}/rotate`));
    const renewed = { ...owner, token };
    expect(await authenticates(renewed)).toBe(200);
    await api.as(administrator)(`/admin/users/${owner.username}`, {
      method: 'PUT',
      body: { disabled: true },
    });
    expectError(await api.as(renewed)('/auth/me'), 403, 'account_disabled');
    await api.as(administrator)(`/admin/users/${owner.username}`, {
      method: 'PUT',
      body: { disabled: false },
    });
    expect(await authenticates(renewed)).toBe(401);
  });

  test('is invisible to everyone else', async () => {
    const { token_id } = await makeToken(person);
    expectError(await post(administrator, `/auth/tokens/${token_id}/rotate`), 404, 'not_found');
    const revoked = await api.as(administrator)(`/auth/tokens/${token_id}`, { method: 'DELETE' });
    expectError(revoked, 404, 'not_found');
  });

  test('is bounded in number, time and project', async () => {
    const owner = await api.makePerson();
    const wanted = { name: 'a', scopes: ['read'] };
    for (const days of [-1, 31]) {
      const expires_at = new Date(Date.now() + days * 86_400_000).toISOString();
      const answer = await post(owner, '/auth/tokens', { ...wanted, expires_at });
      expectProblems(answer, [['value_error', 'body', 'expires_at']]);
    }
    expectError(await post(owner, '/auth/tokens', { ...wanted, project_id: project }), 403, 'forbidden');
    for (let made = 0; made < 6; made += 1) await makeToken(owner);
    expectError(await post(owner, '/auth/tokens', wanted), 409, 'quota_exceeded');
  });

  test('never grants more than its user has', async () => {
    const viewer = await api.makePerson();
    await api.addMember(project, viewer, 'viewer');
    const { as } = await makeToken(viewer, { scopes: ['administer'] });
    const refused = await api.as(as, project)('/chips', { method: 'POST', body: { chip_id: 'A', size: 4 } });
    expectError(refused, 403, 'forbidden');
    expectError(await api.as(as)('/admin/users'), 403, 'admin_required');
  });

  test('uses its own project by default', async () => {
    const elsewhere = await api.makeProject(person);
    const { as } = await makeToken(person, { scopes: ['operate'], project_id: elsewhere });
    const created = await api.as(as)('/chips', { method: 'POST', body: { chip_id: 'MINE', size: 4 } });
    expect(created.status).toBe(200);
    const chips = await api.as(person, elsewhere)('/chips');
    expect(chips.text).toContain('MINE');
  });
});

describe('a service account', () => {
  const accounts = () => `/projects/${project}/service-accounts`;

  test('acts under its own name with its role, and its work counts for its owner', async () => {
    const made = read(
      newServiceAccount,
      await post(person, accounts(), { name: 'nightly', role: 'editor', scopes: ['operate'] }),
      201,
    );
    expect(owningUser(made.user_id)).toBe(person.id);
    const as = { ...person, token: made.token };
    expect((await api.as(as)('/auth/me')).body).toMatchObject({ username: made.username });
    const chip = { chip_id: 'NIGHT', size: 4 };
    expect((await api.as(as)('/chips', { method: 'POST', body: chip })).status).toBe(200);
    const trail = await api.as(administrator)(`/admin/audit?username=${made.username}`);
    expect(read(auditList, trail).entries).toMatchObject([
      { action: 'chip_created', project_id: project, details: { program_token: 'nightly' } },
    ]);
    expectError(await post(person, accounts(), { name: 'nightly' }), 400, 'already_exists');
    const { service_accounts } = read(serviceAccountList, await api.as(person)(accounts()));
    expect(service_accounts.map(({ username, role }) => [username, role])).toContainEqual([
      made.username,
      'editor',
    ]);
  });

  test('cannot sign in, be promoted, own a project or enter another one', async () => {
    const { username, token } = read(
      newServiceAccount,
      await post(person, accounts(), { name: 'bound', role: 'editor', scopes: ['administer'] }),
      201,
    );
    const login = await api.call('/auth/login', {
      method: 'POST',
      text: new URLSearchParams({ username, password: 'x' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expectError(login, 401, 'wrong_credentials');
    expectError(await post(administrator, '/auth/reset-password', { username }), 409, 'conflict');
    const body = { system_role: 'admin' };
    const promoted = await api.as(administrator)(`/admin/users/${username}`, { method: 'PUT', body });
    expectError(promoted, 409, 'conflict');
    const transfer = await post(administrator, `/projects/${project}/transfer`, { username });
    expectError(transfer, 404, 'not_found');
    const other = await api.makeProject(administrator);
    expectError(await post(administrator, `/projects/${other}/members`, { username }), 404, 'not_found');
    const as = { ...person, token };
    expectError(await api.as(as, other)('/chips'), 403, 'forbidden');
    expectError(await api.as(as)(accounts()), 403, 'forbidden');
  });

  test('is changed, given tokens and deleted by the owner of its project', async () => {
    const { username, token } = read(
      newServiceAccount,
      await post(person, accounts(), { name: 'monitor' }),
      201,
    );
    const as = { ...person, token };
    const change = (body: object) => api.as(person)(`${accounts()}/${username}`, { method: 'PATCH', body });
    expect(read(serviceAccount, await change({ role: 'editor' }))).toMatchObject({ role: 'editor' });
    const more = { name: 'second', scopes: ['read'], service_account: username };
    const second = read(newProgramToken, await post(person, '/auth/tokens', more), 201);
    expect(second.project_id).toBe(project);
    expectError(await post(administrator, '/auth/tokens', more), 404, 'not_found');
    const rotated = await post(person, `/auth/tokens/${second.token_id}/rotate`);
    expect(rotated.status).toBe(200);
    await change({ disabled: true });
    expectError(await api.as(as)('/auth/me'), 403, 'account_disabled');
    await change({ disabled: false });
    expect(await authenticates(as)).toBe(401);
    expect((await api.as(person)(`${accounts()}/${username}`, { method: 'DELETE' })).status).toBe(200);
    expectError(await change({ role: 'viewer' }), 404, 'not_found');
  });
});

test('an agent acts with a token, and only a person resumes its session', async () => {
  await api.as(person, project)('/chips', { method: 'POST', body: { chip_id: 'AGENT', size: 4 } });
  const { as } = await makeToken(person, { scopes: ['run'], project_id: project });
  const wanted = { chip_id: 'AGENT', policy: agentPolicy, model_name: 'scripted' };
  expectError(await post(as, '/agent-sessions', wanted), 403, 'insufficient_scope');
  const session = read(
    agentSession,
    await api.as(person, project)('/agent-sessions', { method: 'POST', body: wanted }),
    201,
  );
  const path = `/agent-sessions/${session.session_id}`;
  expect((await api.as(as)(path)).status).toBe(200);
  expectError(await post(as, `${path}/resume`), 403, 'sign_in_required');
  expectError(await api.as(person, project)(`${path}/resume`, { method: 'POST' }), 409, 'session_closed');
});
