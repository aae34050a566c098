import { afterAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../../../shared/kernel/database.ts';
import {
  checkStoreVersion,
  type Migration,
  migrateStore,
  UNFINISHED_COPY,
} from '../../../shared/kernel/migrations.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `migrations_${newId().slice(0, 8)}`,
);
const { db } = database;

/** Names of the migrations in the order in which they were started. */
let order: string[];
beforeEach(async () => {
  order = [];
  await db.dropDatabase();
});
afterAll(async () => {
  await db.dropDatabase();
  await database.close();
});

function expand(name: string, work: Migration['run'] = async () => {}): Migration {
  return { name, release: '1.0.0', phase: 'expand', run: started(name, work) };
}

function contract(name: string): Migration {
  return { name, release: '1.1.0', phase: 'contract', completes: null, run: started(name, async () => {}) };
}

function started(name: string, work: Migration['run']): Migration['run'] {
  return (lost) => {
    order.push(name);
    return work(lost);
  };
}

const versionRecord = () => db.collection<{ _id: string; release?: string }>('store_version');
const executed = () => db.collection<{ _id: string; release: string }>('store_migrations').find().toArray();

test('migrations are executed once and in order, and the store remembers the newest release', async () => {
  await migrateStore(database, [expand('a'), expand('b')], { release: '1.0.0' });
  await migrateStore(database, [expand('a'), expand('b'), expand('c')], { release: '1.10.0' });
  await migrateStore(database, [expand('a'), expand('b')], { release: '1.9.0' });
  expect(order).toEqual(['a', 'b', 'c']);
  expect((await executed()).map(({ _id, release }) => `${_id} ${release}`)).toEqual([
    'a 1.0.0',
    'b 1.0.0',
    'c 1.10.0',
  ]);
  expect(await versionRecord().findOne({ _id: 'store' })).toMatchObject({ release: '1.10.0', holder: null });
});

test('a new store is not reported as being migrated, and one with data is', async () => {
  const messages: string[] = [];
  const report = (message: string) => messages.push(message);
  await db.createCollection('empty');
  await migrateStore(database, [expand('a')], { report });
  expect(order).toEqual(['a']);
  expect(messages).toEqual([]);
  await db.collection('chips').insertOne({ chip_id: '64Q' });
  await migrateStore(database, [expand('a'), expand('b')], { report });
  expect(messages).toEqual(['the stored data is being migrated: b']);
});

test('of several processes one migrates, and the others wait for it', async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let waiting = 4;
  const start = () =>
    migrateStore(database, [expand('a', () => finished)]).then(() => {
      waiting -= 1;
    });
  const all = Promise.all(Array.from({ length: waiting }, start));
  await expect.poll(() => order).toEqual(['a']);
  expect(waiting).toBe(4);
  finish();
  await all;
  expect(order).toEqual(['a']);
});

test('a migration whose process died is started again by the next process', async () => {
  const dead = { _id: 'store', holder: 'dead', expires_at: new Date(Date.now() - 1) };
  await versionRecord().insertOne(dead);
  await migrateStore(database, [expand('a')]);
  expect(order).toEqual(['a']);
});

test('a failing migration is named with its reason, keeps those before it, and is repeated at the next start', async () => {
  const failing = expand('b', () => Promise.reject(new Error('two projects have the key k')));
  await expect(migrateStore(database, [expand('a'), failing, expand('c')])).rejects.toThrow(
    'The migration b failed: two projects have the key k. Fix the cause and start again; migrations before it are kept.',
  );
  await migrateStore(database, [expand('a'), expand('b'), expand('c')]);
  expect(order).toEqual(['a', 'b', 'b', 'c']);
});

test('a release refuses a store that a newer one has contracted, and accepts one that was only expanded', async () => {
  const known = [expand('a')];
  await migrateStore(database, [...known, expand('b')], { release: '1.1.0' });
  await migrateStore(database, known, { release: '1.0.0' });
  await migrateStore(database, [...known, expand('b'), contract('c')], { release: '1.2.0' });
  const message =
    'Calibron 1.2.0 has changed the stored data (c), and Calibron 1.1.0 cannot use it. ' +
    'Start Calibron 1.2.0 or later, or restore the backup from before the update.';
  const next = [...known, expand('b'), expand('never')];
  await expect(migrateStore(database, next, { release: '1.1.0' })).rejects.toThrow(message);
  await expect(checkStoreVersion(db, next, '1.1.0')).rejects.toThrow(message);
  expect(order).toEqual(['a', 'b', 'c']);
});

test('nothing is started on a database to which a restore or a copy was not finished, but the restore itself', async () => {
  const marks = db.collection<{ _id: string }>(UNFINISHED_COPY);
  await marks.insertOne({ _id: 'restore' });
  const refused = /not complete: `npm run restore` to it was not finished\. Run it again\./;
  await expect(migrateStore(database, [expand('a')])).rejects.toThrow(refused);
  await expect(checkStoreVersion(db, [expand('a')])).rejects.toThrow(refused);
  expect(order).toEqual([]);
  await migrateStore(database, [expand('a')], { mayBeUnfinished: true });
  await marks.drop();
  await migrateStore(database, [expand('a'), expand('b')]);
  expect(order).toEqual(['a', 'b']);
});
