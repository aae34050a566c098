import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { accounts } from '../../../../shared/domain/accounts/index.ts';
import { importUsers } from '../../../../shared/domain/administration/bulk-import.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

test('an import whose store fails reports the rows that are left at once, and keeps the passwords of those before', async () => {
  const { kernel, areas, close } = await openOwnAreas();
  const nowhere = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
  const { users: store, passwords } = areas.accounts;
  const { users: away } = accounts.create({ ...kernel, db: nowhere.db('away') });
  let asked = 0;
  const failing: typeof store = {
    ...store,
    async insert(user) {
      asked += 1;
      await (asked <= 3 ? store : away).insert(user);
    },
  };
  const failures: unknown[] = [];
  const csv = `username\n${Array.from({ length: 12 }, (_, index) => `person-${index}`).join('\n')}\nX\n`;
  const answer = await importUsers({ users: failing, passwords }, Buffer.from(csv), (thrown) =>
    failures.push(thrown),
  );
  expect(answer).toMatchObject({ created: 3, failed: 10, skipped: 0, total: 13 });
  expect(answer.results.filter((row) => row.initial_password !== null)).toHaveLength(3);
  expect(failures.length).toBeGreaterThan(0);
  expect(await kernel.db.collection('users').countDocuments()).toBe(3);
  await close();
  await nowhere.close();
});
