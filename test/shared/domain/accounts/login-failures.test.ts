import { afterAll, expect, test } from 'vitest';
import { MAX_LOGIN_FAILURES } from '../../../../shared/domain/accounts/rules.ts';
import { createUserStore } from '../../../../shared/domain/accounts/store.ts';
import { connectDatabase } from '../../../../shared/kernel/database.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `failures_${newId().slice(0, 8)}`,
);
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

test('first failures that several processes note at once are all counted', async () => {
  const processes = Array.from({ length: MAX_LOGIN_FAILURES }, () => createUserStore(database.db));
  for (const key of ['ada', 'grace', 'lise']) {
    await Promise.all(processes.map((users) => users.recordLoginFailure(key, new Date())));
    expect(await processes[0]?.loginFailures(key)).toHaveLength(MAX_LOGIN_FAILURES);
  }
});
