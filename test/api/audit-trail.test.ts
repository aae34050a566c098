import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AuditDocument } from '../../shared/domain/audit/model.ts';
import { type AuditEntry, auditList } from '../../shared/domain/audit/model.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let admin: Person;
let owner: Person;
let member: Person;
let lab: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { AUDIT_DAYS: '30' } });
  admin = await api.makePerson({ system_role: 'admin' });
  [owner, member] = await Promise.all([api.makePerson(), api.makePerson()]);
  lab = await makeLaboratory(api, owner, await api.makePerson());
});
afterAll(() => api.close());

async function trail(query: Record<string, string> = {}): Promise<AuditEntry[]> {
  return read(auditList, await api.as(admin)('/admin/audit', { query })).entries;
}

/** The newest entry, with the fields that tell one from another. */
async function newest(query: Record<string, string> = {}) {
  const [entry] = await trail({ ...query, limit: '1' });
  if (!entry) throw new Error('the trail is empty');
  const { action, username, project_id, target, details } = entry;
  return { action, username, project_id, target, details };
}

const login = (username: string, password: string, from = '10.7.0.1') =>
  api.call('/auth/login', {
    method: 'POST',
    text: new URLSearchParams({ username, password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    from,
  });

test('each route that takes a POST or changes something says what the trail calls it', () => {
  const silent = api.server.knownRoutes
    .all()
    .filter(({ method, config }) => /^(POST|PUT|PATCH|DELETE)$/.test(method) && config.audit === undefined)
    .map(({ method, url }) => `${method} ${url}`);
  expect(silent).toEqual([]);
});

describe('the trail tells', () => {
  test('of sign-ins, those that were refused too, without a name that nobody has', async () => {
    await login(member.username, member.password);
    expect(await newest()).toEqual({
      action: 'signed_in',
      username: member.username,
      project_id: null,
      target: null,
      details: {},
    });
    await login(member.username, 'wrong', '10.7.0.9');
    const [refused] = await trail({ action: 'sign_in_refused' });
    expect(refused).toMatchObject({ user_id: member.id, username: member.username, address: '10.7.0.9' });
    // The token of somebody else who was signed in here before says nothing.
    await api.as(owner)('/auth/login', {
      method: 'POST',
      text: new URLSearchParams({ username: member.username, password: 'wrong' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(await newest()).toMatchObject({ action: 'sign_in_refused', username: member.username });
    // People type passwords where the name belongs.
    await login('My secret password!', 'x');
    const [unknown] = await trail({ action: 'sign_in_refused' });
    expect(unknown).toMatchObject({ user_id: null, username: null, target: null, details: {} });
    await login('nobody-here', 'x');
    expect(await newest()).toMatchObject({ action: 'sign_in_refused', username: 'nobody-here' });
  });

  test('of sign-outs, by the user whose token it was; not of nobody', async () => {
    const token = await api.signIn(member.username, member.password);
    const leaving = { ...member, token };
    await api.as(leaving)('/auth/logout', { method: 'POST' });
    expect(await newest()).toMatchObject({ action: 'signed_out', username: member.username });
    const before = (await trail()).length;
    await api.call('/auth/logout', { method: 'POST' });
    expect(await trail()).toHaveLength(before);
  });

  test('who made whom a member in which role, changed it, and took it away', async () => {
    const url = `/projects/${lab.project}/members`;
    const of = { username: owner.username, project_id: lab.project, target: member.username };
    await lab.as(url, { method: 'POST', body: { username: member.username, role: 'viewer' } });
    expect(await newest()).toEqual({ ...of, action: 'member_added', details: { role: 'viewer' } });
    await lab.as(`${url}/${member.username}`, { method: 'PATCH', body: { role: 'editor' } });
    expect(await newest()).toEqual({ ...of, action: 'member_changed', details: { role: 'editor' } });
    await lab.as(`${url}/${member.username}`, { method: 'DELETE' });
    expect(await newest()).toEqual({ ...of, action: 'member_removed', details: {} });
  });

  test('whom an administrator made, changed and deleted', async () => {
    const by = { username: admin.username, project_id: null, target: 'carol' };
    const as = api.as(admin);
    await as('/auth/register', { method: 'POST', body: { username: 'carol', password: 'a long password' } });
    expect(await newest()).toMatchObject({ ...by, action: 'user_created' });
    await as('/auth/reset-password', {
      method: 'POST',
      body: { username: 'carol', new_password: 'hunter22!' },
    });
    expect(await newest()).toEqual({ ...by, action: 'password_reset', details: {} });
    await as('/admin/users/carol', { method: 'PUT', body: { system_role: 'admin' } });
    expect(await newest()).toMatchObject({
      ...by,
      action: 'user_changed',
      details: { system_role: 'admin' },
    });
    await as('/admin/users/carol', { method: 'DELETE' });
    expect(await newest()).toEqual({ ...by, action: 'user_deleted', details: {} });
  });

  test('who started and cancelled which run, and who saved and deleted a flow', async () => {
    const in_project = { username: owner.username, project_id: lab.project };
    const { execution_id } = read(startedRun, await lab.execute({}));
    expect(await newest()).toEqual({
      ...in_project,
      action: 'run_started',
      target: 'rabi',
      details: { execution_id },
    });
    await lab.as(`/executions/${execution_id}/cancel`, { method: 'POST' });
    expect(await newest()).toEqual({
      ...in_project,
      action: 'run_cancelled',
      target: execution_id,
      details: {},
    });
    await lab.as('/flows/rabi', { method: 'DELETE' });
    expect(await newest()).toMatchObject({ ...in_project, action: 'flow_deleted', target: 'rabi' });
    await lab.free();
  });

  test('of files that leave and configuration that is written', async () => {
    const as = api.as(owner);
    await as('/files/content', { method: 'PUT', body: { path: 'a.yaml', content: 'secret: 1' } });
    expect(await newest()).toEqual({
      action: 'configuration_written',
      username: owner.username,
      project_id: null,
      target: 'a.yaml',
      details: {},
    });
    await api.call('/files/zip', { query: { path: 'a.yaml' } });
    expect(await newest()).toMatchObject({ action: 'files_exported', username: null, target: 'a.yaml' });
  });

  test('nothing of what was refused or failed', async () => {
    const before = await trail();
    await api.as(member)('/admin/users/nobody', { method: 'DELETE' });
    await lab.as('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 16 } });
    await lab.as('/projects', { method: 'POST', body: {} });
    expect(await trail()).toEqual(before);
  });

  test('no password, token or content', async () => {
    const everything = JSON.stringify(
      await api.database.db.collection<AuditDocument>('audit_entries').find({}).toArray(),
    );
    const secrets = [
      member.password,
      'a long password',
      'hunter22!',
      'my-secret-password',
      'secret: 1',
      owner.token,
    ];
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });
});

describe('GET /admin/audit', () => {
  test('is for system administrators', async () => {
    expectError(await api.as(owner)('/admin/audit'), 403, 'admin_required');
  });

  test('is filtered by who, where, what and when', async () => {
    const all = await trail();
    expect(await trail({ username: owner.username, action: 'member_added' })).toHaveLength(1);
    expect(await trail({ project_id: lab.project })).toEqual(
      all.filter(({ project_id }) => project_id === lab.project),
    );
    const middle = all[3]?.at ?? '';
    const older = await trail({ to: middle });
    const newer = await trail({ from: middle });
    expect([...newer, ...older]).toEqual(all);
    expect(older.length).toBeGreaterThan(0);
    expectProblems(await api.as(admin)('/admin/audit', { query: { action: 'guessed' } }), [
      ['enum', 'query', 'action'],
    ]);
  });

  test('is paged, newest first', async () => {
    const all = await trail();
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    const page = async (skip: number) =>
      read(auditList, await api.as(admin)('/admin/audit', { query: { skip: String(skip), limit: '2' } }));
    expect(await page(0)).toEqual({ entries: all.slice(0, 2), has_more: true });
    expect(await page(all.length - 2)).toEqual({ entries: all.slice(-2), has_more: false });
  });

  test('shows nothing older than the setting says, and the store forgets it by itself', async () => {
    const entries = api.database.db.collection<AuditDocument>('audit_entries');
    const one = await entries.findOne({ action: 'signed_in' });
    if (!one) throw new Error('somebody signed in');
    const days = (one.expires_at.getTime() - one.at.getTime()) / 86_400_000;
    expect(days).toBe(30);
    await entries.insertOne({ ...one, _id: 'old', at: new Date(Date.now() - 31 * 86_400_000) });
    const ids = z.array(z.string()).parse((await trail({ limit: '1000' })).map(({ entry_id }) => entry_id));
    expect(ids).not.toContain('old');
    expect(await entries.indexes()).toContainEqual(
      expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
    );
  });
});
