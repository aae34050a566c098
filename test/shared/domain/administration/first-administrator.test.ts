import { afterAll, beforeEach, expect, test } from 'vitest';
import { accounts } from '../../../../shared/domain/accounts/index.ts';
import { createFirstAdministrator } from '../../../../shared/domain/administration/first-administrator.ts';
import { projects as projectArea } from '../../../../shared/domain/projects/index.ts';
import { NO_USER } from '../../../../shared/kernel/ids.ts';
import { ensureIndexes } from '../../../../shared/kernel/index-builds.ts';

import { openOwnAreas } from '../../../support/own-areas.ts';

const { database, kernel, areas, close } = await openOwnAreas();
const { projects } = areas;
const { users, signIn, passwords } = areas.accounts;
const needs = { users, passwords, ensureProject: projects.ensure };

beforeEach(async () => {
  await kernel.db.dropDatabase();
  await ensureIndexes(database, [...accounts.indexes, ...projectArea.indexes]);
});
afterAll(close);

/** Whether a password opens an account. */
const opens = async (username: string, password: string) =>
  (await signIn.checkLimited({ username, password }, 'here')) !== null;

test('the first administrator gets a generated password and a default project', async () => {
  const created = await createFirstAdministrator(needs, {
    username: 'admin',
    password: undefined,
  });
  expect(created).toEqual({ username: 'admin', password: expect.stringMatching(/^[\w-]{18}$/) });
  const stored = await users.findByUsername('admin');
  expect(stored).toMatchObject({ system_role: 'admin', must_change_password: false, disabled: false });
  expect(stored?._id).toMatch(/^usr_[0-9a-f]{32}$/);
  expect(await opens('admin', created?.password ?? '')).toBe(true);
  const own = await projects.listFor(stored?._id ?? NO_USER);
  expect(own.projects).toMatchObject([{ project_id: stored?.default_project_id, name: "admin's project" }]);
});

test('a password that was given is not shown again', async () => {
  const wanted = { username: 'root.user', password: 'given password' };
  expect(await createFirstAdministrator(needs, wanted)).toEqual({
    username: 'root.user',
    password: null,
  });
  expect(await createFirstAdministrator(needs, { ...wanted, password: 'another password' })).toBeNull();
  expect(await opens('root.user', 'given password')).toBe(true);
});

test('no administrator is created if there is a user', async () => {
  await createFirstAdministrator(needs, { username: 'admin', password: undefined });
  const second = { username: 'other', password: undefined };
  expect(await createFirstAdministrator(needs, second)).toBeNull();
  expect(await users.findByUsername('other')).toBeNull();
});

test('several processes at once make one administrator with one project', async () => {
  const wanted = { username: 'admin', password: undefined };
  const all = await Promise.all(Array.from({ length: 6 }, () => createFirstAdministrator(needs, wanted)));
  expect(all.filter((each) => each !== null)).toHaveLength(1);
  expect(await kernel.db.collection('users').countDocuments()).toBe(1);
  expect(await kernel.db.collection('projects').countDocuments()).toBe(1);
  expect(await kernel.db.collection('memberships').countDocuments()).toBe(1);
});

test('a start that was cut off before the project is completed by the next', async () => {
  const wanted = { username: 'admin', password: undefined };
  await createFirstAdministrator(
    { ...needs, ensureProject: () => Promise.reject(new Error('killed')) },
    wanted,
  ).catch(() => null);
  expect(await kernel.db.collection('projects').countDocuments()).toBe(0);
  expect(await createFirstAdministrator(needs, wanted)).toBeNull();
  const stored = await users.findByUsername('admin');
  expect((await projects.listFor(stored?._id ?? NO_USER)).total).toBe(1);
});
