import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  checkPassword,
  generatePassword,
  hashPassword,
} from '../../../../shared/domain/accounts/passwords.ts';
import { throttledFor } from '../../../../shared/domain/accounts/rules.ts';
import { accountIndexes, createUserStore } from '../../../../shared/domain/accounts/store.ts';
import { tokenSecret } from '../../../../shared/domain/accounts/tokens.ts';
import { createFirstAdministrator } from '../../../../shared/domain/administration/first-administrator.ts';
import { createProjectStore, projectIndexes } from '../../../../shared/domain/projects/store.ts';
import { passwordProblem, usernamePattern } from '../../../../shared/kernel/credentials.ts';
import { connectDatabase, ensureIndexes } from '../../../../shared/kernel/database.ts';
import { newId } from '../../../../shared/kernel/ids.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `accounts_${newId().slice(0, 8)}`,
);
const users = createUserStore(database.db);
const projects = createProjectStore(database.db);

beforeEach(async () => {
  await database.db.dropDatabase();
  await ensureIndexes(database.db, [...accountIndexes, ...projectIndexes]);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

test('the first administrator gets a generated password and a default project', async () => {
  const created = await createFirstAdministrator(users, projects.ensure, {
    username: 'admin',
    password: undefined,
  });
  expect(created).toEqual({ username: 'admin', password: expect.stringMatching(/^[\w-]{18}$/) });
  const stored = await users.findByUsername('admin');
  expect(stored).toMatchObject({ system_role: 'admin', must_change_password: false, disabled: false });
  expect(stored?._id).toMatch(/^usr_[0-9a-f]{32}$/);
  expect(await checkPassword(created?.password ?? '', stored?.hashed_password ?? null)).toBe(true);
  const own = await projects.listFor(stored?._id ?? '');
  expect(own.projects).toMatchObject([{ project_id: stored?.default_project_id, name: "admin's project" }]);
});

test('a password that was given is not shown again', async () => {
  const wanted = { username: 'root.user', password: 'given password' };
  expect(await createFirstAdministrator(users, projects.ensure, wanted)).toEqual({
    username: 'root.user',
    password: null,
  });
  expect(
    await createFirstAdministrator(users, projects.ensure, { ...wanted, password: 'another password' }),
  ).toBeNull();
  const stored = await users.findByUsername('root.user');
  expect(await checkPassword('given password', stored?.hashed_password ?? null)).toBe(true);
});

test('nobody is made where there is a user already', async () => {
  await createFirstAdministrator(users, projects.ensure, { username: 'admin', password: undefined });
  const second = { username: 'other', password: undefined };
  expect(await createFirstAdministrator(users, projects.ensure, second)).toBeNull();
  expect(await users.findByUsername('other')).toBeNull();
});

test('several processes at once make one administrator with one project', async () => {
  const wanted = { username: 'admin', password: undefined };
  const all = await Promise.all(
    Array.from({ length: 6 }, () => createFirstAdministrator(users, projects.ensure, wanted)),
  );
  expect(all.filter((each) => each !== null)).toHaveLength(1);
  expect(await database.db.collection('users').countDocuments()).toBe(1);
  expect(await database.db.collection('projects').countDocuments()).toBe(1);
  expect(await database.db.collection('memberships').countDocuments()).toBe(1);
});

test('a start that was cut off before the project is completed by the next', async () => {
  const wanted = { username: 'admin', password: undefined };
  await createFirstAdministrator(users, () => Promise.reject(new Error('killed')), wanted).catch(() => null);
  expect(await database.db.collection('projects').countDocuments()).toBe(0);
  expect(await createFirstAdministrator(users, projects.ensure, wanted)).toBeNull();
  const stored = await users.findByUsername('admin');
  expect((await projects.listFor(stored?._id ?? '')).total).toBe(1);
});

test('processes that start together agree on the key that signs tokens', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-secret-'));
  try {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => tokenSecret(undefined, directory)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(directory)).toEqual(['token-secret']);
    expect(await tokenSecret('given', directory)).toBe('given');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('passwords have 8 characters and at most 72 bytes', async () => {
  expect(passwordProblem('1234567')).toMatchObject({ type: 'string_too_short' });
  expect(passwordProblem('12345678')).toBeNull();
  expect(passwordProblem('😀'.repeat(7))).toMatchObject({ type: 'string_too_short' });
  expect(passwordProblem('p'.repeat(72))).toBeNull();
  expect(passwordProblem('ü'.repeat(37))).toMatchObject({ type: 'string_too_long' });
  await expect(hashPassword('short')).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(hashPassword('p'.repeat(73))).rejects.toMatchObject({ code: 'invalid_input' });
  expect(await checkPassword('anything', null)).toBe(false);
  expect(new Set(Array.from({ length: 50 }, generatePassword)).size).toBe(50);
});

test('usernames are 3 to 64 of lower-case letters, digits and _ - .', () => {
  for (const good of ['abc', 'a.b-c_d', '0ab', 'a'.repeat(64)]) expect(usernamePattern.test(good)).toBe(true);
  for (const bad of ['ab', 'Abc', '.abc', 'abc.', 'a b c', 'a'.repeat(65), ''])
    expect(usernamePattern.test(bad)).toBe(false);
});

test('the tenth failure within a quarter of an hour closes the login until the first of them is old', () => {
  const now = new Date('2026-01-02T12:00:00Z');
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const failures = Array.from({ length: 10 }, (_, index) => minutesAgo(14 - index));
  expect(throttledFor(failures, now)).toBe(60_000);
  expect(throttledFor(failures.slice(1), now)).toBe(0);
  expect(throttledFor([minutesAgo(15), ...failures.slice(1)], now)).toBe(0);
  expect(throttledFor([], now)).toBe(0);
});
