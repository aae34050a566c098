import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUserStore } from '../../shared/domain/accounts/store.ts';
import {
  createFirstAdministrator,
  type FirstAdministrator,
} from '../../shared/domain/administration/first-administrator.ts';
import { createProjectStore } from '../../shared/domain/projects/store.ts';
import { type Api, startApi } from './harness.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a start that is cut off after the account has told the password, which opens it', async () => {
  const users = createUserStore(api.database.db);
  const wanted = { username: 'admin', password: undefined };
  const told: FirstAdministrator[] = [];
  const tell = (created: FirstAdministrator) => void told.push(created);
  const cutOff = createFirstAdministrator(users, () => Promise.reject(new Error('killed')), wanted, tell);
  await expect(cutOff).rejects.toThrow('killed');
  expect(told).toEqual([{ username: 'admin', password: expect.stringMatching(/^[\w-]{18}$/) }]);
  await createFirstAdministrator(users, createProjectStore(api.database.db).ensure, wanted, tell);
  expect(told).toHaveLength(1);
  expect(await api.signIn('admin', told[0]?.password ?? '')).not.toBe('');
});
