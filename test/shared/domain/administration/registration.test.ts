import { afterAll, beforeEach, expect, test } from 'vitest';
import { accounts } from '../../../../shared/domain/accounts/index.ts';
import { registerUser } from '../../../../shared/domain/administration/registration.ts';
import { projects as projectArea } from '../../../../shared/domain/projects/index.ts';
import { ensureIndexes } from '../../../../shared/kernel/index-builds.ts';
import { projectNamed } from '../../../support/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

const { database, kernel, areas, close } = await openOwnAreas();
const { projects } = areas;
const { users, tokens, passwords } = areas.accounts;
const wanted = {
  username: 'grace',
  password: null,
  display_name: null,
  organization: null,
  avatar_key: null,
  create_default_project: true,
};

beforeEach(async () => {
  await kernel.db.dropDatabase();
  await ensureIndexes(database, [...accounts.indexes, ...projectArea.indexes]);
});
afterAll(close);

test('an account names its project only when the project is there', async () => {
  let named: string | null | undefined;
  const made = await registerUser(
    {
      users,
      tokens,
      passwords,
      async ensureProject(owner, project) {
        named = (await users.find(owner.user_id))?.default_project_id;
        await projects.ensure(owner, project);
      },
    },
    wanted,
  );
  expect(named).toBeNull();
  expect((await users.find(made.user_id))?.default_project_id).toBe(made.default_project_id);
  expect((await projects.find(made.default_project_id ?? projectNamed('')))?.owner_user_id).toBe(
    made.user_id,
  );
});

test('an account whose project cannot be made is taken back', async () => {
  const ensureProject = () => Promise.reject(new Error('the store is away'));
  await expect(registerUser({ users, tokens, passwords, ensureProject }, wanted)).rejects.toThrow(
    'the store is away',
  );
  expect(await users.findByUsername('grace')).toBeNull();
});
