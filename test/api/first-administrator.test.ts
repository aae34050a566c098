import { afterAll, beforeAll, expect, test } from 'vitest';
import { administration, type FirstAdministrator } from '../../shared/domain/administration/index.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { type Api, startApi } from './harness.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a start that is cut off after the account has shown the password, which opens it', async () => {
  const { areas, database, engine, settings } = api;
  const { createFirst } = administration.create({
    db: database.db,
    engine,
    settings,
    log: createLog('test', 'SILENT'),
    accounts: areas.accounts,
    schedules: areas.schedules,
    notifications: areas.notifications,
    chatSessions: areas.chatSessions,
    projects: { ...areas.projects, ensure: () => Promise.reject(new Error('killed')) },
  });
  const told: FirstAdministrator[] = [];
  const tell = (created: FirstAdministrator) => void told.push(created);
  await expect(createFirst(tell)).rejects.toThrow('killed');
  expect(told).toEqual([{ username: 'admin', password: expect.stringMatching(/^[\w-]{18}$/) }]);
  await areas.administration.createFirst(tell);
  expect(told).toHaveLength(1);
  expect(await api.signIn('admin', told[0]?.password ?? '')).not.toBe('');
});
