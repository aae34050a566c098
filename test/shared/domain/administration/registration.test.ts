import { afterAll, beforeEach, expect, test } from 'vitest';
import { accountIndexes, createUserStore } from '../../../../shared/domain/accounts/store.ts';
import { createTokens } from '../../../../shared/domain/accounts/tokens.ts';
import { registerUser } from '../../../../shared/domain/administration/registration.ts';
import { createProjectStore, projectIndexes } from '../../../../shared/domain/projects/store.ts';
import { connectDatabase, ensureIndexes } from '../../../../shared/kernel/database.ts';
import { newId } from '../../../../shared/kernel/ids.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `registration_${newId().slice(0, 8)}`,
);
const users = createUserStore(database.db);
const projects = createProjectStore(database.db);
const tokens = createTokens(async () => 'a secret of the tests, long enough', { lifetime: 60, idle: 60 });
const wanted = {
  username: 'grace',
  password: null,
  display_name: null,
  organization: null,
  avatar_key: null,
  create_default_project: true,
};

beforeEach(async () => {
  await database.db.dropDatabase();
  await ensureIndexes(database.db, [...accountIndexes, ...projectIndexes]);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

test('an account names its project only when the project is there', async () => {
  let named: string | null | undefined;
  const made = await registerUser(
    {
      users,
      tokens,
      async ensureProject(owner, project) {
        named = (await users.find(owner.user_id))?.default_project_id;
        await projects.ensure(owner, project);
      },
    },
    wanted,
  );
  expect(named).toBeNull();
  expect((await users.find(made.user_id))?.default_project_id).toBe(made.default_project_id);
  expect((await projects.find(made.default_project_id ?? ''))?.owner_user_id).toBe(made.user_id);
});

test('an account whose project cannot be made is taken back', async () => {
  const ensureProject = () => Promise.reject(new Error('the store is away'));
  await expect(registerUser({ users, tokens, ensureProject }, wanted)).rejects.toThrow('the store is away');
  expect(await users.findByUsername('grace')).toBeNull();
});
